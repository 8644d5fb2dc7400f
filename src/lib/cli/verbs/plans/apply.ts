import {realpath} from 'node:fs/promises'
import {join, resolve} from 'node:path'
import type {Context} from '#lib/cli/context/context.js'
import {NOTHING_DONE} from '#lib/cli/explain/interruption.js'
import {confirmRemoving} from '#lib/cli/guard/confirm-destroying.js'
import {refuseChanges} from '#lib/cli/guard/read-only.js'
import type {FlagValues} from '#lib/cli/input/call-input.js'
import {concurrencyOf, limitedTransfer} from '#lib/cli/input/shared-flags.js'
import {currentAccount} from '#lib/cli/plan-file/account.js'
import type {PlanStep} from '#lib/cli/plan-file/format.js'
import {contentFolderOf, removeContentFolders} from '#lib/cli/plan-file/kept-content.js'
import type {KeySet} from '#lib/cli/plan-file/key-set.js'
import {openPlan, type PlanFile} from '#lib/cli/plan-file/read-plan.js'
import {createPlanSummary, type PlanSummary} from '#lib/cli/plan-file/summary.js'
import {runPlan} from '#lib/cli/run/engine.js'
import type {Printer} from '#lib/cli/run/printer.js'
import {createProgress} from '#lib/cli/terminal/progress.js'
import {count} from '#lib/cli/terminal/units.js'
import {makeFolder} from '#lib/platform/write-file.js'
import {type ApplyResult, createApplyAccount} from './apply-account.js'
import {engineFor, previewApply} from './apply-preview.js'
import {refuseOtherAccount, refuseOtherService} from './apply-target.js'
import {
  type CheckpointFile,
  checkpointPath,
  openPlanCheckpoint,
  readProgress,
  releaseEnded,
} from './plan-checkpoint.js'
import {plannedChanges, planSteps} from './plan-steps.js'
import {patternFilter, readDependencies, readShard, selectKeys, type Shard} from './selection.js'
import {isPlanDone} from './status.js'

/** The flags of `drv apply`. */
export interface ApplyFlags extends FlagValues {
  readonly yes: boolean
  readonly progress: boolean
  readonly only?: string
  readonly shard?: string
  readonly checkpoint?: string
  readonly concurrency?: string
}

/** The steps that a run has to apply. */
export interface StepSelection {
  readonly isSelected: (key: number) => boolean
  readonly isNeeded: (key: number) => boolean
  /** The steps that are not done yet. */
  readonly left: PlanSummary
  /** The number of selected steps that an earlier run has done. */
  readonly before: number
  readonly hasDownloads: boolean
  /** The number of all steps of the plan. */
  readonly total: number
  /** The folders next to the plan with content that it uploads. */
  readonly contents: ReadonlySet<string>
}

/** Applies a plan file for `drv apply`. */
export async function applyPlanFile(
  context: Context,
  printer: Printer,
  file: string,
  flags: ApplyFlags,
): Promise<void> {
  context.onInterrupt(() => NOTHING_DONE)
  const shard = flags.shard === undefined ? undefined : readShard(flags.shard)
  const concurrency = concurrencyOf(flags.concurrency)
  await refuseChanges(context, '`drv apply`')
  const plan = await openPlan(file, context.io.stdin)
  context.onEnd(() => plan.close())
  await refuseOtherService(context, plan)
  const place = checkpointFile(file, flags.checkpoint, shard)
  const known = place && (await readProgress(place, plan.head)).done
  const selection = await selectSteps(plan, known, {shard, only: flags.only})
  const {left, before} = selection
  const removeUploaded = async (done: KeySet | undefined) => {
    const {contents, total} = selection
    if (contents.size === 0) return
    const isDone = done?.size() === total || (await isPlanDone(plan, file, done))
    if (isDone) await removeContentFolders(contents)
  }
  if (left.steps === 0) {
    if (!context.options.dryRun) {
      await removeUploaded(known)
      if (place) await releaseEnded(place)
    }
    const isAll = shard === undefined && flags.only === undefined
    const none = isAll ? 'the plan has no steps' : 'no steps match'
    context.note(`Nothing to apply: ${before === 0 ? none : countDone(before)}.`)
    if (printer.isStructured) await printer.record({...nothing(plan.head.id, before)})
    return
  }
  const world = await limitedTransfer(context, flags['limit-rate'])
  refuseOtherAccount(plan, await currentAccount(world.client))
  const isLeft = (key: number) => selection.isSelected(key) && !known?.has(key)
  if (context.options.dryRun) {
    return previewApply(context, printer, plan, isLeft)
  }
  await confirmRemoving(context, {
    isYes: flags.yes,
    count: left.steps,
    text: async () => planText(plan, left, before),
  })
  const checkpoint = place && (await openPlanCheckpoint(place, plan.head))
  if (checkpoint) context.onEnd(() => checkpoint.close())
  const progress = await createProgress(context, flags.progress)
  context.onEnd(progress.end)
  const {root} = plan.head
  if (root !== null && selection.hasDownloads) await makeFolder(root)
  const {account, report} = createApplyAccount({
    plan: plan.head.id,
    steps: left.steps,
    checkpoint,
    now: context.now,
    note: context.note,
    print: async result => {
      if (printer.isStructured) await printer.record({...result})
    },
  })
  context.onInterrupt(() => ({
    words: 'completed steps are kept',
    hint: checkpoint
      ? 'Run the same command again to continue.'
      : 'Run the same command again; drv recognizes completed steps.',
  }))
  context.onEnd(() => report('Stopped early: '))
  const steps = planSteps(plan, {
    ...selection,
    world,
    progress,
    checkpoint,
    root: root === null ? null : await realpath(root).catch(() => root),
    stamp: new Date(context.now()).toISOString().replaceAll(':', '-'),
    now: context.now,
  })
  await runPlan(engineFor(context, printer), steps, {
    total: left.steps,
    changes: () => plannedChanges(plan, isLeft),
    concurrency,
    progress,
    account,
  })
  await removeUploaded(checkpoint?.done)
}

/** The checkpoint of a run: as given, or beside the plan; none for a plan from standard input. */
function checkpointFile(
  file: string,
  given: string | undefined,
  shard: Shard | undefined,
): CheckpointFile | undefined {
  if (given !== undefined) return {path: given, isDefault: false}
  return file === '-' ? undefined : {path: checkpointPath(file, shard), isDefault: true}
}

const countDone = (number: number) =>
  `${count(number, 'step')} ${number === 1 ? 'is' : 'are'} already done`

function nothing(plan: string, doneBefore: number): ApplyResult {
  const counts = {steps: 0, done: 0, doneBefore, bytes: 0, left: 0, seconds: 0}
  return {plan, ...counts, conflicts: [], failed: []}
}

/** Checks the whole plan, and selects the steps of this run. Throws `UsageError` for an invalid line. */
async function selectSteps(
  plan: PlanFile,
  done: KeySet | undefined,
  {shard, only}: {readonly shard?: Shard; readonly only?: string},
): Promise<StepSelection> {
  const left = createPlanSummary()
  const contents = new Set<string>()
  let total = 0
  let before = 0
  let hasDownloads = false
  const visit = ({local}: PlanStep) => {
    total += 1
    const path = local && plan.head.root !== null ? join(plan.head.root, local.path) : undefined
    const folder = path === undefined ? undefined : contentFolderOf(resolve(plan.name), path)
    if (folder !== undefined) contents.add(folder)
  }
  const add = (step: PlanStep) => {
    if (done?.has(Number(step.key))) before += 1
    else left.add(step)
    hasDownloads ||= step.output !== undefined
  }
  const isAll = shard === undefined && only === undefined
  const dependencies = await readDependencies(plan.steps, step => {
    visit(step)
    if (isAll) add(step)
  })
  const {isNeeded} = dependencies
  if (isAll) {
    return {left, before, hasDownloads, total, contents, isNeeded, isSelected: () => true}
  }
  const isWanted = only === undefined ? undefined : patternFilter(only)
  const selected = await selectKeys(plan.steps, dependencies, {shard, isWanted})
  for await (const step of plan.steps()) if (selected.has(Number(step.key))) add(step)
  const isSelected = (key: number) => selected.has(key)
  return {left, before, hasDownloads, total, contents, isNeeded, isSelected}
}

/** The text of the confirmation: `This applies site.plan (drv push build/ /Site, 2026-11-23 20:00): 12 to create` */
function planText({name, head}: PlanFile, left: PlanSummary, before: number): string {
  const {command, time, root} = head
  const made = `${command}, ${time.slice(0, 16).replace('T', ' ')} UTC`
  const place = root === null ? '' : `, local folder ${root}`
  const rest = before > 0 ? `; ${countDone(before)}` : ''
  return `This applies ${name} (${made}${place}): ${left.text()}${rest}.`
}
