import {join} from 'node:path'
import type {Operation, OperationId} from '#lib/api/operations.js'
import {FOLDER_TYPE} from '#lib/api/wire.js'
import {accountKey} from '#lib/cli/context/completion-file.js'
import type {Context} from '#lib/cli/context/context.js'
import {shortTime} from '#lib/cli/terminal/cell.js'
import type {CallInput, Client, Page} from '#lib/client/client.js'
import {printable} from '#lib/platform/sanitize.js'
import {nameFromKey, stateFile} from '#lib/platform/state-file.js'
import {groupBy} from '#lib/platform/values.js'
import {parentIds} from '#lib/transfer/remote/records.js'
import {destroys, type Loss} from './destroys.js'
import {createLook, type Going, goingText, type Look, recordName, sizeOf} from './targets.js'

type Inputs = readonly CallInput[]

/**
 * What some requests of one operation will destroy, as a sentence without a full stop; `undefined` where they
 * destroy nothing. Costs 12 requests at the most, however many they are.
 */
export async function lossText(
  context: Context,
  loss: Loss,
  operation: OperationId | Operation,
  inputs: Inputs,
): Promise<string | undefined> {
  const client = await context.client()
  const look = createLook(client)
  switch (loss) {
    case 'files':
      return `This will permanently delete ${await filesText(look, inputs)}`
    case 'trash':
      return trashText(look, inputs[0]!)
    case 'drives':
      return `This will permanently delete ${await drivesText(look, inputs)}`
    case 'revisions': {
      const fields = 'id,modifiedDate,originalFilename,fileSize'
      const targets = await describeTargets(look, 'revision', fields, inputs)
      return `This will permanently delete ${goingText(targets, 'revision')}`
    }
    case 'places': {
      const fields = 'id,title,parents(id)'
      const {names, records} = await describeTargets(look, 'file', fields, inputs)
      const removals = groupBy(inputs, fileIdOf)
      // A file that is not known may be in no other folder.
      const lost = names.filter((_, index) => {
        const removed = removals.get(fileIdOf(inputs[index]!))!
        return parentIds(records[index] ?? {}).length <= removed.length
      })
      return lost.length > 0
        ? `This will remove from the only folder that it is in: ${namesText(lost)}`
        : undefined
    }
    case 'access': {
      const own = await ownPermissionId(context)
      const lost = inputs.filter(({params}) => params.permissionId === own)
      if (lost.length === 0) return undefined
      const {names} = await describeTargets(look, 'file', 'id,title', lost)
      return `This will end your own access, which you cannot restore yourself: ${namesText(names)}`
    }
    case 'ownership': {
      const handed = inputs.filter(input => destroys(operation, input))
      const {names} = await describeTargets(look, 'file', 'id,title', handed)
      return `This will transfer the ownership, which only the new owner can transfer back: ${namesText(names)}`
    }
    case 'unknown':
      return requestsText(client, operation, inputs)
  }
}

/** What a push puts into the trash of the service, in the same way. */
export async function trashedText(
  client: Client,
  files: ReadonlyArray<{readonly id: string}>,
): Promise<string> {
  const inputs = files.map(({id}) => ({params: {fileId: id}}))
  return `This will move to the trash of the service: ${await filesText(createLook(client), inputs)}`
}

/** The things that requests are about, with what the service says of each. */
interface Targets extends Going {
  readonly records: ReadonlyArray<Page | undefined>
}

interface Kind {
  readonly id: OperationId
  readonly params: (input: CallInput) => CallInput['params']
  readonly nameOf: (record: Page, input: CallInput) => string
}

const fileIdOf = ({params}: CallInput) => String(params.fileId ?? params.childId)

/** How things are asked for and called; of one that is not known the name is its ID. */
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

/** What requests are about, as far as the service tells within the bounds of a look. */
async function describeTargets(
  look: Look,
  kind: keyof typeof KINDS,
  fields: string,
  inputs: Inputs,
): Promise<Targets> {
  const {id, params, nameOf} = KINDS[kind]
  const records = await look.records(
    id,
    inputs.map(input => ({...params(input), fields})),
  )
  const names = inputs.map((input, index) => nameOf(records[index] ?? {}, input))
  const bytes = records.reduce((sum, record) => sum + sizeOf(record), 0)
  return {names, count: inputs.length, bytes, records}
}

function namesText(names: readonly string[]): string {
  return names.length === 1 ? names[0]! : goingText({names, count: names.length})
}

async function filesText(look: Look, inputs: Inputs): Promise<string> {
  const targets = await describeTargets(look, 'file', 'id,title,mimeType,fileSize', inputs)
  const folders = targets.records.filter(record => record?.mimeType === FOLDER_TYPE)
  const inside = await look.inside(folders.map(folder => String(folder!.id)))
  if (folders.length === 0) return goingText(targets)
  if (inputs.length === 1) return `the folder ${targets.names[0]}${insideText(inside)}`
  return `${goingText(targets)}; in the folders ${goingText(inside)}`
}

function insideText(inside: Going): string {
  return inside.count === 0 && !inside.isMore ? ' (empty)' : `, with ${goingText(inside)}`
}

/** What is in the trash of one's own, or of a shared drive. */
async function trashText(look: Look, {params}: CallInput): Promise<string | undefined> {
  const {driveId, teamDriveId = driveId} = params
  const going = await look.list(
    trashQuery(teamDriveId === undefined ? 'root' : String(teamDriveId)),
  )
  return going.count === 0 ? undefined : `This will permanently delete ${goingText(going)}`
}

/** The search for what is in the trash of a shared drive, or with `root` in one's own. */
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

async function drivesText(look: Look, inputs: Inputs): Promise<string> {
  const {names} = await describeTargets(look, 'drive', 'id,name', inputs)
  if (names.length > 1)
    return `the shared drives ${names.slice(0, 5).join(', ')}${names.length > 5 ? `, … (${names.length} in all)` : ''}`
  // An administrator who is no member sees the drive, and nothing in it.
  const inside = await look.list(inDrive(String(inputs[0]!.params.driveId))).catch(() => undefined)
  return `the shared drive ${names[0]}${inside ? insideText(inside) : ''}`
}

/** The requests of an operation of which only a description tells. */
function requestsText(client: Client, operation: OperationId | Operation, inputs: Inputs): string {
  const id = typeof operation === 'string' ? operation : operation.operationId
  const names = inputs.map(input => {
    const {method, url} = client.prepare(id, input)
    return `${method} ${url}`
  })
  const requests =
    names.length === 1 ? printable(names[0]!, 1000) : goingText({names, count: names.length})
  return `drv knows ${printable(id, 100)} only from a description, and not what it changes: ${requests}`
}

/**
 * The ID that one's own account has in permissions; `undefined` where the service does not tell. It
 * is asked for once and kept with the profile's state.
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
  // Where nothing can be kept it is asked for again.
  await file.tryWrite(id)
  return id
}
