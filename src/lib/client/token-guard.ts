import {SetupError} from '#lib/platform/setup-error.js'
import {isLockout, refusalOf, refusesToken, type ServiceError} from './errors.js'

/** A token that must not be sent, as it was refused a little while ago. */
export class BarredTokenError extends SetupError {
  constructor(message: string) {
    super('sign-in', message)
  }
}

/** Has its say before a token is sent, and hears of one that was refused. */
export interface TokenGuard {
  /** Throws `BarredTokenError` where the token must not be sent. */
  check(token: string): Promise<void>
  refused(token: string): Promise<void>
}

/** The tokens that the service is known to take. */
export function createProofs() {
  const proven = new Set<string>()
  const waiting: Array<() => void> = []
  const holds = (token: string | undefined) => token === undefined || proven.has(token)
  const add = (token: string) => {
    proven.add(token)
    for (const go of waiting.splice(0)) go()
  }
  return {
    /** Whether a token, or none, needs no further proof. */
    holds,
    /** A request with the token was answered with a result. */
    succeeded: add,
    /** Whoever is overloaded or out of order may not have looked at the token; any other refusal took it. */
    failed(error: unknown, token: string): void {
      const refusal = refusalOf(error)
      if (refusal === 'final' || refusal === 'missing' || refusal === 'conflict') add(token)
    },
    /** Resolves when the service has taken some token after all. */
    async next(): Promise<void> {
      await new Promise<void>(resolve => waiting.push(resolve))
    },
  }
}

/**
 * Sends nothing more with a token that was refused, nor with any once its user was locked out: each attempt could cause or
 * prolong a lockout.
 */
export function stopAfterRefusal(guard?: TokenGuard) {
  const refusals = new Map<string, ServiceError>()
  let lockout: ServiceError | undefined
  return {
    /** Throws what the service said before, or what the guard has against the token. */
    async before(token: string): Promise<void> {
      const reason = lockout ?? refusals.get(token)
      if (reason) throw reason
      await guard?.check(token)
    },
    /** Looks at what came of a request with the token. */
    async failed(error: unknown, token: string): Promise<void> {
      if (!refusesToken(error)) return
      if (isLockout(error)) lockout ??= error
      else if (!refusals.has(token)) refusals.set(token, error)
      if (error.status === 401) await guard?.refused(token)
    },
  }
}
