import {resolve} from 'node:path'
import {errorSentence} from '#lib/cli/explain/explain.js'
import type {PlannedRequest} from '#lib/cli/guard/curl.js'
import type {BrokenStep, CallStep, Step, WorkStep} from '#lib/cli/run/plan.js'
import {CommandError} from '#lib/cli/terminal/errors.js'
import {createFolderStep} from '#lib/cli/verbs/everyday/make-folders.js'
import type {CallInput, Outcome, Page} from '#lib/client/client.js'
import {isNotFound, ServiceError} from '#lib/client/errors.js'
import {forgetFinished} from '#lib/transfer/journal/journal.js'
import {endsAll} from '#lib/transfer/many/verdict.js'
import {folderCreation, makeRemoteFolder} from '#lib/transfer/remote/folders.js'
import {ALL_DRIVES} from '#lib/transfer/remote/records.js'
import type {LocalFile} from '#lib/transfer/tree/entries.js'
import {saveKnownNames} from '#lib/transfer/tree/known-names.js'
import {
  createFile,
  replaceFile,
  replaceRequest,
  reserveNew,
  uploadNewFile,
  uploadRequest,
} from '#lib/transfer/tree/push.js'
import type {PushPiece} from '#lib/transfer/tree/push-tree.js'
import {forgetIds, renewId, type Reserved, type Sharing} from '#lib/transfer/tree/reserved-ids.js'
import {
  type FolderStep,
  type MoveStep,
  type PushStep,
  type ReplaceStep,
  stepsOfAction,
  type UploadStep,
} from '#lib/transfer/tree/steps.js'
import type {World} from '#lib/transfer/types.js'
import {groupPieces} from './push-groups.js'
import type {TreeResult, TreeRun} from './tree-run.js'
import {stepFacts, stepWithoutTransfer} from './tree-steps.js'

/** How a moved item is sent, unless it is already as it should be. */
type MoveRequest =
  | Pick<CallStep, 'call'>
  | Pick<WorkStep, 'after' | 'work' | 'preview'>
  | Pick<BrokenStep, 'error'>
  | {readonly isUnchanged: true}

interface Pushing {
  readonly world: World
  /** Shares the IDs of new items between runs. */
  readonly sharing: Sharing
  readonly nameFile: string | undefined
  readonly driveId?: string
}

/** A remote folder that receives items. */
interface Folder {
  id: string
  /** Creates the folder if it does not exist. */
  step?: Step
  /** An earlier run may have used its ID, so the folder may exist already or need another ID. */
  readonly isOld?: boolean
}

/**
 * The steps of a push. Each new item is created under an ID that was reserved and recorded before, so that no
 * retry creates it twice. The record is deleted when all steps of the same group are done.
 */
export async function* pushSteps(
  pieces: AsyncIterable<PushPiece>,
  run: TreeRun,
  {world, sharing, nameFile, driveId}: Pushing,
): AsyncGenerator<Step> {
  const {client, signal, journal} = world
  const folders = new Map<string, Folder>()
  const made = new Set<string>()
  for await (const some of groupPieces(pieces)) {
    const seen = new Set<string>()
    for (const piece of some) {
      for (const [path, id] of piece.folders) if (!folders.has(path)) folders.set(path, {id})
      for (const id of piece.seen) seen.add(id)
      const names = new Map(piece.twins.map(({id, name}) => [id, name]))
      await saveKnownNames(nameFile, names, world.onLoss)
    }
    const existing = some.flatMap(({folders: known}) => [...known.values()])
    yield* stepsOf(
      some.flatMap(({steps}) => steps),
      {seen, existing},
    )
  }

  async function* stepsOf(
    steps: readonly PushStep[],
    {seen, existing}: {readonly seen: ReadonlySet<string>; readonly existing: readonly string[]},
  ): AsyncGenerator<Step> {
    // Converted files cannot use a reserved ID.
    const makes = stepsOfAction(steps, 'folder', 'upload').filter(step => !isConverted(step))
    run.expect(stepsOfAction(steps, 'upload', 'replace').length)
    const parents = makes.flatMap(({parent}) => {
      const folder = folders.get(parent)
      return folder ? [[parent, folder.id] as const] : []
    })
    const place = {folders: new Map(parents), made, seen, signal}
    const reserved = await reserveNew(client, makes, {
      ...{...sharing, ...place},
      ...(driveId !== undefined && {driveId}),
    })
    const idOf = (path: string) => folders.get(path)?.id ?? reserved.get(path)!.id
    await run.reserved?.(
      makes.map(step => ({step, id: reserved.get(step.path)!.id, parentId: idOf(step.parent)})),
    )
    const ids = new Set([...reserved.values()].map(({id}) => id))
    let left = steps.length
    const onDone = () => {
      left -= 1
      if (left === 0) run.finish(finish)
    }
    for (const step of stepsOfAction(steps, 'folder')) yield folderStep(step)
    for (const step of steps) {
      if (step.action !== 'folder')
        yield {...(stepWithoutTransfer(step) ?? changeStep(step)), onDone}
    }

    /** The reserved ID for a path. On a second call, the ID may have been used by the first attempt. */
    function take(path: string): Reserved {
      const reservation = reserved.get(path)!
      reserved.set(path, {...reservation, isOld: true})
      return reservation
    }

    /** Another ID for a new item whose reserved ID has been used by a different item. */
    async function another(name: string, parentId: string, id: string): Promise<string> {
      const other = await renewId(client, {parentId, name, id}, sharing, ids)
      await run.renewed?.(id, other)
      return other
    }

    function folderStep({path, name, parent}: FolderStep): Step {
      const outer = folders.get(parent)!
      const {id, isOld} = reserved.get(path)!
      const folder: Folder = {id, isOld: isOld || outer.isOld === true}
      folders.set(path, folder)
      made.add(id)
      const make = async (): Promise<Page> => {
        const reservation = take(path)
        const renew = () => another(name, outer.id, reservation.id)
        folder.id = await makeRemoteFolder(client, name, outer.id, reservation, renew)
        return {id: folder.id}
      }
      const facts = {action: 'folder', after: outer.step, onDone}
      if (isOld || outer.isOld) {
        const {id: operation, input} = folderCreation({id, title: name, parent: outer.id})
        const preview = async () => [operation, input] as const
        return (folder.step = {original: path, ...facts, work: make, preview})
      }
      const recover = async (error: unknown): Promise<Outcome> => {
        if (endsAll(error) || signal.aborted) return {error}
        take(path)
        return make().then(
          record => ({record}),
          (error: unknown) => ({error}),
        )
      }
      const added = {id, title: name, parent: outer.id}
      return (folder.step = createFolderStep(
        path,
        added,
        {...facts, mayBeDone: true, recover},
        {fields: 'id'},
      ))
    }

    function changeStep(step: Exclude<PushStep, FolderStep>): Step {
      const facts = stepFacts(step, 'local')
      if (step.action === 'upload') {
        const {path, name, parent, local} = step
        const folder = folders.get(parent)!
        const work = (signal: AbortSignal) =>
          run.watch(path, async (onProgress): Promise<TreeResult> => {
            const sending = {...world, signal, onProgress}
            if (step.isConverted) return {...(await uploadNewFile(sending, step, folder.id))}
            const reservation = take(path)
            let {id} = reservation
            const renew = async () => (id = await another(name, folder.id, reservation.id))
            const created = {...sending, another: renew}
            return {...(await createFile(created, step, folder.id, reservation)), id}
          })
        const preview = async (): Promise<PlannedRequest> => {
          const request = await uploadRequest(step, folder.id)
          if (step.isConverted) return contentRequest(request, local)
          const {id} = reserved.get(path)!
          return contentRequest({...request, body: {...request.body, id}}, local)
        }
        return {...facts, after: folder.step, work: withoutStreamRetries(local, work), preview}
      }
      if (step.action === 'trash') {
        const params = {fileId: step.entry.id, ...ALL_DRIVES, fields: 'id'}
        // An item that somebody else has deleted counts as done.
        const recover = async (error: unknown): Promise<Outcome> =>
          isNotFound(error) ? {record: undefined} : {error}
        const afterAll = 'nothing is deleted after a failure'
        return {
          ...facts,
          before: step.entry,
          afterAll,
          recover,
          call: {id: 'files.trash', input: {params}},
        }
      }
      if (step.action === 'move') return {...facts, ...moveStep(step)}
      const {path, local, remote, ifMatch} = step as ReplaceStep
      const work = (signal: AbortSignal) =>
        run.watch(path, async (onProgress): Promise<TreeResult> => {
          const sending = {...world, signal, onProgress}
          return {...(await replaceFile(sending, local, remote.id, ifMatch)), id: remote.id}
        })
      const preview = async () => contentRequest(await replaceRequest(local, remote.id), local)
      const replace = {...facts, before: remote, work: withoutStreamRetries(local, work), preview}
      return ifMatch === undefined ? replace : {...replace, recover: unlessChanged}
    }

    function moveStep({entry, title, to}: MoveStep): MoveRequest {
      const folder = to && folders.get(to.parent)
      if (to && !folder) return {error: new CommandError('failed', 'Its folder was not uploaded.')}
      // The ID of a new folder may still change.
      const placement = () => {
        const left = to?.from.filter(one => one !== folder?.id) ?? []
        return {
          ...(folder && !to?.from.includes(folder.id) && {addParents: folder.id}),
          ...(left.length > 0 && {removeParents: left.join(',')}),
        }
      }
      // An interrupted push may have moved the item.
      const isDone = () => title === undefined && Object.keys(placement()).length === 0
      const input = (): CallInput => ({
        params: {fileId: entry.id, ...ALL_DRIVES, fields: 'id', ...placement()},
        body: title === undefined ? {} : {title},
      })
      const id = 'files.patch'
      if (!folder?.step) return isDone() ? {isUnchanged: true} : {call: {id, input: input()}}
      const work = async () => (isDone() ? {} : ((await client.call(id, input())) ?? {}))
      return {after: folder.step, work, preview: async () => [id, input()] as const}
    }

    /** Deletes the records that a rerun would need, after all steps are done. */
    async function finish(): Promise<void> {
      const found = stepsOfAction(steps, 'same', 'replace')
      const files = found.filter(({local}) => !local.stream)
      const same = files.map(({local, remote}) => [resolve(local.path), remote.id] as const)
      const uploads = stepsOfAction(steps, 'upload').filter(
        step => !isConverted(step) && !step.local.stream,
      )
      const news = uploads.map(
        ({path, local}) => [resolve(local.path), reserved.get(path)!.id] as const,
      )
      await forgetFinished(journal, new Map([...same, ...news]))
      if (sharing.file === undefined) return
      const all = [...ids, ...found.map(({remote}) => remote.id), ...existing]
      await forgetIds(sharing.file, all, sharing.now)
    }
  }
}

/** A file that has changed in the service meanwhile is not replaced, which is no failure. */
async function unlessChanged(error: unknown): Promise<Outcome> {
  const hasChanged = error instanceof ServiceError && error.status === 412
  return hasChanged ? {record: {as: 'nothing'}} : {error}
}

/** An upload with its local file. */
function contentRequest(
  {operation, params, body, mimeType}: Awaited<ReturnType<typeof uploadRequest>>,
  {path, root, size, modified, stream}: LocalFile,
): PlannedRequest {
  const scanned = stream ? undefined : {root, size, modified}
  return [operation, {params, body, upload: {mimeType}}, {content: {path, mimeType, scanned}}]
}

function isConverted(step: FolderStep | UploadStep): boolean {
  return step.action === 'upload' && step.isConverted === true
}

/** The same work; without retries for a stream, which can be read only once. */
function withoutStreamRetries({stream}: LocalFile, work: WorkStep['work']): WorkStep['work'] {
  if (!stream) return work
  return async signal => {
    try {
      return await work(signal)
    } catch (error) {
      if (endsAll(error) || signal.aborted) throw error
      throw new CommandError('failed', errorSentence(error), 'Run the whole pipeline again.')
    }
  }
}
