import {operation, type OperationId} from '#lib/api/operations.js'
import {changeOf} from '#lib/cli/changes/change.js'
import type {Context} from '#lib/cli/context/context.js'
import type {Parsed} from '#lib/cli/input/call-input.js'
import {runPlan} from '#lib/cli/run/engine.js'
import {asVerb, operationVerb} from '#lib/cli/run/operation-command.js'
import {fieldsFor} from '#lib/cli/run/operation-request.js'
import {beginOperation, itemRunner, printAnswer} from '#lib/cli/run/operation-run.js'
import {mapSteps, type Step} from '#lib/cli/run/plan.js'
import {printPreview} from '#lib/cli/run/preview.js'
import {verb} from '#lib/cli/run/verb.js'
import type {OperationVerb, RunInputs} from '#lib/cli/run/verb-description.js'
import type {BatchCall, Client, Outcome, Page, ParameterTexts} from '#lib/client/client.js'
import {isIdRefused} from '#lib/transfer/ids.js'

interface Planned extends Pick<
  OperationVerb,
  'aliases' | 'everyDay' | 'summary' | 'description' | 'usage' | 'examples' | 'args' | 'flags'
> {
  /** Plans all steps. Reads from the service, but changes nothing. */
  readonly plan: (context: Context, input: Parsed) => Promise<Step[]>
}

/**
 * A verb that plans all steps before it sends the first, because they depend on each other. Its results are
 * the records of the operation `id`.
 */
export function stepsCommand(id: OperationId, {plan, examples, ...words}: Planned) {
  const described = {...operationVerb(operation(id), examples, {isBrief: true}), ...words}
  return verb({
    ...asVerb(described),
    isOfApi: false,
    async run({args, flags, argv}, context, printer) {
      const input = {args, flags}
      await beginOperation(described, input, context)
      await runSteps(described, await plan(context, input), input, {context, printer, argv})
    },
  })
}

async function runSteps(
  described: OperationVerb,
  plan: readonly Step[],
  input: Parsed,
  surroundings: RunInputs,
): Promise<void> {
  const withChanges = mapSteps(plan, withChange)
  const [result, second] = withChanges.filter(step => !step.isAside)
  const isOne = result !== undefined && second === undefined
  if (plan.length === 1 && result && 'error' in result) throw result.error
  const steps = withFields(withChanges, fieldsFor(described, input.flags, surroundings, true))
  const standard = itemRunner(described, input, surroundings)
  const isProse = standard.results.isProse && steps.every(hasText)
  const runner = {...standard, results: {...standard.results, isProse}}
  if (!input.flags['dry-run']) {
    const client = await surroundings.context.client()
    const printOne = (response: Page | undefined) =>
      printAnswer(described, response, input, surroundings, result?.change)
    return runPlan(runner, withRecovery(client, steps), {
      total: steps.length,
      goOn: 'Check which items are left, then run the command again for those.',
      ...(isOne && {printOne}),
    })
  }
  await printPreview(runner, steps, {isCurl: Boolean(input.flags.curl)})
}

/** The same step with the change that its call makes, unless the plan has set it. */
function withChange(step: Step): Step {
  if (!('call' in step) || step.change || step.isAside) return step
  const {id, input} = step.call
  const args = typeof step.original === 'string' ? {file_id: step.original} : {}
  const change = changeOf(operation(id), {args, flags: {}}, input)
  return change ? {...step, change: () => change} : step
}

function hasText(step: Step): boolean {
  return step.isAside === true || 'error' in step || step.change !== undefined
}

/** The same steps, requesting only `fields` in responses, and only the ID for steps without a result. */
function withFields(steps: readonly Step[], fields: ParameterTexts[string] | undefined): Step[] {
  return mapSteps(steps, step => {
    const requested = step.isAside ? 'id' : fields
    if (!('call' in step) || requested === undefined) return step
    const {call} = step
    const params = {...call.input.params, fields: requested}
    return {...step, call: {...call, input: {...call.input, params}}}
  })
}

/** The same steps, each with recovery from a refused request. */
function withRecovery(client: Client, steps: readonly Step[]): Step[] {
  return mapSteps(steps, step => {
    if (!('call' in step)) return step
    const {call, recover} = step
    const another = (error: unknown) => afterRefusal(client, call, error)
    return {...step, recover: recover ? eitherOf(recover, another) : another}
  })
}

type Recover = NonNullable<Step['recover']>

/** Tries the second recovery if the first one returns the error unchanged. */
function eitherOf(first: Recover, second: Recover): Recover {
  return async error => {
    const outcome = await first(error)
    return 'error' in outcome && outcome.error === error ? second(error) : outcome
  }
}

/** Recovers from a refused request: creates the item without a reserved ID if the service rejects the ID. */
async function afterRefusal(
  client: Client,
  {id, input}: BatchCall,
  refusal: unknown,
): Promise<Outcome> {
  if (!isIdRefused(refusal)) return {error: refusal}
  const {id: _, ...body} = input.body ?? {}
  try {
    return {record: await client.call(id, {...input, body})}
  } catch (error) {
    return {error}
  }
}
