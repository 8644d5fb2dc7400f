import {scopeCatalog, shortScope} from '#lib/api/description/scopes.js'
import {CONTENT_DAMAGED} from '#lib/api/wire.js'
import type {ExitName} from '#lib/cli/terminal/exit-codes.js'
import {isLockout, type ServiceError} from '#lib/client/errors.js'
import {nearest} from '#lib/platform/nearest.js'
import {kebabCase} from '#lib/platform/values.js'

/** What decides how an error is told besides the error. */
export interface Circumstances {
  /** The command as it is typed: `files trash`. */
  readonly command?: string
  /** Names of the command's flags, to guess what a misspelt one meant. */
  readonly flags: readonly string[]
  /** The words behind `drv`, as typed, for a line with another one in the place of a mistaken one. */
  readonly typed?: readonly string[]
  /** The token comes from DRV_TOKEN. */
  readonly environmentToken: boolean
  /** It comes from the command in DRV_TOKEN_COMMAND. */
  readonly tokenCommand?: boolean
  /** Scopes of which the operation takes any one, where the command is one operation. */
  readonly acceptedScopes?: readonly string[]
  /** Scopes of the token, where they were asked for. */
  readonly tokenScopes?: readonly string[]
  /** The service is inside the command, and its pages are gone with it. */
  readonly embedded?: boolean
}

/** What to do instead of what no account may do: 403 for reasons that lie in the item (protocols.md, section 14). */
const INSTEAD: Readonly<Record<string, string>> = {
  cannotAddParent:
    'An item is in one folder: move it with `drv files update ID --add-parents NEW --remove-parents OLD`.',
  cannotDownloadAbusiveFile: 'Only its owner gets it, with --acknowledge-abuse.',
  fileNotDownloadable:
    'A document is got with `drv files export`, a folder with all that is in it with `drv pull`.',
  fileNotExportable: '`drv files get ID --output PATH` gets what is no document.',
  parentNotAFolder: 'Give the ID of a folder.',
}

type Explained = readonly [code: ExitName, message: string, hint?: string]

/** 403 is told apart by reason, never by status alone (reference: protocols.md, section 14). */
const LIMIT_REASON = /ratelimitexceeded|limitexceeded|quotaexceeded|quota$/i
const RATE_REASON = /ratelimitexceeded$/i

/** Whether it was refused because of too many requests, which is over after a while. */
export function isRate({status, reason}: ServiceError): boolean {
  return status === 429 || (status === 403 && RATE_REASON.test(reason))
}

export function explainAnswer(error: ServiceError, circumstances: Circumstances): Explained {
  const {status, reason, message, details} = error
  const words = message || `The service answered with status ${status}`
  const facts: ScopeFacts = {
    accepted: details.acceptedScopes ?? circumstances.acceptedScopes ?? [],
    own: details.tokenScopes ?? circumstances.tokenScopes,
  }
  if (reason === CONTENT_DAMAGED) {
    const hint =
      'Trying again does not help: `drv local check`, where the service runs, lists what is damaged.'
    return ['content', words, hint]
  }
  switch (status) {
    case 401:
      return ['signIn', `The service refused the token: ${words}`, signIn(circumstances)]
    case 403:
      if (isLockout(error)) {
        return [
          'signIn',
          `The service locks sign-in for a while after several refused attempts: ${words}`,
          `${waitHint(details.retryAfter)} Until then right tokens are refused too, and more attempts may prolong it.`,
        ]
      }
      if (RATE_REASON.test(reason)) return ['limit', words, waitHint(details.retryAfter)]
      if (LIMIT_REASON.test(reason)) {
        return ['limit', words, 'Trying again does not help before the limit allows more.']
      }
      if (details.ssoUrl !== undefined) {
        return [
          'forbidden',
          `An organization asks for single sign-on: ${words}`,
          circumstances.embedded
            ? `Run \`drv local serve\` and open ${pathOf(details.ssoUrl)} there within an hour, to let this token in. Then try again.`
            : `Open ${details.ssoUrl} to let this token in; the address is good for an hour. Then try again.`,
        ]
      }
      if (Object.hasOwn(INSTEAD, reason)) return ['forbidden', words, INSTEAD[reason]]
      if (reason === 'insufficientPermissions' || reachOf(facts) === 'nothing') {
        return explainScope(error, facts)
      }
      return [
        'forbidden',
        words,
        `\`drv auth status\` shows as whom you ask and with which scopes.${scopeSentence(facts)}`,
      ]
    case 404:
      return [
        'notFound',
        words,
        pathHint(words, circumstances.typed) ??
          `The ID may be wrong, or this account has no access; \`drv auth status\` shows who you are.${scopeSentence(facts)}`,
      ]
    case 409:
      return [
        'conflict',
        words,
        'It exists already, or somebody else changed it: look, then retry.',
      ]
    case 410:
      return ['notFound', words, 'It is gone for good: start again without the old ID or token.']
    case 412:
      return ['conflict', words, 'It has changed since you read it: read it again, then retry.']
    case 413:
      return ['limit', words, 'Send less at once.']
    case 429:
      return ['limit', words, waitHint(details.retryAfter)]
  }
  if (status === 507) {
    // One that gives no reason means what the status says: no room.
    const isRoom = reason === '' || LIMIT_REASON.test(reason)
    return isRoom
      ? ['limit', words, 'Trying again does not help before there is room.']
      : ['failed', words, 'Trying again does not help before that is mended.']
  }
  if (reason === 'databaseDamaged') {
    return ['failed', words, 'Trying again does not help: put a backup of the directory back.']
  }
  if (status >= 500) {
    return ['unavailable', led('The service failed', words), waitHint(details.retryAfter)]
  }
  const place = details.location
  const flag = place && circumstances.flags.find(name => name === kebabCase(place))
  const named = flag ? `--${flag}` : place
  const whole = named && !words.includes(named) ? `${words.replace(/\.$/, '')} (${named})` : words
  return ['failed', led('The service did not accept the request', whole)]
}

/** What is said of a service that gave no reason is a whole sentence itself. */
function led(lead: string, words: string): string {
  return words.startsWith('The service answered with status') ? words : `${lead}: ${words}`
}

/** IDs of files have more characters. */
const SHORT_FOR_AN_ID = 15

/**
 * What to do where the ID that was not found is a word such as people call their folders. What was typed
 * as a link or as `id:` was meant as an ID.
 */
function pathHint(words: string, typed: readonly string[] = []): string | undefined {
  const word = /^File not found: ([\w-]+)\.?$/.exec(words)?.[1]
  if (word === undefined || word.length > SHORT_FOR_AN_ID) return undefined
  if (typed.some(one => one === `id:${word}` || (one.includes('://') && one.includes(word)))) {
    return undefined
  }
  const whole = typed.find(one => one.startsWith(`${word}/`)) ?? word
  return `Remote paths start with a slash: /${whole}`
}

/** 403 because of the scopes; what is not known to be missing is not called so. */
function explainScope(error: ServiceError, facts: ScopeFacts): Explained {
  const {accepted, own = []} = facts
  if (reachOf(facts) !== 'nothing') {
    const needs = needsAndHas(facts)
    const more = 'Sign in with more scopes: `drv auth login --scope SCOPE`'
    return ['forbidden', error.message, `${needs === '' ? more : `${more}; ${needs}`}.`]
  }
  return [
    'forbidden',
    `The token does not allow this: it needs one of ${scopeNames(accepted)}; it has ${scopeNames(own)}`,
    `Sign in with one of them: \`drv auth login --scope ${shortScope(accepted[0]!)}\`.`,
  ]
}

function pathOf(address: string): string {
  const {pathname, search} = new URL(address)
  return pathname + search
}

export function signIn({environmentToken, tokenCommand, embedded}: Circumstances): string {
  const how = environmentToken
    ? 'The token comes from DRV_TOKEN: put a fresh one there, or unset it and use `drv auth login`.'
    : tokenCommand
      ? 'The token comes from DRV_TOKEN_COMMAND: look at what the command prints, or unset it and use `drv auth login`.'
      : 'Sign in: `drv auth login`.'
  return embedded
    ? `${how} It was the service inside drv that answered: if the token is of another service, set DRV_BASE_URL to its address.`
    : how
}

function waitHint(seconds: number | undefined): string {
  if (!seconds) return 'Wait a little, then try again.'
  const time = seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`
  return `Wait ${time}, then try again.`
}

/** What is said of scopes when the service does not do what was asked. */

/** What is known when an answer is no. */
export interface ScopeFacts {
  /** Scopes of which the operation takes any one; none where that is not known. */
  readonly accepted: readonly string[]
  /** Scopes of the token, where the service told them. */
  readonly own?: readonly string[]
}

/** With these alone an app sees what is its own. */
const OWN_FILES: ReadonlySet<string> = new Set(['drive.file', 'drive.appdata'])

/** How far a token's scopes go: `own files` are those that were made with the app. */
export type Reach = 'unknown' | 'nothing' | 'own files' | 'all'

export function reachOf({accepted, own}: ScopeFacts): Reach {
  if (accepted.length === 0 || own === undefined) return 'unknown'
  const fitting = own.filter(scope => accepted.includes(scope))
  if (fitting.length === 0) return 'nothing'
  return fitting.every(scope => OWN_FILES.has(shortScope(scope))) ? 'own files' : 'all'
}

/**
 * What is needed and what there is, in a sentence, and whether that may be the cause: 403 and 404
 * may both mean a missing scope (spec: authorization.md, Errors), but one that is there does not
 * count as missing.
 */
export function scopeSentence(facts: ScopeFacts): string {
  const needs = needsAndHas(facts)
  if (needs === '') return ''
  switch (reachOf(facts)) {
    case 'nothing':
      return ` A scope is missing: ${needs}.`
    case 'own files':
      return ` T${needs.slice(1)}.`
    default:
      return ''
  }
}

/** What is needed and what there is; '' where that is not known. */
export function needsAndHas({accepted, own}: ScopeFacts): string {
  if (accepted.length === 0) return ''
  const has = own ? `; the token has ${scopeNames(own)}` : ''
  return `this takes one of ${scopeNames(accepted)}${has}`
}

/** Scopes by their short names. */
export function scopeNames(scopes: readonly string[]): string {
  return scopes.map(shortScope).join(', ') || 'none'
}

/** What a name that no scope has may have meant, and which there are. */
export function scopeHint(name: string): string {
  const names = Object.keys(scopeCatalog)
  // `readonly` and the like are what people remember of a name.
  const ends = new Map(names.map(scope => [scope.replace(/^drive\./, ''), scope]))
  const end = nearest(name, [...ends.keys()])
  const meant = nearest(name, names) ?? (end && ends.get(end))
  return `${meant ? `Did you mean ${meant}? ` : ''}There are ${names.join(', ')}.`
}
