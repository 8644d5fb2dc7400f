import {createHash, timingSafeEqual} from 'node:crypto'
import {DEVICE_GRANT} from '#lib/api/wire.js'
import {type ClientKnown, clientKnownBy, SignInError, signInError} from '#lib/auth/errors.js'
import {ProtocolError} from '#lib/client/errors.js'
import {type AuthFields, type Post, readFields} from './form-post.js'
import {
  type DeviceCode,
  deviceCodeOf,
  grantOf,
  type Poll,
  pollOf,
  type TokenGrant,
} from './responses.js'

/** What an authorization service is asked, and what its responses mean, lives here. When it is asked belongs to ../flows. */

/** What the web flow asks for. */
export interface WebRequest {
  /** Full scope values. */
  readonly scopes: readonly string[]
  /** The account that is suggested. */
  readonly login?: string
  /** Have the person choose an account. */
  readonly selectAccount?: boolean
  /** Do not offer a new account. */
  readonly noSignUp?: boolean
  /** Unguessable text, new for each sign-in. */
  readonly state: string
}

/** The web flow before the browser comes back. */
export interface WebStep {
  /** Where the browser goes. */
  readonly address: string
  /** Changes what the browser brought for a token, after a look whether that belongs to this sign-in. */
  redeem(query: URLSearchParams): Promise<TokenGrant>
}

/**
 * An authorization service as an app sees it. Requests fail with `NetworkError`, `SignInError` for a refusal,
 * `ServiceError` where the service is busy, and `ProtocolError` where it is no authorization service.
 */
export interface AuthServer {
  /** Begins the device flow; `scopes` are full values. */
  beginDevice(scopes: readonly string[]): Promise<DeviceCode>
  /** Asks once whether somebody has decided; `interval` is the one in force, in seconds. */
  pollDevice(deviceCode: string, interval: number): Promise<Poll>
  /** Begins the web flow. */
  beginWeb(request: WebRequest, redirectUri: string): WebStep
  /** Changes a refresh token for another token. */
  refresh(refreshToken: string): Promise<TokenGrant>
  /** Ends a token; returns whether the server does so. */
  revoke(token: string, kind: 'refresh_token' | 'access_token'): Promise<boolean>
  /** Whether it knows the client ID, by its refusal of a device code that does not exist: nobody signs in. */
  probeClient(): Promise<ClientKnown>
}

/** An app, and the address of the service that knows it, no slash at the end. */
interface App {
  readonly authUrl: string
  readonly clientId: string
}

/** A device code that no service has given out. */
const NO_CODE = 'drv-auth-doctor'

/** An authorization service as the specification has it (spec: authorization.md, Endpoints). */
export function createAuthServer({
  authUrl,
  clientId,
  post,
  clientSecret,
  now = Date.now,
}: App & {
  readonly post: Post
  /** `undefined` for an app that has none. */
  readonly clientSecret?: string
  readonly now?: () => number
}): AuthServer {
  const secret: Record<string, string> = clientSecret ? {client_secret: clientSecret} : {}
  async function ask<T>(
    path: string,
    form: Readonly<Record<string, string>>,
    read: (status: number, fields: AuthFields, sentAt: number) => T,
  ): Promise<T> {
    const sentAt = now()
    const answer = await post(path, {client_id: clientId, ...form})
    return read(answer.status, await readFields(answer), sentAt)
  }
  const askToken = <T>(
    form: Readonly<Record<string, string>>,
    read: (status: number, fields: AuthFields, sentAt: number) => T,
  ) => ask('/login/oauth/access_token', form, read)

  return {
    beginDevice: scopes => ask('/login/device/code', {scope: scopes.join(' ')}, deviceCodeOf),
    pollDevice: (deviceCode, interval) =>
      askToken({device_code: deviceCode, grant_type: DEVICE_GRANT}, (status, fields, sentAt) =>
        pollOf(status, fields, interval, sentAt),
      ),
    beginWeb: (request, redirectUri) => ({
      address: authorizeAddress({authUrl, clientId, ...request}, redirectUri),
      async redeem(query) {
        const code = readCallback(query, request.state)
        try {
          return await askToken({...secret, code, redirect_uri: redirectUri}, webGrant)
        } catch (error) {
          const isWanted = clientSecret === undefined && refusesClient(error)
          throw isWanted ? signInError('client_secret_missing', undefined, 'web') : error
        }
      },
    }),
    refresh: refreshToken =>
      askToken({...secret, grant_type: 'refresh_token', refresh_token: refreshToken}, webGrant),
    // It has no address for that.
    revoke: () => Promise.resolve(false),
    probeClient: () =>
      askToken({device_code: NO_CODE, grant_type: DEVICE_GRANT}, (status, fields) => {
        const error = fields.get('error')
        if (error) return clientKnownBy(error)
        throw new ProtocolError(
          `${new URL(authUrl).host} answers with status ${status}, but not as an authorization service does.`,
        )
      }),
  }
}

function webGrant(status: number, fields: AuthFields, sentAt: number): TokenGrant {
  return grantOf(status, fields, 'web', sentAt)
}

/** Whether a service does not accept an app with the secret that was sent, or without one. */
function refusesClient(error: unknown): boolean {
  return error instanceof SignInError && error.code === 'incorrect_client_credentials'
}

/** Where the browser goes (spec: authorization.md, Resources). */
export function authorizeAddress(
  {authUrl, clientId, scopes, login, selectAccount, noSignUp, state}: App & WebRequest,
  redirectUri: string,
): string {
  const query = new URLSearchParams({
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: scopes.join(' '),
    state,
    ...(login !== undefined && {login}),
    ...(selectAccount && {prompt: 'select_account'}),
    ...(noSignUp && {allow_signup: 'false'}),
  })
  return `${authUrl}/login/oauth/authorize?${query.toString()}`
}

/**
 * The code that the browser brings. Throws `SignInError` for an answer to another request before it looks further
 * (spec: authorization.md, Endpoints, rule 2), and for a refusal (reference: oauth.md, section 4).
 */
export function readCallback(query: URLSearchParams, state: string): string {
  if (!isSame(query.get('state') ?? '', state))
    throw signInError('state_mismatch', undefined, 'web')
  const refusal = query.get('error')
  if (refusal !== null) {
    throw signInError(refusal, query.get('error_description') ?? undefined, 'web')
  }
  const code = query.get('code')
  if (code) return code
  throw signInError('no_code', undefined, 'web')
}

/** Compares in a time that tells nothing of how alike they are. */
function isSame(given: string, expected: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(given), hash(expected))
}
