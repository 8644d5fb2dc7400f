import {operation, type OperationId} from '#lib/api/operations.js'
import {changeOf} from '#lib/cli/changes/change.js'
import type {Context} from '#lib/cli/context/context.js'
import type {Parsed} from '#lib/cli/input/call-input.js'
import {runPlan} from '#lib/cli/run/engine.js'
import {operationVerb, runnable} from '#lib/cli/run/operation-command.js'
import {fieldsFor} from '#lib/cli/run/operation-request.js'
import {beginOperation, itemRunner, printAnswer} from '#lib/cli/run/operation-run.js'
import {mapSteps, type Step} from '#lib/cli/run/plan.js'
import {previewPlan} from '#lib/cli/run/preview.js'
import {verb} from '#lib/cli/run/verb.js'
import type {OperationVerb, Surroundings} from '#lib/cli/run/verb-description.js'
import type {BatchCall, Client, Outcome, Page, ParameterTexts} from '#lib/client/client.js'
import {ServiceError} from '#lib/client/errors.js'
import {isIdRefused} from '#lib/transfer/ids.js'
import {ALL_DRIVES, parentIds} from '#lib/transfer/remote/records.js'
import {recordOf} from './sources.js'

interface Planned extends Pick<
  OperationVerb,
  'aliases' | 'everyDay' | 'summary' | 'description' | 'usage' | 'examples' | 'args' | 'flags'
> {
  /** All that is to be sent. Looks, and changes nothing. */
  readonly plan: (context: Context, given: Parsed) => Promise<Step[]>
}

/**
 * A verb that is planned as a whole before any of it is sent, because one thing depends on another.
 * It answers with the records of `id`.
 */
export function stepsCommand(id: OperationId, {plan, examples, ...words}: Planned) {
  const described = {...operationVerb(operation(id), examples, {isBrief: true}), ...words}
  return verb({
    ...runnable(described),
    isOfApi: false,
    async run({args, flags, argv}, context, printer) {
      const given = {args, flags}
      await beginOperation(described, given, context)
      await runSteps(described, await plan(context, given), given, {context, printer, argv})
    },
  })
}

async function runSteps(
  described: OperationVerb,
  plan: readonly Step[],
  given: Parsed,
  surroundings: Surroundings,
): Promise<void> {
  const told = mapSteps(plan, withChange)
  const [result, second] = told.filter(step => !step.isAside)
  const isOne = result !== undefined && second === undefined
  if (plan.length === 1 && result && 'error' in result) throw result.error
  const steps = withFields(told, fieldsFor(described, given.flags, surroundings, true))
  const standard = itemRunner(described, given, surroundings)
  const isProse = standard.results.isProse && steps.every(isTold)
  const runner = {...standard, results: {...standard.results, isProse}}
  if (!given.flags['dry-run']) {
    const client = await surroundings.context.client()
    const printOne = (response: Page | undefined) =>
      printAnswer(described, response, given, surroundings, result?.change)
    return runPlan(runner, withRecovery(client, steps), {
      total: steps.length,
      goOn: 'See what is left, then run the command again for that.',
      ...(isOne && {printOne}),
    })
  }
  await previewPlan(runner, steps, {isCurl: Boolean(given.flags.curl)})
}

/** The same step with what its call changes, where the plan does not say it. */
function withChange(step: Step): Step {
  if (!('call' in step) || step.change || step.isAside) return step
  const {id, input} = step.call
  const args = typeof step.original === 'string' ? {file_id: step.original} : {}
  const change = changeOf(operation(id), {args, flags: {}}, input)
  return change ? {...step, change: () => change} : step
}

function isTold(step: Step): boolean {
  return step.isAside === true || 'error' in step || step.change !== undefined
}

/** The same steps; of their responses only these fields are requested, of asides only the ID. */
function withFields(steps: readonly Step[], fields: ParameterTexts[string] | undefined): Step[] {
  return mapSteps(steps, step => {
    const wish = step.isAside ? 'id' : fields
    if (!('call' in step) || wish === undefined) return step
    const {call} = step
    const params = {...call.input.params, fields: wish}
    return {...step, call: {...call, input: {...call.input, params}}}
  })
}

/** The same steps, each with a second way after a refusal. */
function withRecovery(client: Client, steps: readonly Step[]): Step[] {
  return mapSteps(steps, step => {
    if (!('call' in step)) return step
    const {call, recover} = step
    const another = (error: unknown) => afterRefusal(client, call, error)
    return {...step, recover: recover ? eitherOf(recover, another) : another}
  })
}

type Recover = NonNullable<Step['recover']>

/** The second way where the first one leaves the error as it is. */
function eitherOf(first: Recover, second: Recover): Recover {
  return async error => {
    const outcome = await first(error)
    return 'error' in outcome && outcome.error === error ? second(error) : outcome
  }
}

/**
 * What came of a step that was refused, tried another way: without an ID where the service takes none
 * for what is to be made; and a move whose answer was lost is done where the file is in its place.
 */
async function afterRefusal(
  client: Client,
  {id, input}: BatchCall,
  refusal: unknown,
): Promise<Outcome> {
  try {
    if (isIdRefused(refusal)) {
      const {id: _, ...body} = input.body ?? {}
      return {record: await client.call(id, {...input, body})}
    }
    if (!isMoveRefused(refusal)) return {error: refusal}
    const {fileId, addParents, fields} = input.params
    const params = {fileId: fileId!, ...ALL_DRIVES}
    const {title, ...found} = await recordOf(client, String(fileId))
    const wanted = input.body?.title ?? title
    if (title !== wanted || !parentIds(found).includes(addParents)) return {error: refusal}
    return {
      record: await client.call('files.get', {
        params: {...params, ...(fields !== undefined && {fields})},
      }),
    }
  } catch (error) {
    return {error}
  }
}

/** Whether the file is not in the folder that it is to leave, or is in the one it is to get to. */
function isMoveRefused(error: unknown): boolean {
  if (!(error instanceof ServiceError) || error.status !== 400) return false
  return ['addParents', 'removeParents'].includes(String(error.details.location))
}
