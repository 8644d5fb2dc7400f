import {type Limits, PolicyError} from '#lib/config/policy.js'
import type {ChangeFacts, ProposedGrant} from './change-facts.js'

/** The error for access that a policy forbids; `undefined` if it is allowed. Pure. */
export function refusedGrant(
  {noPublic, noShareOutside}: Limits,
  {type, value}: ProposedGrant,
  label: string,
): PolicyError | undefined {
  if (type === undefined && value === undefined) return undefined
  const isPublic = type === 'anyone'
  if (noPublic && isPublic) {
    return new PolicyError(noPublic, `${label} would be shared with anyone who has the link`)
  }
  const domain = domainOf({type, value})
  const limit = noShareOutside.find(({value: domains}) => !domains.includes(domain ?? ''))
  if (!limit) return undefined
  const who = isPublic ? 'anyone who has the link' : (value ?? `a ${type} without an address`)
  return new PolicyError(limit, `${label} would be shared with ${who}`)
}

/** The error for publishing a revision, which everyone can read then. Pure. */
export function refusedPublication(
  {noPublic, noShareOutside}: Limits,
  {isPublished}: ChangeFacts,
  label: string,
): PolicyError | undefined {
  const limit = isPublished ? (noPublic ?? noShareOutside[0]) : undefined
  return limit && new PolicyError(limit, `a revision of ${label} would be published`)
}

/** The domain of the people who get access; `undefined` for anyone and if it is not named. */
function domainOf({type, value}: ProposedGrant): string | undefined {
  if (type === 'anyone' || value === undefined) return undefined
  const domain = type === 'domain' ? value : /@([^@]+)$/.exec(value)?.[1]
  return domain?.trim().toLowerCase()
}
