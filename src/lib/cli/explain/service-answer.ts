import {scopeCatalog, shortScope} from '#lib/api/description/scopes.js'
import {CONTENT_DAMAGED} from '#lib/api/wire.js'
import type {ExitName} from '#lib/cli/terminal/exit-codes.js'
import {isLockout, type ServiceError} from '#lib/client/errors.js'
import {nearest, suggestionSentence} from '#lib/platform/nearest.js'
import {kebabCase} from '#lib/platform/values.js'

/** The context of an error. */
export interface RequestFacts {
  /** The command as it is typed: `files trash`. */
  readonly command?: string
  /** Names of the command's flags, for suggestions. */
  readonly flags: readonly string[]
  /** The command's arguments, for messages. */
  readonly args?: Readonly<Record<string, {readonly options?: readonly string[]}>>
  /** The words after `drv`, as typed, for suggested command lines. */
  readonly typed?: readonly string[]
  /** The token comes from DRV_TOKEN. */
  readonly environmentToken: boolean
  /** The token comes from DRV_TOKEN_COMMAND. */
  readonly tokenCommand?: boolean
  /** The scopes that allow the operation; the token needs one of them. */
  readonly acceptedScopes?: readonly string[]
  /** The scopes of the token, if known. */
  readonly tokenScopes?: readonly string[]
  /** The probable causes are shown beside the hint, so it omits missing scopes. */
  readonly isDiagnosed?: boolean
  /** The local service runs inside the command and ends with it. */
  readonly embedded?: boolean
}

/** Hints for a 403 caused by the item, not the account (protocols.md, section 14). */
const INSTEAD: Readonly<Record<string, string>> = {
  cannotAddParent:
    'An item has only one parent folder. To move it, run `drv files update ID --add-parents NEW --remove-parents OLD`.',
  cannotDownloadAbusiveFile: 'Only the owner can download this file, with --acknowledge-abuse.',
  fileNotDownloadable:
    'To download a document, run `drv files export`; to download a folder, run `drv pull`.',
  fileNotExportable: 'To download this file, run `drv files get ID --output PATH`.',
  parentNotAFolder: 'Pass the ID of a folder.',
}

type Explained = readonly [code: ExitName, message: string, hint?: string]

/** A 403 is classified by its reason (reference: protocols.md, section 14). */
const LIMIT_REASON = /ratelimitexceeded|limitexceeded|quotaexceeded|quota$/i
const RATE_REASON = /ratelimitexceeded$/i

/** Whether the request exceeded a rate limit. */
export function isRate({status, reason}: ServiceError): boolean {
  return status === 429 || (status === 403 && RATE_REASON.test(reason))
}

export function explainResponse(error: ServiceError, circumstances: RequestFacts): Explained {
  const {status, reason, message, details} = error
  const words = message || `The service responded with status ${status}`
  const facts: ScopeFacts = {
    accepted: details.acceptedScopes ?? circumstances.acceptedScopes ?? [],
    own: details.tokenScopes ?? circumstances.tokenScopes,
  }
  if (reason === CONTENT_DAMAGED) {
    const hint =
      'Retrying does not help. To list damaged files, run `drv local check` on the machine where the service runs.'
    return ['content', words, hint]
  }
  switch (status) {
    case 401:
      return ['signIn', `The service rejected the token: ${words}`, signInHint(circumstances)]
    case 403:
      if (isLockout(error)) {
        return [
          'signIn',
          `Sign-in is temporarily locked after several failed attempts: ${words}`,
          `${waitHint(details.retryAfter)} Until then, valid tokens are rejected too, and more attempts can extend the lock.`,
        ]
      }
      if (RATE_REASON.test(reason)) return ['limit', words, waitHint(details.retryAfter)]
      if (LIMIT_REASON.test(reason)) {
        return ['limit', words, 'Retrying does not help until the limit is reset or raised.']
      }
      if (details.ssoUrl !== undefined) {
        return [
          'forbidden',
          `An organization requires single sign-on: ${words}`,
          circumstances.embedded
            ? `Run \`drv local serve\` and open ${pathOf(details.ssoUrl)} there within an hour to authorize this token. Then try again.`
            : `Open ${details.ssoUrl} within an hour to authorize this token. Then try again.`,
        ]
      }
      if (Object.hasOwn(INSTEAD, reason)) return ['forbidden', words, INSTEAD[reason]]
      if (reason === 'insufficientPermissions' || reachOf(facts) === 'nothing') {
        return explainScope(error, facts)
      }
      return [
        'forbidden',
        words,
        `Run \`drv auth status\` to see your account and scopes.${scopeSentence(facts)}`,
      ]
    case 404:
      return [
        'notFound',
        words,
        pathHint(words, circumstances.typed) ??
          `The ID may be wrong, or this account has no access. Run \`drv auth status\` to see your account.${circumstances.isDiagnosed ? '' : scopeSentence(facts)}`,
      ]
    case 409:
      return [
        'conflict',
        words,
        'The item already exists, or another user changed it. Check it, then try again.',
      ]
    case 410:
      return [
        'notFound',
        words,
        'The item was permanently deleted, or the page token has expired. Run the command again without that ID or page token.',
      ]
    case 412:
      return [
        'conflict',
        words,
        'The item has changed since you read it. Read it again, then try again.',
      ]
    case 413:
      return ['limit', words, 'Send less data per request.']
    case 429:
      return ['limit', words, waitHint(details.retryAfter)]
  }
  if (status === 507) {
    // Without a reason, the status means insufficient storage.
    const isRoom = reason === '' || LIMIT_REASON.test(reason)
    return isRoom
      ? ['limit', words, 'Retrying does not help until there is free space.']
      : ['failed', words, 'Retrying does not help until the problem is fixed.']
  }
  if (reason === 'databaseDamaged') {
    return ['failed', words, 'Retrying does not help. Restore the directory from a backup.']
  }
  if (status >= 500) {
    return ['unavailable', led('The service failed', words), waitHint(details.retryAfter)]
  }
  const place = details.location
  const flag = place && circumstances.flags.find(name => name === kebabCase(place))
  const named = flag ? `--${flag}` : place
  const whole = named && !words.includes(named) ? `${words.replace(/\.$/, '')} (${named})` : words
  return ['failed', led('The service rejected the request', whole)]
}

/** Adds a lead to the message of a service, unless the message is a full sentence by drv. */
function led(lead: string, words: string): string {
  return /^The (authorization )?service (responded with|returned) status/.test(words)
    ? words
    : `${lead}: ${words}`
}

/** File IDs are longer than this. */
const SHORT_FOR_AN_ID = 15

/** The hint if the unknown ID looks like the name of a folder; `undefined` for a link or `id:`. */
function pathHint(words: string, typed: readonly string[] = []): string | undefined {
  const word = /^File not found: ([\w-]+)\.?$/.exec(words)?.[1]
  if (word === undefined || word.length > SHORT_FOR_AN_ID) return undefined
  if (typed.some(one => one === `id:${word}` || (one.includes('://') && one.includes(word)))) {
    return undefined
  }
  const whole = typed.find(one => one.startsWith(`${word}/`)) ?? word
  return `Remote paths start with a slash: /${whole}`
}

/** Explains a 403 caused by scopes; names a missing scope only if that is certain. */
function explainScope(error: ServiceError, facts: ScopeFacts): Explained {
  const {accepted, own = []} = facts
  if (reachOf(facts) !== 'nothing') {
    const needs = scopeDifference(facts)
    const more = 'To sign in with more scopes, run `drv auth login --scope SCOPE`.'
    return ['forbidden', error.message, needs === '' ? more : `${needs}. ${more}`]
  }
  return [
    'forbidden',
    lackingScope(accepted, own),
    `Run \`drv auth login --scope ${shortScope(accepted[0]!)}\`.`,
  ]
}

function pathOf(address: string): string {
  const {pathname, search} = new URL(address)
  return pathname + search
}

export function signInHint({environmentToken, tokenCommand, embedded}: RequestFacts): string {
  const how = environmentToken
    ? 'The token comes from DRV_TOKEN. Set it to a new token, or unset it and run `drv auth login`.'
    : tokenCommand
      ? 'The token comes from DRV_TOKEN_COMMAND. Check the output of that command, or unset the variable and run `drv auth login`.'
      : 'Run `drv auth login` to sign in.'
  return embedded
    ? `${how} The request went to the local service; if the token belongs to another service, set DRV_BASE_URL to its URL.`
    : how
}

function waitHint(seconds: number | undefined): string {
  if (!seconds) return 'Wait a moment, then try again.'
  const time = seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`
  return `Wait ${time}, then try again.`
}

/** Messages about scopes after a refused request. */

/** The scopes of a refused request. */
export interface ScopeFacts {
  /** The scopes that allow the operation; empty if unknown. */
  readonly accepted: readonly string[]
  /** The scopes of the token, if the service returned them. */
  readonly own?: readonly string[]
}

/** With only these scopes, an app sees only its own files. */
const OWN_FILES: ReadonlySet<string> = new Set(['drive.file', 'drive.appdata'])

/** The reach of a token's scopes: `own files` are those created with the app. */
export type ScopeReach = 'unknown' | 'nothing' | 'own files' | 'all'

export function reachOf({accepted, own}: ScopeFacts): ScopeReach {
  if (accepted.length === 0 || own === undefined) return 'unknown'
  const fitting = own.filter(scope => accepted.includes(scope))
  if (fitting.length === 0) return 'nothing'
  return fitting.every(scope => OWN_FILES.has(shortScope(scope))) ? 'own files' : 'all'
}

/**
 * A sentence about missing scopes; '' if the token's scopes are sufficient or unknown. A missing scope can
 * cause a 403 or a 404 (spec: authorization.md, Errors).
 */
export function scopeSentence(facts: ScopeFacts): string {
  switch (reachOf(facts)) {
    case 'nothing':
      return ` ${lackingScope(facts.accepted, facts.own)}`
    case 'own files':
      return ` ${ownFilesOnly(facts)}`
    default:
      return ''
  }
}

/** The required scopes and those of the token; '' if unknown. */
function scopeDifference({accepted, own}: ScopeFacts): string {
  if (accepted.length === 0) return ''
  const has = own ? `; the token has ${scopeNames(own)}` : ''
  return `The request needs ${anyOf(accepted)}${has}`
}

/** The sentence for a token whose accepted scopes cover only an app's own files. */
export function ownFilesOnly({accepted, own = []}: ScopeFacts): string {
  const fitting = own.filter(scope => accepted.includes(scope))
  const scopes = `${fitting.length === 1 ? 'scope' : 'scopes'}: ${scopeNames(fitting)}`
  const isOfAppData = fitting.every(scope => shortScope(scope) === 'drive.appdata')
  const what = isOfAppData ? 'the hidden data folder of the app' : 'files created with drv'
  return `The token gives access only to ${what} (${scopes}).`
}

/** The sentence for a token without any of the accepted scopes. */
export function lackingScope(accepted: readonly string[], own: readonly string[] = []): string {
  return `The token lacks a scope: it has ${scopeNames(own)} and needs ${anyOf(accepted)}.`
}

/** `the scope drive`, `one of the scopes drive, drive.file` */
function anyOf(scopes: readonly string[]): string {
  return `${scopes.length === 1 ? 'the scope' : 'one of the scopes'} ${scopeNames(scopes)}`
}

/** The short names of scopes. */
export function scopeNames(scopes: readonly string[]): string {
  return scopes.map(shortScope).join(', ') || 'none'
}

/** The hint for an unknown scope: a suggestion, and all scopes. */
export function scopeHint(name: string): string {
  const names = Object.keys(scopeCatalog)
  // Users often remember only the end of a name, such as `readonly`.
  const ends = new Map(names.map(scope => [scope.replace(/^drive\./, ''), scope]))
  const end = nearest(name, [...ends.keys()])
  const meant = nearest(name, names) ?? (end && ends.get(end))
  return `${meant ? `${suggestionSentence(meant)} ` : ''}Scopes: ${names.join(', ')}.`
}
