import {NetworkError, ProtocolError, ServiceError} from '#lib/client/errors.js'
import type {Settings} from '#lib/config/settings.js'
import {printable} from '#lib/platform/sanitize.js'
import {SetupError} from '#lib/platform/setup-error.js'
import {ownProperty} from '#lib/platform/values.js'

/** Errors of sign-in and their messages. */

/** A failed sign-in, with the error code of the service (spec: authorization.md, Errors). */
export class SignInError extends SetupError {
  constructor(
    readonly code: string,
    kind: SetupError['kind'],
    message: string,
  ) {
    super(kind, message)
    this.name = 'SignInError'
  }
}

/** A failed request to the authorization service, which `message` names; `cause` is the kind of failure. */
export class AuthServiceError extends Error {
  constructor(
    message: string,
    override readonly cause: NetworkError | ProtocolError | ServiceError,
  ) {
    super(message)
    this.name = 'AuthServiceError'
  }
}

/** Whether an authorization service knows a client ID. */
export type ClientState =
  | 'yes'
  /** The app must not use the device flow. */
  | 'no device flow'
  | 'suspended'
  | 'no'
  /** The response does not say. */
  | 'unclear'

/** The sign-in flow; some error codes have a different message for each. */
export type Flow = 'device' | 'web'

/** The message for an OAuth error code, and what the code implies about the client ID. */
type Meaning = readonly [kind: 'sign-in' | 'configuration', message: string, client?: ClientState]

const UNKNOWN_CLIENT: Meaning = [
  'configuration',
  'The authorization service does not know this client ID. Set DRV_CLIENT_ID to the client ID of an app that is registered there; the operator of the service can give you one. The built-in client ID works only with `drv local serve`.',
  'no',
]
const BAD_CLIENT: Meaning = [
  'configuration',
  'The authorization service rejected the client ID or the client secret. Check DRV_CLIENT_ID and DRV_CLIENT_SECRET.',
  'no',
]
const EXPIRED: Meaning = [
  'sign-in',
  'The code expired before it was entered. Run `drv auth login` again for a new one.',
  'yes',
]

/** By code. A key with `web` applies to the web flow only, and takes precedence there. */
const CODES: Readonly<Record<string, Meaning>> = {
  expired_token: EXPIRED,
  token_expired: EXPIRED,
  access_denied: [
    'sign-in',
    'Sign-in was canceled in the browser. To try again, run `drv auth login`.',
  ],
  device_flow_disabled: [
    'configuration',
    'This app does not allow sign-in with a code. Enable the device flow in the settings of the app, or set DRV_TOKEN.',
    'no device flow',
  ],
  incorrect_client_credentials: UNKNOWN_CLIENT,
  // The public service returns this instead of the code above, which the specification requires.
  'Not Found': UNKNOWN_CLIENT,
  'web incorrect_client_credentials': [
    'configuration',
    'The authorization service rejected the client ID or the client secret. Check DRV_CLIENT_ID and DRV_CLIENT_SECRET; `drv auth logout` deletes a stored secret.',
  ],
  incorrect_device_code: [
    'sign-in',
    'The authorization service no longer knows this sign-in. Run `drv auth login` again.',
    'yes',
  ],
  application_suspended: [
    'configuration',
    'The authorization service has suspended this app. Ask the owner of the app, or set DRV_CLIENT_ID to the client ID of another app.',
    'suspended',
  ],
  unsupported_grant_type: [
    'configuration',
    'The authorization service does not support sign-in with a code. Check DRV_AUTH_URL, or set DRV_TOKEN.',
  ],
  'web unsupported_grant_type': [
    'configuration',
    'The authorization service does not support sign-in with a browser. Check DRV_AUTH_URL, or set DRV_TOKEN.',
  ],
  'web bad_verification_code': [
    'sign-in',
    'The code from the browser was already used or has expired. Run `drv auth login --web` again.',
  ],
  'web redirect_uri_mismatch': [
    'configuration',
    'The app does not allow the callback URL of drv. Set the callback URL of the app to http://127.0.0.1/callback.',
  ],
  'web unverified_user_email': [
    'sign-in',
    'This account has no verified email address. Verify it at the service, then run `drv auth login --web` again.',
  ],
  // The standard codes (RFC 6749, sections 4.1.2.1 and 5.2).
  invalid_client: BAD_CLIENT,
  unauthorized_client: BAD_CLIENT,
  invalid_scope: [
    'sign-in',
    'The authorization service does not grant one of the requested scopes to sign-ins with a code. Run `drv auth login --web`, or request fewer scopes with --scope.',
  ],
  'web invalid_scope': [
    'sign-in',
    'The authorization service does not know one of the scopes, or does not allow it for this app. Request other scopes with --scope.',
  ],
  'web invalid_grant': [
    'sign-in',
    'The code from the browser was already used or has expired. Run `drv auth login --web` again.',
  ],
  // Codes of drv itself.
  'web client_secret_missing': [
    'configuration',
    'The authorization service requires the client secret of this client ID. Set DRV_CLIENT_SECRET, or run the command in a terminal.',
  ],
  'web state_mismatch': [
    'sign-in',
    'The response from the browser does not belong to this sign-in and was ignored: the link may be forged. Run `drv auth login --web` again, and open only the URL that it prints.',
  ],
  'web no_code': ['sign-in', 'The browser returned no code. Run `drv auth login --web` again.'],
  'web timed_out': [
    'sign-in',
    'Sign-in in the browser took too long. Run `drv auth login --web` again.',
  ],
}

/** The error for an OAuth error code; `description` of the service is used for unknown codes. */
export function signInError(
  code: string,
  description?: string,
  flow: Flow = 'device',
): SignInError {
  const known = (flow === 'web' && ownProperty(CODES, `web ${code}`)) || ownProperty(CODES, code)
  if (known) return new SignInError(code, known[0], known[1])
  const words = printable(description || code || 'no reason given', 300).replace(/\.$/, '')
  return new SignInError(
    printable(code, 100),
    'sign-in',
    `The authorization service rejected the sign-in: ${words}. Run \`drv auth login\` again, or set DRV_TOKEN.`,
  )
}

/** Whether an OAuth error code ends a sign-in, regardless of the status. */
export function isKnownCode(code: string): boolean {
  return ownProperty(CODES, code) !== undefined || ownProperty(CODES, `web ${code}`) !== undefined
}

/** What an OAuth error code implies about the client ID. */
export function clientStateFrom(code: string): ClientState {
  if (code === 'authorization_pending' || code === 'slow_down') return 'yes'
  return ownProperty(CODES, code)?.[2] ?? 'unclear'
}

/** The address of an authorization service. */
export interface AuthServiceAddress {
  readonly url: string
  /** The source of the address, for messages: `from DRV_AUTH_URL`. */
  readonly source: string
}

const SOURCES = {
  flag: 'from a flag',
  environment: 'from DRV_AUTH_URL',
  default: 'default: the URL of the file service',
} as const

/** The authorization service of these settings, at its current address. */
export function authServiceOf(
  {profile, sources}: Pick<Settings, 'profile' | 'sources'>,
  url: string,
): AuthServiceAddress {
  if (!sources) return {url, source: 'the local service, because DRV_BASE_URL is not set'}
  const {authUrl: from} = sources
  return {url, source: from === 'profile' ? `from profile "${profile}"` : SOURCES[from]}
}

/** The start of messages about the service that do not contain its address. */
const LEAD = 'The authorization service'

/** Adds the address of the service to an error: returns `AuthServiceError`, or `SignInError` for a rejection; other errors stay unchanged. */
export function withAuthService(error: unknown, {url, source}: AuthServiceAddress): unknown {
  const name = `${LEAD} at ${url} (${source})`
  const led = (text: string, between = ': ') =>
    text.startsWith(`${LEAD} `) ? name + text.slice(LEAD.length) : name + between + text
  if (error instanceof SignInError) {
    const {code, kind, message} = error
    if (message.startsWith(LEAD)) return new SignInError(code, kind, led(message))
    if (kind !== 'configuration') return error
    return new SignInError(code, kind, `${message} ${LEAD} is at ${url} (${source}).`)
  }
  if (error instanceof NetworkError) {
    return new AuthServiceError(led(error.message, ' did not respond: '), error)
  }
  if (error instanceof ProtocolError || error instanceof ServiceError) {
    return new AuthServiceError(led(error.message), error)
  }
  return error
}
