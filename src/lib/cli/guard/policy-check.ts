import type {Context} from '#lib/cli/context/context.js'
import {PolicyError} from '#lib/config/policy.js'
import type {ProposedChange} from '#lib/policy/judge.js'

/** Checks plans against policies before the first change. The last check, of every request, is in the client. */

/** The number of steps that are checked together, so that questions to the service are batched. */
const GROUP = 100

/** The change that a step makes; `undefined` for none. */
type ChangeOf<Step> = (step: Step) => Promise<ProposedChange | undefined>

type Plan<Step> = readonly Step[] | AsyncIterable<Step>

/**
 * The same plan, once policies allow all of it. A stream is read to its end and held in memory first, because limits
 * apply to the whole command, unless `changes` reads its changes separately. Throws `PolicyError`.
 */
export async function checkedPlan<Step extends object>(
  context: Context,
  plan: Plan<Step>,
  changeOf: ChangeOf<Step>,
  changes?: () => AsyncIterable<ProposedChange>,
): Promise<Plan<Step>> {
  if (changes) {
    const check = await startCheck<ProposedChange>(context, async change => change)
    if (check) for await (const change of changes()) await check.add(change)
    await check?.end()
    return plan
  }
  const check = await startCheck(context, changeOf)
  if (!check) return plan
  const steps: Step[] = []
  for await (const step of plan) {
    steps.push(step)
    await check.add(step)
  }
  await check.end()
  return Array.isArray(plan) ? plan : streamOf(steps)
}

async function* streamOf<Step extends object>(steps: Step[]): AsyncGenerator<Step> {
  // Steps that have been sent can be collected.
  steps.reverse()
  for (let step = steps.pop(); step; step = steps.pop()) yield step
}

/** The steps of a plan that is only shown; prints a notice if policies would refuse it. */
export async function* notedPlan<Step>(
  context: Context,
  plan: Plan<Step>,
  changeOf: ChangeOf<Step>,
): AsyncGenerator<Step> {
  let check = await startCheck(context, changeOf)
  for await (const step of plan) {
    if (!(await isAllowed(context, async () => check?.add(step)))) check = undefined
    yield step
  }
  await isAllowed(context, async () => check?.end())
}

/** Throws `PolicyError` if policies refuse a change; in a dry run, prints a notice instead. */
export async function checkChanges(
  context: Context,
  changes: readonly ProposedChange[],
): Promise<void> {
  const policy = await context.policy()
  const {dryRun} = context.options
  const check = async () => policy?.plan(dryRun).add(changes)
  if (dryRun) await isAllowed(context, check)
  else await check()
}

async function startCheck<Step>(context: Context, changeOf: ChangeOf<Step>) {
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
      const change = await changeOf(step)
      if (change) changes.push(change)
      if (changes.length >= GROUP) await end()
    },
    end,
  }
}

/** Whether policies allow what `check` checks; prints a notice if they do not. */
async function isAllowed(context: Context, check: () => Promise<void>): Promise<boolean> {
  try {
    await check()
    return true
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error
    context.note(
      `Without --dry-run or --plan, this command would fail with exit code 13. ${error.message}`,
    )
    return false
  }
}
