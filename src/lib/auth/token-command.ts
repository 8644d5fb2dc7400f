import {type Environment} from '#lib/config/paths.js'
import {checkToken} from '#lib/config/settings.js'
import {SetupError} from '#lib/platform/setup-error.js'
import {reasonOf} from '#lib/platform/system-errors.js'
import {isObject, parseJson} from '#lib/platform/values.js'
import type {FoundToken, TokenSource} from './session.js'

/** Tokens that a command of the person's own prints, such as `gcloud auth print-access-token`. */

const VARIABLE = 'DRV_TOKEN_COMMAND'

/** Milliseconds that the command may take, and characters that it may print. */
const LIMITS = {time: 30_000, length: 64 * 1024} as const

/** A source whose token is kept in memory alone; the command runs again for another one. */
export function commandSource(run: () => Promise<string>): TokenSource {
  const ask = async (): Promise<FoundToken> => ({
    ...readCommandOutput(await run()),
    source: VARIABLE,
  })
  return {find: ask, renew: ask, isRenewable: async () => true}
}

/**
 * The token that a command printed: the text itself, or JSON with `token` or `access_token`, where an ExecCredential has them
 * in `status`, and a time such as `expires_at`. Throws `SetupError('sign-in')` for anything else.
 */
export function readCommandOutput(text: string): Omit<FoundToken, 'source'> {
  const source = `What ${VARIABLE} printed`
  if (!text.trim().startsWith('{')) return {token: checkToken(text, source)}
  const value = parseJson(text)
  const record = isObject(value) && isObject(value.status) ? value.status : value
  const token = isObject(record) && [record.token, record.access_token].find(isText)
  if (!isObject(record) || !token) {
    throw new SetupError(
      'sign-in',
      `${source} is JSON without a token. Have it print the token alone, or JSON with "token" or "access_token".`,
    )
  }
  const times = TIMES.map(name => timeOf(record[name])).filter(time => time !== undefined)
  return {token: checkToken(token, source), ...(times.length > 0 && {expiresAt: times[0]})}
}

/** Names under which programs tell when a token ends. */
const TIMES = ['expires_at', 'expiresAt', 'expiration', 'Expiration', 'expirationTimestamp']

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

/** A time in milliseconds since 1970, from a date or from seconds since then. */
function timeOf(value: unknown): number | undefined {
  const seconds = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value
  const time = typeof seconds === 'number' ? seconds * 1000 : Date.parse(String(value))
  return Number.isFinite(time) && time > 0 ? time : undefined
}

/**
 * Runs a line of the shell and gives what it prints. Its words for people go to standard error as they come, and nowhere else;
 * standard input is not its own, since that may be content. Throws `SetupError('sign-in')` where it fails, prints too much, or
 * takes too long, and the reason of the signal.
 */
export async function runTokenCommand(
  line: string,
  {
    environment,
    signal,
    limits = LIMITS,
  }: {
    readonly environment: Environment
    readonly signal: AbortSignal
    readonly limits?: {readonly time: number; readonly length: number}
  },
): Promise<string> {
  const {spawn} = await import('node:child_process')
  signal.throwIfAborted()
  return new Promise((resolve, reject) => {
    // Without its own variable: a drv that it runs would run it again.
    const env = {...environment, [VARIABLE]: undefined, DRV_TOKEN: undefined}
    const child = spawn(line, {shell: true, stdio: ['ignore', 'pipe', 'inherit'], env})
    const chunks: Buffer[] = []
    let length = 0
    const timer = setTimeout(
      () => fail(failure(`took longer than ${Math.round(limits.time / 1000)} s`)),
      limits.time,
    )
    const abort = () => fail(signal.reason as Error)
    signal.addEventListener('abort', abort, {once: true})
    child.stdout.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      length += chunk.length
      if (length > limits.length) fail(failure('printed more than a token'))
    })
    child.once('error', error => fail(failure(`could not be run: ${reasonOf(error)}`)))
    child.once('close', (code, killer) => {
      if (code !== 0) return fail(failure(`ended with ${killer ?? `code ${code}`}`))
      const text = Buffer.concat(chunks).toString('utf8')
      if (text.trim() === '') return fail(failure('printed nothing'))
      leave()
      resolve(text)
    })

    function fail(error: Error) {
      leave()
      child.kill('SIGKILL')
      // What the shell has started may live on and hold it open.
      child.stdout.destroy()
      child.unref()
      reject(error)
    }

    function leave() {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
      child.removeAllListeners().on('error', () => undefined)
    }
  })
}

function failure(what: string): SetupError {
  return new SetupError(
    'sign-in',
    `The command in ${VARIABLE} ${what}, so there is no token. Run it by itself to see why, or unset the variable to use \`drv auth login\`.`,
  )
}
