import {LOCAL_PROFILE, type StoreKind} from '#lib/config/config.js'
import type {Settings} from '#lib/config/settings.js'
import {SetupError} from '#lib/platform/setup-error.js'

/** A token and its source. */
export interface FoundToken {
  readonly token: string
  readonly source: 'DRV_TOKEN' | 'DRV_TOKEN_COMMAND' | StoreKind
  /** Milliseconds since 1970; `undefined` if the token does not expire or its expiry is unknown. */
  readonly expiresAt?: number
}

/** Supplies the tokens of a command. */
export interface TokenSource {
  /** The available token, if any. */
  find(): Promise<FoundToken | undefined>
  /** A replacement for a token that expires or was rejected; `undefined` if there is no other token. */
  renew?(found: FoundToken): Promise<FoundToken | undefined>
  /** Whether the token can be renewed when it expires, as far as is known without a request. */
  isRenewable?(): Promise<boolean>
}

/** The token that a command uses. */
export interface Session {
  /** The current token; throws `SetupError('sign-in')` if nobody is signed in. */
  token(): Promise<string>
  /** The current token with its source; `undefined` if nobody is signed in. */
  find(): Promise<FoundToken | undefined>
  /** Renews a token that the service rejected, once per rejected token; returns whether there is a different token now. */
  renew(token: string): Promise<boolean>
  /** Whether the current token can be renewed when it expires, as far as is known without a request. */
  isRenewable(): Promise<boolean>
}

/** Milliseconds before expiry at which a token is renewed, so that it stays valid until a running request arrives. */
const EARLY = 60_000
/** Milliseconds to wait for a renewal before expiry. A slower one continues while the old token is in use. */
const EARLY_PATIENCE = 5000
/** Milliseconds between a renewal without a new token and the next attempt. */
const PAUSE = 10_000

/**
 * Reads the token from its source once, and renews it later. Concurrent callers wait for the same renewal. A renewal
 * before expiry is a precaution: if it fails, the old token stays in use.
 */
export function createSession({
  settings,
  source,
  now,
  sleep = unreferencedSleep,
}: {
  readonly settings: Settings
  readonly source: TokenSource
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly sleep?: (milliseconds: number) => Promise<void>
}): Session {
  let current: Promise<FoundToken | undefined> | undefined
  let renewal: {readonly done: Promise<boolean>; readonly slow: Promise<void>} | undefined
  let idle: {readonly until: number; readonly error?: Error} | undefined
  /** By rejected token: whether its renewal returned a different token. */
  const refusals = new Map<string, Promise<boolean>>()
  /** Rejected tokens that may have a replacement. */
  const refused = new Set<string>()

  /** Renews the token; concurrent callers share one renewal. */
  function exchange(found: FoundToken): Promise<boolean> {
    if (idle?.error && idle.until > now()) return Promise.reject(idle.error)
    renewal ??= {
      done: ask(found).finally(() => (renewal = undefined)),
      slow: sleep(EARLY_PATIENCE),
    }
    return renewal.done
  }

  /** Renews a token before it expires; returns before that is done if it takes long and the token is still valid. */
  async function exchangeEarly(found: FoundToken): Promise<void> {
    const done = exchange(found)
    await Promise.race([done, renewal?.slow ?? done])
    if (isOver(found)) await done
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
      // An error that the user has to fix is repeated without another request.
      const until = error instanceof SetupError ? Infinity : now() + PAUSE
      idle = {error: error as Error, until}
      throw error
    }
  }

  /** A token whose lifetime is too short for an early renewal is used until it expires. */
  const rest = ({expiresAt}: FoundToken) =>
    expiresAt !== undefined && expiresAt <= now() + EARLY ? {until: expiresAt} : undefined

  async function find(): Promise<FoundToken | undefined> {
    const found = await (current ??= source.find())
    if (!found || !source.renew) return found
    if (!isOver(found) && !endsBy(found, now() + EARLY)) return found
    try {
      if (!idle || idle.error || idle.until <= now()) await exchangeEarly(found)
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
      // A failed renewal may be attempted again.
      asked.catch(() => refusals.delete(token))
      return asked
    },
    isRenewable: async () => (await source.isRenewable?.()) ?? false,
  }
}

/** A delay that does not keep the process running. */
function unreferencedSleep(milliseconds: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, milliseconds).unref())
}

/** Whether a token is known to expire by `time`, in milliseconds since 1970. */
export function endsBy({expiresAt}: Pick<FoundToken, 'expiresAt'>, time: number): boolean {
  return expiresAt !== undefined && expiresAt <= time
}

/** The error for a command that needs a token when nobody is signed in. */
export function notSignedIn({profile, binding, embedded}: Settings): SetupError {
  const where = embedded ? 'the local service' : binding
  return new SetupError(
    'sign-in',
    `Not signed in to ${where} (profile "${profile}"). Run \`${loginLine(profile)}\`, or set DRV_TOKEN.`,
  )
}

/** The command line that signs a profile in. */
export function loginLine(profile: string): string {
  // Without --profile, the command would sign in the default profile.
  return profile === LOCAL_PROFILE ? 'drv auth login' : `drv auth login --profile ${profile}`
}
