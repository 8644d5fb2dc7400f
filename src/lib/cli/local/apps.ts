import {Args, Flags} from '@oclif/core'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {DURATION_HINT, durationIn} from '#lib/cli/terminal/moment.js'
import {ranked} from '#lib/cli/terminal/read-argv.js'
import type {App} from '#lib/service/oauth/store/apps.js'

/**
 * What the commands of the embedded service (`drv local`) share. The service itself belongs to
 * `../../service`, which is imported only when such a command runs.
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
    summary: 'Where the web flow sends people back to.',
    helpValue: 'URL',
  }),
  'home-url': Flags.string({summary: "The app's own page.", helpValue: 'URL'}),
  'device-flow': Flags.boolean({
    summary: 'Let it sign in with the device flow, or not.',
    allowNo: true,
  }),
  expires: Flags.string({
    summary:
      'Lifetime of its access tokens, which then come with a refresh token (default: until revoked).',
    description:
      'A length of time such as 30s, 8h or 7d. Each refresh token is good once and for half a year; if one is used again, all tokens of its sign-in end.',
    helpValue: 'TIME',
  }),
  'reuse-interval': Flags.string({
    summary: 'How long a used refresh token still works (default: not at all).',
    helpValue: 'TIME',
  }),
  'mime-type': ranked(1001, list('MIME type that it opens; may be repeated.', 'TYPE')),
  extension: list('File extension that it opens; may be repeated.', 'EXTENSION'),
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

/** What the flags say of an app; `undefined` for what they do not speak of, `null` for what it is to lose. */
interface AppWish {
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

/** No token outlives its refresh token, in ms. */
const LONGEST = 184 * 24 * 60 * 60 * 1000

const MIME_TYPE = /^[a-z\d][\w!#$&^.+-]{0,126}\/[a-z\d][\w!#$&^.+-]{0,126}$/i
/** The dot in front may be left out. A comma would divide it where apps are searched. */
const EXTENSION = /^\.?[^\s.,/\\][^\s,/\\]{0,49}$/

/**
 * Reads the flags of an app. An empty value takes away what the app has: `mayEmpty` says whether
 * there can be anything. Throws `UsageError`.
 */
export async function readAppFlags(flags: FlagValues, mayEmpty: boolean): Promise<AppWish> {
  const {isCallbackUrl} = await import('#lib/service/oauth/flows/redirect.js')
  const text = (
    name: 'callback-url' | 'home-url',
    isGood: (value: string) => boolean,
    a: string,
  ) => {
    const value = flags[name]
    if (value === '' && mayEmpty) return null
    if (value === undefined || isGood(value)) return value
    throw new UsageError(`--${name} must be ${a}, not "${value}".`)
  }
  const texts = (name: 'mime-type' | 'extension', pattern: RegExp, a: string) => {
    const values = flags[name]
    if (mayEmpty && values?.join() === '') return []
    const wrong = values?.find(value => !pattern.test(value))
    if (wrong !== undefined) throw new UsageError(`--${name} must be ${a}, not "${wrong}".`)
    return values && [...new Set(values.map(value => value.toLowerCase().replace(/^\./, '')))]
  }
  const duration = (name: 'expires' | 'reuse-interval') => {
    const value = flags[name]
    if (value === undefined) return undefined
    if (value === '' && mayEmpty) return null
    const length = durationIn(value)
    if (length !== undefined && length > 0 && length <= LONGEST) return length
    throw new UsageError(
      `--${name} must be a length of time of up to half a year, not "${value}".`,
      DURATION_HINT,
    )
  }
  const mimeTypes = texts('mime-type', MIME_TYPE, 'a MIME type such as text/plain')
  const extensions = texts('extension', EXTENSION, 'one file extension such as txt')
  return {
    callbackUrl: text('callback-url', isCallbackUrl, 'a whole address without # and password'),
    homeUrl: text('home-url', isPage, 'an http or https address'),
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

/** The name of an app as it is kept. Throws `UsageError`. */
export function appName(text: string): string {
  const name = text.trim()
  if (name !== '' && name.length <= 100) return name
  throw new UsageError('The name of an app has 1 to 100 characters.')
}

/** The columns of an app; its secret is told only when it is new. */
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

/** An app as these commands show it; its secret only where it has just been made. */
export async function shownApp(app: App, secret?: string) {
  const {factsOf} = await import('#lib/service/oauth/store/apps.js')
  const {primaryMimeTypes = [], primaryFileExtensions = []} = factsOf(app)
  return {
    client_id: app.client_id,
    ...(secret !== undefined && {client_secret: secret}),
    name: app.name,
    callback_url: app.callback_url,
    home_url: app.home_url,
    device_flow: app.device_flow === 1,
    public: app.secret_hash === null,
    suspended: app.suspended === 1,
    // In seconds, as the answers of the token endpoint have it.
    expires_in: app.token_lifetime && app.token_lifetime / 1000,
    reuse_interval: app.reuse_interval / 1000,
    mime_types: primaryMimeTypes,
    extensions: primaryFileExtensions,
  }
}
