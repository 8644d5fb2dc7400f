import type {NetworkError, ProtocolError, ServiceError} from '#lib/client/errors.js'
import {printable} from '#lib/platform/sanitize.js'
import {SetupError} from '#lib/platform/setup-error.js'

/** Sign-in that came to nothing, with the service's own code for it (spec: authorization.md, Errors). */
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

/** What went wrong with the authorization service, which `message` names; `cause` says of what kind it is. */
export class AuthServiceError extends Error {
  constructor(
    message: string,
    override readonly cause: NetworkError | ProtocolError | ServiceError,
  ) {
    super(message)
    this.name = 'AuthServiceError'
  }
}

type Words = readonly [kind: 'sign-in' | 'configuration', message: string]

const CLIENT_ID: Words = [
  'configuration',
  'The authorization service does not know this client ID. Set DRV_CLIENT_ID to that of an app there, which whoever runs the service gives you; drv has one of its own for `drv local serve` alone.',
]
const EXPIRED: Words = [
  'sign-in',
  'The code expired before it was entered. Run `drv auth login` again for a new one.',
]

const WORDS: Readonly<Record<string, Words>> = {
  expired_token: EXPIRED,
  token_expired: EXPIRED,
  access_denied: [
    'sign-in',
    'Sign-in was cancelled in the browser. Run `drv auth login` again if that was not meant.',
  ],
  device_flow_disabled: [
    'configuration',
    'This app does not allow sign-in with a code. Turn on the device flow in the settings of the app, or set DRV_TOKEN.',
  ],
  incorrect_client_credentials: CLIENT_ID,
  // The public service answers so where the specification names the code above.
  'Not Found': CLIENT_ID,
  incorrect_device_code: [
    'sign-in',
    'The authorization service does not know this sign-in any more. Run `drv auth login` again.',
  ],
  application_suspended: [
    'configuration',
    'The authorization service has blocked this app. Ask its owner, or set DRV_CLIENT_ID to another app.',
  ],
  unsupported_grant_type: [
    'configuration',
    'The authorization service does not know sign-in with a code. Check DRV_AUTH_URL, or set DRV_TOKEN.',
  ],
}

/** Of the web flow; where it says nothing, what is said of the device flow holds. */
const WEB_WORDS: Readonly<Record<string, Words>> = {
  incorrect_client_credentials: [
    'configuration',
    'The authorization service does not accept this client ID with this client secret. Check DRV_CLIENT_ID and DRV_CLIENT_SECRET; `drv auth logout` forgets a secret that is stored.',
  ],
  bad_verification_code: [
    'sign-in',
    'The code from the browser was used before, or has expired. Run `drv auth login --web` again.',
  ],
  redirect_uri_mismatch: [
    'configuration',
    'The app does not allow the address that drv waits at. Set the callback URL of the app to http://127.0.0.1/callback.',
  ],
  unverified_user_email: [
    'sign-in',
    'This account has no verified e-mail address. Verify it at the service, then run `drv auth login --web` again.',
  ],
  unsupported_grant_type: [
    'configuration',
    'The authorization service does not know sign-in with a browser. Check DRV_AUTH_URL, or set DRV_TOKEN.',
  ],
  // Not of the service, but of this side.
  state_mismatch: [
    'sign-in',
    'What the browser brought back does not belong to this sign-in, so it was not used: somebody else may have made the link. Run `drv auth login --web` again, and open no address but the one it shows.',
  ],
  no_code: ['sign-in', 'The browser came back without a code. Run `drv auth login --web` again.'],
  timed_out: [
    'sign-in',
    'The browser did not come back in time. Run `drv auth login --web` again.',
  ],
}

/** The way to sign in: each has words of its own for some codes. */
export type Flow = 'device' | 'web'

/** The error for an OAuth error code; `description` is the service's own, for codes nobody foresaw. */
export function signInError(
  code: string,
  description?: string,
  flow: Flow = 'device',
): SignInError {
  const all = flow === 'web' ? {...WORDS, ...WEB_WORDS} : WORDS
  const known = Object.hasOwn(all, code) ? all[code] : undefined
  if (known) return new SignInError(code, ...known)
  const words = printable(description || code || 'it gave no reason', 300).replace(/\.$/, '')
  return new SignInError(
    printable(code, 100),
    'sign-in',
    `The authorization service refused sign-in: ${words}. Run \`drv auth login\` again, or set DRV_TOKEN.`,
  )
}
