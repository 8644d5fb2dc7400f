import {printable} from '../api/text.js'
import {SetupError} from '../config/errors.js'

/** Sign-in that came to nothing, with the service's own code for it (spec: authorization.md, Errors). */
export class SignInError extends SetupError {
  constructor(
    readonly code: string,
    kind: 'sign-in' | 'configuration',
    message: string,
  ) {
    super(kind, message)
    this.name = 'SignInError'
  }
}

type Words = readonly [kind: 'sign-in' | 'configuration', message: string]

const CLIENT_ID: Words = [
  'configuration',
  'The authorization service does not know this client ID. Set DRV_CLIENT_ID to the client ID of an app there.',
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
  unsupported_grant_type: [
    'configuration',
    'The authorization service does not know sign-in with a code. Check DRV_AUTH_URL, or set DRV_TOKEN.',
  ],
}

/** The error for an OAuth error code; `description` is the service's own, for codes nobody foresaw. */
export function signInError(code: string, description?: string): SignInError {
  const known = Object.hasOwn(WORDS, code) ? WORDS[code] : undefined
  if (known) return new SignInError(code, ...known)
  const words = printable(description || code, 300).replace(/\.$/, '')
  return new SignInError(
    printable(code, 100),
    'sign-in',
    `The authorization service refused sign-in: ${words}. Run \`drv auth login\` again, or set DRV_TOKEN.`,
  )
}
