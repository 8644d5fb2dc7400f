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
import type {OnProgress, World} from '#lib/transfer/types.js'
import {uploadFile} from '#lib/transfer/upload.js'
import type {LocalFile, RemoteFolder} from './entries.js'
import type {PushPlan} from './push-plan.js'
import {forgetIds, idsFor, placeKey, renewId, type Reserved, stateOf} from './reserved-ids.js'
import {recordNotes, type Run, runSteps, watched} from './run.js'
import {md5Of} from './settle.js'
import {only, type UploadStep} from './steps.js'

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
  const trash = only(steps, 'trash')
  const {onLoss} = world
  pool.expect(only(steps, 'upload', 'replace').length)
  const sharing = {file: idFile, now, onLoss}
  const [reserved, found] = await Promise.all([
    idsFor(client, makes, {...sharing, folders: plan.folders, seen: plan.seen}),
    makes.length > 0 ? options.look() : undefined,
  ])
  // Another run may have made some of it before this one reserved its IDs, and have ended. What was
  // there before that stands for something else here, whatever its title.
  const there = found && entriesByPlace(found, plan.seen)
  for (const {path, parent, name, action} of makes) {
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
  await runSteps(inOrder, options, async (step, signal) => {
    const inner = {...world, signal}
    switch (step.action) {
      case 'folder':
        await folders.make(step)
        return ledger.count('folders')
      case 'upload': {
        const parent = await folders.idOf(step.parent)
        const reservation = take(step.path)
        const renew = () => another(step.name, parent, reservation.id)
        await watched(options, step.path, onProgress =>
          create({...inner, onProgress, another: renew}, step, parent, reservation),
        )
        finished.set(resolve(step.local.path), reservation.id)
        return ledger.count('created', step.local.size)
      }
      default:
        await watched(options, step.path, onProgress =>
          replace({...inner, onProgress}, step.local, step.remote.id),
        )
        finished.set(resolve(step.local.path), step.remote.id)
        return ledger.count('replaced', step.local.size)
    }
  })
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

async function create(
  world: Sending & {another(): Promise<string>},
  {name, local}: UploadStep,
  parent: string,
  reservation: Reserved,
): Promise<void> {
  const state = await stateOf(world.client, reservation, name, parent)
  // It was made after all, perhaps from other content.
  if (typeof state === 'object') {
    const isSame = state.md5 === (await md5Of(local, world.signal))
    return isSame ? undefined : replace(world, local, reservation.id)
  }
  await uploadFile(world, {
    operation: 'files.insert',
    params: {...ALL_DRIVES, fields: RESULT_FIELDS},
    body: {title: name, parents: [{id: parent}], modifiedDate: dateText(local.modified)},
    source: {path: local.path, scanned: local},
    mimeType: await mimeTypeOf(name),
    id: state === 'free' ? reservation.id : await world.another(),
    remembersLargeOnly: true,
    onProgress: world.onProgress,
  })
}

async function replace(world: Sending, local: LocalFile, fileId: string): Promise<void> {
  await uploadFile(world, {
    operation: 'files.update',
    params: {fileId, modifiedDateBehavior: 'fromBody', ...ALL_DRIVES, fields: RESULT_FIELDS},
    body: {modifiedDate: dateText(local.modified)},
    source: {path: local.path, scanned: local},
    mimeType: await mimeTypeOf(local.name),
    remembersLargeOnly: true,
    onProgress: world.onProgress,
  })
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
