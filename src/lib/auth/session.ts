import {LOCAL_PROFILE, type StoreKind} from '#lib/config/config.js'
import type {Settings} from '#lib/config/settings.js'
import {SetupError} from '#lib/platform/setup-error.js'

/** A token, and where it came from. */
export interface FoundToken {
  readonly token: string
  readonly source: 'DRV_TOKEN' | 'DRV_TOKEN_COMMAND' | StoreKind
  /** Milliseconds since 1970; `undefined` where it does not end, or nobody said when. */
  readonly expiresAt?: number
}

/** Where the tokens of a command come from. */
export interface TokenSource {
  /** The token that is there; `undefined` where there is none. */
  find(): Promise<FoundToken | undefined>
  /** A token in place of one that ends or was refused; `undefined` where there is no other. */
  renew?(found: FoundToken): Promise<FoundToken | undefined>
  /** Whether there will be another when the token ends, as far as is known without asking a server. */
  isRenewable?(): Promise<boolean>
}

/** Which token a command works with. */
export interface Session {
  /** The token in force; throws `SetupError('sign-in')` when there is none. */
  token(): Promise<string>
  /** The token in force with its source, or `undefined` when there is none. */
  find(): Promise<FoundToken | undefined>
  /** Whether another token is in force than one that the service refused: it is got here, once for each that is refused. */
  renew(token: string): Promise<boolean>
  /** Whether there will be another token when the one in force ends, as far as is known without asking a server. */
  isRenewable(): Promise<boolean>
}

/** A token is renewed so many milliseconds before its end: a request that is on its way should still find it good. */
const EARLY = 60_000
/** Milliseconds that a token is used up after a renewal that brought nothing, before there is another. */
const PAUSE = 10_000

/**
 * The token of a source, which is asked once, and in its time the tokens after it. All who need another one at the same
 * time wait for one renewal. A renewal before the end is no more than a precaution: where it fails the token is used on.
 */
export function createSession({
  settings,
  source,
  now,
}: {
  readonly settings: Settings
  readonly source: TokenSource
  /** Milliseconds since 1970. */
  readonly now: () => number
}): Session {
  let current: Promise<FoundToken | undefined> | undefined
  let renewal: Promise<boolean> | undefined
  let idle: {readonly until: number; readonly error?: Error} | undefined
  /** Whether the source had another token, for each that was refused. */
  const refusals = new Map<string, Promise<boolean>>()
  /** Refused tokens that may have another. */
  const refused = new Set<string>()

  /** Asks the source for another token; one renewal at a time. */
  function exchange(found: FoundToken): Promise<boolean> {
    if (idle?.error && idle.until > now()) return Promise.reject(idle.error)
    return (renewal ??= ask(found).finally(() => (renewal = undefined)))
  }

  const isOver = (found: FoundToken) => refused.has(found.token) || endsBy(found, now())

  async function ask(found: FoundToken): Promise<boolean> {
    try {
      const other = await source.renew!(found)
      const isOther = other !== undefined && other.token !== found.token
      idle = isOther ? rest(other) : {until: now() + PAUSE}
      if (isOther) current = Promise.resolve(other)
      else refused.delete(found.token)
      return isOther
    } catch (error) {
      // Whoever has to do something about it is told again, without asking anybody.
      const until = error instanceof SetupError ? Infinity : now() + PAUSE
      idle = {error: error as Error, until}
      throw error
    }
  }

  /** A token that lives too short to be renewed early is used to its end. */
  const rest = ({expiresAt}: FoundToken) =>
    expiresAt !== undefined && expiresAt <= now() + EARLY ? {until: expiresAt} : undefined

  async function find(): Promise<FoundToken | undefined> {
    const found = await (current ??= source.find())
    if (!found || !source.renew) return found
    if (!isOver(found) && !endsBy(found, now() + EARLY)) return found
    try {
      if (!idle || idle.error || idle.until <= now()) await exchange(found)
    } catch (error) {
      if (isOver(found)) throw error
    }
    return current
  }

  return {
    find,
    async token() {
      const token = (await find())?.token
      if (token === undefined) throw notSignedIn(settings)
      return token
    },
    async renew(token) {
      const found = await current
      if (!found || !source.renew) return false
      if (found.token !== token) return true
      const known = refusals.get(token)
      if (known) return known
      refused.add(token)
      const asked = exchange(found)
      refusals.set(token, asked)
      // What passes may be asked again.
      asked.catch(() => refusals.delete(token))
      return asked
    },
    isRenewable: async () => (await source.isRenewable?.()) ?? false,
  }
}

/** Whether a token is known to end by a time, in milliseconds since 1970. */
export function endsBy({expiresAt}: Pick<FoundToken, 'expiresAt'>, time: number): boolean {
  return expiresAt !== undefined && expiresAt <= time
}

/** The error for a command that needs a token where there is none. */
export function notSignedIn({profile, binding, embedded}: Settings): SetupError {
  const where = embedded ? 'the local service' : binding
  return new SetupError(
    'sign-in',
    `Not signed in to ${where} (profile "${profile}"). Run \`${loginLine(profile)}\`, or set DRV_TOKEN.`,
  )
}

/** The command line that signs a profile in. */
export function loginLine(profile: string): string {
  // Without the name it would be the chosen profile that is signed in.
  return profile === LOCAL_PROFILE ? 'drv auth login' : `drv auth login --profile ${profile}`
}
