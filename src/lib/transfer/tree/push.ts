import type {Client} from '#lib/client/client.js'
import {mimeTypeOf, titleKey} from '#lib/transfer/local/names.js'
import {entriesBelow} from '#lib/transfer/remote/listing.js'
import {ALL_DRIVES} from '#lib/transfer/remote/records.js'
import type {ContentSource, FileRecord, OnProgress, Upload, World} from '#lib/transfer/types.js'
import {uploadFile} from '#lib/transfer/upload.js'
import type {LocalFile, RemoteEntry} from './entries.js'
import {idsFor, placeKey, type Reserved, reservedIdState, type Reserving} from './reserved-ids.js'
import {md5Of} from './settle.js'
import type {FolderStep, UploadStep} from './steps.js'

/** A new item with its reserved ID, and that of its folder. */
export interface ReservedItem {
  readonly step: FolderStep | UploadStep
  readonly id: string
  readonly parentId: string
}

interface ReservingNew extends Reserving {
  /** IDs of the folders that this run creates. */
  readonly made: ReadonlySet<string>
  readonly driveId?: string
  readonly signal: AbortSignal
}

/**
 * An ID for each new entry of a push by path, so that no retry creates it twice. Another run may have
 * created an entry before this one reserved its ID; then that entry's ID is used. Entries seen during
 * planning correspond to something else.
 */
export async function reserveNew(
  client: Client,
  makes: ReadonlyArray<FolderStep | UploadStep>,
  reserving: ReservingNew,
): Promise<Map<string, Reserved>> {
  if (makes.length === 0) return new Map()
  const [reserved, there] = await Promise.all([
    idsFor(client, makes, reserving),
    findNewEntries(client, makes, reserving),
  ])
  for (const {path, parent, name, action} of makes) {
    const parentId = reserving.folders.get(parent) ?? reserved.get(parent)!.id
    const entry = there.get(placeKey(parentId, name))
    if (entry?.kind === (action === 'folder' ? 'folder' : 'file')) {
      reserved.set(path, {id: entry.id, isOld: true})
    }
  }
  return reserved
}

/** New entries at the places of planned ones, which were not seen during planning, by `placeKey`. */
async function findNewEntries(
  client: Client,
  makes: ReadonlyArray<FolderStep | UploadStep>,
  {folders, made, seen, driveId, signal}: ReservingNew,
): Promise<Map<string, RemoteEntry>> {
  const parents = new Set(makes.flatMap(({parent}) => folders.get(parent) ?? []))
  const ids = [...parents].filter(id => !made.has(id))
  const titles = new Set(
    makes.flatMap(({action, name}) => (action === 'folder' ? [titleKey(name)] : [])),
  )
  const wanted = (names: readonly string[]) => titles.has(names.at(-1)!)
  const search = {wanted, signal, ...(driveId !== undefined && {driveId})}
  const there = new Map<string, RemoteEntry>()
  for (const [id, placed] of await entriesBelow(client, ids, search)) {
    for (const {entry} of placed) {
      const key = placeKey(id, entry.title)
      if (!there.has(key) && !seen?.has(entry.id)) there.set(key, entry)
    }
  }
  return there
}

/** The environment of one transfer. */
export interface Sending extends World {
  readonly onProgress: OnProgress
}

/** Content that the service has. */
export interface Uploaded {
  /** Size in bytes. */
  readonly bytes: number
  /** In hexadecimal; missing if the service does not tell. */
  readonly md5?: string
}

/** Uploads a new file under its reserved ID, reusing what an earlier run created under it. */
export async function createFile(
  world: Sending & {another(): Promise<string>},
  step: UploadStep,
  parent: string,
  reservation: Reserved,
): Promise<Uploaded> {
  const {name, local} = step
  const expected = {title: name, parent, isFolder: false}
  const state = await reservedIdState(world.client, reservation, expected)
  // The file was created after all, perhaps with other content.
  if (typeof state === 'object') {
    const md5 = local.stream ? undefined : await md5Of(local, world.signal)
    if (md5 !== undefined && state.md5 === md5) return {bytes: local.size, md5}
    return replaceFile(world, local, reservation.id)
  }
  return uploadNewFile(
    world,
    step,
    parent,
    state === 'free' ? reservation.id : await world.another(),
  )
}

/** Uploads a new file; without an ID the service assigns one. */
export async function uploadNewFile(
  world: Sending,
  step: UploadStep,
  parent: string,
  id?: string,
): Promise<Uploaded> {
  const {local} = step
  const record = await uploadFile(world, {
    ...(await uploadRequest(step, parent)),
    source: sourceOf(local),
    ...(id !== undefined && {id}),
    remembersLargeOnly: true,
    onProgress: world.onProgress,
  })
  return uploadedOf(record, local)
}

/** The request for a new file, without its ID and content. */
export async function uploadRequest(
  {name, local, isConverted}: UploadStep,
  parent: string,
): Promise<TreeUpload> {
  return {
    operation: 'files.insert',
    params: {...ALL_DRIVES, fields: RESULT_FIELDS, ...(isConverted && {convert: 'true'})},
    body: {title: name, parents: [{id: parent}], modifiedDate: dateText(local.modified)},
    mimeType: (await mimeTypeOf(name)) ?? (await mimeTypeOf(local.path)),
  }
}

/** The request for new content of a file. */
export async function replaceRequest(local: LocalFile, fileId: string): Promise<TreeUpload> {
  return {
    operation: 'files.update',
    params: {fileId, modifiedDateBehavior: 'fromBody', ...ALL_DRIVES, fields: RESULT_FIELDS},
    body: {modifiedDate: dateText(local.modified)},
    mimeType: await mimeTypeOf(local.name),
  }
}

type TreeUpload = Pick<Upload, 'operation' | 'params' | 'body' | 'mimeType'>

/** Replaces the content of a file. With `ifMatch`, the service refuses if its ETag is another one. */
export async function replaceFile(
  world: Sending,
  local: LocalFile,
  fileId: string,
  ifMatch?: string,
): Promise<Uploaded> {
  const record = await uploadFile(world, {
    ...(await replaceRequest(local, fileId)),
    source: sourceOf(local),
    ...(ifMatch !== undefined && {ifMatch}),
    remembersLargeOnly: true,
    onProgress: world.onProgress,
  })
  return uploadedOf(record, local)
}

function sourceOf(local: LocalFile): ContentSource {
  return local.stream?.() ?? {path: local.path, scanned: local}
}

/** For a stream, only the service knows the size. */
function uploadedOf({fileSize, md5Checksum}: FileRecord, {stream, size}: LocalFile): Uploaded {
  const bytes = stream ? Number(fileSize ?? 0) : size
  return {bytes, ...(typeof md5Checksum === 'string' && {md5: md5Checksum.toLowerCase()})}
}

/** Fields for checking that all bytes arrived. */
const RESULT_FIELDS = 'id,md5Checksum,fileSize'

function dateText(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}
