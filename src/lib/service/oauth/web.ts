import type {Store} from '../store/index.js'
import {type User, userById} from '../store/users.js'
import {type App, isAppSecret} from './apps.js'
import {issueToken, type TokenAnswer} from './device.js'
import type {OauthError} from './errors.js'
import {isRedirectAllowed} from './redirect.js'
import {normalNames} from './scopes.js'
import {secretHash} from './secrets.js'
import {liveTokens, scopeNamesOf} from './tokens.js'

/** How long a temporary code of the web flow is good, in ms (spec: authorization.md, Limits). */
const CODE_LIFETIME = 10 * 60 * 1000

/** More tokens than this in an hour, and the user is asked again (spec: authorization.md, Limits). */
const TOKENS_PER_HOUR = 10
const HOUR = 60 * 60 * 1000

interface CodeRow {
  readonly user_id: number
  readonly scopes: string
  readonly redirect_uri: string | null
}

/** Makes the temporary code with which an app gets its token: 20 hexadecimal digits, good once. */
export function issueCode(
  store: Store,
  grant: {
    readonly app: App
    readonly user: User
    readonly scopes: readonly string[]
    readonly redirectUri?: string
  },
  now: number,
): string {
  const code = store.random(10).toString('hex')
  store.write(() => {
    store.run('DELETE FROM codes WHERE expires_at <= :now', {now})
    store.run(
      `INSERT INTO codes (hash, client_id, user_id, scopes, redirect_uri, expires_at)
       VALUES (:hash, :clientId, :userId, :scopes, :redirectUri, :expiresAt)`,
      {
        hash: secretHash(code),
        clientId: grant.app.client_id,
        userId: grant.user.id,
        scopes: grant.scopes.join(' '),
        redirectUri: grant.redirectUri ?? null,
        expiresAt: now + CODE_LIFETIME,
      },
    )
  })
  return code
}

/** Changes a code for a token, or says what is wrong: with the app first, then the code, then the address (reference: oauth.md, section 2). */
export function exchangeCode(
  store: Store,
  app: App | undefined,
  parameters: ReadonlyMap<string, string>,
  now: number,
): TokenAnswer | OauthError {
  if (!app || !isAppSecret(app, parameters.get('client_secret'))) {
    return {error: 'incorrect_client_credentials'}
  }
  if (app.suspended) return {error: 'application_suspended'}
  return store.write(() => {
    const code = {
      hash: secretHash(parameters.get('code') ?? ''),
      clientId: app.client_id,
    }
    const row = store.get<CodeRow>(
      'SELECT * FROM codes WHERE hash = :hash AND client_id = :clientId AND expires_at > :now',
      {...code, now},
    )
    if (!row) return {error: 'bad_verification_code'}
    const user = userById(store, row.user_id)!
    if (!user.email_verified) return {error: 'unverified_user_email'}
    const redirectUri = parameters.get('redirect_uri')
    if (redirectUri && !fitsCode(app, row, redirectUri)) return {error: 'redirect_uri_mismatch'}
    store.run('DELETE FROM codes WHERE hash = :hash AND client_id = :clientId', code)
    return issueToken(store, app, user, scopeNamesOf(row), now)
  })
}

function fitsCode(app: App, {redirect_uri}: CodeRow, given: string): boolean {
  if (redirect_uri !== null) return given === redirect_uri
  return app.callback_url !== null && isRedirectAllowed(app.callback_url, given)
}

/** The scopes an app already has from a user, in the spelling of its requests; `undefined` when it has no token. */
export function authorizedScopes(
  store: Store,
  user: User,
  app: App,
  now: number,
): readonly string[] | undefined {
  const tokens = liveTokens(store, user.id, app.client_id, now)
  return tokens.length === 0 ? undefined : normalNames(tokens.flatMap(scopeNamesOf))
}

/** Whether an app got so many tokens within the hour, revoked ones included, that the user is to be asked again. */
export function isAskedAgain(store: Store, user: User, app: App, now: number): boolean {
  const row = store.get<{count: number}>(
    `SELECT count(*) AS count FROM tokens
     WHERE user_id = :userId AND client_id = :clientId AND created_at > :start`,
    {userId: user.id, clientId: app.client_id, start: now - HOUR},
  )
  return row!.count >= TOKENS_PER_HOUR
}
