import {accessSync, constants} from 'node:fs'
import {operation} from '#lib/api/operations.js'
import type {ClientState} from '#lib/auth/errors.js'
import type {DiscoveredServer} from '#lib/auth/server/discover.js'
import {findServer, openServer} from '#lib/auth/server/open-server.js'
import {certificatesText, routeText} from '#lib/cli/explain/network.js'
import {NetworkError, ProtocolError, ProxyError} from '#lib/client/errors.js'
import {createSender, type SenderOptions} from '#lib/client/request.js'
import {discardBody} from '#lib/client/transport/incoming.js'
import type {Send} from '#lib/client/transport/transport.js'
import {requestUrl} from '#lib/client/url.js'
import {routeTo} from '#lib/config/address.js'
import type {ProfileServer} from '#lib/config/config.js'
import type {Environment} from '#lib/config/paths.js'
import type {Settings} from '#lib/config/settings.js'
import {SetupError} from '#lib/platform/setup-error.js'
import {type Check, failed, ok, skipped, warning} from './check.js'

/** Checks the proxies of the services. */
export function proxyChecks(addresses: readonly string[], environment: Environment): Check[] {
  const hosts = [...new Map(addresses.map(address => [new URL(address).host, address]))]
  return hosts.map(([host, address]) => {
    try {
      routeTo(new URL(address), environment)
      return ok('proxy', `${host} ${routeText(address, environment)}`)
    } catch (error) {
      return failed('proxy', error)
    }
  })
}

/** Checks the certificate settings. */
export function certificatesCheck(environment: Environment): Check {
  const found = certificatesText(environment)
  const {NODE_TLS_REJECT_UNAUTHORIZED: any, NODE_EXTRA_CA_CERTS: file} = environment
  if (any === '0') {
    return warning('certificates', found, 'Unset NODE_TLS_REJECT_UNAUTHORIZED.')
  }
  if (file && !isReadable(file)) {
    const advice =
      'Make the file readable, or set NODE_EXTRA_CA_CERTS to the file of your certificate authority.'
    return {name: 'certificates', state: 'failed', found, advice, exit: 'setup'}
  }
  return ok('certificates', found)
}

function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK)
    return true
  } catch {
    return false
  }
}

/** Everything that the requests of the checks use. */
export interface ProbeOptions {
  readonly send: Send
  readonly userAgent: string
  readonly signal: AbortSignal
  readonly now: () => number
}

/** Milliseconds without data before a request fails. */
export const PATIENCE = 10_000

/** The statuses of a file service for a request without a token. */
const REFUSALS = [401, 403]

/** Sends one request without a token: a file service rejects it with JSON, and its `date` header allows the clock check. */
export async function fileServiceChecks(
  baseUrl: string,
  line: ProbeOptions,
): Promise<readonly Check[]> {
  const options: SenderOptions = {baseUrl, timeout: PATIENCE, ...line, token: async () => undefined}
  try {
    const url = requestUrl(baseUrl, operation('about.get'), {})
    const sent = line.now()
    const response = await createSender(options).send({method: 'GET', url, statuses: REFUSALS})
    discardBody(response)
    const clock = clockCheck(response.headers.date, [sent, line.now()])
    if (!/[/+]json\b/i.test(response.headers['content-type'] ?? '')) {
      throw new ProtocolError(
        `${new URL(baseUrl).host} is not a file service (status ${response.status}).`,
      )
    }
    return [ok('file service', `${new URL(baseUrl).host} responds`), clock]
  } catch (error) {
    const advice = 'Check the URL of the file service in DRV_BASE_URL or the profile.'
    return [
      failed('file service', error, adviceOn(error, advice)),
      skipped('clock', 'requires a working file service'),
    ]
  }
}

/** No advice for network errors, whose messages are complete. */
function adviceOn(error: unknown, advice: string): string | undefined {
  return error instanceof ProxyError || error instanceof NetworkError ? undefined : advice
}

/** Sends one request to an authorization service; `isNeeded`: nobody is signed in, so the client ID must work. */
export async function authServiceChecks(
  settings: Settings,
  isNeeded: boolean,
  line: ProbeOptions,
): Promise<readonly Check[]> {
  const {authUrl = '', clientId} = settings
  const {host} = new URL(authUrl)
  try {
    const asked = {...line, timeout: PATIENCE}
    const found = await findServer(settings, asked)
    if (found) return issuerChecks(found, settings.signIn?.server)
    const known = await (await openServer(undefined, {...asked, clientId, authUrl})).probeClient()
    return [ok('authorization service', `${host} responds`), clientCheck(known, clientId, isNeeded)]
  } catch (error) {
    const advice = 'If the authorization service has a different URL, set DRV_AUTH_URL to it.'
    const check = failed('authorization service', error, adviceOn(error, advice))
    return [
      isNeeded ? check : {...check, state: 'warning'},
      skipped('client ID', 'requires a working authorization service'),
    ]
  }
}

/** The checks of a standard server, from its metadata and from the record of the sign-in. Pure. */
export function issuerChecks(
  {metadata}: DiscoveredServer,
  recorded?: ProfileServer,
): readonly Check[] {
  const ways = [
    metadata.device_authorization_endpoint && 'a code',
    metadata.authorization_endpoint && '--web',
  ].filter(Boolean)
  const name = 'authorization service'
  const found = `${metadata.issuer} has metadata; ${ways.length > 0 ? `sign-in with ${ways.join(' or ')}` : 'no supported sign-in flow'}`
  const advice = 'Ask the operator of the service, or set DRV_TOKEN_COMMAND.'
  const isOther =
    recorded !== undefined &&
    (recorded.issuer !== metadata.issuer || recorded.tokenUrl !== metadata.token_endpoint)
  const change = warning(
    'issuer',
    `the metadata differs from that at sign-in; drv still renews the token at ${recorded?.tokenUrl ?? recorded?.authUrl}`,
    'If the service has moved, run `drv auth login --force`.',
  )
  return [
    ...(isOther ? [change] : []),
    ways.length > 0 ? ok(name, found) : warning(name, found, advice),
    skipped('client ID', 'a standard authorization server checks it only at sign-in'),
  ]
}

/** The check of the client ID, from the response of the service. Pure. */
export function clientCheck(known: ClientState, clientId: string, isNeeded: boolean): Check {
  const name = 'client ID'
  switch (known) {
    case 'yes':
      return ok(name, `${clientId} is known`)
    case 'unclear':
      return skipped(name, 'the authorization service does not report whether it is known')
    case 'no device flow':
      return warning(
        name,
        `${clientId} does not allow sign-in with a code`,
        'Run `drv auth login --web`, or enable the device flow in the settings of the app.',
      )
    default: {
      const words = known === 'no' ? 'does not know' : 'has suspended'
      const error = new SetupError(
        'configuration',
        `The authorization service ${words} the client ID ${clientId}.`,
      )
      const advice =
        'Set DRV_CLIENT_ID to the client ID of an app there, or store a personal access token with `drv auth login --with-token`.'
      const check = failed(name, error, advice)
      // With a token, no app is needed until the next sign-in.
      return isNeeded ? check : {...check, state: 'warning'}
    }
  }
}

/** Clock difference in milliseconds that causes a warning. */
const NOTICEABLE = 60_000
/** Clock difference in milliseconds that makes certificates and tokens fail. */
const HARMFUL = 5 * 60_000

/** Compares this clock with a service's: the `date` of its response, which came `between` two times (Unix ms). Pure. */
export function clockCheck(
  date: string | undefined,
  between: readonly [sent: number, answered: number],
): Check {
  const theirs = date === undefined ? NaN : Date.parse(date)
  if (Number.isNaN(theirs)) return skipped('clock', 'the service does not report its time')
  const [sent, answered] = between
  // The header has whole seconds, and was written at some time between the two.
  const ahead = Math.max(0, sent - (theirs + 1000))
  const behind = Math.max(0, theirs - answered)
  const off = Math.max(ahead, behind)
  if (off < NOTICEABLE) return ok('clock', 'agrees with the clock of the service')
  const found = `this clock is ${spoken(off)} ${ahead > 0 ? 'ahead of' : 'behind'} the clock of the service`
  const advice = 'Set the clock of this machine, or turn on time synchronization.'
  return off < HARMFUL
    ? warning('clock', found, advice)
    : {name: 'clock', state: 'failed', found, advice, exit: 'setup'}
}

function spoken(milliseconds: number): string {
  const minutes = Math.round(milliseconds / 60_000)
  if (minutes < 120) return `${minutes} minute${minutes === 1 ? '' : 's'}`
  const hours = Math.round(minutes / 60)
  return hours < 48 ? `${hours} hours` : `${Math.round(hours / 24)} days`
}
