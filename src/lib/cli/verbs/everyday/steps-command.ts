import type {OperationId} from '#lib/api/operations.js'
import type {Page, ParameterTexts} from '#lib/client/client.js'
import {checkOneReader} from '#lib/cli/input/stdin-use.js'
import type {Parsed} from '#lib/cli/input/call-input.js'
import {operationCommand} from '#lib/cli/run/operation-command.js'
import type {OperationOptions} from '#lib/cli/run/operation-base.js'
import {NOTHING_DONE} from '#lib/cli/explain/interruption.js'
import {refuseOperation} from '#lib/cli/guard/read-only.js'
import {carryOut, showSteps} from './carry-out.js'
import type {AnyStep, Step} from './steps.js'

/**
 * A verb that is planned as a whole before any of it is sent, because one thing depends on another.
 * It answers with the records of `id`.
 */
export function stepsCommand(id: OperationId, options: OperationOptions = {}) {
  return class extends operationCommand(id, [], options) {
    protected override readonly isBrief = true

    /** All that is to be sent. Looks, and changes nothing. */
    protected async plan(_given: Parsed): Promise<AnyStep[]> {
      return []
    }

    protected override async execute(): Promise<void> {
      const given = await this.parse(this.reading())
      checkOneReader(given)
      const {context} = this
      await refuseOperation(context, this.operation(), this.named())
      context.onInterrupt(() => NOTHING_DONE)
      const plan = await this.plan(given)
      const [result, second] = plan.filter(step => 'error' in step || !step.isAside)
      const isOne = second === undefined
      if (plan.length === 1 && result && 'error' in result) throw result.error
      const {params} = await this.input({args: {file_id: 'none'}, flags: given.flags})
      const steps = withFields(plan, params.fields)
      const doer = this.doer(given)
      if (!given.flags['dry-run']) {
        const tell = (answer: Page | undefined) => this.printAnswer(answer, given)
        return carryOut(doer, steps, isOne ? tell : undefined)
      }
      const [only] = steps
      if (steps.length > 1 || !only || 'error' in only) {
        return showSteps(doer, steps, Boolean(given.flags.curl))
      }
      await this.showPlanned([only.call.id, only.call.input], given)
    }
  }
}

/** The steps, of whose answers only these fields are asked for, and of what is no result none. */
function withFields(
  steps: readonly AnyStep[],
  fields: ParameterTexts[string] | undefined,
): AnyStep[] {
  const whole = new Map<AnyStep, AnyStep>()
  for (const step of steps) whole.set(step, 'error' in step ? step : asking(step))
  return [...whole.values()]

  function asking(step: Step): Step {
    const {call, after, isAside} = step
    const wish = isAside ? 'id' : fields
    const params = {...call.input.params, ...(wish !== undefined && {fields: wish})}
    return {
      ...step,
      call: {...call, input: {...call.input, params}},
      ...(after && {after: whole.get(after) as Step}),
    }
  }
}
