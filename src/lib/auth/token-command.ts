import {type Environment} from '#lib/config/paths.js'
import {checkToken} from '#lib/config/settings.js'
import {SetupError} from '#lib/platform/setup-error.js'
import {reasonOf} from '#lib/platform/system-errors.js'
import {isObject, parseJson} from '#lib/platform/values.js'
import type {FoundToken, TokenSource} from './session.js'

/** Tokens printed by a command that the user chose, such as `gcloud auth print-access-token`. */

const VARIABLE = 'DRV_TOKEN_COMMAND'

const REMEDY = 'Make the command print only the token.'

/** Maximum run time of the command in milliseconds, and maximum length of its output in bytes. */
const LIMITS = {time: 30_000, length: 64 * 1024} as const

/** A source that runs a command for each new token and never stores one. */
export function commandSource(run: () => Promise<string>): TokenSource {
  const ask = async (): Promise<FoundToken> => ({
    ...readCommandOutput(await run()),
    source: VARIABLE,
  })
  return {find: ask, renew: ask, isRenewable: async () => true}
}

/**
 * Parses the output of a token command: the token alone, or JSON with `token` or `access_token` and an expiry such as
 * `expires_at` (an ExecCredential has them in `status`). Throws `SetupError('sign-in')` for anything else.
 */
export function readCommandOutput(text: string): Omit<FoundToken, 'source'> {
  const source = `The output of ${VARIABLE}`
  if (!text.trim().startsWith('{')) return {token: checkToken(text, source, REMEDY)}
  const value = parseJson(text)
  const record = isObject(value) && isObject(value.status) ? value.status : value
  const token = isObject(record) && [record.token, record.access_token].find(isText)
  if (!isObject(record) || !token) {
    throw new SetupError(
      'sign-in',
      `${source} is JSON without a token. Make the command print only the token, or JSON with "token" or "access_token".`,
    )
  }
  const times = TIMES.map(name => timeOf(record[name])).filter(time => time !== undefined)
  return {token: checkToken(token, source, REMEDY), ...(times.length > 0 && {expiresAt: times[0]})}
}

/** Common names for the expiry of a token. */
const TIMES = ['expires_at', 'expiresAt', 'expiration', 'Expiration', 'expirationTimestamp']

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

/** Milliseconds since 1970, from a date or from seconds since 1970. */
function timeOf(value: unknown): number | undefined {
  const seconds = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value
  const time = typeof seconds === 'number' ? seconds * 1000 : Date.parse(String(value))
  return Number.isFinite(time) && time > 0 ? time : undefined
}

/**
 * Runs a shell command and returns its standard output. Its standard error goes straight to that of drv; it gets no
 * standard input, because that may be content for drv. Throws `SetupError('sign-in')` if the command fails, prints too
 * much or takes too long, and the reason of `signal` if that aborts.
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
    // Without the variable, so that a drv inside the command does not run the command again.
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
      if (length > limits.length) fail(failure('printed too much output'))
    })
    child.once('error', error => fail(failure(`could not be run: ${reasonOf(error)}`)))
    child.once('close', (code, killer) => {
      if (code !== 0)
        return fail(failure(`${killer ? `was killed by ${killer}` : `exited with code ${code}`}`))
      const text = Buffer.concat(chunks).toString('utf8')
      if (text.trim() === '') return fail(failure('printed nothing'))
      leave()
      resolve(text)
    })

    function fail(error: Error) {
      leave()
      child.kill('SIGKILL')
      // Programs that the shell started may keep running and hold the pipe open.
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
    `Cannot get a token: the command in ${VARIABLE} ${what}. Run the command yourself to see why, or unset the variable and run \`drv auth login\`.`,
  )
}
