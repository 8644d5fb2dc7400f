import {join} from 'node:path'
import type {Operation, OperationId} from '#lib/api/operations.js'
import {parentIds} from '#lib/api/reached.js'
import {FOLDER_TYPE} from '#lib/api/wire.js'
import {accountKey} from '#lib/cli/context/completion-file.js'
import type {Context} from '#lib/cli/context/context.js'
import {shortTime} from '#lib/cli/terminal/cell.js'
import type {CallInput, Client, Page} from '#lib/client/client.js'
import {printable} from '#lib/platform/sanitize.js'
import {nameFromKey, stateFile} from '#lib/platform/state-file.js'
import {groupBy} from '#lib/platform/values.js'
import {destroys, type ImpactKind} from './destroys.js'
import {
  createInspector,
  type Impact,
  impactText,
  type Inspector,
  recordName,
  sizeOf,
} from './targets.js'

type Inputs = readonly CallInput[]

/**
 * The impact of requests of one operation, as a sentence without a period; `undefined` if they destroy
 * nothing. Sends at most 12 requests.
 */
export async function describeImpact(
  context: Context,
  kind: ImpactKind,
  operation: OperationId | Operation,
  inputs: Inputs,
): Promise<string | undefined> {
  const client = await context.client()
  const inspector = createInspector(client)
  switch (kind) {
    case 'files':
      return `This will permanently delete ${await filesText(inspector, inputs)}`
    case 'trash':
      return trashText(inspector, inputs[0]!)
    case 'drives':
      return `This will permanently delete ${await drivesText(inspector, inputs)}`
    case 'revisions': {
      const fields = 'id,modifiedDate,originalFilename,fileSize'
      const targets = await describeTargets(inspector, 'revision', fields, inputs)
      return `This will permanently delete ${impactText(targets, 'revision')}`
    }
    case 'places': {
      const fields = 'id,title,parents(id)'
      const {names, records} = await describeTargets(inspector, 'file', fields, inputs)
      const removals = groupBy(inputs, fileIdOf)
      // An unknown file may have no other parent.
      const lost = names.filter((_, index) => {
        const removed = removals.get(fileIdOf(inputs[index]!))!
        return parentIds(records[index] ?? {}).length <= removed.length
      })
      return lost.length > 0
        ? `This will leave items without a folder: ${namesText(lost)}`
        : undefined
    }
    case 'access': {
      const own = await ownPermissionId(context)
      const lost = inputs.filter(({params}) => params.permissionId === own)
      if (lost.length === 0) return undefined
      const {names} = await describeTargets(inspector, 'file', 'id,title', lost)
      return `This will remove your own access, and you cannot restore it: ${namesText(names)}`
    }
    case 'ownership': {
      const handed = inputs.filter(input => destroys(operation, input))
      const {names} = await describeTargets(inspector, 'file', 'id,title', handed)
      return `This will transfer ownership, and only the new owner can transfer it back: ${namesText(names)}`
    }
    case 'unknown':
      return requestsText(client, operation, inputs)
  }
}

/** The impact of a push that moves items to the trash, as a sentence without a period. */
export async function trashedText(
  client: Client,
  files: ReadonlyArray<{readonly id: string}>,
): Promise<string> {
  const inputs = files.map(({id}) => ({params: {fileId: id}}))
  return `This will move to the trash: ${await filesText(createInspector(client), inputs)}`
}

/** The items of requests, with their records. */
interface Targets extends Impact {
  readonly records: ReadonlyArray<Page | undefined>
}

interface Kind {
  readonly id: OperationId
  readonly params: (input: CallInput) => CallInput['params']
  readonly nameOf: (record: Page, input: CallInput) => string
}

const fileIdOf = ({params}: CallInput) => String(params.fileId ?? params.childId)

/** How to request and name items; an unknown one is named by its ID. */
const KINDS: Readonly<Record<'file' | 'drive' | 'revision', Kind>> = {
  file: {
    id: 'files.get',
    params: input => ({fileId: fileIdOf(input), supportsAllDrives: 'true'}),
    nameOf: (record, input) => recordName({id: fileIdOf(input), ...record}),
  },
  drive: {
    id: 'drives.get',
    params: ({params: {driveId, useDomainAdminAccess}}) => ({
      driveId: driveId!,
      ...(useDomainAdminAccess !== undefined && {useDomainAdminAccess}),
    }),
    nameOf: (record, {params}) => recordName({id: params.driveId, ...record}),
  },
  revision: {
    id: 'revisions.get',
    params: ({params: {fileId, revisionId}}) => ({fileId: fileId!, revisionId: revisionId!}),
    nameOf({originalFilename = '', modifiedDate}, {params}) {
      const date = typeof modifiedDate === 'string' ? `of ${shortTime(modifiedDate)}` : ''
      return [String(originalFilename), String(params.revisionId), date].filter(Boolean).join(' ')
    },
  },
}

/** The items of requests, as far as the request limit allows. */
async function describeTargets(
  inspector: Inspector,
  kind: keyof typeof KINDS,
  fields: string,
  inputs: Inputs,
): Promise<Targets> {
  const {id, params, nameOf} = KINDS[kind]
  const records = await inspector.records(
    id,
    inputs.map(input => ({...params(input), fields})),
  )
  const names = inputs.map((input, index) => nameOf(records[index] ?? {}, input))
  const bytes = records.reduce((sum, record) => sum + sizeOf(record), 0)
  return {names, count: inputs.length, bytes, records}
}

function namesText(names: readonly string[]): string {
  return names.length === 1 ? names[0]! : impactText({names, count: names.length})
}

async function filesText(inspector: Inspector, inputs: Inputs): Promise<string> {
  const targets = await describeTargets(inspector, 'file', 'id,title,mimeType,fileSize', inputs)
  const folders = targets.records.filter(record => record?.mimeType === FOLDER_TYPE)
  const inside = await inspector.inside(folders.map(folder => String(folder!.id)))
  if (folders.length === 0) return impactText(targets)
  if (inputs.length === 1) return `the folder ${targets.names[0]}${insideText(inside)}`
  return `${impactText(targets)}; in the folders ${impactText(inside)}`
}

function insideText(inside: Impact): string {
  return inside.count === 0 && !inside.isMore ? ' (empty)' : `, with ${impactText(inside)}`
}

/** The impact of emptying the user's trash, or that of a shared drive. */
async function trashText(inspector: Inspector, {params}: CallInput): Promise<string | undefined> {
  const {driveId, teamDriveId = driveId} = params
  const impact = await inspector.list(
    trashQuery(teamDriveId === undefined ? 'root' : String(teamDriveId)),
  )
  return impact.count === 0 ? undefined : `This will permanently delete ${impactText(impact)}`
}

/** The query for the trash of a shared drive, or with `root` for the user's own. */
export function trashQuery(driveId: string) {
  return driveId === 'root'
    ? {q: "trashed = true and 'me' in owners"}
    : {q: 'trashed = true', ...inDrive(driveId)}
}

const inDrive = (driveId: string) => ({
  corpora: 'drive',
  driveId,
  supportsAllDrives: 'true',
  includeItemsFromAllDrives: 'true',
})

async function drivesText(inspector: Inspector, inputs: Inputs): Promise<string> {
  const {names} = await describeTargets(inspector, 'drive', 'id,name', inputs)
  if (names.length > 1)
    return `the shared drives ${names.slice(0, 5).join(', ')}${names.length > 5 ? `, … (${names.length} in all)` : ''}`
  // An administrator who is not a member cannot list the drive.
  const inside = await inspector
    .list(inDrive(String(inputs[0]!.params.driveId)))
    .catch(() => undefined)
  return `the shared drive ${names[0]}${inside ? insideText(inside) : ''}`
}

/** The requests of an operation that drv knows only from a description. */
function requestsText(client: Client, operation: OperationId | Operation, inputs: Inputs): string {
  const id = typeof operation === 'string' ? operation : operation.operationId
  const names = inputs.map(input => {
    const {method, url} = client.prepare(id, input)
    return `${method} ${url}`
  })
  const requests =
    names.length === 1 ? printable(names[0]!, 1000) : impactText({names, count: names.length})
  return `drv does not know whether ${printable(id, 100)} deletes data: ${requests}`
}

/**
 * The permission ID of the user's account; `undefined` if the service does not return one. Requested once
 * and stored with the profile's state.
 */
export async function ownPermissionId(
  context: Pick<Context, 'settings' | 'directories' | 'client'>,
): Promise<string | undefined> {
  const {state} = context.directories
  const file = stateFile({
    file: state && join(state, 'self', nameFromKey(accountKey(await context.settings()))),
    parse: text => text || undefined,
    format: (id: string) => id,
    isPrivate: true,
  })
  const known = file.read()
  if (known !== undefined) return known
  const client = await context.client()
  const about = await client.call('about.get', {params: {fields: 'permissionId'}})
  const id = about?.permissionId
  if (typeof id !== 'string' || id === '') return undefined
  // If it cannot be stored, the next command requests it again.
  await file.tryWrite(id)
  return id
}
