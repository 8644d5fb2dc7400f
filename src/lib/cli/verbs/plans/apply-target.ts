import type {Context} from '#lib/cli/context/context.js'
import {areDifferent} from '#lib/cli/plan-file/account.js'
import type {PlanAccount} from '#lib/cli/plan-file/format.js'
import type {PlanFile} from '#lib/cli/plan-file/read-plan.js'
import {UsageError} from '#lib/cli/terminal/errors.js'

/** Refuses plans for other services and accounts, which would change the wrong items. */

/** Throws `UsageError` if the plan is for another service. */
export async function refuseOtherService(context: Context, {name, head}: PlanFile): Promise<void> {
  const {binding, profile} = await context.settings()
  if (head.service === binding) return
  throw new UsageError(
    `${name} is a plan for ${serviceText(head.service)}, but profile "${profile}" uses ${serviceText(binding)}.`,
    'Select a profile for that service with --profile.',
  )
}

const serviceText = (service: string) => (service === 'local' ? 'the local service' : service)

/** Throws `UsageError` if the plan is known to be for another account. */
export function refuseOtherAccount({name, head}: PlanFile, account: PlanAccount | null): void {
  if (!areDifferent(head.account, account)) return
  const textOf = ({login, id}: PlanAccount) => login ?? id
  throw new UsageError(
    `${name} is a plan for ${textOf(head.account!)}, but you are signed in as ${textOf(account!)}.`,
    'Sign in with that account, or make a new plan with --plan.',
  )
}
