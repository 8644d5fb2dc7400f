import {existsSync} from 'node:fs'
import {join} from 'node:path'
import type {Context} from '#lib/cli/context/context.js'
import {runPlan, type TreeTally} from '#lib/cli/run/engine.js'
import {labelOf, type Step} from '#lib/cli/run/plan.js'
import type {Printer} from '#lib/cli/run/printer.js'
import type {TransferProgress} from '#lib/cli/terminal/progress.js'
import {problemLine, summaryLine, summaryRecord} from '#lib/cli/terminal/units.js'
import type {RowStream} from '#lib/cli/verbs/follow/row-stream.js'
import {pullSteps, withNotices} from '#lib/cli/verbs/trees/pull.js'
import type {RecalledTree} from '#lib/cli/verbs/trees/remembered.js'
import {
  IDLE_RUN,
  transferWatch,
  type TreeFlags,
  type TreeResult,
  type TreeRun,
} from '#lib/cli/verbs/trees/tree-run.js'
import {treeEngine} from '#lib/cli/verbs/trees/tree-steps.js'
import {printable} from '#lib/platform/sanitize.js'
import {nameFromKey} from '#lib/platform/state-file.js'
import {conflictName} from '#lib/transfer/local/conflict-name.js'
import type {NameRules} from '#lib/transfer/local/names.js'
import {createRules} from '#lib/transfer/local/rules.js'
import {planToFollow} from '#lib/transfer/sync/follow-plan.js'
import type {KeptFiles} from '#lib/transfer/sync/kept-files.js'
import {listNewFolders} from '#lib/transfer/sync/list-tree.js'
import {checkLocal} from '#lib/transfer/sync/local-check.js'
import {type LocalMove, localMoves} from '#lib/transfer/sync/local-moves.js'
import {forgetChangedRemovals, nodesToMove} from '#lib/transfer/sync/open-removals.js'
import {createPullMemory} from '#lib/transfer/sync/pull-memory.js'
import type {TreeNode} from '#lib/transfer/sync/tree-node.js'
import {pairsToPlan, wayTo} from '#lib/transfer/sync/tree-pairs.js'
import {namesHere, namesToCorrect} from '#lib/transfer/sync/twin-names.js'
import {excludesAt, type IsWanted} from '#lib/transfer/tree/exclusions.js'
import {readKnownNames, saveKnownNames} from '#lib/transfer/tree/known-names.js'
import {planPairs} from '#lib/transfer/tree/pull-tree.js'
import type {ItemProblem} from '#lib/transfer/tree/steps.js'
import type {World} from '#lib/transfer/types.js'

/** What all rounds of `pull --follow` share. */
export interface FollowRounds {
  readonly context: Context
  readonly printer: Printer
  readonly world: World
  /** The folder that all paths are relative to. */
  readonly root: string
  readonly formats: readonly string[]
  readonly flags: TreeFlags
  readonly rules: NameRules
  readonly isWanted: IsWanted | undefined
  readonly nameFile: string | undefined
  readonly concurrency: number | undefined
  readonly progress: TransferProgress
  /** Notices that were printed, and are not repeated. */
  readonly told: Set<string>
  readonly kept: KeptFiles
  /** Prints the result of a round for programs. */
  readonly rows: Pick<RowStream, 'print'>
}

interface Round extends RecalledTree {
  /** Whether it is not the first one of this command. */
  readonly isLater: boolean
}

/** Names of remote versions beside changed local files have this in place of a machine's name. */
const REMOTE = 'remote'

/** Carries out what the tree has and the local folder has not; returns whether nothing is left to do. */
export async function pullRound(
  rounds: FollowRounds,
  {tree, prefix, isLater}: Round,
): Promise<boolean> {
  const {context, printer, world, root, formats, flags, rules, isWanted, nameFile} = rounds
  const {concurrency, progress, told, kept, rows} = rounds
  const {client, signal} = world
  const {now, note} = context
  const started = now()
  const stamp = new Date(started).toISOString().replaceAll(':', '-')
  const place = {root, stamp, now, kept}
  const leftOutBy = createRules({path: root, ...flags})
  const {exclude, include, type} = flags
  const digest = nameFromKey(JSON.stringify(['follow', exclude, include, type, formats, rules]), 16)
  await tree.refresh()
  let settled: ReadonlySet<string> = new Set()
  const memory = await createPullMemory({
    ...{tree, client, signal, root, prefix, digest},
    change: plan =>
      planToFollow(plan, tree, {isLater, isMissing: path => !existsSync(join(root, path))}),
    isSettled: id => settled.has(id),
    isOpen: (draft, id) => namesToCorrect(draft, id, rules).size > 0,
  })
  const counts = {folders: 0, created: 0, replaced: 0, unchanged: 0, removed: 0, bytes: 0}
  const skipped: ItemProblem[] = []
  const failed: ItemProblem[] = []
  const moved: Array<{readonly from: string; readonly to: string}> = []
  /** Local files that have changed too, and where the remote version was saved. */
  const conflicts: Array<{readonly path: string; readonly title: string}> = []
  /** Whether another program changed a file that was to be replaced, so that it has to be planned again. */
  let isAgain = false
  const run: TreeRun = {
    ...IDLE_RUN,
    unchanged: files => void (counts.unchanged += files),
    watch: transferWatch(progress),
  }

  async function* steps(): AsyncGenerator<Step> {
    const isKnown = (id: string) => tree.settledAs(id) === digest
    const {list} = memory
    await listNewFolders(tree, {prefix, rules: leftOutBy, isSettled: isKnown, list})
    const local = (path: string) => join(root, prefix, path)
    await forgetChangedRemovals(tree, {isLater, isLeftOut, local})
    const moving = {tree, place, prefix, rules, isRemoving: flags.delete, isSettled: isKnown}
    for await (const move of localMoves(moving)) yield moveStep(move)
    const check = isLater ? undefined : checkLocal(tree, join(root, prefix), digest)
    const isSame = (id: string) => check?.same.has(id) ?? isKnown(id)
    if (check) run.unchanged(check.files)
    const pairs = pairsToPlan(tree, isSame, {root, prefix, rules: leftOutBy})
    const planned = new Set(pairs.map(({remote}) => remote!.id))
    settled = new Set([...[...tree.folderIds()].filter(isSame), ...planned])
    const here = namesHere(tree.nodes())
    // Names from other runs could belong to items that have other names here.
    const known = here.size > 0 ? here : readKnownNames(nameFile)
    const pieces = planPairs(pairs, {
      ...{client, signal, ifExists: 'rename', formats, rules, follows: false, mirror: false},
      ...{isWanted, renames: true, leftOutBy, known, memory},
      besides: {
        name: name => conflictName(name, REMOTE, started),
        isFor: (other, name) =>
          other.startsWith(`${name.replace(/\.[^.]*$/, '')} (conflict from ${REMOTE}, `),
      },
    })
    for await (const piece of withNotices(context, pieces, () => undefined)) {
      await saveKnownNames(nameFile, piece.known, world.onLoss)
      await memory.expect(piece)
      for (const step of piece.steps) {
        if (step.action !== 'download' || step.beside === undefined) continue
        conflicts.push({path: step.beside, title: step.path})
      }
      yield* pullSteps(piece, run, {place, world, memory})
    }
  }

  async function isLeftOut({remote}: TreeNode): Promise<boolean> {
    const isFolder = remote.kind === 'folder'
    if (!isFolder && isWanted?.(remote) === false) return true
    const titles = wayTo(tree, remote.id)?.titles ?? []
    return excludesAt(leftOutBy, titles, isFolder, prefix === '' ? [] : [prefix])
  }

  function moveStep({action, path, to, run: carryOut}: LocalMove): Step {
    return {
      original: path,
      action,
      here(): TreeResult {
        carryOut()
        if (action === 'move') moved.push({from: path, to: to!})
        return {}
      },
    }
  }

  const account: TreeTally = {
    done(step, record: TreeResult | undefined) {
      counts.bytes += record?.bytes ?? 0
      const action = record?.as ?? step.action
      isAgain ||= action === 'nothing' && step.action === 'replace'
      if (action === 'folder') counts.folders += 1
      else if (action === 'download') counts.created += 1
      else if (action === 'replace') counts.replaced += 1
      else if (action === 'remove') counts.removed += 1
      else if (action === 'same' || action === 'unchanged') counts.unchanged += 1
    },
    failed: (step, reason) => void failed.push({path: labelOf(step), reason}),
    skipped(step, reason) {
      const text = problemLine(labelOf(step), reason)
      if (told.has(text)) return
      told.add(text)
      skipped.push({path: labelOf(step), reason})
      note(`Skipped: ${text}`)
    },
    conclude: () => memory.finish(),
  }
  await runPlan(treeEngine(context, printer, 'pull'), steps(), {concurrency, progress, account})
  const {created, replaced, folders, removed} = counts
  const isChanged = created + replaced + folders + removed + failed.length > 0
  const all = {
    ...counts,
    ...(isLater && {unchanged: 0}),
    leftOut: {folders: 0, files: 0},
    skipped,
    failed,
  }
  if (isChanged || !isLater) note(summaryLine('pull', all, now() - started))
  for (const {from, to} of moved) note(`Renamed ${printable(from)} to ${printable(to)}.`)
  for (const {path, title} of conflicts) {
    note(
      `Conflict: ${printable(path)} has changed on both sides. The remote version was saved as ${printable(title)}.`,
    )
  }
  if (printer.isStructured && (isChanged || moved.length > 0 || !isLater)) {
    await rows.print({...summaryRecord(all, now() - started), moved, conflicts})
  }
  // Something unknown may have the right name of an item now, but not later.
  const isNamed = [...tree.folderIds()].every(
    id => tree.settledAs(id) === digest || namesToCorrect(tree, id, rules).size === 0,
  )
  const isPlaced = nodesToMove(tree).length === 0
  return failed.length === 0 && !isAgain && isNamed && isPlaced
}
