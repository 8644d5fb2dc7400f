import {type OperationId, operation} from '#lib/api/operations.js'
import type {Page, ParameterTexts} from '#lib/client/client.js'
import {checkOneReader} from '#lib/cli/input/items/stdin-use.js'
import type {Parsed} from '#lib/cli/input/call-input.js'
import {operationCommand} from '#lib/cli/run/operation-command.js'
import type {OperationOptions} from '#lib/cli/run/operation-base.js'
import {NOTHING_DONE} from '#lib/cli/explain/interruption.js'
import {effectOf} from '#lib/cli/guard/effects.js'
import {refuseOperation} from '#lib/cli/guard/read-only.js'
import {runPlan} from '#lib/cli/run/engine.js'
import type {Step} from '#lib/cli/run/plan.js'
import {previewPlan} from '#lib/cli/run/preview.js'
import {withRecovery} from './recover.js'

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
        return previewPlan(runner, steps, Boolean(given.flags.curl))
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
