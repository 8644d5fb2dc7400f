import {UsageError} from '#lib/cli/terminal/errors.js'
import type {Page} from '#lib/client/client.js'
import {isObject} from '#lib/platform/values.js'
import {quoted} from '#lib/transfer/remote/records.js'
import type {Criterion} from './criterion.js'

/** Conditions of `drv find` about people: who owns a file, changed it, and who has access. */

export function ownerCriterion(text: string): Criterion {
  return {term: `${quoted(person('owner', text))} in owners`}
}

/** Files that a person changed last; the service cannot search for that. */
export function modifierCriterion(text: string): Criterion {
  const who = person('modified-by', text)
  return {
    fits: ({lastModifyingUser: user}) =>
      isObject(user) &&
      (who === 'me'
        ? user.isAuthenticatedUser === true
        : String(user.emailAddress).toLowerCase() === who.toLowerCase()),
    asks: ['lastModifyingUser.emailAddress', 'lastModifyingUser.isAuthenticatedUser'],
  }
}

const PUBLIC = `(visibility = 'anyoneCanFind' or visibility = 'anyoneWithLink')`

/** Whoever owns a file may read it, and is not who it is shared with. */
export function sharedCriterion(who: string): Criterion {
  if (who === 'anyone') return {term: PUBLIC}
  if (who.startsWith('@')) return grantCriterion(isOfDomain('shared-with', who))
  const whom = quoted(person('shared-with', who, MORE))
  return {term: `(${whom} in readers and not ${whom} in owners)`}
}

export function notSharedCriterion(who: string): Criterion {
  if (who === 'anyone') return {term: `not ${PUBLIC}`}
  if (who.startsWith('@')) {
    const {fits, asks} = grantCriterion(isOfDomain('not-shared-with', who))
    return {fits: record => !fits(record), asks}
  }
  const whom = quoted(person('not-shared-with', who, MORE))
  return {term: `(not ${whom} in readers or ${whom} in owners)`}
}

/** Files that somebody outside a domain has access to, or anyone. */
export function externalCriterion(text: string): Criterion {
  const isInside = isOfDomain('external', `@${text.replace(/^@/, '')}`)
  return grantCriterion(grant => !isInside(grant))
}

type Grant = Readonly<Record<string, unknown>>

/** Files with a grant of that kind, but for the owner's. */
function grantCriterion(isMeant: (grant: Grant) => boolean) {
  return {
    fits: ({permissions}: Page) =>
      Array.isArray(permissions) &&
      permissions.some(grant => isObject(grant) && grant.role !== 'owner' && isMeant(grant)),
    asks: ['type', 'role', 'emailAddress', 'domain'].map(name => `permissions.${name}`),
  }
}

/** Whether a grant is for a domain or for somebody of it. Throws `UsageError` for what is no domain. */
function isOfDomain(flag: string, text: string): (grant: Grant) => boolean {
  const domain = text.slice(1).toLowerCase()
  if (!/^[^\s@/]+\.[^\s@/.]+$/.test(domain)) {
    throw new UsageError(`--${flag} takes a domain such as example.com, not "${text}".`)
  }
  return ({type, domain: of, emailAddress}) =>
    type === 'domain'
      ? String(of).toLowerCase() === domain
      : String(emailAddress).toLowerCase().endsWith(`@${domain}`)
}

const MORE = ', @DOMAIN or anyone'

function person(flag: string, text: string, others = ''): string {
  if (text === 'me' || /^[^\s@]+@[^\s@]+$/.test(text)) return text
  throw new UsageError(`--${flag} takes an e-mail address, me${others}, not "${text}".`)
}
