import {signInError} from '#lib/auth/errors.js'
import type {AuthServer} from '#lib/auth/server/auth-server.js'
import {
  type DeviceCode,
  intervalError,
  type Poll,
  type TokenGrant,
} from '#lib/auth/server/responses.js'
import {NetworkError} from '#lib/client/errors.js'

/** The device flow: waits and decisions. Its requests are in ../server, its output is in ../../cli. */

/** The events of a sign-in, in order. */
export type DeviceEvent =
  | {readonly event: 'authorization_required'; readonly code: DeviceCode}
  | {readonly event: 'pending'}
  /** `interval` is the new one, in seconds. */
  | {readonly event: 'slow_down'; readonly interval: number}
  | {readonly event: 'authorized'; readonly scopes?: readonly string[]}

interface DeviceFlow {
  readonly server: Pick<AuthServer, 'beginDevice' | 'pollDevice'>
  /** Full scope values. */
  readonly scopes: readonly string[]
  /** Rejects when the command is interrupted. */
  readonly sleep: (milliseconds: number) => Promise<void>
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** The flow waits until it resolves. */
  readonly onEvent: (event: DeviceEvent) => Promise<void> | void
}

/**
 * Signs in with the device flow (spec: authorization.md, States and transitions; RFC 8628). Throws `SignInError` if
 * sign-in is denied or the codes expire, and the errors of `AuthServer`. If the last polls got no response before the
 * codes expired, throws the reason for that.
 */
export async function signInWithDevice({
  server,
  scopes,
  sleep,
  now,
  onEvent,
}: DeviceFlow): Promise<TokenGrant> {
  const code = await server.beginDevice(scopes)
  const deadline = now() + code.expiresIn * 1000
  await onEvent({event: 'authorization_required', code})

  let {interval} = code
  let failed: Error | undefined
  for (let polls = 0, failures = 0; ; polls++) {
    const delay = nextPollDelay({interval, polls, failures, remaining: deadline - now()})
    // Without a response, it is unknown whether the code was entered.
    if (delay === undefined) throw failed ?? signInError('expired_token')
    await sleep(delay)
    const poll = await server.pollDevice(code.deviceCode, interval).catch(unreachable)
    failures = poll.kind === 'unavailable' ? failures + 1 : 0
    failed = poll.kind === 'unavailable' ? poll.error : undefined
    switch (poll.kind) {
      case 'authorized':
        await onEvent({event: 'authorized', scopes: poll.grant.scopes})
        return poll.grant
      case 'refused':
        throw poll.error
      case 'slow_down':
        if (poll.interval >= code.expiresIn) throw intervalError(poll.interval, code.expiresIn)
        interval = poll.interval
        await onEvent({event: 'slow_down', interval})
        break
      case 'pending':
        await onEvent({event: 'pending'})
        break
      case 'unavailable':
    }
  }
}

/** A connection that fails while polling does not end the sign-in (RFC 8628, section 3.5). */
function unreachable(error: unknown): Poll {
  if (error instanceof NetworkError) return {kind: 'unavailable', error}
  throw error
}

/** Milliseconds added to the interval after the first poll, so that a poll that travels faster than the previous one is not too early. */
const MARGIN = 250
/** Maximum delay after failures, in milliseconds. */
const LONGEST_BACKOFF = 60_000

/**
 * Milliseconds until the next poll: at least the interval (spec: authorization.md, Endpoints, rule 5), doubled for each
 * consecutive failure (RFC 8628, section 3.5); `undefined` if no further poll fits before the codes expire.
 */
export function nextPollDelay(input: {
  /** Seconds. */
  readonly interval: number
  /** Number of polls so far. */
  readonly polls: number
  /** Number of consecutive polls without a response. */
  readonly failures: number
  /** Milliseconds until the codes expire. */
  readonly remaining: number
}): number | undefined {
  const {interval, polls, failures, remaining} = input
  const least = interval * 1000 + (polls > 0 ? MARGIN : 0)
  if (least > remaining) return undefined
  const backoff = least * 2 ** Math.min(failures, 10)
  return Math.min(backoff, Math.max(least, LONGEST_BACKOFF), remaining)
}
