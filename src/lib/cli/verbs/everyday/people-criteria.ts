import {UsageError} from '#lib/cli/terminal/errors.js'
import type {Page} from '#lib/client/client.js'
import {isObject} from '#lib/platform/values.js'
import {queryValue} from '#lib/transfer/remote/records.js'
import type {Criterion} from './criterion.js'

/** Criteria of `drv find` for people: owners, last editors, and people with access. */

export function ownerCriterion(text: string): Criterion {
  return {term: `${queryValue(checkPerson('owner', text))} in owners`}
}

/** Files that a person changed last. The service cannot search for the last editor. */
export function modifierCriterion(text: string): Criterion {
  const who = checkPerson('modified-by', text)
  return {
    matches: ({lastModifyingUser: user}) =>
      isObject(user) &&
      (who === 'me'
        ? user.isAuthenticatedUser === true
        : String(user.emailAddress).toLowerCase() === who.toLowerCase()),
    extraFields: ['lastModifyingUser.emailAddress', 'lastModifyingUser.isAuthenticatedUser'],
  }
}

const PUBLIC = `(visibility = 'anyoneCanFind' or visibility = 'anyoneWithLink')`

/** Files shared with a person, a domain or anyone. Owners also count as readers in a search, so they are excluded. */
export function sharedCriterion(who: string): Criterion {
  if (who === 'anyone') return {term: PUBLIC}
  if (who.startsWith('@')) return grantCriterion(isOfDomain('shared-with', who))
  const email = queryValue(checkPerson('shared-with', who, OTHER_PEOPLE))
  return {term: `(${email} in readers and not ${email} in owners)`}
}

export function notSharedCriterion(who: string): Criterion {
  if (who === 'anyone') return {term: `not ${PUBLIC}`}
  if (who.startsWith('@')) {
    const {matches, extraFields} = grantCriterion(isOfDomain('not-shared-with', who))
    return {matches: record => !matches(record), extraFields}
  }
  const email = queryValue(checkPerson('not-shared-with', who, OTHER_PEOPLE))
  return {term: `(not ${email} in readers or ${email} in owners)`}
}

/** Files shared with anyone, or with somebody outside a domain. */
export function externalCriterion(text: string): Criterion {
  const isInside = isOfDomain('external', `@${text.replace(/^@/, '')}`)
  return grantCriterion(grant => !isInside(grant))
}

type Grant = Readonly<Record<string, unknown>>

/** Files with a matching grant, other than the grant of the owner. */
function grantCriterion(isMeant: (grant: Grant) => boolean) {
  return {
    matches: ({permissions}: Page) =>
      Array.isArray(permissions) &&
      permissions.some(grant => isObject(grant) && grant.role !== 'owner' && isMeant(grant)),
    extraFields: ['type', 'role', 'emailAddress', 'domain'].map(name => `permissions.${name}`),
  }
}

/** Tests whether a grant is for a domain or for a person in it. Throws `UsageError` for an invalid domain. */
function isOfDomain(flag: string, text: string): (grant: Grant) => boolean {
  const domain = text.slice(1).toLowerCase()
  if (!/^[^\s@/]+\.[^\s@/.]+$/.test(domain)) {
    throw new UsageError(
      `Invalid --${flag}: "${domain}" is not a domain.`,
      'Use a domain such as example.com.',
    )
  }
  return ({type, domain: of, emailAddress}) =>
    type === 'domain'
      ? String(of).toLowerCase() === domain
      : String(emailAddress).toLowerCase().endsWith(`@${domain}`)
}

const OTHER_PEOPLE = ', "me", @DOMAIN or "anyone"'

function checkPerson(flag: string, text: string, others = ' or "me"'): string {
  if (text === 'me' || /^[^\s@]+@[^\s@]+$/.test(text)) return text
  throw new UsageError(`Invalid --${flag}: must be an email address${others}, not "${text}".`)
}
