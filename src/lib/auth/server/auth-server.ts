import {createHash, timingSafeEqual} from 'node:crypto'
import {DEVICE_GRANT} from '#lib/api/wire.js'
import {type ClientState, clientStateFrom, SignInError, signInError} from '#lib/auth/errors.js'
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

/** The requests to an authorization service. The flows that use them are in ../flows. */

/** The options of the web flow. */
export interface WebRequest {
  /** Full scope values. */
  readonly scopes: readonly string[]
  /** The suggested account. */
  readonly login?: string
  /** Whether the service prompts for the account. */
  readonly selectAccount?: boolean
  /** Whether the service offers no sign-up. */
  readonly noSignUp?: boolean
  /** Random text, new for each sign-in. */
  readonly state: string
}

/** A started web flow. */
export interface WebStep {
  /** The address to open in the browser. */
  readonly address: string
  /** Exchanges the code from the browser for a token, after checking that it belongs to this sign-in. */
  redeem(query: URLSearchParams): Promise<TokenGrant>
}

/**
 * An authorization service from the view of an app. Requests throw `NetworkError`, `SignInError` for a rejection,
 * `ServiceError` if the service is busy, and `ProtocolError` if the address is not an authorization service.
 */
export interface AuthServer {
  /** Starts the device flow; `scopes` are full values. */
  beginDevice(scopes: readonly string[]): Promise<DeviceCode>
  /** Polls once; `interval` is the current one, in seconds. */
  pollDevice(deviceCode: string, interval: number): Promise<Poll>
  /** Starts the web flow. */
  beginWeb(request: WebRequest, redirectUri: string): WebStep
  /** Exchanges a refresh token for a new token. */
  refresh(refreshToken: string): Promise<TokenGrant>
  /** Revokes a token; returns whether the server did so. */
  revoke(token: string, kind: 'refresh_token' | 'access_token'): Promise<boolean>
  /** Whether the service knows the client ID, by polling with a device code that does not exist. */
  probeClient(): Promise<ClientState>
}

/** An app and the address of its service, without a final slash. */
interface App {
  readonly authUrl: string
  readonly clientId: string
}

/** A device code that no service has issued. */
const NO_CODE = 'drv-auth-doctor'

/** An authorization service that follows the specification (spec: authorization.md, Endpoints). */
export function createAuthServer({
  authUrl,
  clientId,
  post,
  clientSecret,
  now = Date.now,
}: App & {
  readonly post: Post
  /** `undefined` for an app without a secret. */
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
    // It has no revocation endpoint.
    revoke: () => Promise.resolve(false),
    probeClient: () =>
      askToken({device_code: NO_CODE, grant_type: DEVICE_GRANT}, (status, fields) => {
        const error = fields.get('error')
        if (error) return clientStateFrom(error)
        throw new ProtocolError(
          `${new URL(authUrl).host} is not an authorization service (status ${status}).`,
        )
      }),
  }
}

function webGrant(status: number, fields: AuthFields, sentAt: number): TokenGrant {
  return grantOf(status, fields, 'web', sentAt)
}

/** Whether the service rejected the app or its secret. */
function refusesClient(error: unknown): boolean {
  return error instanceof SignInError && error.code === 'incorrect_client_credentials'
}

/** The address to open in the browser (spec: authorization.md, Resources). */
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
 * The code from the callback. Throws `SignInError` if `state` does not match, before it reads anything else (spec:
 * authorization.md, Endpoints, rule 2), and for an error (reference: oauth.md, section 4).
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

/** Compares in constant time. */
function isSame(given: string, expected: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(given), hash(expected))
}
