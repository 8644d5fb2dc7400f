import {realpath} from 'node:fs/promises'
import {join} from 'node:path'
import type {Context} from '#lib/cli/context/context.js'
import {confirmRemoving} from '#lib/cli/guard/confirm-destroying.js'
import {impactText, localImpact} from '#lib/cli/guard/targets.js'
import {limitedTransfer} from '#lib/cli/input/shared-flags.js'
import {isOfPlan} from '#lib/cli/plan-file/plan-output.js'
import type {Step} from '#lib/cli/run/plan.js'
import type {Printer} from '#lib/cli/run/printer.js'
import {printable} from '#lib/platform/sanitize.js'
import {makeFolder} from '#lib/platform/write-file.js'
import {forgetFinished} from '#lib/transfer/journal/journal.js'
import {FileChangedError} from '#lib/transfer/replace-file.js'
import type {TreeMemory} from '#lib/transfer/sync/pull-memory.js'
import type {LocalFile} from '#lib/transfer/tree/entries.js'
import {saveKnownNames} from '#lib/transfer/tree/known-names.js'
import {
  cleanUp,
  makeLocalFolder,
  pullFile,
  type PullPlace,
  putAside,
  requestFor,
} from '#lib/transfer/tree/pull.js'
import type {Twin} from '#lib/transfer/tree/pull-plan.js'
import type {PullPiece} from '#lib/transfer/tree/pull-tree.js'
import {parentOf, type PullStep, stepsOfAction} from '#lib/transfer/tree/steps.js'
import type {World} from '#lib/transfer/types.js'
import {planPieces, type PullSources} from './pull-pieces.js'
import {checkIncludes, isIncludeIdle} from './rules.js'
import {runTree, type TreeFlags, type TreeResult, type TreeRun} from './tree-run.js'
import {previewStep, stepFacts, stepWithoutTransfer} from './tree-steps.js'

/** Downloads files and folders for `drv pull`; editor documents are exported in `formats`. */
export async function pullTree(
  context: Context,
  printer: Printer,
  sources: PullSources,
  flags: TreeFlags,
): Promise<void> {
  const {now} = context
  await runTree<PullPiece>(context, printer, flags, 'pull', async started => {
    const world = await limitedTransfer(context, flags['limit-rate'])
    const planned = await planPieces(context, world, sources, flags)
    const {root, pieces, leftOutBy, memory, nameFile, unchanged, finish} = planned
    const stamp = new Date(started).toISOString().replaceAll(':', '-')
    return {
      pieces: withNotices(context, pieces, () => checkIncludes(flags, leftOutBy)),
      to: sources.to,
      isWhole: isIncludeIdle(flags, leftOutBy) || (flags.delete && !flags.yes),
      *preview({steps}) {
        for (const step of steps) yield previewStep(step, 'remote')
      },
      planned: {
        root,
        async *steps(all) {
          const folders = new Map<string, Step>()
          for await (const {steps} of all) {
            for (const step of steps) {
              if (isOfPlan(String(context.options.plan), join(root, step.path))) continue
              const planned = plannedStep(step, root, folders.get(parentOf(step.path)))
              if (step.action === 'folder') folders.set(step.path, planned)
              yield planned
            }
          }
        },
      },
      async ask(all) {
        const paths = all.flatMap(({steps}) => stepsOfAction(steps, 'remove').map(({path}) => path))
        await confirmRemoving(context, {
          isYes: flags.yes,
          count: paths.length,
          text: async () =>
            `This will move to ${join(root, '.drv-trash')}: ${impactText(await localImpact(root, paths))}`,
        })
      },
      begin: () => makeFolder(root),
      async *stepsOf(all, run) {
        run.unchanged(unchanged)
        const place = {root: await realpath(root), stamp, now}
        for await (const piece of all) {
          await saveKnownNames(nameFile, piece.known, world.onLoss)
          await memory?.expect(piece)
          yield* pullSteps(piece, run, {place, world, memory})
        }
      },
      end: async () => finish?.(),
    }
  })
}

/** The same pieces; prints a notice for each file name that differs from its title. Calls `end` after the last. */
export async function* withNotices(
  {note}: Context,
  pieces: AsyncIterable<PullPiece>,
  end: () => void,
): AsyncGenerator<PullPiece> {
  for await (const piece of pieces) {
    for (const {title, path, isFromEarlier} of piece.renamed) {
      const [name, saved] = [printable(title), printable(path)]
      note(
        isFromEarlier
          ? `"${name}" is saved as ${saved}, its name in earlier pulls`
          : `"${name}" is not a valid file name; saved as ${saved}`,
      )
    }
    for (const twins of piece.twins) note(twinsText(twins))
    yield piece
  }
  end()
}

/** What the steps of a pull need. */
interface Pulling {
  readonly place: PullPlace
  readonly world: World
  readonly memory?: TreeMemory
}

/** The steps of a piece of a pull. */
export async function* pullSteps(
  piece: PullPiece,
  run: TreeRun,
  {place, world, memory}: Pulling,
): AsyncGenerator<Step> {
  const {root} = place
  cleanUp(place, piece)
  const same = stepsOfAction(piece.steps, 'same')
  run.expect(stepsOfAction(piece.steps, 'download', 'replace').length)
  await forgetFinished(
    world.journal,
    new Map(same.map(({path, remote}) => [join(root, path), remote.id])),
  )
  for (const step of piece.steps) yield stepWithoutTransfer(step) ?? changeStep(step)

  function changeStep(step: PullStep): Step {
    const facts = stepFacts(step, 'remote')
    const {path} = step
    if (step.action === 'folder') {
      return {
        ...facts,
        here(): TreeResult {
          const isNew = makeLocalFolder(place, path)
          memory?.made(path)
          return isNew ? {} : {as: 'nothing'}
        },
      }
    }
    if (step.action === 'remove') {
      const here = (): TreeResult => (putAside(place, path) ? {} : {as: 'nothing'})
      return {...facts, afterAll: NOT_REMOVED, here}
    }
    const download = step as Extract<PullStep, {readonly action: 'download' | 'replace'}>
    const work = (signal: AbortSignal) =>
      run.watch(path, async (onProgress): Promise<TreeResult> => {
        try {
          const saved = await pullFile({...world, signal}, place, download, onProgress)
          memory?.saved(download)
          return saved ? {bytes: saved.size} : {as: 'unchanged'}
        } catch (error) {
          if (error instanceof FileChangedError) return {as: 'nothing'}
          throw error
        }
      })
    return {...facts, work}
  }
}

/** The step that `--plan` writes. */
function plannedStep(step: PullStep, root: string, after: Step | undefined): Step {
  const idle = stepWithoutTransfer(step)
  if (idle) return idle
  const facts = {...stepFacts(step, 'remote'), after}
  const path = join(root, step.path)
  const here = () => undefined
  if (step.action === 'folder') {
    return {...facts, here, planned: {here: 'mkdir', output: {path, overwrite: false}}}
  }
  if (step.action === 'remove') {
    const output = {path, overwrite: false, ...(step.entry.kind === 'file' && before(step.entry))}
    return {...facts, afterAll: NOT_REMOVED, here, planned: {here: 'remove', output}}
  }
  const {remote, ...rest} = step as Extract<PullStep, {readonly action: 'download' | 'replace'}>
  const {md5, size, modified, exported} = remote
  const output = {
    ...{path, overwrite: rest.action === 'replace'},
    ...(!exported && {size, ...(md5 !== undefined && {md5})}),
    ...(modified !== undefined && {modified}),
    ...('local' in rest && before(rest.local)),
  }
  const {operation, params} = requestFor(remote)
  return {
    ...facts,
    work: async () => undefined,
    preview: async () => [operation, {params}, {output}],
  }
}

const NOT_REMOVED = 'nothing is deleted after a failure'

/** A local file as it is now. */
function before({size, modified}: LocalFile) {
  return {before: {size, modified}}
}

/** Maximum number of items of the same name in a notice. */
const MAX_LISTED = 5

/** The notice for items with the same name in one folder. */
function twinsText(twins: readonly Twin[]): string {
  const listed = twins.slice(0, MAX_LISTED).map(({id, path}) => `${path} (ID ${id})`)
  const more = twins.length - listed.length
  const places = more > 0 ? [...listed, `${more} more`] : listed
  return `${twins.length} items named ${printable(twins[0]!.title)}: saved as ${printable(places.join(', '))}`
}
