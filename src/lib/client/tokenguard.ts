import {ServiceError} from './errors.js'

/** Has its say before a token is sent, and hears of one that was refused. */
export interface TokenGuard {
  /** Throws where the token must not be sent. */
  check(token: string): Promise<void>
  refused(token: string): Promise<void>
}

/** Whether the service locks a user out for a while, right tokens too (spec: authorization.md, Errors). */
export function isLockout({
  status,
  reason,
  message,
}: Pick<ServiceError, 'status' | 'reason' | 'message'>): boolean {
  return status === 403 && (reason === 'loginAttemptsExceeded' || /login attempts/i.test(message))
}

/**
 * Stops all that a command still has to send once its token was refused or its user is locked out:
 * every further attempt could lock the user out, or keep the lock up.
 */
export function stopAfterRefusal(guard?: TokenGuard) {
  let reason: ServiceError | undefined
  return {
    /** Throws what the service said before, or what the guard has against the token. */
    async before(token: string): Promise<void> {
      if (reason) throw reason
      await guard?.check(token)
    },
    /** Looks at what came of a request with the token. */
    async failed(error: unknown, token: string): Promise<void> {
      if (!(error instanceof ServiceError)) return
      if (error.status !== 401 && !isLockout(error)) return
      reason ??= error
      if (error.status === 401) await guard?.refused(token)
    },
  }
}
