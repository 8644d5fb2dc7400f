import {Args, Flags} from '@oclif/core'
import {DURATION_HINT, durationIn} from '#lib/api/moment.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {ranked} from '#lib/cli/terminal/read-argv.js'
import type {App} from '#lib/service/oauth/store/apps.js'

/**
 * Arguments, flags and records shared by the commands of the local service (`drv local`). The
 * service itself is in `../../service` and is imported only when such a command runs.
 */

export const clientIdArg = {
  client_id: Args.string({
    description: 'Client ID of the app.',
    required: true,
    ignoreStdin: true,
  }),
}

const list = (summary: string, helpValue: string) =>
  Flags.string({summary, helpValue, multiple: true, multipleNonGreedy: true})

export const appFlags = {
  'callback-url': Flags.string({
    summary: 'URL to which the web flow redirects users.',
    helpValue: 'URL',
  }),
  'home-url': Flags.string({summary: 'Home page of the app.', helpValue: 'URL'}),
  'device-flow': Flags.boolean({
    summary: 'Allow the device flow.',
    allowNo: true,
  }),
  expires: Flags.string({
    summary:
      'Lifetime of access tokens (default: until revoked). Apps whose access tokens expire also get refresh tokens.',
    description:
      'A duration such as 30s, 8h or 7d. A refresh token is valid for half a year and for one use. Using it again revokes all tokens of its sign-in.',
    helpValue: 'TIME',
  }),
  'reuse-interval': Flags.string({
    summary: 'How long a refresh token works after its first use (default: not at all).',
    helpValue: 'TIME',
  }),
  'mime-type': ranked(1001, list('Media type that the app opens; may be repeated.', 'TYPE')),
  extension: list('File extension that the app opens; may be repeated.', 'EXTENSION'),
}

interface FlagValues {
  readonly 'callback-url'?: string
  readonly 'home-url'?: string
  readonly 'device-flow'?: boolean
  readonly expires?: string
  readonly 'reuse-interval'?: string
  readonly 'mime-type'?: readonly string[]
  readonly extension?: readonly string[]
}

/** Settings of an app from the flags: `undefined` leaves a setting as it is, `null` removes it. Durations are in ms. */
interface AppSettings {
  readonly callbackUrl?: string | null
  readonly homeUrl?: string | null
  readonly deviceFlow?: boolean
  readonly tokenLifetime?: number | null
  readonly reuseInterval?: number | null
  readonly facts: {
    readonly primaryMimeTypes?: readonly string[]
    readonly primaryFileExtensions?: readonly string[]
  }
}

/** Maximum token lifetime in ms, the lifetime of a refresh token. */
const MAX_LIFETIME = 184 * 24 * 60 * 60 * 1000

const MIME_TYPE = /^[a-z\d][\w!#$&^.+-]{0,126}\/[a-z\d][\w!#$&^.+-]{0,126}$/i
/** The leading dot is optional. Commas are not allowed because they separate extensions in app searches. */
const EXTENSION = /^\.?[^\s.,/\\][^\s,/\\]{0,49}$/

/**
 * Reads the flags of an app. With `canRemove`, an empty value removes a setting. Throws `UsageError`
 * for an invalid value.
 */
export async function readAppFlags(flags: FlagValues, canRemove: boolean): Promise<AppSettings> {
  const {isCallbackUrl} = await import('#lib/service/oauth/flows/redirect.js')
  const text = (
    name: 'callback-url' | 'home-url',
    isValid: (value: string) => boolean,
    expected: string,
  ) => {
    const value = flags[name]
    if (value === '' && canRemove) return null
    if (value === undefined || isValid(value)) return value
    throw new UsageError(`Invalid --${name}: must be ${expected}, not "${value}".`)
  }
  const texts = (name: 'mime-type' | 'extension', pattern: RegExp, expected: string) => {
    const values = flags[name]
    if (canRemove && values?.join() === '') return []
    const invalid = values?.find(value => !pattern.test(value))
    if (invalid !== undefined) {
      throw new UsageError(`Invalid --${name}: must be ${expected}, not "${invalid}".`)
    }
    return values && [...new Set(values.map(value => value.toLowerCase().replace(/^\./, '')))]
  }
  const duration = (name: 'expires' | 'reuse-interval') => {
    const value = flags[name]
    if (value === undefined) return undefined
    if (value === '' && canRemove) return null
    const length = durationIn(value)
    if (length !== undefined && length > 0 && length <= MAX_LIFETIME) return length
    throw new UsageError(
      `Invalid --${name}: must be a duration of up to 184 days, not "${value}".`,
      DURATION_HINT,
    )
  }
  const mimeTypes = texts('mime-type', MIME_TYPE, 'a media type such as text/plain')
  const extensions = texts('extension', EXTENSION, 'one file extension such as txt')
  return {
    callbackUrl: text('callback-url', isCallbackUrl, 'a full URL without a fragment or password'),
    homeUrl: text('home-url', isPage, 'an http or https URL'),
    deviceFlow: flags['device-flow'],
    tokenLifetime: duration('expires'),
    reuseInterval: duration('reuse-interval'),
    facts: {
      ...(mimeTypes && {primaryMimeTypes: mimeTypes}),
      ...(extensions && {primaryFileExtensions: extensions}),
    },
  }
}

function isPage(address: string): boolean {
  return /^https?:\/\/[^\s]+$/.test(address)
}

/** Returns the name of an app without surrounding spaces. Throws `UsageError` unless it has 1 to 100 characters. */
export function appName(text: string): string {
  const name = text.trim()
  if (name !== '' && name.length <= 100) return name
  throw new UsageError('The name of an app must have 1 to 100 characters.')
}

/** The columns of an app, without the client secret, which is shown only once. */
export const APP_COLUMNS: readonly string[] = [
  'client_id',
  'name',
  'callback_url',
  'home_url',
  'device_flow',
  'public',
  'suspended',
  'expires_in',
  'reuse_interval',
  'mime_types',
  'extensions',
]

/** Returns the output record of an app, durations in seconds. Pass `secret` only when it is new. */
export async function appRecord(app: App, secret?: string) {
  const {appFacts} = await import('#lib/service/oauth/store/apps.js')
  const {primaryMimeTypes = [], primaryFileExtensions = []} = appFacts(app)
  return {
    client_id: app.client_id,
    ...(secret !== undefined && {client_secret: secret}),
    name: app.name,
    callback_url: app.callback_url,
    home_url: app.home_url,
    device_flow: app.device_flow === 1,
    public: app.secret_hash === null,
    suspended: app.suspended === 1,
    // In seconds, as in responses of the token endpoint.
    expires_in: app.token_lifetime && app.token_lifetime / 1000,
    reuse_interval: app.reuse_interval / 1000,
    mime_types: primaryMimeTypes,
    extensions: primaryFileExtensions,
  }
}
