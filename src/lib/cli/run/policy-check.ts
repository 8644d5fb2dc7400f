import type {Context} from '#lib/cli/context/context.js'
import {PolicyError} from '#lib/config/policy.js'
import type {ProposedChange} from '#lib/policy/judge.js'
import {labelOf, previewOf, type Step} from './plan.js'

/** Checks plans against policies before the first change. The last check, of every request, is in the client. */

/** The number of steps that are checked together, so that questions to the service are batched. */
const GROUP = 100

/**
 * The same plan, once policies allow all of it. A stream is read to its end first, because limits apply to the whole
 * command. Throws `PolicyError`.
 */
export async function checkedPlan<P extends readonly Step[] | AsyncIterable<Step>>(
  context: Context,
  plan: P,
): Promise<P | readonly Step[] | AsyncIterable<Step>> {
  const watch = await watchPlan(context)
  if (!watch) return plan
  const steps: Step[] = []
  for await (const step of plan as AsyncIterable<Step>) {
    steps.push(step)
    await watch.add(step)
  }
  await watch.end()
  return Array.isArray(plan) ? plan : streamOf(steps)
}

async function* streamOf(steps: Step[]): AsyncGenerator<Step> {
  // Steps that have been sent can be collected.
  steps.reverse()
  for (let step = steps.pop(); step; step = steps.pop()) yield step
}

/** Checks a plan while its steps pass by; `undefined` without policies. */
export async function watchPlan(context: Context) {
  const check = (await context.policy())?.plan(context.options.dryRun)
  if (!check) return undefined
  let changes: ProposedChange[] = []
  const end = async () => {
    const some = changes
    changes = []
    await check.add(some)
  }
  return {
    async add(step: Step): Promise<void> {
      const change = await changeOfStep(step)
      if (change) changes.push(change)
      if (changes.length >= GROUP) await end()
    },
    end,
  }
}

/** Prints a notice if policies would refuse a plan that is only shown; returns whether they allow it. */
export async function noteRefusal(context: Context, check: () => Promise<void>): Promise<boolean> {
  try {
    await check()
    return true
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error
    context.note(`Running this would end with exit code 13. ${error.message}`)
    return false
  }
}

/** Throws `PolicyError` if policies refuse requests. */
export async function checkCalls(
  context: Context,
  calls: readonly ProposedChange[],
): Promise<void> {
  await (await context.policy())?.plan(context.options.dryRun).add(calls)
}

/** The request of a step that is not done yet; `undefined` without one. */
async function changeOfStep(step: Step): Promise<ProposedChange | undefined> {
  if (step.isDone || 'error' in step || 'isUnchanged' in step) return undefined
  const label = step.change?.().thing ?? labelOf(step)
  if ('call' in step) return {...step.call, label}
  const planned = await previewOf(step)
  return planned && {id: planned[0], input: planned[1], label}
}
