import {operation, type OperationId} from '#lib/api/operations.js'
import {NOTHING_DONE} from '#lib/cli/explain/interruption.js'
import {effectOf} from '#lib/cli/guard/destroys.js'
import {refuseOperation} from '#lib/cli/guard/read-only.js'
import type {Parsed} from '#lib/cli/input/call-input.js'
import {checkOneReader} from '#lib/cli/input/items/several.js'
import {runPlan} from '#lib/cli/run/engine.js'
import type {OperationOptions} from '#lib/cli/run/operation-base.js'
import {operationCommand} from '#lib/cli/run/operation-command.js'
import type {Step} from '#lib/cli/run/plan.js'
import {previewPlan} from '#lib/cli/run/preview.js'
import type {BatchCall, Client, Outcome, Page, ParameterTexts} from '#lib/client/client.js'
import {ServiceError} from '#lib/client/errors.js'
import {isIdRefused} from '#lib/transfer/ids.js'
import {ALL_DRIVES, parentIds} from '#lib/transfer/remote/records.js'
import {recordOf} from './sources.js'

/**
 * A verb that is planned as a whole before any of it is sent, because one thing depends on another.
 * It answers with the records of `id`.
 */
export function stepsCommand(id: OperationId, options: OperationOptions = {}) {
  return class extends operationCommand(id, [], {...options, isBrief: true}) {
    static override effect = effectOf(operation(id))

    /** All that is to be sent. Looks, and changes nothing. */
    protected async plan(_given: Parsed): Promise<Step[]> {
      return []
    }

    protected override async execute(): Promise<void> {
      const given = await this.parse(this.reading())
      checkOneReader(given)
      const {context} = this
      await refuseOperation(context, this.operation(), this.named())
      context.onInterrupt(() => NOTHING_DONE)
      const plan = await this.plan(given)
      const [result, second] = plan.filter(step => !step.isAside)
      const isOne = second === undefined
      if (plan.length === 1 && result && 'error' in result) throw result.error
      const {params} = await this.input({args: {file_id: 'none'}, flags: given.flags})
      const steps = withFields(plan, params.fields)
      const runner = this.itemRunner(given)
      if (!given.flags['dry-run']) {
        const printOne = (response: Page | undefined) => this.printAnswer(response, given)
        return runPlan(runner, withRecovery(await context.client(), steps), {
          total: steps.length,
          goOn: 'See what is left, then run the command again for that.',
          ...(isOne && {printOne}),
        })
      }
      const [only] = steps
      if (steps.length > 1 || !only || !('call' in only)) {
        await previewPlan(runner, steps, {isCurl: Boolean(given.flags.curl)})
        return
      }
      await this.showPlanned([only.call.id, only.call.input], given)
    }
  }
}

/** The same steps; of their responses only these fields are requested, of asides only the ID. */
function withFields(steps: readonly Step[], fields: ParameterTexts[string] | undefined): Step[] {
  const narrowed = new Map<Step, Step>()
  for (const step of steps) {
    const after = step.after && narrowed.get(step.after)
    const wish = step.isAside ? 'id' : fields
    if (!('call' in step) || wish === undefined) narrowed.set(step, {...step, after})
    else {
      const {call} = step
      const params = {...call.input.params, fields: wish}
      narrowed.set(step, {...step, after, call: {...call, input: {...call.input, params}}})
    }
  }
  return [...narrowed.values()]
}

/** The same steps, each with a second way after a refusal. */
function withRecovery(client: Client, steps: readonly Step[]): Step[] {
  const recovering = new Map<Step, Step>()
  for (const step of steps) {
    const after = step.after && recovering.get(step.after)
    if (!('call' in step)) recovering.set(step, {...step, after})
    else {
      const {call, recover} = step
      const another = (error: unknown) => afterRefusal(client, call, error)
      recovering.set(step, {
        ...step,
        after,
        recover: recover ? eitherOf(recover, another) : another,
      })
    }
  }
  return [...recovering.values()]
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
