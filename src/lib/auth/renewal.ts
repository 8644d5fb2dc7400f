import {join} from 'node:path'
import {
  readRefreshToken,
  readStoredToken,
  type StoredToken,
  writeRefreshToken,
  writeToken,
} from '#lib/auth/store/entries.js'
import {accountOf, type CredentialStore, refreshAccountOf, SERVICE} from '#lib/auth/store/store.js'
import {classifyFailure} from '#lib/client/retry/policy.js'
import type {ProfileServer} from '#lib/config/config.js'
import type {Settings} from '#lib/config/settings.js'
import {withLock} from '#lib/platform/lock.js'
import {SetupError} from '#lib/platform/setup-error.js'
import {nameFromKey} from '#lib/platform/state-file.js'
import {AuthServiceError, SignInError} from './errors.js'
import type {TokenGrant} from './server/responses.js'
import {endsBy, loginLine} from './session.js'

/** Renews the token of a stored sign-in: one request at a time per machine, and the new token is stored before use. */

/** Milliseconds to wait for a renewal by another drv, and milliseconds until a notice about the wait. */
const PATIENCE = 90_000
const LONG_WAIT = 1000

export interface Renewing {
  readonly settings: Settings
  /** The server that issued the tokens. */
  readonly server: ProfileServer
  readonly store: CredentialStore
  /** Requests new tokens. Throws the errors of `AuthServer`, with the server named. */
  readonly refresh: (refreshToken: string) => Promise<TokenGrant>
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Called when another drv has been renewing for a while. */
  readonly onWait?: () => void
}

/**
 * Returns the token that replaces `old`: one that another process obtained meanwhile, or a new one from the server;
 * `undefined` without a refresh token. Throws `SetupError('sign-in')` if the server has ended the sign-in, and another
 * `SetupError` before any request if the store is not writable: a new refresh token would be lost.
 */
export function renewStored(
  renewing: Renewing,
  old: StoredToken,
): Promise<StoredToken | undefined> {
  const {settings, server, store, now, onWait} = renewing
  return lockTokens(
    settings,
    store,
    async () => {
      const kept = await readStoredToken(store, settings)
      if (kept && kept.token !== old.token && !endsBy(kept, now())) return kept
      const refreshToken = await readRefreshToken(store, settings, server)
      if (refreshToken === undefined) return undefined
      await store.tryOut(SERVICE, accountOf(settings))
      const grant = await exchange(renewing, refreshToken)
      return keep(renewing, grant, refreshToken)
    },
    onWait,
  )
}

/** Runs `work` while no other process changes the tokens of these settings. */
export function lockTokens<T>(
  settings: Pick<Settings, 'profile' | 'binding'>,
  {locks}: CredentialStore,
  work: () => Promise<T>,
  onWait?: () => void,
): Promise<T> {
  if (locks === undefined) return work()
  return withLock(join(locks, `${nameFromKey(accountOf(settings))}.lock`), work, {
    patience: PATIENCE,
    busy: file =>
      `Another drv process has been renewing this sign-in for ${PATIENCE / 1000} s. Try again. If no other drv process is running, delete ${file}.`,
    onWait,
    waitTold: LONG_WAIT,
  })
}

/** Requests new tokens; again if the response was lost, or with the refresh token that another process stored meanwhile. */
async function exchange(renewing: Renewing, refreshToken: string): Promise<TokenGrant> {
  const {settings, server, store, refresh} = renewing
  try {
    return await refresh(refreshToken).catch((error: unknown) => {
      // Some servers accept a second use of the refresh token; with the others, it is lost already.
      if (isLost(error)) return refresh(refreshToken)
      throw error
    })
  } catch (error) {
    if (!isEnd(error)) throw clientFault(error, server)
    const other = await readRefreshToken(store, settings, server)
    if (other !== undefined && other !== refreshToken) return refresh(other)
    await store.deletePassword(SERVICE, refreshAccountOf(settings))
    throw ended(settings, server)
  }
}

/** Stores the refresh token first: if the process is killed in between, the token can be renewed again. */
async function keep(
  {settings, server, store}: Renewing,
  {token, expiresAt, refreshToken}: TokenGrant,
  before: string,
): Promise<StoredToken> {
  if (refreshToken !== undefined && refreshToken !== before) {
    await writeRefreshToken(store, settings, {server, refreshToken})
  }
  const stored = {token, expiresAt}
  if (await writeToken(() => store, settings, stored)) return stored
  throw new SetupError(
    'keychain',
    'Cannot store the renewed token: reading it back failed. Run `drv auth login --insecure-storage` to store it in a file, or set DRV_TOKEN.',
  )
}

/** Whether it is unknown if the server processed the request. */
function isLost(error: unknown): boolean {
  const {kind} = classifyFailure(error instanceof AuthServiceError ? error.cause : error)
  return kind === 'broken' || kind === 'service'
}

const ENDS: ReadonlySet<string> = new Set(['invalid_grant', 'bad_refresh_token'])

/** Whether an error means that the refresh token is no longer valid. */
function isEnd(error: unknown): boolean {
  if (!(error instanceof SignInError)) return false
  // Dex reports a used refresh token this way.
  const isUsed = error.code === 'invalid_request' && /already been claimed/i.test(error.message)
  return isUsed || ENDS.has(error.code)
}

const CLIENT_FAULTS: ReadonlySet<string> = new Set([
  'invalid_client',
  'unauthorized_client',
  'incorrect_client_credentials',
])

/** The same error, or for an error about the app, one that names the app. */
function clientFault(error: unknown, server: ProfileServer): unknown {
  if (!(error instanceof SignInError) || !CLIENT_FAULTS.has(error.code)) return error
  return new SetupError(
    'configuration',
    `Cannot renew the sign-in: ${tokenLockName(server)} rejected the client ID ${server.clientId} or its client secret. Check DRV_CLIENT_SECRET.`,
    {cause: error},
  )
}

function ended({profile}: Settings, server: ProfileServer): SetupError {
  const isGoogle = server.issuer === 'https://accounts.google.com'
  const why = isGoogle ? ' Google ends the sign-ins of an app in "Testing" after 7 days.' : ''
  return new SetupError(
    'sign-in',
    `Your sign-in has expired: ${tokenLockName(server)} no longer renews it.${why} Run \`${loginLine(profile)}\`.`,
  )
}

/** The name of a server in messages. */
export function tokenLockName({issuer, authUrl}: ProfileServer): string {
  return issuer ?? authUrl ?? 'the local service'
}
