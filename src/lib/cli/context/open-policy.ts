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
