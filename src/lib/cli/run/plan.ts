import type {Action} from '#lib/cli/changes/actions.js'
import type {Change} from '#lib/cli/changes/change.js'
import type {PlannedRequest} from '#lib/cli/guard/curl.js'
import type {Row} from '#lib/cli/output/format.js'
import type {BatchCall, Client, Outcome, Page} from '#lib/client/client.js'
import type {Planned} from '#lib/transfer/many/queue.js'

/** What every step of a plan says of itself. */
interface StepFacts {
  /** What was given for it, a word or a record; programs get it as `input` beside the result. */
  readonly original: unknown
  /** What messages call it; by default what was given. */
  readonly label?: string
  /** What it changes, as people are told; whether something is kept may be known only afterwards. */
  readonly change?: () => Change
  /** What is done, in a word; by default the operation of its call. */
  readonly action?: string
  /** Bytes of content that it moves, where that is known. */
  readonly bytes?: number
  /** What undoing it needs, where the plan has that: the record of what is replaced or goes. */
  readonly before?: object
  /** Its name in the checkpoint. */
  readonly key?: string
  /** An earlier run completed it. */
  readonly isDone?: boolean
  /** The step that has to succeed before. */
  readonly after?: Step
  /** It waits until all others have ended; where one of them failed it is left out, for this reason. */
  readonly afterAll?: string
  /** It only prepares or completes another step, and has no result of its own. */
  readonly isAside?: boolean
  /** The result, made from the response; by default the response itself. */
  readonly rowOf?: (response: Page | undefined) => Row
  /** Hears that it was carried out. */
  readonly onDone?: () => void
  /** Tries another way after a failure, or explains the failure better. */
  readonly recover?: (error: unknown) => Promise<Outcome>
}

/** A step that is one call without content, so that it can share a batch with others. */
export interface CallStep extends StepFacts {
  readonly call: BatchCall
  /** An earlier run may have carried it out. */
  readonly isDoubtful?: boolean
  /** The request that `--dry-run` shows; by default the call. */
  readonly preview?: () => Promise<PlannedRequest>
}

/** A step that takes requests of its own: content, or several calls. */
export interface WorkStep extends StepFacts {
  readonly work: (signal: AbortSignal) => Promise<Page | undefined>
  /** The request that `--dry-run` shows for it; by default none. */
  readonly preview?: () => Promise<PlannedRequest>
}

/** A step on this machine, which takes no request. */
interface LocalStep extends StepFacts {
  readonly here: () => Page | undefined
}

/** How one request is carried out: as a call, which can share a batch, or as work of its own. */
export type Route = (
  | (Pick<CallStep, 'call' | 'preview'> & {
      /** Sends the call where it shares no batch; by default it is just sent. */
      readonly alone?: () => Promise<Page | undefined>
    })
  | {
      readonly work: () => Promise<Page | undefined>
      readonly preview: NonNullable<WorkStep['preview']>
    }
) & {
  readonly change?: () => Change
  /** What it does, where that depends on what is there already. */
  readonly actionTaken?: () => Action | undefined
  /** Carries it out and prints what comes, where it is the only one; by default the response is printed. */
  readonly print?: () => Promise<void>
}

/** Carries out one request by itself. */
export async function carryOut(route: Route, client: Client): Promise<Page | undefined> {
  if ('work' in route) return route.work()
  return route.alone ? route.alone() : client.call(route.call.id, route.call.input)
}

/** The request that `--dry-run` shows; of a step only if one is known. */
export async function previewOf(step: Route): Promise<PlannedRequest>
export async function previewOf(step: Step): Promise<PlannedRequest | undefined>
export async function previewOf(step: Step | Route): Promise<PlannedRequest | undefined> {
  if ('call' in step && !step.preview) return [step.call.id, step.call.input]
  return 'preview' in step ? step.preview?.() : undefined
}

/** A step that cannot be carried out, with the reason. */
export interface BrokenStep extends StepFacts {
  readonly error: unknown
}

/** A step that finds everything as it should be, or leaves it alone for a reason. */
interface EmptyStep extends StepFacts {
  readonly isUnchanged: true
  readonly reason?: string
}

/**
 * One step of a plan. A plan is an array of steps, or, where there are too many to hold or they arrive
 * over time, a stream, in which a step comes after those that it depends on.
 */
export type Step = CallStep | WorkStep | LocalStep | BrokenStep | EmptyStep

/** What messages call a step. */
export function labelOf({label, original}: Pick<Step, 'label' | 'original'>): string {
  return label ?? (typeof original === 'string' ? original : JSON.stringify(original))
}

/** What is sent for a step. */
export function plannedOf(step: Step): Planned {
  if ('isUnchanged' in step) return {work: async () => undefined}
  if ('here' in step) return {work: async () => step.here()}
  return step
}

/** The steps of a plan made anew, each still after the one that it needs. */
export function mapSteps(steps: readonly Step[], map: (step: Step) => Step): Step[] {
  const made = new Map<Step, Step>()
  for (const step of steps)
    made.set(step, {...map(step), after: step.after && made.get(step.after)})
  return [...made.values()]
}

/** The steps in rounds: each step after the one that it needs, and as early as possible. */
export function roundsOf(steps: readonly Step[]): Step[][] {
  const rounds: Step[][] = []
  const known = new Map<Step, number>()
  const levelOf = (step: Step): number => {
    const level = known.get(step) ?? (step.after ? levelOf(step.after) + 1 : 0)
    known.set(step, level)
    return level
  }
  for (const step of steps) (rounds[levelOf(step)] ??= []).push(step)
  return rounds
}
