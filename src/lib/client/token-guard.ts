import {SetupError} from '#lib/platform/setup-error.js'
import {isLockout, refusalOf, refusesToken, type ServiceError} from './errors.js'

/** A token that must not be sent, because it was refused recently. */
export class BarredTokenError extends SetupError {
  constructor(message: string) {
    super('sign-in', message)
  }
}

/** Checks a token before it is sent, and is told when one was refused. */
export interface TokenGuard {
  /** Throws `BarredTokenError` if the token must not be sent. */
  check(token: string): Promise<void>
  refused(token: string): Promise<void>
}

/** The tokens that the service has accepted. */
export function createTokenProofs() {
  const proven = new Set<string>()
  const waiting: Array<() => void> = []
  const running = new Map<string, Set<Promise<unknown>>>()
  const holds = (token: string | undefined) => token === undefined || proven.has(token)
  const add = (token: string) => {
    proven.add(token)
    for (const go of waiting.splice(0)) go()
  }
  return {
    /** Whether a token is proven; true without a token. */
    holds,
    /** Records that a request with the token succeeded. */
    succeeded: add,
    /** Records a refusal. Only refusals that happen after the token was checked prove it. */
    failed(error: unknown, token: string): void {
      const refusal = refusalOf(error)
      if (refusal === 'final' || refusal === 'missing' || refusal === 'conflict') add(token)
    },
    /** Does `work` with the token; `settled` waits for it. */
    async during<T>(token: string, work: () => Promise<T>): Promise<T> {
      const all = running.get(token) ?? new Set()
      running.set(token, all)
      const result = work()
      all.add(result)
      return result.finally(() => all.delete(result))
    },
    /** Resolves when all requests with the token that run now have an answer. */
    async settled(token: string): Promise<void> {
      await Promise.allSettled([...(running.get(token) ?? [])])
    },
    /** Resolves when the next token is proven. */
    async next(): Promise<void> {
      await new Promise<void>(resolve => waiting.push(resolve))
    },
  }
}

/**
 * Stops all requests with a refused token, and all requests once the user is locked out, since each attempt could cause
 * or prolong a lockout.
 */
export function stopAfterRefusal(guard?: TokenGuard) {
  const refusals = new Map<string, ServiceError>()
  let lockout: ServiceError | undefined
  return {
    /** Throws the earlier refusal, or the guard's objection to the token. */
    async before(token: string): Promise<void> {
      const reason = lockout ?? refusals.get(token)
      if (reason) throw reason
      await guard?.check(token)
    },
    /** Records a failed request with the token. */
    async failed(error: unknown, token: string): Promise<void> {
      if (!refusesToken(error)) return
      if (isLockout(error)) lockout ??= error
      else if (!refusals.has(token)) refusals.set(token, error)
      if (error.status === 401) await guard?.refused(token)
    },
  }
}
