import {TemplateError} from '#lib/api/url-paths.js'
import {NotOfApp} from '#lib/auth/check.js'
import {AuthServiceError} from '#lib/auth/errors.js'
import {UnknownScope} from '#lib/auth/scopes.js'
import {
  asSearch,
  meantBy,
  suggestion,
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
import {ReadOnlyError} from '#lib/config/settings.js'
import {SpecialFileError} from '#lib/platform/open-file.js'
import {harmlessLine, printable, safeJson} from '#lib/platform/sanitize.js'
import {DataError, SetupError} from '#lib/platform/setup-error.js'
import {isOutOfFiles, RAISE_FILE_LIMIT, systemSentence} from '#lib/platform/system-errors.js'
import {TransferError} from '#lib/transfer/errors.js'
import {explainParsing, type ParsingFailure} from './parse-errors.js'
import {type Circumstances, explainAnswer, isRate, scopeHint, signIn} from './service-answer.js'

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
    const {lines, meant} = error
    const hint =
      meant.length > 0 ? lineHint(circumstances, line => withValues(line, meant)) : undefined
    const told = failure('usage', error.message, hint ?? error.hint ?? help)
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
  if (parsing) return failure('usage', parsing.message, parsingHint(parsing, circumstances) ?? help)
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

/** What may be meant by a flag or a value that is none; `undefined` where nothing is near. */
function parsingHint(
  {unknownFlag, unknownValue}: ParsingFailure,
  circumstances: Circumstances,
): string | undefined {
  if (unknownFlag) {
    const word = unknownFlag.replace(/^-+/, '')
    if (isSecretFlag(unknownFlag)) return NO_SECRETS
    const {command = '', flags} = circumstances
    const search = lineHint(circumstances, line => asSearch(line, command, unknownFlag))
    if (search) return search
    const meant = meantBy('flags', word, flags)
    if (meant === undefined) return searchHint(circumstances, unknownFlag)
    return (
      lineHint(circumstances, line => withFlag(line, unknownFlag, meant)) ??
      `Did you mean --${meant}?`
    )
  }
  if (!unknownValue) return undefined
  const {hint, meant} = suggestion('values', unknownValue.value, unknownValue.options)
  const line = meant.length > 0 && lineHint(circumstances, line => withValues(line, meant))
  return line || hint
}

/** Whether a word is a flag of other tools that no line may have. */
export function isSecretFlag(word: string): boolean {
  return /^--?(api-?key|access-?token|(auth-?)?token|pass(word)?|secret)(=|$)/i.test(word)
}

const NO_SECRETS =
  'Tokens are never flags, since other users can see command lines: set DRV_TOKEN, or pipe the token into `drv auth login --with-token`.'

/** Characters of a command line that is worth repeating. */
const LONGEST_LINE = 200

/** The search whose finds a command can take, for a flag that only searches have. */
function searchHint({command, typed}: Circumstances, unknownFlag: string): string | undefined {
  if (command === undefined || !TAKES_LINES.includes(command)) return undefined
  const both = typed && withSearch(typed, command, unknownFlag)
  if (!both) return undefined
  const line = both.map(words => ['drv', ...words].map(quotedWord).join(' ')).join(' | ')
  return line.length > LONGEST_LINE ? undefined : `Did you mean \`${line}\`?`
}

/** Verbs that choose files by their names, one or many. */
const TAKES_LINES = ['cp', 'mv', 'rm', 'pull', 'share', 'star', 'stat', 'touch', 'unshare']

function quotedWord(word: string): string {
  return shellWord(printable(word))
}

/** The command line as it may be meant; `undefined` where it cannot be told, or is too long. */
function lineHint(
  {typed}: Circumstances,
  mend: (line: readonly string[]) => readonly string[] | undefined,
): string | undefined {
  const mended = typed && mend(typed)
  if (!mended) return undefined
  const line = ['drv', ...mended].map(quotedWord).join(' ')
  return line.length > LONGEST_LINE ? undefined : `Did you mean \`${line}\`?`
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

/**
 * The failure for programs: one JSON document on one line, with null for what there is not, and the
 * notices that were not said before.
 */
export function failureJson(failure: Failure, notices: readonly string[] = []): string {
  return safeJson({error: failureRecord(failure), ...(notices.length > 0 && {notices})})
}

/** The same as a record. */
export function failureRecord({code, exit, status, reason, ...words}: Failure) {
  const {message, hint, retryable, ...more} = words
  const told = {status: status ?? null, reason: reason || null, message, hint: hint || null}
  return {code, exit, ...told, retryable, ...more}
}

const ADDRESSES_HINT =
  'Where people sign in at another address than that of the files, DRV_AUTH_URL names it; `drv auth status` shows both and where they come from.'

/** Whether a signal or Ctrl-C at a question ended something. */
export function isAbort(error: unknown): boolean {
  return error instanceof Error && (error.name === 'AbortError' || error.name === 'ExitPromptError')
}

function sentence(text: string): string {
  const trimmed = text.trim()
  return /[.!?]$/.test(trimmed) ? trimmed : `${trimmed}.`
}
