import {createHash, randomBytes} from 'node:crypto'
import {AuthServiceError, signInError} from '#lib/auth/errors.js'
import {ProtocolError} from '#lib/client/errors.js'
import {SetupError} from '#lib/platform/setup-error.js'
import type {AuthServer, WebRequest} from './auth-server.js'
import {type Metadata, secretMethod} from './discover.js'
import {type Exchange, libraryOptions, type RawAnswer} from './fetching.js'
import {readFields, secretsOf} from './form-post.js'
import {deviceCodeOf, grantOf, pollOf} from './responses.js'

/** A standard authorization server, described by its metadata (RFC 6749, 7636, 8628, 7009, 9207). */

/** An app at a standard server. */
export interface StandardApp {
  readonly metadata: Metadata
  readonly clientId: string
  /** `undefined` for an app without a secret. */
  readonly clientSecret?: string
  readonly exchange: Exchange
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Opens a standard server. oauth4webapi builds and validates the requests; the responses are read like those of any service. */
export async function createStandardServer({
  metadata,
  clientId,
  clientSecret,
  exchange,
  now,
}: StandardApp): Promise<AuthServer> {
  const oauth = await import('oauth4webapi')
  const client = {client_id: clientId}
  const secretOf =
    secretMethod(metadata) === 'basic' ? oauth.ClientSecretBasic : oauth.ClientSecretPost
  const authentication = clientSecret === undefined ? oauth.None() : secretOf(clientSecret)
  const secrets = clientSecret === undefined ? [] : [clientSecret]
  // Secrets of the request must not appear in displayed responses.
  const options = libraryOptions(oauth, async request => ({
    ...(await exchange(request)),
    secrets: [...secrets, ...secretsOf(new URLSearchParams(request.body ?? ''))],
  }))

  async function ask<T>(
    request: Promise<Response>,
    read: (status: number, fields: Awaited<ReturnType<typeof readFields>>, sentAt: number) => T,
  ): Promise<T> {
    const sentAt = now()
    const answer = (await request) as unknown as RawAnswer
    return read(answer.status, await readFields(answer), sentAt)
  }

  let deviceVerifier = ''
  return {
    async beginDevice(scopes) {
      if (!metadata.device_authorization_endpoint) throw noDeviceFlow(metadata)
      deviceVerifier = newVerifier()
      const parameters = {scope: scopeText(scopes, metadata), ...challengeOf(deviceVerifier)}
      return ask(
        oauth.deviceAuthorizationRequest(metadata, client, authentication, parameters, options),
        deviceCodeOf,
      )
    },
    pollDevice(deviceCode, interval) {
      const additionalParameters = {code_verifier: deviceVerifier}
      const request = oauth.deviceCodeGrantRequest(metadata, client, authentication, deviceCode, {
        ...options,
        additionalParameters,
      })
      return ask(request, (status, fields, sentAt) => pollOf(status, fields, interval, sentAt))
    },
    beginWeb(request, redirectUri) {
      if (!metadata.authorization_endpoint) throw noWebFlow(metadata)
      const verifier = newVerifier()
      return {
        address: webAddress(metadata, clientId, request, redirectUri, verifier),
        async redeem(query) {
          const callback = validated(() =>
            oauth.validateAuthResponse(metadata, client, query, request.state),
          )
          if (!query.get('code')) throw signInError('no_code', undefined, 'web')
          return ask(
            oauth.authorizationCodeGrantRequest(
              metadata,
              client,
              authentication,
              callback,
              redirectUri,
              verifier,
              options,
            ),
            (status, fields, sentAt) => grantOf(status, fields, 'web', sentAt),
          )
        },
      }
    },
    refresh: refreshToken =>
      ask(
        oauth.refreshTokenGrantRequest(metadata, client, authentication, refreshToken, options),
        (status, fields, sentAt) => grantOf(status, fields, 'web', sentAt),
      ),
    async revoke(token, kind) {
      if (!metadata.revocation_endpoint) return false
      const additionalParameters = {token_type_hint: kind}
      const request = oauth.revocationRequest(metadata, client, authentication, token, {
        ...options,
        additionalParameters,
      })
      return ask(request, status => status >= 200 && status < 300)
    },
    probeClient: () => Promise.resolve('unclear'),
  }

  /** Runs the check of a callback; distinguishes a rejection from a callback of another request. */
  function validated<T>(check: () => T): T {
    try {
      return check()
    } catch (error) {
      if (error instanceof oauth.AuthorizationResponseError) {
        throw signInError(error.error, error.error_description, 'web')
      }
      throw signInError('state_mismatch', undefined, 'web')
    }
  }
}

/** The address to open in the browser. */
function webAddress(
  metadata: Metadata,
  clientId: string,
  {scopes, login, selectAccount, state}: WebRequest,
  redirectUri: string,
  verifier: string,
): string {
  const prompt = [selectAccount && 'select_account', needsConsent(metadata) && 'consent']
  const prompts = prompt.filter(Boolean).join(' ')
  const address = new URL(metadata.authorization_endpoint!)
  const parameters = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: scopeText(scopes, metadata),
    state,
    ...challengeOf(verifier),
    // Some servers require this for a refresh token; others ignore it (RFC 6749, section 3.1).
    access_type: 'offline',
    ...(prompts !== '' && {prompt: prompts}),
    ...(login !== undefined && {login_hint: login}),
  }
  for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value)
  return address.href
}

const OFFLINE = 'offline_access'

/** The requested scopes, plus the one for a refresh token if the server supports it. */
function scopeText(scopes: readonly string[], {scopes_supported: known}: Metadata): string {
  return [...new Set([...scopes, ...(known?.includes(OFFLINE) ? [OFFLINE] : [])])].join(' ')
}

/**
 * Whether a refresh token requires new consent of the user: with the scope `offline_access` (OpenID Connect Core, section
 * 11), and at servers that list their scopes without it, such as Google, at each sign-in but the first.
 */
function needsConsent({scopes_supported: known}: Metadata): boolean {
  return known !== undefined
}

function newVerifier(): string {
  return randomBytes(32).toString('base64url')
}

/** The PKCE parameters, also for the device flow, where some servers require them. */
function challengeOf(verifier: string): Record<string, string> {
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  return {code_challenge: challenge, code_challenge_method: 'S256'}
}

function noDeviceFlow({issuer}: Metadata): SetupError {
  return new SetupError(
    'configuration',
    `${issuer} does not support sign-in with a code. Run \`drv auth login --web\`, or set DRV_TOKEN.`,
  )
}

function noWebFlow({issuer}: Metadata): AuthServiceError {
  const message = `${issuer} does not support sign-in with a browser. Run \`drv auth login\` without --web.`
  return new AuthServiceError(message, new ProtocolError(message))
}
