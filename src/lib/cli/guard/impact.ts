import type {Operation, OperationId} from '#lib/api/operations.js'
import {FOLDER_TYPE} from '#lib/api/wire.js'
import type {Context} from '#lib/cli/context/context.js'
import {shortTime} from '#lib/cli/terminal/cell.js'
import type {CallInput, Client, Page} from '#lib/client/client.js'
import {printable} from '#lib/platform/sanitize.js'
import {parentIds} from '#lib/transfer/remote/records.js'
import {destroys, type Loss} from './destroys.js'
import {type Going, goingText} from './going.js'
import {ownPermissionId} from './own-permission.js'
import {createLook, type Look, recordName, sizeOf} from './targets.js'

type Inputs = readonly CallInput[]

/**
 * What some requests of one operation destroy, in a sentence without an end; `undefined` where they
 * destroy nothing. Costs 12 requests at the most, however many they are.
 */
export async function lossText(
  context: Context,
  loss: Loss,
  operation: OperationId | Operation,
  inputs: Inputs,
): Promise<string | undefined> {
  const look = createLook(await context.client())
  switch (loss) {
    case 'files':
      return `Deleted for good, without the trash: ${await filesText(look, inputs)}`
    case 'trash':
      return trashText(look, inputs)
    case 'drives':
      return `Deleted for good: ${await drivesText(look, inputs)}`
    case 'revisions':
      return `Deleted for good, of the versions of a file: ${await revisionsText(look, inputs)}`
    case 'places':
      return placesText(look, inputs)
    case 'access':
      return accessText(context, look, inputs)
    case 'ownership': {
      const handed = inputs.filter(input => destroys(operation, input))
      const records = await filesOf(look, handed, 'id,title')
      return `Handed over to another owner, who alone can hand it back: ${plainText(handed, records)}`
    }
    case 'unknown':
      return requestsText(await context.client(), operation, inputs)
  }
}

/** What a push puts into the trash of the service, in the same way. */
export async function trashedText(
  client: Client,
  files: ReadonlyArray<{readonly id: string}>,
): Promise<string> {
  const inputs = files.map(({id}) => ({params: {fileId: id}}))
  return `Put into the trash of the service: ${await filesText(createLook(client), inputs)}`
}

const fileIdOf = ({params}: CallInput) => String(params.fileId ?? params.childId)

function filesOf(look: Look, inputs: Inputs, fields: string) {
  return look.records(
    'files.get',
    inputs.map(input => ({fileId: fileIdOf(input), supportsAllDrives: 'true', fields})),
  )
}

/** The names of files as far as they are known, else their IDs. */
function namesOf(inputs: Inputs, records: ReadonlyArray<Page | undefined>): string[] {
  return inputs.map((input, index) => recordName(records[index] ?? {id: fileIdOf(input)}))
}

/** The same as text. */
function plainText(inputs: Inputs, records: ReadonlyArray<Page | undefined>): string {
  const names = namesOf(inputs, records)
  if (names.length === 1) return names[0]!
  return goingText({names, count: names.length})
}

async function filesText(look: Look, inputs: Inputs): Promise<string> {
  const records = await filesOf(look, inputs, 'id,title,mimeType,fileSize')
  const folders = records.filter(record => record?.mimeType === FOLDER_TYPE)
  const inside = await look.inside(folders.map(folder => String(folder!.id)))
  const own = sizesOf(records)
  if (inputs.length > 1) {
    const names = namesOf(inputs, records)
    const all = goingText({names, count: inputs.length, bytes: own})
    return folders.length === 0 ? all : `${all}; in the folders ${goingText(inside)}`
  }
  const [record] = records
  if (folders.length > 0) return `the folder ${recordName(record!)}, with ${goingText(inside)}`
  return goingText({names: namesOf(inputs, records), count: 1, bytes: own})
}

function sizesOf(records: ReadonlyArray<Page | undefined>): number {
  return records.reduce((sum, record) => sum + sizeOf(record), 0)
}

/** What is in the trash of one's own, or of a shared drive. */
async function trashText(look: Look, inputs: Inputs): Promise<string | undefined> {
  const {driveId, teamDriveId = driveId} = inputs[0]!.params
  const going = await look.list(
    teamDriveId === undefined
      ? {q: "trashed = true and 'me' in owners"}
      : {q: 'trashed = true', ...inDrive(String(teamDriveId))},
  )
  return going.count === 0 ? undefined : `Deleted for good: ${goingText(going)}`
}

const inDrive = (driveId: string) => ({
  corpora: 'drive',
  driveId,
  supportsAllDrives: 'true',
  includeItemsFromAllDrives: 'true',
})

async function drivesText(look: Look, inputs: Inputs): Promise<string> {
  const all = inputs.map(({params}) => params)
  const records = await look.records(
    'drives.get',
    all.map(({driveId, useDomainAdminAccess}) => ({
      driveId: driveId!,
      ...(useDomainAdminAccess !== undefined && {useDomainAdminAccess}),
      fields: 'id,name',
    })),
  )
  const names = inputs.map(({params}, index) =>
    recordName(records[index] ?? {id: String(params.driveId)}),
  )
  if (names.length > 1)
    return `the shared drives ${names.slice(0, 5).join(', ')}${names.length > 5 ? `, … (${names.length} in all)` : ''}`
  // An administrator who is no member sees the drive, and nothing in it.
  const inside: Going | undefined = await look
    .list(inDrive(String(all[0]!.driveId)))
    .catch(() => undefined)
  return `the shared drive ${names[0]}${inside ? `, with ${goingText(inside)}` : ''}`
}

async function revisionsText(look: Look, inputs: Inputs): Promise<string> {
  const records = await look.records(
    'revisions.get',
    inputs.map(({params: {fileId, revisionId}}) => ({
      fileId: fileId!,
      revisionId: revisionId!,
      fields: 'id,modifiedDate,originalFilename,fileSize',
    })),
  )
  const names = inputs.map(({params}, index) => {
    const {originalFilename: name = '', modifiedDate} = records[index] ?? {}
    const date = typeof modifiedDate === 'string' ? `of ${shortTime(modifiedDate)}` : ''
    return [String(name), String(params.revisionId), date].filter(Boolean).join(' ')
  })
  return goingText({names, count: names.length, bytes: sizesOf(records)})
}

/** The files that are in no other folder: what is not known may be one of them. */
async function placesText(look: Look, inputs: Inputs): Promise<string | undefined> {
  const records = await filesOf(look, inputs, 'id,title,parents(id)')
  const removed = new Map<string, number>()
  for (const file of inputs.map(fileIdOf)) removed.set(file, (removed.get(file) ?? 0) + 1)
  const lost = inputs.flatMap((input, index) => {
    const record = records[index]
    const hasOther = record && parentIds(record).length > removed.get(fileIdOf(input))!
    return hasOther ? [] : [{input, record}]
  })
  if (lost.length === 0) return undefined
  const text = plainText(
    lost.map(({input}) => input),
    lost.map(({record}) => record),
  )
  return `Taken out of the only folder it is in: ${text}`
}

async function accessText(
  context: Context,
  look: Look,
  inputs: Inputs,
): Promise<string | undefined> {
  const own = await ownPermissionId(context)
  const lost = inputs.filter(({params}) => params.permissionId === own)
  if (lost.length === 0) return undefined
  const records = await filesOf(look, lost, 'id,title')
  return `Your own access ends, and you cannot give it back to yourself: ${plainText(lost, records)}`
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
