import {join} from 'node:path'
import {nonEmptyText} from '#lib/api/validate.js'
import type {PlannedRequest} from '#lib/cli/guard/curl.js'
import type {PlanStep} from '#lib/cli/plan-file/format.js'
import type {PlanFile} from '#lib/cli/plan-file/read-plan.js'
import type {Step} from '#lib/cli/run/plan.js'
import {CommandError} from '#lib/cli/terminal/errors.js'
import type {TransferProgress} from '#lib/cli/terminal/progress.js'
import {BATCH_LIMIT, type CallInput, type Outcome, type Page} from '#lib/client/client.js'
import type {ProposedChange} from '#lib/policy/judge.js'
import {downloadFile} from '#lib/transfer/download.js'
import {holdBelow} from '#lib/transfer/local/held-folder.js'
import {endsAll} from '#lib/transfer/many/verdict.js'
import {gatherCalls} from '#lib/transfer/remote/gather.js'
import {makeLocalFolder, putAside} from '#lib/transfer/tree/pull.js'
import type {World} from '#lib/transfer/types.js'
import {uploadFile} from '#lib/transfer/upload.js'
import {
  examineBegun,
  examineItems,
  examineRefused,
  isChangeRefused,
  isUnrepeatable,
} from './examine-item.js'
import type {Verdict} from './judge-step.js'
import {examineContent, examineTarget} from './local-state.js'
import type {PlanCheckpoint} from './plan-checkpoint.js'

/** Turns the steps of a plan file into those of the engine. */

/** The item of a step is no longer as the plan found it. */
export class PlanConflict extends CommandError {
  constructor(reason: string) {
    super('conflict', reason, 'Make a new plan.')
  }
}

/** The record of a step that was done before it was sent. */
export const DONE_BEFORE: Page = {isDoneBefore: true}

export interface Applying {
  readonly world: World
  readonly progress: TransferProgress
  readonly checkpoint: PlanCheckpoint | undefined
  /** Whether this run applies the step. */
  readonly isSelected: (key: number) => boolean
  /** Whether a later step comes after it. */
  readonly isNeeded: (key: number) => boolean
  /** The local folder of the plan. */
  readonly root: string | null
  /** The name of this run's folder for entries that are moved away. */
  readonly stamp: string
  readonly now: () => number
}

/** The steps of the engine, which compares each with the plan before it is sent. */
export async function* planSteps(plan: PlanFile, applying: Applying): AsyncGenerator<Step> {
  const {checkpoint, isSelected, isNeeded, world} = applying
  const made = new Map<string, Step>()
  const toStep = stepFactory(applying)
  for await (const group of stepGroups(
    plan,
    key => isSelected(key) && !checkpoint?.done.has(key),
  )) {
    const verdicts = await examineItems(gatherCalls(world.client), group)
    for (const [index, step] of group.entries()) {
      if (!checkpoint?.begun.has(Number(step.key)) || !isUnrepeatable(step)) continue
      verdicts[index] = await examineBegun(world.client, step, plan.head.time)
    }
    checkpoint?.begin(group.map(({key}) => Number(key)))
    for (const [index, planned] of group.entries()) {
      const step = dependent(toStep(planned, verdicts[index]!), planned)
      if (isNeeded(Number(planned.key))) made.set(planned.key, step)
      yield step
    }
  }

  /** The same step, after those that it depends on. Those of an earlier run are done. */
  function dependent(step: Step, {after = []}: PlanStep): Step {
    const [first, ...others] = after.flatMap(key => made.get(key) ?? [])
    return first ? {...step, after: first, ...(others.length > 0 && {alsoAfter: others})} : step
  }
}

/** The wanted steps in groups whose items are read together. */
export async function* stepGroups(
  plan: PlanFile,
  isWanted: (key: number) => boolean,
): AsyncGenerator<PlanStep[]> {
  let group: PlanStep[] = []
  for await (const step of plan.steps()) {
    if (!isWanted(Number(step.key))) continue
    if (group.push(step) < BATCH_LIMIT) continue
    yield group
    group = []
  }
  if (group.length > 0) yield group
}

function stepFactory({root, world, progress, stamp, now}: Applying) {
  const {client, signal} = world
  const place = {root: root!, stamp, now}

  /** The outcome of a verdict; undefined for a step that can be sent. */
  function settled(verdict: Verdict): Page | undefined {
    if (verdict === 'open') return undefined
    if (verdict === 'done') return DONE_BEFORE
    throw new PlanConflict(verdict.conflict)
  }

  async function watched<T>(
    label: string,
    work: (on: (done: number, total?: number) => void) => Promise<T>,
  ) {
    const {onProgress, end} = progress.begin(label)
    try {
      return await work(onProgress)
    } finally {
      end()
    }
  }

  async function upload(step: PlanStep, signal: AbortSignal): Promise<Page> {
    const {operation, params = {}, body, etag, local, label} = step
    const before = settled(await examineContent(root!, local!, signal))
    if (before) return before
    const {id, ...metadata} = body ?? {}
    const isNew = operation === 'files.insert'
    const newId = isNew ? nonEmptyText(id) : undefined
    const record = await watched(label, onProgress =>
      uploadFile(
        {...world, signal},
        {
          operation: isNew ? 'files.insert' : 'files.update',
          params,
          ...(body && {body: metadata}),
          source: {path: join(root!, local!.path), scanned: {root: root!, size: local!.size}},
          mimeType: local!.mimeType,
          ...(newId !== undefined && {id: newId}),
          ...(etag !== undefined && {ifMatch: etag}),
          ...historyOf(step),
          remembersLargeOnly: true,
          onProgress,
        },
      ),
    )
    return {...record, bytes: local!.size}
  }

  async function download(step: PlanStep, signal: AbortSignal): Promise<Page> {
    const {operation, params = {}, output, label} = step
    const before = settled(await examineTarget(root!, step, signal))
    if (before) return before
    const {path, overwrite, size, md5, modified} = output!
    // Another shard may create the folder of the file.
    holdBelow(root!, join(root!, path, '..'), {isMade: true}).close()
    const saved = await watched(label, onProgress =>
      downloadFile(
        {...world, signal},
        {
          operation: operation!,
          params,
          path: join(root!, path),
          root: root!,
          overwrite,
          size,
          md5,
          modified,
          onProgress,
        },
      ),
    )
    return {bytes: saved.size}
  }

  async function changeHere(step: PlanStep, signal: AbortSignal): Promise<Page> {
    const before = settled(await examineTarget(root!, step, signal))
    if (before) return before
    const change = step.here === 'mkdir' ? makeLocalFolder : putAside
    return change(place, step.output!.path) ? {} : DONE_BEFORE
  }

  async function recover(step: PlanStep, error: unknown): Promise<Outcome> {
    if (endsAll(error) || signal.aborted || !isChangeRefused(error)) return {error}
    try {
      return {record: settled(await examineRefused(client, step, error))}
    } catch (error) {
      return {error}
    }
  }

  return (planned: PlanStep, verdict: Verdict): Step => {
    const {key, label, action, aside, afterAll, local, output, here} = planned
    const bytes = local?.size ?? output?.size
    const facts = {
      ...{original: label, label, key, action},
      ...(bytes !== undefined && {bytes}),
      ...(aside && {isAside: true}),
      ...(afterAll !== undefined && {afterAll}),
    }
    if (verdict !== 'open') {
      if (verdict === 'done') return {...facts, work: async () => DONE_BEFORE}
      return {...facts, error: new PlanConflict(verdict.conflict)}
    }
    const sent = {...facts, recover: (error: unknown) => recover(planned, error)}
    if (here) return {...sent, work: signal => changeHere(planned, signal)}
    const preview = async () => requestOf(planned)
    if (local) return {...sent, preview, work: signal => upload(planned, signal)}
    if (output) return {...sent, preview, work: signal => download(planned, signal)}
    return {...sent, call: {id: planned.operation!, input: inputOf(planned)}}
  }
}

/** The requests of the wanted steps, for the check of policies. */
export async function* plannedChanges(
  plan: PlanFile,
  isWanted: (key: number) => boolean,
): AsyncGenerator<ProposedChange> {
  for await (const step of plan.steps()) {
    if (!step.operation || !isWanted(Number(step.key))) continue
    const [id, input] = requestOf(step)
    yield {id, input, label: step.label}
  }
}

/** The request of a step, without opening its content. */
export function requestOf(step: PlanStep): PlannedRequest {
  const {operation, local} = step
  const upload = local && {size: local.size, mimeType: local.mimeType}
  return [operation!, {...inputOf(step), ...(upload && {upload})}]
}

/** The request of a step without content. */
function inputOf(step: PlanStep): CallInput {
  const {params = {}, body, etag} = step
  const ifMatch = etag === undefined ? {} : {ifMatch: etag}
  return {params, ...(body && {body}), ...ifMatch, ...historyOf(step)}
}

/** What the history records of a step, as far as the plan knows it. */
function historyOf({label, path, local, undoes, before}: PlanStep): Pick<CallInput, 'history'> {
  // The label of a transfer is its path below the folder of the command.
  const item = undoes !== undefined || local ? label : path
  return {
    history: {
      ...(item !== undefined && {item}),
      ...(undoes !== undefined && {undoes}),
      ...(before && {before}),
    },
  }
}
