import {shortScope} from '#lib/api/description/scopes.js'
import {TemplateError} from '#lib/api/url-paths.js'
import {CONTENT_DAMAGED} from '#lib/api/wire.js'
import {NotOfApp} from '#lib/auth/check.js'
import {AuthServiceError} from '#lib/auth/errors.js'
import {UnknownScope} from '#lib/auth/scopes.js'
import {CommandError, Interrupted, TimedOut, UsageError} from '#lib/cli/terminal/errors.js'
import {exitCodes, type ExitName} from '#lib/cli/terminal/exit-codes.js'
import {
  InputError,
  isLockout,
  NetworkError,
  ProtocolError,
  ProxyError,
  ServiceError,
} from '#lib/client/errors.js'
import {ReadOnlyError} from '#lib/config/settings.js'
import {nearest} from '#lib/platform/nearest.js'
import {SpecialFileError} from '#lib/platform/open-file.js'
import {harmlessLine, printable, safeJson} from '#lib/platform/sanitize.js'
import {DataError, SetupError} from '#lib/platform/setup-error.js'
import {isOutOfFiles, RAISE_FILE_LIMIT, systemSentence} from '#lib/platform/system-errors.js'
import {kebabCase} from '#lib/platform/values.js'
import {TransferError} from '#lib/transfer/errors.js'
import {explainParsing} from './parse-errors.js'
import {
  needsAndHas,
  reachOf,
  type ScopeFacts,
  scopeHint,
  scopeNames,
  scopeSentence,
} from './scopes.js'

/**
 * Errors and circumstances in words for a person, with what to do now. The errors themselves belong to
 * where they are thrown; here nothing is thrown and nothing sent but one request after a 404.
 */

/** What is told of an error: one sentence, and what to do now. */
export interface Failure {
  readonly code: ExitName
  readonly exit: number
  /** The status of the service's answer, where that is the error. */
  readonly status?: number
  /** The service's own reason, where there is one. */
  readonly reason: string
  readonly message: string
  readonly hint: string
  /** What the message is about, line by line, such as a query with a caret under the spot. */
  readonly lines?: readonly string[]
  /** The same may go well later, without anything being changed. */
  readonly retryable: boolean
  /** What may have been meant, a line each. */
  readonly candidates?: readonly string[]
  /** What probably led to it, where that was looked into. */
  readonly causes?: readonly string[]
}

export interface Circumstances {
  /** The command as it is typed: `files trash`. */
  readonly command?: string
  /** Names of the command's flags, to guess what a misspelt one meant. */
  readonly flags: readonly string[]
  /** The token comes from DRV_TOKEN. */
  readonly environmentToken: boolean
  /** Scopes of which the operation takes any one, where the command is one operation. */
  readonly acceptedScopes?: readonly string[]
  /** Scopes of the token, where they were asked for. */
  readonly tokenScopes?: readonly string[]
  /** The service is inside the command, and its pages are gone with it. */
  readonly embedded?: boolean
}

/** The command that other commands advise to run, and that does not advise to run itself. */
export const DOCTOR = 'auth doctor'

/** Turns whatever was thrown into the one thing the person is told, and into the exit code. */
export function explain(error: unknown, circumstances: Circumstances): Failure {
  const failure = (code: ExitName, message: string, hint = '', reason = ''): Failure => ({
    code,
    exit: exitCodes[code],
    reason: printable(reason),
    message: sentence(printable(message)),
    hint: printable(hint, 2500),
    retryable: code === 'unavailable',
  })
  const line = ['drv', circumstances.command, '--help'].filter(Boolean).join(' ')
  const help = `\`${line}\` shows how it is used.`

  if (error instanceof ServiceError) {
    const [code, message, hint = help] = explainAnswer(error, circumstances)
    const told = failure(code, message, hint, error.reason)
    return {...told, status: error.status, retryable: told.retryable || isRate(error)}
  }
  if (error instanceof NetworkError && isOutOfFiles(error)) {
    return failure('failed', 'Too many files are open to make a connection.', RAISE_FILE_LIMIT)
  }
  if (error instanceof NetworkError) {
    return failure(
      'unavailable',
      error.message,
      circumstances.command === DOCTOR
        ? ''
        : '`drv auth doctor` looks at address, proxy and certificates, and says what to do.',
    )
  }
  if (error instanceof ProxyError) return failure('unavailable', error.message, error.hint)
  if (error instanceof ProtocolError) {
    return failure(
      'unavailable',
      error.message,
      'Is this the address of the file service? `drv auth status` shows it.',
    )
  }
  if (error instanceof AuthServiceError) {
    const {code, reason, hint, status, retryable} = explain(error.cause, circumstances)
    const isBusy = error.cause instanceof ServiceError
    const told = failure(code, error.message, isBusy ? hint : ADDRESSES_HINT, reason)
    return {...told, status, retryable}
  }
  if (error instanceof NotOfApp) return failure('signIn', error.message, signIn(circumstances))
  if (error instanceof SetupError) {
    // Its sentences say what to do themselves.
    return failure(SETUP_EXITS[error.kind], error.message)
  }
  if (error instanceof SpecialFileError) {
    return failure('failed', `Cannot use ${error.path}: ${error.message}.`, 'Remove it.')
  }
  if (error instanceof ReadOnlyError) return failure('readOnly', error.message, error.hint)
  if (error instanceof UsageError) {
    const {lines} = error
    const told = failure('usage', error.message, error.hint ?? help)
    return lines.length > 0 ? {...told, lines} : told
  }
  if (error instanceof UnknownScope) {
    return failure('usage', error.message, scopeHint(error.scope))
  }
  if (error instanceof TemplateError) return failure('usage', error.message, help)
  // Its sentences say what to do themselves.
  if (error instanceof InputError) return failure('failed', error.message)
  if (error instanceof DataError) return failure('failed', error.message, error.hint)
  if (error instanceof TransferError) return failure(error.kind, error.message, error.hint)
  if (error instanceof CommandError) {
    const {candidates} = error
    const told = failure(error.exit, error.message, error.hint)
    return candidates.length > 0 ? {...told, candidates} : told
  }
  if (error instanceof TimedOut) {
    return failure('unavailable', error.message, 'Try again with a longer --timeout.')
  }
  if (error instanceof Interrupted || isAbort(error)) {
    const {message, hint} = error instanceof Interrupted ? error : new Interrupted()
    return failure('interrupted', message, hint)
  }
  const parsing = explainParsing(error)
  if (parsing) {
    const meant = parsing.unknownFlag && nearest(parsing.unknownFlag, circumstances.flags)
    return failure('usage', parsing.message, meant ? `Did you mean --${meant}?` : help)
  }
  const system = systemSentence(error ?? {})
  if (system) return failure('failed', system, isOutOfFiles(error) ? RAISE_FILE_LIMIT : '')
  if (isOutOfFiles(error)) return failure('failed', 'Too many files are open.', RAISE_FILE_LIMIT)
  const message = error instanceof Error ? error.message : String(error)
  return failure(
    'failed',
    `Something went wrong inside drv: ${message || 'no words given'}`,
    'The same command with --debug shows where.',
  )
}

/** A variable of the environment is part of the command line, as it were. */
const SETUP_EXITS: Readonly<Record<SetupError['kind'], ExitName>> = {
  'sign-in': 'signIn',
  configuration: 'setup',
  keychain: 'setup',
  environment: 'usage',
}

/** What is told of an error that ends no command: one sentence. */
export function sentenceFor(error: unknown): string {
  return explain(error, {flags: [], environmentToken: false}).message
}

/** The failure for people: a sentence and, on a line of its own, what to do now. */
export function failureText({
  message,
  hint,
  lines = [],
  candidates = [],
  causes = [],
}: Failure): string {
  const list = causes.map(cause => `- ${harmlessLine(cause)}`)
  const probable = list.length > 0 ? ['Probable causes:', ...list] : []
  const shown = [...lines, ...candidates].map(line => `  ${harmlessLine(line)}`)
  return [`Error: ${message}`, ...shown, ...probable, hint].filter(Boolean).join('\n')
}

/** The failure for programs: one JSON document on one line, with null for what there is not. */
export function failureJson(failure: Failure): string {
  return safeJson({error: failureRecord(failure)})
}

/** The same as a record. */
export function failureRecord({code, exit, status, reason, ...words}: Failure) {
  const {message, hint, retryable, ...more} = words
  const told = {status: status ?? null, reason: reason || null, message, hint: hint || null}
  return {code, exit, ...told, retryable, ...more}
}

const ADDRESSES_HINT =
  'Where people sign in at another address than that of the files, DRV_AUTH_URL names it; `drv auth status` shows both and where they come from.'

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
function isRate({status, reason}: ServiceError): boolean {
  return status === 429 || (status === 403 && RATE_REASON.test(reason))
}

function explainAnswer(error: ServiceError, circumstances: Circumstances): Explained {
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
        pathHint(words) ??
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

/** What to do where the ID that was not found is a word such as people call their folders. */
function pathHint(words: string): string | undefined {
  const word = /^File not found: ([A-Za-z][\w-]*)\.$/.exec(words)?.[1]
  if (word === undefined || word.length > SHORT_FOR_AN_ID) return undefined
  return `A word alone is an ID. A path begins with a slash: /${word}`
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

function signIn({environmentToken, embedded}: Circumstances): string {
  const how = environmentToken
    ? 'The token comes from DRV_TOKEN: put a fresh one there, or unset it and use `drv auth login`.'
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

/** Whether a signal or Ctrl-C at a question ended something. */
export function isAbort(error: unknown): boolean {
  return error instanceof Error && (error.name === 'AbortError' || error.name === 'ExitPromptError')
}

function sentence(text: string): string {
  const trimmed = text.trim()
  return /[.!?]$/.test(trimmed) ? trimmed : `${trimmed}.`
}
