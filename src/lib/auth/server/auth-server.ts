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

/**
 * An authorization service as an app sees it. Requests fail with `NetworkError`, `SignInError` for a refusal,
 * `ServiceError` where the service is busy, and `ProtocolError` where it is no authorization service.
 */
export interface AuthServer {
  /** Begins the device flow; `scopes` are full values. */
  beginDevice(scopes: readonly string[]): Promise<DeviceCode>
  /** Asks once whether somebody has decided; `interval` is the one in force, in seconds. */
  pollDevice(deviceCode: string, interval: number): Promise<Poll>
  /** Where the browser goes in the web flow, before it goes to `redirectUri`. */
  authorizeAddress(request: WebRequest, redirectUri: string): string
  /** Changes the code that the browser brought for a token; an app may have no secret. */
  redeem(code: string, redirectUri: string, clientSecret?: string): Promise<TokenGrant>
  /** Changes a refresh token for another token. */
  refresh(refreshToken: string, clientSecret?: string): Promise<TokenGrant>
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
  now = Date.now,
}: App & {readonly post: Post; readonly now?: () => number}): AuthServer {
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
    authorizeAddress: (request, redirectUri) =>
      authorizeAddress({authUrl, clientId, ...request}, redirectUri),
    redeem: (code, redirectUri, clientSecret) =>
      askToken({...secretField(clientSecret), code, redirect_uri: redirectUri}, webGrant).catch(
        (error: unknown) => {
          const isWanted = clientSecret === undefined && refusesClient(error)
          throw isWanted ? signInError('client_secret_missing', undefined, 'web') : error
        },
      ),
    refresh: (refreshToken, clientSecret) => {
      const form = {grant_type: 'refresh_token', refresh_token: refreshToken}
      return askToken({...secretField(clientSecret), ...form}, webGrant)
    },
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

function secretField(clientSecret: string | undefined): Record<string, string> {
  return clientSecret === undefined ? {} : {client_secret: clientSecret}
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
