import type {OauthError} from '#lib/service/oauth/endpoints/answer.js'
import type {App} from '#lib/service/oauth/store/apps.js'
import {heldTokens} from '#lib/service/oauth/store/families.js'
import {addCode, type CodeRow, findGrantCode, removeCode} from '#lib/service/oauth/store/grants.js'
import {tokensOf} from '#lib/service/oauth/store/tokens.js'
import {issueToken, type TokenAnswer} from '#lib/service/oauth/tokens/mint-token.js'
import {isVerified} from '#lib/service/oauth/tokens/pkce.js'
import {normalNames} from '#lib/service/oauth/tokens/scopes.js'
import {scopeNamesOf} from '#lib/service/oauth/tokens/token.js'
import type {Store} from '#lib/service/store/index.js'
import {type User, userById} from '#lib/service/store/users.js'
import {isRedirectAllowed} from './redirect.js'

/** Lifetime of an authorization code in ms (spec: authorization.md, Limits). */
const CODE_LIFETIME = 10 * 60 * 1000

/** Tokens per hour after which the user must consent again (spec: authorization.md, Limits). */
const TOKENS_PER_HOUR = 10
const HOUR = 60 * 60 * 1000

/** Creates the authorization code that an app exchanges for its token: 20 hexadecimal digits, valid once. */
export function issueCode(
  store: Store,
  grant: {
    readonly app: App
    readonly user: User
    readonly scopes: readonly string[]
    readonly redirectUri?: string
    readonly codeChallenge?: string
  },
  now: number,
): string {
  const code = store.random(10).toString('hex')
  addCode(
    store,
    code,
    {
      client_id: grant.app.client_id,
      user_id: grant.user.id,
      scopes: grant.scopes.join(' '),
      redirect_uri: grant.redirectUri ?? null,
      expires_at: now + CODE_LIFETIME,
      code_challenge: grant.codeChallenge ?? null,
    },
    now,
  )
  return code
}

/**
 * Exchanges a code of an authenticated app for a token. Checks the app first, then the code, the user
 * and the redirect URL, and returns the first error (reference: oauth.md, section 2).
 */
export function exchangeCode(
  store: Store,
  app: App,
  parameters: ReadonlyMap<string, string>,
  now: number,
): TokenAnswer | OauthError {
  if (app.suspended) return {error: 'application_suspended'}
  return store.write(() => {
    const code = findGrantCode(store, app.client_id, parameters.get('code') ?? '', now)
    if (!code || !isVerified(code, parameters)) return {error: 'bad_verification_code'}
    const user = userById(store, code.user_id)!
    if (!user.email_verified) return {error: 'unverified_user_email'}
    const redirectUri = parameters.get('redirect_uri')
    if (redirectUri && !matchesCode(app, code, redirectUri)) return {error: 'redirect_uri_mismatch'}
    removeCode(store, code)
    return issueToken(store, {app, user, scopes: scopeNamesOf(code), byDevice: false}, now)
  })
}

function matchesCode(app: App, {redirect_uri}: CodeRow, redirectUri: string): boolean {
  if (redirect_uri !== null) return redirectUri === redirect_uri
  return app.callback_url !== null && isRedirectAllowed(app.callback_url, redirectUri)
}

/** Returns the scopes that a user has granted to an app, in the spelling of its requests; `undefined` if the app has no token. */
export function authorizedScopes(
  store: Store,
  user: User,
  app: App,
  now: number,
): readonly string[] | undefined {
  const tokens = heldTokens(store, user.id, app.client_id, now)
  return tokens.length === 0 ? undefined : normalNames(tokens.flatMap(scopeNamesOf))
}

/** Whether the user must consent again because an app got too many tokens within an hour, including revoked ones. */
export function needsNewConsent(store: Store, user: User, app: App, now: number): boolean {
  const tokens = tokensOf(store, user.id, app.client_id)
  return tokens.filter(token => token.created_at > now - HOUR).length >= TOKENS_PER_HOUR
}
