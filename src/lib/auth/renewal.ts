import {join} from 'node:path'
import {
  readRefreshToken,
  readToken,
  type StoredToken,
  writeRefreshToken,
  writeToken,
} from '#lib/auth/store/entries.js'
import {accountOf, type CredentialStore, refreshAccountOf, SERVICE} from '#lib/auth/store/store.js'
import {classifyFailure} from '#lib/client/retry/policy.js'
import type {NotedServer} from '#lib/config/config.js'
import type {Settings} from '#lib/config/settings.js'
import {withLock} from '#lib/platform/lock.js'
import {SetupError} from '#lib/platform/setup-error.js'
import {nameFromKey} from '#lib/platform/state-file.js'
import {AuthServiceError, SignInError} from './errors.js'
import type {TokenGrant} from './server/responses.js'
import {endsBy, loginLine} from './session.js'

/** Another token for a stored sign-in: asked for once on this machine, and kept before it is used. */

/** Milliseconds that another drv may take to renew, and after which a person is told of the wait. */
const PATIENCE = 90_000
const LONG_WAIT = 1000

export interface Renewing {
  readonly settings: Settings
  /** The server that gave the tokens. */
  readonly server: NotedServer
  readonly store: CredentialStore
  /** Asks the server for other tokens. Fails as `AuthServer` does, with the server named. */
  readonly refresh: (refreshToken: string) => Promise<TokenGrant>
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Hears that another drv has been renewing for a while. */
  readonly onWait?: () => void
}

/**
 * The token after `old`, which ends or was refused: one that another process has got meanwhile, or one from the server;
 * `undefined` where there is no refresh token. Throws `SetupError('sign-in')` where the server has ended the sign-in, and
 * other `SetupError` where nothing can be kept: then nobody is asked, for a new refresh token would be lost.
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
      const kept = await readToken(store, settings)
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

/** Does `work` while no other process changes the tokens of these settings. */
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
      `Another drv has been renewing this sign-in for ${PATIENCE / 1000} s. Try again; if none runs, delete ${file}.`,
    onWait,
    waitTold: LONG_WAIT,
  })
}

/** Asks the server; once more where its answer was lost, and with the refresh token of whoever was faster. */
async function exchange(renewing: Renewing, refreshToken: string): Promise<TokenGrant> {
  const {settings, server, store, refresh} = renewing
  try {
    return await refresh(refreshToken).catch((error: unknown) => {
      // A server that forgives a second use answers; with any other the token is lost already.
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

/** Keeps the refresh token first: without the token itself, another can be got. */
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
    'The renewed token was stored, but it did not come back. Sign in again with `drv auth login --insecure-storage` to keep it in a file, or set DRV_TOKEN.',
  )
}

/** Whether nobody knows if the server has carried a request out. */
function isLost(error: unknown): boolean {
  const {kind} = classifyFailure(error instanceof AuthServiceError ? error.cause : error)
  return kind === 'broken' || kind === 'service'
}

const ENDS: ReadonlySet<string> = new Set(['invalid_grant', 'bad_refresh_token'])

/** Whether a refusal says that a refresh token is good no more. */
function isEnd(error: unknown): boolean {
  if (!(error instanceof SignInError)) return false
  // What Dex says of one that was used before.
  const isUsed = error.code === 'invalid_request' && /already been claimed/i.test(error.message)
  return isUsed || ENDS.has(error.code)
}

const CLIENT_FAULTS: ReadonlySet<string> = new Set([
  'invalid_client',
  'unauthorized_client',
  'incorrect_client_credentials',
])

/** The same error, or one that names what is wrong with the app. */
function clientFault(error: unknown, server: NotedServer): unknown {
  if (!(error instanceof SignInError) || !CLIENT_FAULTS.has(error.code)) return error
  return new SetupError(
    'configuration',
    `${nameOf(server)} does not renew the sign-in of the app ${server.clientId}: it does not accept the app, or its client secret. Check DRV_CLIENT_SECRET.`,
    {cause: error},
  )
}

function ended({profile}: Settings, server: NotedServer): SetupError {
  const isGoogle = server.issuer === 'https://accounts.google.com'
  const why = isGoogle ? ' An app in the state "Testing" gets sign-ins for 7 days.' : ''
  return new SetupError(
    'sign-in',
    `Your sign-in has ended: ${nameOf(server)} does not renew it any more.${why} Run \`${loginLine(profile)}\`.`,
  )
}

/** What a sentence calls a server. */
export function nameOf({issuer, authUrl}: NotedServer): string {
  return issuer ?? authUrl ?? 'the local service'
}
