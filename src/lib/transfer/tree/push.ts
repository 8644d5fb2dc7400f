import {resolve} from 'node:path'
import type {Client} from '../../client/client.js'
import {ServiceError} from '../../client/errors.js'
import type {OnProgress, World} from '../types.js'
import {uploadFile} from '../upload.js'
import type {LocalFile} from './entries.js'
import {byDepth, createFolders, makeFolder, makeInBatches} from './folders.js'
import {forgetIds, freshId, idsFor, type Reserved, stateOf} from './ids.js'
import {mimeTypeOf} from './mimetype.js'
import type {PushPlan} from './pushplan.js'
import {ALL_DRIVES} from './records.js'
import {recordNotes, type Run, runSteps, watched} from './run.js'
import {forgetSettled} from './settled.js'
import {below, only, type UploadStep} from './steps.js'
import {md5Of} from './sums.js'

export interface PushOptions extends Run {
  readonly world: World
  readonly plan: PushPlan
  /** Where the IDs of new files are written down, so that a run after a crash knows them. */
  readonly idFile?: string
  /** What the plan's paths are below of in that file, which knows folders that are not made yet. */
  readonly above: string
}

/**
 * Does what a plan says, whose `check` steps are settled. Each new thing is made under an ID that was
 * taken before, so that no retry makes it twice. Nothing goes to the trash when anything has failed.
 */
export async function push(options: PushOptions): Promise<void> {
  const {world, plan, idFile, above, ledger, signal} = options
  const {client} = world
  const {steps} = plan
  recordNotes(only(steps, 'same', 'skip', 'fail'), ledger)
  const makes = only(steps, 'folder', 'upload')
  const trash = only(steps, 'trash')
  const reserved = await idsFor(
    client,
    makes.map(({path}) => below(above, path)),
    idFile,
    world.onLoss,
  )
  const get = (path: string): Reserved => reserved.get(below(above, path))!
  /** The ID for a path. Whoever asks again has tried it, and it may be used. */
  const take = (path: string): Reserved => {
    const reservation = get(path)
    reserved.set(below(above, path), {...reservation, isOld: true})
    return reservation
  }
  /** Files that are there, by their paths here. */
  const there = new Map(
    only(steps, 'same').map(({local, remote}) => [resolve(local.path), remote.id]),
  )
  const news = only(steps, 'folder')
  const made = await makeInBatches(client, news, {
    known: plan.folders,
    reserved: {get, take},
    signal,
  })
  for (const _ of made) ledger.count('folders')
  const folders = createFolders(new Map([...plan.folders, ...made]), (step, parent) =>
    makeFolder(client, step, parent, take(step.path)),
  )
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
        await watched(options, step.path, onProgress =>
          create({...inner, onProgress}, step, parent, reservation),
        )
        there.set(resolve(step.local.path), reservation.id)
        return ledger.count('created', step.local.size)
      }
      default:
        await watched(options, step.path, onProgress =>
          replace({...inner, onProgress}, step.local, step.remote.id),
        )
        there.set(resolve(step.local.path), step.remote.id)
        return ledger.count('replaced', step.local.size)
    }
  })
  await forgetSettled(world.memory, there)
  if (ledger.tally().failed.length > 0) {
    for (const {path} of trash) ledger.skip(path, 'nothing is deleted after a failure')
    return
  }
  await runSteps(trash, options, async ({id}) => {
    await trashOnce(client, id)
    ledger.count('removed')
  })
  if (idFile !== undefined && ledger.tally().failed.length === 0) await forgetIds(idFile)
}

/** The world of one transfer. */
interface Sending extends World {
  readonly onProgress: OnProgress
}

async function create(
  world: Sending,
  {name, local}: UploadStep,
  parent: string,
  reservation: Reserved,
): Promise<void> {
  const state = await stateOf(world.client, reservation, name, parent)
  // It was made after all, perhaps from other content.
  if (typeof state === 'object') {
    const isSame = state.md5 === (await md5Of(local.path, world.signal))
    return isSame ? undefined : replace(world, local, reservation.id)
  }
  await uploadFile(world, {
    operation: 'files.insert',
    params: {...ALL_DRIVES, fields: RESULT_FIELDS},
    body: {title: name, parents: [{id: parent}], modifiedDate: dateText(local.modified)},
    source: {path: local.path},
    mimeType: await mimeTypeOf(name),
    id: state === 'free' ? reservation.id : await freshId(world.client),
    remembersLargeOnly: true,
    onProgress: world.onProgress,
  })
}

async function replace(world: Sending, local: LocalFile, fileId: string): Promise<void> {
  await uploadFile(world, {
    operation: 'files.update',
    params: {fileId, modifiedDateBehavior: 'fromBody', ...ALL_DRIVES, fields: RESULT_FIELDS},
    body: {modifiedDate: dateText(local.modified)},
    source: {path: local.path},
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
    if (!(error instanceof ServiceError) || error.status !== 404) throw error
  }
}

function dateText(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}
