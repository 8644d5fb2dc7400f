import {signInError} from '#lib/auth/errors.js'
import type {AuthServer} from '#lib/auth/server/auth-server.js'
import {type DeviceCode, type Poll, type TokenGrant, tooSlow} from '#lib/auth/server/responses.js'
import {NetworkError} from '#lib/client/errors.js'

/** The ways to sign in with a browser live here, as waits and decisions. Requests belong to ../server, screens to ../../cli. */

/** What happens during a sign-in, in the order it happens. */
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
  /** Rejects when the command ends before. */
  readonly sleep: (milliseconds: number) => Promise<void>
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Waited for. */
  readonly onEvent: (event: DeviceEvent) => Promise<void> | void
}

/**
 * Signs in with the device flow (spec: authorization.md, States and transitions; RFC 8628). Fails with `SignInError` when
 * sign-in was refused or the codes expired, and as `AuthServer` does; where the last polls got no answer when the codes
 * expire, with the reason for that.
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
    // Without an answer nobody knows whether the code was entered.
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
        if (poll.interval >= code.expiresIn) throw tooSlow(poll.interval, code.expiresIn)
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

/** Added to the interval after the first poll: a request that travels faster than the one before it must not count as too early. */
const MARGIN = 250
/** The longest pause that failures lead to. */
const LONGEST_BACKOFF = 60_000

/**
 * Milliseconds until the next poll, never below the interval (spec: authorization.md, Endpoints, rule 5), doubled by each
 * failed connection in a row (RFC 8628, section 3.5); `undefined` when none fits before the codes expire.
 */
export function nextPollDelay(input: {
  /** Seconds. */
  readonly interval: number
  /** How often was asked so far. */
  readonly polls: number
  /** How many of the last polls in a row got no answer. */
  readonly failures: number
  /** Milliseconds until the codes expire. */
  readonly remaining: number
}): number | undefined {
  const {interval, polls, failures, remaining} = input
  const least = interval * 1000 + (polls > 0 ? MARGIN : 0)
  if (least > remaining) return undefined
  const wished = least * 2 ** Math.min(failures, 10)
  return Math.min(wished, Math.max(least, LONGEST_BACKOFF), remaining)
}
