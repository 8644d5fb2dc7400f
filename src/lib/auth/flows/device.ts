import {DEVICE_GRANT} from '#lib/api/wire.js'
import {signInError} from '#lib/auth/errors.js'
import {NetworkError} from '#lib/client/errors.js'
import {type RawAnswer, readFields} from './answer.js'
import {nextPollDelay} from './delay.js'
import {
  type DeviceCode,
  deviceCodeOf,
  type Poll,
  pollOf,
  type TokenGrant,
  tooSlow,
} from './responses.js'

/** What happens during a sign-in, in the order it happens. */
export type DeviceEvent =
  | {readonly event: 'authorization_required'; readonly code: DeviceCode}
  | {readonly event: 'pending'}
  /** `interval` is the new one, in seconds. */
  | {readonly event: 'slow_down'; readonly interval: number}
  | {readonly event: 'authorized'; readonly scopes?: readonly string[]}

interface DeviceFlow {
  readonly clientId: string
  /** Full scope values. */
  readonly scopes: readonly string[]
  /** Sends a form to a path of the authorization service; fails with `NetworkError`. */
  readonly post: (path: string, form: Readonly<Record<string, string>>) => Promise<RawAnswer>
  /** Rejects when the command ends before. */
  readonly sleep: (milliseconds: number) => Promise<void>
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Waited for. */
  readonly onEvent: (event: DeviceEvent) => Promise<void> | void
}

/**
 * Signs in with the device flow (spec: authorization.md, States and transitions; RFC 8628): gets
 * the codes, tells of them, and polls until somebody has decided. Fails with `SignInError` when
 * sign-in was refused or the codes expired, `NetworkError` when the service cannot be reached at
 * the start, `ProtocolError` when it is no authorization service. Where its last polls got no answer
 * when the codes expire, the reason for that is the error: `NetworkError` or `ServiceError`.
 */
export async function signInWithDevice(flow: DeviceFlow): Promise<TokenGrant> {
  const {clientId, scopes, post, sleep, now, onEvent} = flow
  const answer = await post('/login/device/code', {client_id: clientId, scope: scopes.join(' ')})
  const code = deviceCodeOf(answer.status, await readFields(answer))
  const deadline = now() + code.expiresIn * 1000
  await onEvent({event: 'authorization_required', code})

  const form = {client_id: clientId, device_code: code.deviceCode, grant_type: DEVICE_GRANT}
  let {interval} = code
  let failed: Error | undefined
  for (let polls = 0, failures = 0; ; polls++) {
    const delay = nextPollDelay({interval, polls, failures, remaining: deadline - now()})
    // Without an answer nobody knows whether the code was entered.
    if (delay === undefined) throw failed ?? signInError('expired_token')
    await sleep(delay)
    const answer = await post('/login/oauth/access_token', form).catch(unreachable)
    const poll: Poll =
      answer instanceof NetworkError
        ? {kind: 'unavailable', error: answer}
        : pollOf(answer.status, await readFields(answer), interval)
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
function unreachable(error: unknown): NetworkError {
  if (error instanceof NetworkError) return error
  throw error
}
