import {resolve} from 'node:path'
import type {Client} from '#lib/client/client.js'
import {isNotFound} from '#lib/client/errors.js'
import {forgetFinished} from '#lib/transfer/journal/journal.js'
import {mimeTypeOf} from '#lib/transfer/local/names.js'
import {
  byDepth,
  createFolders,
  makeInBatches,
  makeRemoteFolder,
} from '#lib/transfer/remote/folders.js'
import {entriesByPlace} from '#lib/transfer/remote/listing.js'
import {ALL_DRIVES} from '#lib/transfer/remote/records.js'
import type {FileRecord, OnProgress, Source, World} from '#lib/transfer/types.js'
import {uploadFile} from '#lib/transfer/upload.js'
import type {LocalFile, RemoteFolder} from './entries.js'
import type {PushPlan} from './push-plan.js'
import {forgetIds, idsFor, placeKey, renewId, type Reserved, stateOf} from './reserved-ids.js'
import {recordNotes, type Run, runSteps, watched} from './run.js'
import {md5Of} from './settle.js'
import {type FolderStep, only, type ReplaceStep, type UploadStep} from './steps.js'

export interface PushOptions extends Run {
  readonly world: World
  readonly plan: PushPlan
  /** Where the IDs of new files are written down, so that a run after a crash knows them. */
  readonly idFile?: string
  /** What is in the place by now. */
  readonly look: () => Promise<RemoteFolder>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/**
 * Does what a plan says, whose `check` steps have been decided. Each new thing is made under an ID that was
 * taken before, so that no retry makes it twice. Nothing goes to the trash when anything has failed.
 */
export async function push(options: PushOptions): Promise<void> {
  const {world, plan, idFile, now, ledger, pool, signal} = options
  const {client} = world
  const {steps} = plan
  recordNotes(only(steps, 'same', 'skip', 'fail'), ledger)
  const makes = only(steps, 'folder', 'upload')
  // What the service converts gets its ID from the service alone.
  const reserving = makes.filter(step => step.action === 'folder' || !step.isConverted)
  const trash = only(steps, 'trash')
  const {onLoss} = world
  pool.expect(only(steps, 'upload', 'replace').length)
  const sharing = {file: idFile, now, onLoss}
  const [reserved, found] = await Promise.all([
    idsFor(client, reserving, {...sharing, folders: plan.folders, seen: plan.seen}),
    makes.length > 0 ? options.look() : undefined,
  ])
  // Another run may have made some of it before this one reserved its IDs, and have ended. What was
  // there before that stands for something else here, whatever its title.
  const there = found && entriesByPlace(found, plan.seen)
  for (const {path, parent, name, action} of reserving) {
    const parentId = plan.folders.get(parent) ?? reserved.get(parent)!.id
    const entry = there?.get(placeKey(parentId, name))
    if (entry?.kind === (action === 'folder' ? 'folder' : 'file')) {
      reserved.set(path, {id: entry.id, isOld: true})
    }
  }
  const get = (path: string): Reserved => reserved.get(path)!
  /** The ID for a path. Whoever asks again has tried it, and it may be used. */
  const take = (path: string): Reserved => {
    const reservation = get(path)
    reserved.set(path, {...reservation, isOld: true})
    return reservation
  }
  const used = new Set([...reserved.values()].map(({id}) => id))
  /** Another ID for what a step creates, where something else has the one reserved for it by now. */
  const another = (name: string, parentId: string, id: string) =>
    renewId(client, {parentId, name, id}, sharing, used)
  /** Files whose content is in the service now, by their paths here. */
  const finished = new Map(
    only(steps, 'same').map(({local, remote}) => [resolve(local.path), remote.id]),
  )
  const news = only(steps, 'folder')
  const made = await makeInBatches(client, news, {
    known: plan.folders,
    reserved: {get, take},
    signal,
  })
  for (const _ of made) ledger.count('folders')
  const folders = createFolders(new Map([...plan.folders, ...made]), (step, parent) => {
    const reservation = take(step.path)
    const renew = () => another(step.name, parent, reservation.id)
    return makeRemoteFolder(client, step, parent, reservation, renew)
  })
  // Folders first, so that files seldom wait for theirs; the outer ones before the inner ones.
  const inOrder = [
    ...news.filter(({path}) => !made.has(path)).sort(byDepth),
    ...only(steps, 'upload', 'replace'),
  ]
  await runSteps(
    inOrder,
    options,
    async (step, signal) => {
      const inner = {...world, signal}
      switch (step.action) {
        case 'folder':
          await folders.make(step)
          return ledger.count('folders')
        case 'upload': {
          const parent = await folders.idOf(step.parent)
          if (step.isConverted) {
            await watched(options, step.path, onProgress =>
              insert({...inner, onProgress}, step, parent),
            )
            return ledger.count('created', step.local.size)
          }
          const reservation = take(step.path)
          const renew = () => another(step.name, parent, reservation.id)
          const size = await watched(options, step.path, onProgress =>
            create({...inner, onProgress, another: renew}, step, parent, reservation),
          )
          if (!step.local.stream) finished.set(resolve(step.local.path), reservation.id)
          return ledger.count('created', size)
        }
        default: {
          const size = await watched(options, step.path, onProgress =>
            replace({...inner, onProgress}, step.local, step.remote.id),
          )
          if (!step.local.stream) finished.set(resolve(step.local.path), step.remote.id)
          return ledger.count('replaced', size)
        }
      }
    },
    isRepeatable,
  )
  await forgetFinished(world.journal, finished)
  if (ledger.tally().failed.length > 0) {
    for (const {path} of trash) ledger.skip(path, 'nothing is deleted after a failure')
    return
  }
  await runSteps(trash, options, async ({id}) => {
    await trashOnce(client, id)
    ledger.count('removed')
  })
  if (idFile !== undefined && ledger.tally().failed.length === 0) {
    // An earlier run may have ended before it forgot what is there.
    const taken = [...reserved.values()].map(({id}) => id)
    await forgetIds(idFile, [...taken, ...finished.values(), ...plan.folders.values()], now)
  }
}

/** The world of one transfer. */
interface Sending extends World {
  readonly onProgress: OnProgress
}

/** Creates a file under a reserved ID. Gives the size of its content in bytes. */
async function create(
  world: Sending & {another(): Promise<string>},
  step: UploadStep,
  parent: string,
  reservation: Reserved,
): Promise<number> {
  const {name, local} = step
  const state = await stateOf(world.client, reservation, name, parent)
  // It was made after all, perhaps from other content.
  if (typeof state === 'object') {
    const isSame = !local.stream && state.md5 === (await md5Of(local, world.signal))
    return isSame ? local.size : replace(world, local, reservation.id)
  }
  return insert(world, step, parent, state === 'free' ? reservation.id : await world.another())
}

/** Creates a file; without an ID where the service chooses one. Gives the size of its content in bytes. */
async function insert(
  world: Sending,
  {name, local, isConverted}: UploadStep,
  parent: string,
  id?: string,
): Promise<number> {
  const record = await uploadFile(world, {
    operation: 'files.insert',
    params: {...ALL_DRIVES, fields: RESULT_FIELDS, ...(isConverted && {convert: 'true'})},
    body: {title: name, parents: [{id: parent}], modifiedDate: dateText(local.modified)},
    source: sourceOf(local),
    mimeType: (await mimeTypeOf(name)) ?? (await mimeTypeOf(local.path)),
    ...(id !== undefined && {id}),
    remembersLargeOnly: true,
    onProgress: world.onProgress,
  })
  return sizeOf(record, local)
}

/** Gives a file new content, and its size in bytes. */
async function replace(world: Sending, local: LocalFile, fileId: string): Promise<number> {
  const record = await uploadFile(world, {
    operation: 'files.update',
    params: {fileId, modifiedDateBehavior: 'fromBody', ...ALL_DRIVES, fields: RESULT_FIELDS},
    body: {modifiedDate: dateText(local.modified)},
    source: sourceOf(local),
    mimeType: await mimeTypeOf(local.name),
    remembersLargeOnly: true,
    onProgress: world.onProgress,
  })
  return sizeOf(record, local)
}

function sourceOf(local: LocalFile): Source {
  return local.stream?.() ?? {path: local.path, scanned: local}
}

/** Only the service knows how much there was of a stream. */
function sizeOf({fileSize}: FileRecord, {stream, size}: LocalFile): number {
  return stream ? Number(fileSize ?? 0) : size
}

/** A stream gives its content once. */
function isRepeatable(step: FolderStep | UploadStep | ReplaceStep): boolean {
  return step.action === 'folder' || !step.local.stream
}

/** What the answer must have to see that all bytes arrived. */
const RESULT_FIELDS = 'id,md5Checksum,fileSize'

/** Trashes; what somebody else deleted meanwhile is gone as well. */
async function trashOnce(client: Client, fileId: string): Promise<void> {
  try {
    await client.call('files.trash', {params: {fileId, ...ALL_DRIVES, fields: 'id'}})
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}

function dateText(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}
