import type {ChangeGate} from '#lib/client/change-gate.js'
import type {PolicyGuard} from '#lib/policy/guard.js'
import type {Context} from './context.js'

/** The guard of the policies in the settings; `undefined` without any. Loads nothing that a command without policies needs. */
export async function openPolicy({
  settings,
  client,
  signal,
  appliesPlan = false,
}: Pick<Context, 'settings' | 'client' | 'signal' | 'appliesPlan'>): Promise<
  PolicyGuard | undefined
> {
  const {policies = []} = await settings()
  if (policies.length === 0) return undefined
  const [{createPolicyGuard}, {hasLimits, limitsOf}] = await Promise.all([
    import('#lib/policy/guard.js'),
    import('#lib/config/policy.js'),
  ])
  const limits = limitsOf(policies)
  return hasLimits(limits) ? createPolicyGuard({limits, client, appliesPlan, signal}) : undefined
}

/** The gates that every change passes: that of the policies, and a closed one in read-only mode. */
export async function openGates({
  settings,
  policy,
}: Pick<Context, 'settings' | 'policy'>): Promise<readonly ChangeGate[]> {
  const [known, guard] = await Promise.all([settings(), policy()])
  const gates = guard ? [guard.gate] : []
  if (!known.readOnly?.length) return gates
  const [{closedGate}, {readOnlyError}] = await Promise.all([
    import('#lib/client/change-gate.js'),
    import('#lib/config/settings.js'),
  ])
  return [...gates, closedGate(what => readOnlyError(known, what)!)]
}
