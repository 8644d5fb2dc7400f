import type {Action} from '#lib/cli/changes/actions.js'
import {type Change, changedItem} from '#lib/cli/changes/change.js'
import type {LocalFiles, PlannedRequest} from '#lib/cli/guard/curl.js'
import type {Row} from '#lib/cli/output/format.js'
import type {LocalChange} from '#lib/cli/plan-file/format.js'
import type {BatchCall, Client, Outcome, Page} from '#lib/client/client.js'
import type {ProposedChange} from '#lib/policy/judge.js'
import type {Planned, WhenStale} from '#lib/transfer/many/queue.js'
import {endsAll} from '#lib/transfer/many/verdict.js'

/** Stands for steps that others wait for, where there are too many steps to keep. */
export interface StepGate {
  /** Number of steps that have to end before it is open. */
  awaited: number
  /** The failure of the first step that failed. */
  failure?: {readonly error: unknown}
}

/** The properties of every step of a plan. */
interface StepFacts {
  /** Its input, a word or a record; in results for programs as `input`. */
  readonly original: unknown
  /** Its name in messages (default: the input). */
  readonly label?: string
  /** The change for people; a function, because details can be known only afterwards. */
  readonly change?: () => Change
  /** The action, in one word (default: the operation of its call). */
  readonly action?: string
  /** The bytes of content it transfers, if known. */
  readonly bytes?: number
  /** The record of the item that it replaces or removes, for undo. */
  readonly before?: object
  /** Its key in the checkpoint. */
  readonly key?: string
  /** An earlier run completed it. */
  readonly isDone?: boolean
  /** The step that must succeed first. */
  readonly after?: Step
  /** More steps that must succeed first. */
  readonly alsoAfter?: readonly Step[]
  /** The gates that must be open first; only in a stream. */
  readonly gates?: readonly StepGate[]
  /** The gates that wait for its end. */
  readonly opens?: readonly StepGate[]
  /** Runs after all other steps; if one of them failed, it is skipped for this reason. */
  readonly afterAll?: string
  /** Only prepares or completes another step; has no result. */
  readonly isAside?: boolean
  /** Converts the response to the result (default: the response). */
  readonly rowOf?: (response: Page | undefined) => Row
  /** Called when it succeeded. */
  readonly onDone?: () => void
  /** Retries after a failure in another way, or explains the failure. */
  readonly recover?: (error: unknown) => Promise<Outcome>
}

/** A step of one call without content, which can be part of a batch. */
export interface CallStep extends StepFacts {
  readonly call: BatchCall
  /** An earlier run may have completed it. */
  readonly isDoubtful?: boolean
  /** What to do if the service refuses it because its item has changed. */
  readonly whenStale?: WhenStale
  /** The request that `--dry-run` shows (default: the call). */
  readonly preview?: () => Promise<PlannedRequest>
}

/** A step that sends its own requests: content, or several calls. */
export interface WorkStep extends StepFacts {
  readonly work: (signal: AbortSignal) => Promise<Page | undefined>
  /** The request that `--dry-run` shows (default: none). */
  readonly preview?: () => Promise<PlannedRequest>
}

/** A local step without requests. */
interface LocalStep extends StepFacts {
  readonly here: () => Page | undefined
  /** What it stands for in a dry run of a tree, for policies. */
  readonly proposed?: ProposedChange
  /** What `--plan` writes: the change of a local path. */
  readonly planned?: {
    readonly here: LocalChange
    readonly output: NonNullable<LocalFiles['output']>
  }
}

/** How one request is sent: as a call, which can be part of a batch, or as separate work. */
export type Route = (
  | (Pick<CallStep, 'call' | 'preview'> & {
      /** Sends the call outside a batch (default: sends it unchanged). */
      readonly alone?: () => Promise<Page | undefined>
    })
  | {
      readonly work: () => Promise<Page | undefined>
      readonly preview: NonNullable<WorkStep['preview']>
    }
) & {
  readonly change?: () => Change
  /** The action, if it depends on existing items. */
  readonly actionTaken?: () => Action | undefined
  /** Runs a single request and prints its result (default: prints the response). */
  readonly print?: () => Promise<void>
}

/** Sends one request outside a batch. */
export async function sendRoute(route: Route, client: Client): Promise<Page | undefined> {
  if ('work' in route) return route.work()
  return route.alone ? route.alone() : client.call(route.call.id, route.call.input)
}

/** The request that `--dry-run` shows; `undefined` for a step without one. */
export async function previewOf(step: Route): Promise<PlannedRequest>
export async function previewOf(step: Step): Promise<PlannedRequest | undefined>
export async function previewOf(step: Step | Route): Promise<PlannedRequest | undefined> {
  if ('call' in step && !step.preview) return [step.call.id, step.call.input]
  return 'preview' in step ? step.preview?.() : undefined
}

/** A step that cannot run, with the reason. */
export interface BrokenStep extends StepFacts {
  readonly error: unknown
}

/** A step with nothing to do, or skipped for a reason. */
interface EmptyStep extends StepFacts {
  readonly isUnchanged: true
  readonly reason?: string
}

/**
 * One step of a plan. A plan is an array of steps, or a stream if there are too many for memory or they
 * arrive over time; there, a step comes after those that it depends on.
 */
export type Step = CallStep | WorkStep | LocalStep | BrokenStep | EmptyStep

/** The request of a step that is not done yet, for the check of policies; `undefined` without one. */
export async function changeOfStep(step: Step): Promise<ProposedChange | undefined> {
  if (step.isDone || 'error' in step || 'isUnchanged' in step) return undefined
  const label = (step.change && changedItem(step.change())) ?? labelOf(step)
  if ('call' in step) return {...step.call, label}
  if ('here' in step) return step.proposed && {...step.proposed, label}
  const planned = await previewOf(step)
  if (!planned) return undefined
  const [id, {upload, ...input}, local] = planned
  const size = upload?.size ?? step.bytes ?? local?.content?.scanned?.size
  return {id, input: {...input, ...(upload && {upload: {size}})}, label}
}

/** The name of a step in messages. */
export function labelOf({label, original}: Pick<Step, 'label' | 'original'>): string {
  return label ?? (typeof original === 'string' ? original : JSON.stringify(original))
}

/** The steps that must succeed before a step. */
export function stepsBefore({after, alsoAfter = []}: Step): readonly Step[] {
  return after ? [after, ...alsoAfter] : alsoAfter
}

/** The outcomes of the steps that have ended. */
type EndedSteps = Pick<WeakMap<Step, Outcome>, 'has' | 'get'>

/** Whether everything that a step waits for has ended. */
export function isReady(step: Step, ended: EndedSteps): boolean {
  const {gates = []} = step
  return stepsBefore(step).every(one => ended.has(one)) && gates.every(one => one.awaited === 0)
}

/** The failure of something that a step waits for. */
export function failureBefore(
  step: Step,
  ended: EndedSteps,
): {readonly error: unknown} | undefined {
  for (const before of stepsBefore(step)) {
    const known = ended.get(before)
    if (known && 'error' in known) return known
  }
  return step.gates?.find(({failure}) => failure)?.failure
}

/** The step as `sendMany` expects it. */
export function plannedOf(step: Step): Planned {
  if ('isUnchanged' in step) return {work: async () => undefined}
  if ('here' in step) return {work: async () => step.here()}
  return step
}

/** Maps the steps of a plan and keeps their dependencies. */
export function mapSteps(steps: readonly Step[], map: (step: Step) => Step): Step[] {
  const made = new Map<Step, Step>()
  for (const step of steps) {
    const alsoAfter = step.alsoAfter?.map(before => made.get(before)!)
    made.set(step, {...map(step), after: step.after && made.get(step.after), alsoAfter})
  }
  return [...made.values()]
}

/** Groups steps in rounds: each step as early as possible after the one it depends on. */
export function roundsOf(steps: readonly Step[]): Step[][] {
  const rounds: Step[][] = []
  const known = new Map<Step, number>()
  const levelOf = (step: Step): number => {
    const level =
      known.get(step) ?? Math.max(0, ...stepsBefore(step).map(before => levelOf(before) + 1))
    known.set(step, level)
    return level
  }
  for (const step of steps) (rounds[levelOf(step)] ??= []).push(step)
  return rounds
}

/** Whether a step sends requests. */
export function isSent(step: Step): boolean {
  return 'call' in step || 'work' in step
}

/** The steps of a stream, except those that run last, which are added to `last`. */
export async function* withoutLast(plan: AsyncIterable<Step>, last: Step[]): AsyncGenerator<Step> {
  for await (const step of plan) {
    if (step.afterAll === undefined) yield step
    else last.push(step)
  }
}

/** The result of a local step. Throws errors that end the whole run. */
export function outcomeHere(step: Step): Outcome {
  if ('error' in step) return {error: step.error}
  try {
    return {record: 'here' in step ? step.here() : undefined}
  } catch (error) {
    if (endsAll(error)) throw error
    return {error}
  }
}
