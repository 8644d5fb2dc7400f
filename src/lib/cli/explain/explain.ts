import {TemplateError} from '#lib/api/url-paths.js'
import {NotOfApp} from '#lib/auth/check.js'
import {AuthServiceError} from '#lib/auth/errors.js'
import {UnknownScope} from '#lib/auth/scopes.js'
import {
  asSearch,
  suggestionFor,
  suggestionText,
  withFlag,
  withSearch,
  withValues,
} from '#lib/cli/output/suggestion.js'
import {CommandError, Interrupted, TimedOut, UsageError} from '#lib/cli/terminal/errors.js'
import {exitCodes, type ExitName} from '#lib/cli/terminal/exit-codes.js'
import {shellWord} from '#lib/cli/terminal/read-argv.js'
import {
  InputError,
  NetworkError,
  ProtocolError,
  ProxyError,
  ServiceError,
} from '#lib/client/errors.js'
import {FEWER} from '#lib/client/limits.js'
import {PolicyError} from '#lib/config/policy.js'
import {ReadOnlyError} from '#lib/config/settings.js'
import {SpecialFileError} from '#lib/platform/open-file.js'
import {harmlessLine, printable, safeJson} from '#lib/platform/sanitize.js'
import {DataError, SetupError} from '#lib/platform/setup-error.js'
import {isOutOfFiles, RAISE_FILE_LIMIT, systemSentence} from '#lib/platform/system-errors.js'
import {TransferError} from '#lib/transfer/errors.js'
import {explainParsing, type ParsingFailure} from './parse-errors.js'
import {
  explainResponse,
  isRate,
  type RequestFacts,
  scopeHint,
  signInHint,
} from './service-answer.js'

/** Turns errors into messages with hints. Throws nothing and sends nothing. */

/** An error as shown to the user: one sentence, and what to do next. */
export interface Failure {
  readonly code: ExitName
  readonly exit: number
  /** The HTTP status of an error response. */
  readonly status?: number
  /** The reason given by the service, if any. */
  readonly reason: string
  readonly message: string
  readonly hint: string
  /** Details, one per line, such as a query with a caret below the error. */
  readonly lines?: readonly string[]
  /** A later retry may succeed. */
  readonly retryable: boolean
  /** Likely candidates, one per line. */
  readonly candidates?: readonly string[]
  /** Probable causes, if known. */
  readonly causes?: readonly string[]
}

/** The command that hints recommend, except its own. */
export const DOCTOR = 'auth doctor'

/** Turns any error into the message for the user and the exit code. */
export function explain(error: unknown, circumstances: RequestFacts): Failure {
  const failure = (code: ExitName, message: string, hint = '', reason = ''): Failure => ({
    code,
    exit: exitCodes[code],
    reason: printable(reason),
    message: sentence(printable(message)),
    hint: printable(hint, 2500),
    retryable: code === 'unavailable',
  })
  const line = ['drv', circumstances.command, '--help'].filter(Boolean).join(' ')
  const help = `Run \`${line}\` to see its usage.`

  if (error instanceof ServiceError) {
    const [code, message, hint = help] = explainResponse(error, circumstances)
    const explained = failure(code, message, hint, error.reason)
    return {...explained, status: error.status, retryable: explained.retryable || isRate(error)}
  }
  if (error instanceof NetworkError && isOutOfFiles(error)) {
    return failure('failed', 'Cannot connect: too many open files.', RAISE_FILE_LIMIT)
  }
  if (error instanceof NetworkError) {
    return failure(
      'unavailable',
      error.message,
      circumstances.command === DOCTOR
        ? ''
        : 'Run `drv auth doctor` to check URLs, proxy and certificates.',
    )
  }
  if (error instanceof ProxyError) return failure('unavailable', error.message, error.hint)
  if (error instanceof ProtocolError) {
    return failure(
      'unavailable',
      error.message,
      // Other messages that contain advice are about the URL too.
      [FEWER, 'Try again later.'].some(advice => error.message.endsWith(advice))
        ? ''
        : 'Check the URL of the file service: run `drv auth status`.',
    )
  }
  if (error instanceof AuthServiceError) {
    const {code, reason, hint, status, retryable} = explain(error.cause, circumstances)
    const isBusy = error.cause instanceof ServiceError
    const explained = failure(code, error.message, isBusy ? hint : ADDRESSES_HINT, reason)
    return {...explained, status, retryable}
  }
  if (error instanceof NotOfApp) return failure('signIn', error.message, signInHint(circumstances))
  if (error instanceof SetupError) {
    // Its sentences say what to do themselves.
    return failure(SETUP_EXITS[error.kind], error.message)
  }
  if (error instanceof SpecialFileError) {
    return failure('failed', `Cannot use ${error.path}: ${error.message}.`, 'Remove that file.')
  }
  if (error instanceof PolicyError) return failure('policy', error.message, error.hint)
  if (error instanceof ReadOnlyError) return failure('readOnly', error.message, error.hint)
  if (error instanceof UsageError) {
    const {lines, meant} = error
    const hint =
      meant.length > 0 ? lineHint(circumstances, line => withValues(line, meant)) : undefined
    const explained = failure('usage', error.message, hint ?? error.hint ?? help)
    return lines.length > 0 ? {...explained, lines} : explained
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
    const explained = failure(error.exit, error.message, error.hint)
    return candidates.length > 0 ? {...explained, candidates} : explained
  }
  if (error instanceof TimedOut) {
    return failure('unavailable', error.message, 'Try again with a longer --timeout.')
  }
  if (error instanceof Interrupted || isAbort(error)) {
    const {message, hint} = error instanceof Interrupted ? error : new Interrupted()
    return failure('interrupted', message, hint)
  }
  const parsing = explainParsing(error, circumstances.args)
  if (parsing) return failure('usage', parsing.message, parsingHint(parsing, circumstances) ?? help)
  const system = systemSentence(error ?? {})
  if (system) return failure('failed', system, isOutOfFiles(error) ? RAISE_FILE_LIMIT : '')
  if (isOutOfFiles(error)) return failure('failed', 'Too many open files.', RAISE_FILE_LIMIT)
  const message = error instanceof Error ? error.message : String(error)
  return failure(
    'failed',
    `Internal error: ${message || 'no message'}`,
    'Run the command with --debug to see the stack trace.',
  )
}

/** The hint for an unknown flag or value; `undefined` without a suggestion. */
function parsingHint(
  {unknownFlag, unknownValue}: ParsingFailure,
  circumstances: RequestFacts,
): string | undefined {
  if (unknownFlag) {
    const word = unknownFlag.replace(/^-+/, '')
    if (isSecretFlag(unknownFlag)) return NO_SECRETS
    const {command = '', flags} = circumstances
    const search = lineHint(circumstances, line => asSearch(line, command, unknownFlag))
    if (search) return search
    const meant = suggestionFor('flags', word, flags)
    if (meant === undefined) return searchHint(circumstances, unknownFlag)
    return (
      lineHint(circumstances, line => withFlag(line, unknownFlag, meant)) ??
      `Did you mean --${meant}?`
    )
  }
  if (!unknownValue) return undefined
  const {hint, meant} = suggestionText('values', unknownValue.value, unknownValue.options)
  const line = meant.length > 0 && lineHint(circumstances, line => withValues(line, meant))
  return line || hint
}

/** Whether a word is a flag of other tools that passes a secret. */
export function isSecretFlag(word: string): boolean {
  return /^--?(api-?key|access-?token|(auth-?)?token|pass(word)?|secret)(=|$)/i.test(word)
}

const NO_SECRETS =
  'Never pass tokens as flags, because other users can see command lines. Set DRV_TOKEN, or pipe the token into `drv auth login --with-token`.'

/** The maximum length, in characters, of a suggested command line. */
const LONGEST_LINE = 200

/** The hint for a search flag: a search piped into the command. */
function searchHint({command, typed}: RequestFacts, unknownFlag: string): string | undefined {
  if (command === undefined || !TAKES_LINES.includes(command)) return undefined
  const both = typed && withSearch(typed, command, unknownFlag)
  if (!both) return undefined
  const line = both.map(words => ['drv', ...words].map(quotedWord).join(' ')).join(' | ')
  return line.length > LONGEST_LINE ? undefined : `Did you mean \`${line}\`?`
}

/** Verbs that accept the results of a search. */
const TAKES_LINES = ['cp', 'mv', 'rm', 'pull', 'share', 'star', 'stat', 'touch', 'unshare']

function quotedWord(word: string): string {
  return shellWord(printable(word))
}

/** The corrected command line; `undefined` if it cannot be corrected or is too long. */
function lineHint(
  {typed}: RequestFacts,
  correct: (line: readonly string[]) => readonly string[] | undefined,
): string | undefined {
  const corrected = typed && correct(typed)
  if (!corrected) return undefined
  const line = ['drv', ...corrected].map(quotedWord).join(' ')
  return line.length > LONGEST_LINE ? undefined : `Did you mean \`${line}\`?`
}

/** Exit names of setup errors; an invalid environment variable counts as a usage error. */
const SETUP_EXITS: Readonly<Record<SetupError['kind'], ExitName>> = {
  'sign-in': 'signIn',
  configuration: 'setup',
  keychain: 'setup',
  environment: 'usage',
}

/** The message of an error that does not end the command. */
export function errorSentence(error: unknown): string {
  return explain(error, {flags: [], environmentToken: false}).message
}

/** The failure for people: the message, details, and the hint on the last line. */
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

/** The failure for programs: one JSON document on one line, with null for missing values, and the notices. */
export function failureJson(failure: Failure, notices: readonly string[] = []): string {
  return safeJson({error: failureRecord(failure), ...(notices.length > 0 && {notices})})
}

/** The failure as a record. */
export function failureRecord({code, exit, status, reason, ...words}: Failure) {
  const {message, hint, retryable, ...more} = words
  const explained = {status: status ?? null, reason: reason || null, message, hint: hint || null}
  return {code, exit, ...explained, retryable, ...more}
}

const ADDRESSES_HINT =
  'If the authorization service has a different URL from the file service, set DRV_AUTH_URL to it. `drv auth status` shows both URLs.'

/** Whether an error comes from a signal, or from Ctrl-C at a prompt. */
export function isAbort(error: unknown): boolean {
  return error instanceof Error && (error.name === 'AbortError' || error.name === 'ExitPromptError')
}

function sentence(text: string): string {
  const trimmed = text.trim()
  return /[.!?]$/.test(trimmed) ? trimmed : `${trimmed}.`
}
