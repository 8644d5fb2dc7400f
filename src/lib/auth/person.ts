import type {KnownUser} from '#lib/config/config.js'

/**
 * Whether a token belongs to somebody else than the account that is noted (spec: authorization.md,
 * Endpoints, rule 3). The ID decides where both have one: a login can change.
 */
export function isAnother(known: KnownUser | undefined, user: KnownUser): boolean {
  if (!known) return false
  if (known.id !== undefined && user.id !== undefined) return known.id !== user.id
  return known.login.toLowerCase() !== user.login.toLowerCase()
}
