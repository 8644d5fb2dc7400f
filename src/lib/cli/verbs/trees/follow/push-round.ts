import {hostname} from 'node:os'
import type {Context} from '#lib/cli/context/context.js'
import {runPlan, type TreeTally} from '#lib/cli/run/engine.js'
import {labelOf, type Step} from '#lib/cli/run/plan.js'
import type {Printer} from '#lib/cli/run/printer.js'
import {CommandError} from '#lib/cli/terminal/errors.js'
import type {TransferProgress} from '#lib/cli/terminal/progress.js'
import type {RowStream} from '#lib/cli/verbs/follow/row-stream.js'
import {pushSteps} from '#lib/cli/verbs/trees/push-steps.js'
import {IDLE_RUN, transferWatch, type TreeRun} from '#lib/cli/verbs/trees/tree-run.js'
import {treeEngine} from '#lib/cli/verbs/trees/tree-steps.js'
import type {LocalChanges} from '#lib/follow/local/compare-local.js'
import {decidePush, neededFacts} from '#lib/follow/local/decide-push.js'
import {type LocalItem, shownPath} from '#lib/follow/local/local-item.js'
import {
  displaced,
  folderIds,
  type PieceOptions,
  pushPieces,
  remoteFacts,
} from '#lib/follow/local/push-pieces.js'
import {createPushMemory} from '#lib/follow/local/remember-push.js'
import {conflictName} from '#lib/transfer/local/conflict-name.js'
import {scanFile} from '#lib/transfer/local/scan.js'
import type {RememberedTree} from '#lib/transfer/sync/remembered-tree.js'
import type {LocalFile} from '#lib/transfer/tree/entries.js'
import type {PushPiece} from '#lib/transfer/tree/push-tree.js'
import type {Sharing} from '#lib/transfer/tree/reserved-ids.js'
import {joinPath, parentOf, type PushStep} from '#lib/transfer/tree/steps.js'
import type {World} from '#lib/transfer/types.js'
import type {RoundTally} from './follow-summary.js'

/** What all rounds of `push --follow` share. */
export interface PushRounds {
  readonly context: Context
  readonly printer: Printer
  /** Prints the result of a round for programs. */
  readonly rows: Pick<RowStream, 'print'>
  /** Waits until the same user has signed in again; false if nobody has. */
  readonly renew: () => Promise<boolean>
  /** Called after each round. */
  readonly endRound: () => void
  readonly world: World
  readonly sharing: Sharing
  readonly nameFile: string | undefined
  readonly tree: RememberedTree
  readonly progress: TransferProgress
  readonly concurrency?: number
  readonly options: Pick<PieceOptions, 'rules' | 'follows' | 'driveId' | 'isDeleting' | 'known'>
}

interface Round {
  readonly changes: LocalChanges
  /** MD5s of files that may have changed, by path. */
  readonly sums: ReadonlyMap<string, string>
  readonly excludedBy: PieceOptions['excludedBy']
  /** What to do with a remote file that has the name of a new local one: a conflict after the first round. */
  readonly ifExists: PieceOptions['ifExists'] | undefined
}

/** The result of a round. */
export interface RoundResult {
  readonly tally: RoundTally
  /** Paths that have to be compared again at once, because the known state was wrong. */
  readonly again: readonly string[]
}

/**
 * Carries out local changes in one plan. Throws errors that end the whole run, and `CommandError` if the remote
 * folder is gone.
 */
export async function pushRound(rounds: PushRounds, round: Round): Promise<RoundResult> {
  const {context, printer, world, sharing, nameFile, tree, progress, concurrency} = rounds
  const {client, signal} = world
  const {changes, sums, excludedBy, ifExists} = round
  const tally = emptyTally()
  /** The titles of versions that conflict with remote ones. */
  const besides = new Set<string>()
  const folderId = folderIds(changes, tree)
  const items = [...changes.appeared, ...changes.pairs.map(({item}) => item)]
  const known = [...changes.pairs.map(pair => pair.known), ...changes.vanished].map(({id}) => id)
  const displacing = displaced(changes, folderId, tree)
  const ids = idsOf(items, folderId)
  const places = [...new Set(ids.values())]
  const memory = createPushMemory({
    tree,
    known: [...known, ...displacing, ...places],
    files: new Map(items.flatMap(item => (item.entry ? [[item.entry, item] as const] : []))),
    folders: new Map(items.flatMap(item => (item.kind === 'folder' ? [[item.path, item]] : []))),
    ids,
    conflicts: new Map(changes.pairs.map(({known, item}) => [item.path, known.id])),
    isBeside: title => besides.has(title),
  })

  const needed = neededFacts(changes, sums)
  const isQuiet = needed.length === 0 && changes.appeared.length === 0
  const facts = await remoteFacts(client, isQuiet ? [] : [...needed, ...places])
  const missing = isQuiet ? [] : [...needed, ...places].filter(id => !facts.has(id))
  if (missing.length > 0) {
    if (missing.includes(tree.head!.rootId)) throw remoteGone()
    const again = missing.flatMap(id => tree.pathOf(id) ?? [])
    memory.lost(missing)
    await memory.flush()
    return {tally, again}
  }
  const decisions = decidePush(changes, sums, facts)
  memory.same(decisions.same)
  await memory.sending(decisions.replaced, sums)
  await memory.displaced(displacing)
  const again: string[] = []
  /** By their keys, and removals by their items: several may have the same path. */
  const steps = new Map<unknown, PushStep>()
  const at = context.now()
  const origins = new Map(changes.pairs.map(({known, item}) => [item.path, known.path]))
  const plan = pushPieces(changes, decisions, {
    ...rounds.options,
    ...{client, signal, tree, excludedBy, ifExists: ifExists ?? 'rename'},
    renames: (ifExists ?? 'rename') === 'rename',
    ...(ifExists === undefined && {besideTitle: (title: string) => conflictTitle(title)}),
    conflictTitle,
    onKept(known) {
      tally.kept.push(shownPath(known.path))
      memory.parted([known.id])
    },
    onGone: ({id}) => memory.lost([id]),
  })
  let finishing: Promise<void> = Promise.resolve()
  const run: TreeRun = {
    ...IDLE_RUN,
    watch: transferWatch(progress),
    reserved: memory.creating,
    renewed: memory.renewed,
    finish(work) {
      finishing = finishing.then(work)
      finishing.catch(() => undefined)
    },
  }
  const recording: Array<Promise<void>> = []
  const account: TreeTally = {
    done(step, record) {
      const key = step.action === 'trash' ? step.before : keyOf(step.action, labelOf(step))
      const known = steps.get(key)
      if (!known) return
      if (record?.as === 'nothing') {
        again.push(known.path)
        return
      }
      count(known, record)
      const recorded = memory.done(known, record ?? {})
      // Thrown at the end of the round.
      recorded.catch(() => undefined)
      recording.push(recorded)
    },
    failed(step, message) {
      tally.failed.push({path: labelOf(step), reason: message})
    },
    skipped(step, reason) {
      tally.skipped.push({path: labelOf(step), reason})
    },
    async conclude() {
      await finishing
    },
  }
  try {
    const engine = treeEngine(context, printer, 'push')
    const {driveId} = rounds.options
    const drive = driveId === undefined ? {} : {driveId}
    const sent = pushSteps(noted(plan), run, {world, sharing, nameFile, ...drive})
    await runPlan(engine, patient(sent), {concurrency, progress, account})
  } finally {
    await Promise.all(recording)
    await memory.flush()
  }
  return {tally, again}

  function conflictTitle(title: string): string {
    const name = conflictName(title, hostname(), at)
    besides.add(name)
    return name
  }

  /** The same pieces; remembers the steps, and the remote folders that exist for new local ones. */
  async function* noted(pieces: AsyncIterable<PushPiece>): AsyncGenerator<PushPiece> {
    for await (const piece of pieces) {
      for (const [path, id] of piece.folders) memory.found(path, id)
      for (const step of piece.steps) {
        steps.set(step.action === 'trash' ? step.entry : keyOf(step.action, step.path), step)
      }
      yield piece
    }
  }

  /** The same steps; a file that changes while it is uploaded is no failure, because it settles later. */
  async function* patient(plan: AsyncIterable<Step>): AsyncGenerator<Step> {
    for await (const step of plan) {
      const local = localOf(steps.get(keyOf(step.action, labelOf(step))))
      const {recover = async (error: unknown) => ({error})} = step
      // Other steps may refer to this one.
      yield local === undefined
        ? step
        : Object.assign(step, {
            recover: async (error: unknown) =>
              hasChanged(local) ? {record: {as: 'nothing'}} : recover(error),
          })
    }
  }

  function count(step: PushStep, record: {readonly bytes?: unknown} | undefined): void {
    const bytes = typeof record?.bytes === 'number' ? record.bytes : 0
    tally.bytes += bytes
    if ((step.action === 'upload' || step.action === 'folder') && besides.has(step.name)) {
      const path = step.action === 'folder' ? step.path : joinPath(step.parent, step.local.name)
      tally.conflicts.push({path, title: step.name})
    }
    if (step.action === 'upload') tally.created += 1
    if (step.action === 'replace') tally.replaced += 1
    if (step.action === 'folder') tally.folders += 1
    if (step.action === 'trash') tally.removed += 1
    if (step.action === 'move') {
      const from = shownPath(origins.get(step.path) ?? step.entry.title)
      if (from !== step.path) tally.moved.push({from, to: step.path})
    }
  }
}

function localOf(step: PushStep | undefined): LocalFile | undefined {
  return step && 'local' in step ? step.local : undefined
}

/** Whether a file is not as it was scanned any more. */
function hasChanged({root, path, size, modified}: LocalFile): boolean {
  try {
    const now = scanFile(root!, path)
    return now?.size !== size || now.modified !== modified
  } catch {
    return true
  }
}

function emptyTally(): RoundTally {
  return {
    ...{created: 0, replaced: 0, folders: 0, removed: 0, bytes: 0},
    ...{moved: [], conflicts: [], kept: [], skipped: [], failed: []},
  }
}

const keyOf = (action: string | undefined, path: string) => `${action} ${path}`

/** The IDs of the existing folders that contain items, by path. */
function idsOf(
  items: readonly LocalItem[],
  folderId: (path: string) => string | undefined,
): Map<string, string> {
  const ids = new Map<string, string>()
  for (const {path} of items) {
    const parent = parentOf(path)
    const id = ids.has(parent) ? undefined : folderId(parent)
    if (id !== undefined) ids.set(parent, id)
  }
  return ids
}

function remoteGone(): CommandError {
  return new CommandError(
    'notFound',
    'The remote folder was deleted or moved to the trash, so nothing is uploaded to it anymore.',
    'Restore it with `drv restore`, or run `drv push` with another REMOTE.',
  )
}
