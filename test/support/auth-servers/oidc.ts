import {generateKeyPairSync, randomBytes} from 'node:crypto'
import type {IncomingMessage, RequestListener, ServerResponse} from 'node:http'
import type {Provider} from 'oidc-provider'
import {scopes} from '#lib/api/description/scopes.js'
import {openBrowser} from '../person.js'
import {startFiles} from './files.js'
import {type Asked, clickThrough, Control, type ForeignServer, listen} from './foreign.js'

export interface OidcOptions {
  /** The path of the issuer, such as `/realms/main` (default: none). */
  readonly path?: string
  /** How clients find the metadata of the issuer (default: the OpenID URL). */
  readonly metadata?: 'openid' | 'oauth'
  /** The file service names the issuer (RFC 9728). */
  readonly isNamed?: boolean
  /** The value of `authorization_servers` there (default: the issuer). */
  readonly named?: (issuer: string) => readonly string[]
  /** How the client sends its secret (default: it has none). */
  readonly secret?: 'client_secret_basic' | 'client_secret_post'
}

const CLIENT_ID = 'drv-test:client'
/** A secret that Basic authentication must encode. */
const SECRET = 'a secret/+%:'
const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'
const OPENID = '/.well-known/openid-configuration'

/**
 * A certified OpenID provider: it requires PKCE, rotates refresh tokens and revokes the grant if one is reused,
 * grants `offline_access` to clients that request consent, supports revocation, and sends `iss`.
 */
export async function startOidc(options: OidcOptions = {}): Promise<ForeignServer> {
  const {path = '', metadata = 'openid', secret, isNamed = false} = options
  const control = new Control()
  const asked: Asked[] = []
  const grants: string[] = []
  const open = await providerMaker()
  let provider: Provider | undefined
  const origin = await listen(url => {
    const own = open(url + path, configurationOf(secret, control))
    provider = own
    hear(own, control, asked)
    shortenPolls(own)
    own.on('refresh_token.saved', ({grantId}) => grants.push(grantId))
    return inFront(own.callback(), {path, metadata, control, url})
  })
  const issuer = origin + path
  const clientSecret = secret === undefined ? undefined : SECRET
  const accepts = async (token: string) =>
    (await provider!.AccessToken.find(token))?.scope?.includes('drive') ?? false
  const {named = (of: string) => [of]} = options
  const {baseUrl} = await startFiles({
    control,
    accepts,
    ...(isNamed && {metadata: () => ({authorization_servers: named(issuer)})}),
  })
  const person = {login: 'ada', password: 'any'}
  return {
    issuer,
    baseUrl,
    clientId: CLIENT_ID,
    clientSecret,
    env: {
      DRV_BASE_URL: baseUrl,
      ...(!isNamed && {DRV_AUTH_URL: issuer}),
      DRV_CLIENT_ID: CLIENT_ID,
      ...(clientSecret !== undefined && {DRV_CLIENT_SECRET: clientSecret}),
    },
    asked,
    refreshes: () => asked.filter(({grant, error}) => grant === 'refresh_token' && !error).length,
    control,
    accepts: async token => !control.isOver(token) && (await accepts(token)),
    async endSignIns() {
      await Promise.all(grants.map(id => provider!.RefreshToken.revokeByGrantId(id)))
    },
    authorizeDevice: (address, userCode, agrees = true) =>
      clickThrough(address, {user_code: userCode, ...person, ...(!agrees && ABORT)}),
    authorizeWeb: (address, agrees = true) =>
      agrees ? clickThrough(address, person) : leave(address),
  }
}

/** The button that denies, on the page for a device. */
const ABORT: Readonly<Record<string, string>> = {abort: 'yes'}

/** Follows the link on the first page that denies. */
async function leave(address: string): Promise<string> {
  const browser = openBrowser()
  const page = await browser.open(address)
  const link = /href="([^"]*\/abort)"/.exec(page)?.[1]
  return browser.open(new URL(link!, browser.address()).href)
}

interface Owned {
  readonly clientId: string
}

interface Page {
  body: string
}

/** Creates providers without their warning that they are used for tests. */
async function providerMaker() {
  const quietly = <T>(work: () => T): T => {
    const {warn} = console
    console.warn = () => undefined
    try {
      return work()
    } finally {
      console.warn = warn
    }
  }
  const {warn} = console
  console.warn = () => undefined
  const {Provider} = await import('oidc-provider').finally(() => (console.warn = warn))
  return (issuer: string, configuration: Readonly<Record<string, unknown>>) =>
    quietly(() => new Provider(issuer, configuration))
}

let key: Record<string, unknown> | undefined

/** Shared by all tests, because creating it takes longest. */
function signingKey() {
  if (key) return key
  const {privateKey} = generateKeyPairSync('rsa', {modulusLength: 2048})
  key = {...privateKey.export({format: 'jwk'}), use: 'sig', alg: 'RS256'}
  return key
}

function configurationOf(secret: OidcOptions['secret'], control: Control) {
  const day = () => 86_400
  return {
    clients: [
      {
        client_id: CLIENT_ID,
        ...(secret !== undefined && {client_secret: SECRET}),
        token_endpoint_auth_method: secret ?? 'none',
        application_type: 'native',
        grant_types: ['authorization_code', 'refresh_token', DEVICE_GRANT],
        response_types: ['code'],
        redirect_uris: ['http://127.0.0.1/callback'],
      },
    ],
    jwks: {keys: [signingKey()]},
    cookies: {keys: [randomBytes(16).toString('hex')]},
    scopes: [
      'openid',
      'offline_access',
      ...scopes('drive', 'drive.appdata', 'drive.apps.readonly', 'drive.readonly'),
    ],
    features: {
      deviceFlow: {
        enabled: true,
        userCodeInputSource: (page: Page, form: string) => void (page.body = form),
        userCodeConfirmSource: (page: Page, form: string) => void (page.body = form),
        successSource: (page: Page) => void (page.body = 'You are signed in.'),
      },
      revocation: {
        enabled: true,
        allowedPolicy: (_: unknown, client: Owned, token: Owned) =>
          token.clientId === client.clientId,
      },
      devInteractions: {enabled: true},
      resourceIndicators: {enabled: false},
    },
    findAccount: (_: unknown, id: string) => ({accountId: id, claims: () => ({sub: id})}),
    pkce: {required: () => true},
    rotateRefreshToken: true,
    ttl: {
      AccessToken: () => control.lifetime,
      AuthorizationCode: 60,
      DeviceCode: 600,
      Grant: day,
      IdToken: 600,
      Interaction: 600,
      RefreshToken: day,
      Session: day,
    },
  }
}

/** Makes clients poll every second; the provider itself sends no interval, which means 5 s. */
function shortenPolls(provider: Provider): void {
  provider.use(async (context, next) => {
    await next()
    if (context.body?.device_code !== undefined) context.body.interval = 1
  })
}

/** Records the requests to the token endpoint, and loses responses. */
function hear(provider: Provider, control: Control, asked: Asked[]): void {
  provider.on('grant.success', ({req, oidc}) => {
    const form = oidc.params ?? {}
    asked.push({grant: form.grant_type ?? '', form})
    if (form.grant_type !== 'refresh_token' || control.lostRefreshes === 0) return
    control.lostRefreshes--
    req.socket.resetAndDestroy()
  })
  provider.on('grant.error', ({oidc}, error) => {
    const form = oidc.params ?? {}
    const code = error?.message ?? 'unknown'
    if (code === 'authorization_pending' || code === 'slow_down') return
    asked.push({grant: form.grant_type ?? '', form, error: code})
  })
}

/** The provider below a path, with its metadata at the requested URL; it fails when a test wants it to. */
function inFront(
  provider: RequestListener,
  {
    path,
    metadata,
    control,
    url,
  }: {
    readonly path: string
    readonly metadata: 'openid' | 'oauth'
    readonly control: Control
    readonly url: string
  },
): RequestListener {
  return (message: IncomingMessage & {originalUrl?: string}, reply: ServerResponse) => {
    if (control.trouble === 'reset') return void message.socket.resetAndDestroy()
    if (control.trouble === '503') {
      message.resume()
      return void reply.writeHead(503, {'content-type': 'text/plain'}).end('busy')
    }
    const {pathname} = new URL(message.url ?? '/', url)
    const isOauth = pathname === `/.well-known/oauth-authorization-server${path}`
    const isOpenid = pathname === path + OPENID
    const isMissing = metadata === 'oauth' ? isOpenid : isOauth
    if (isMissing || !(isOauth || pathname.startsWith(path))) {
      message.resume()
      return void reply.writeHead(404, {'content-type': 'text/html'}).end('<h1>Not Found</h1>')
    }
    // The provider is below its path, as a framework would mount it.
    const inner = isOauth ? OPENID : (message.url ?? '/').slice(path.length)
    message.originalUrl = path + inner
    message.url = inner
    const proceed = () => provider(message, reply)
    if (!pathname.endsWith('/token')) return void proceed()
    void Promise.resolve(control.beforeRefresh()).then(proceed, () => reply.destroy())
  }
}
