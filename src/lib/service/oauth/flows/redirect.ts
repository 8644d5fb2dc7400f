import {parseUrl} from '#lib/platform/values.js'
const LOOPBACK = ['127.0.0.1', '[::1]', 'localhost']

/**
 * Whether an app may have users sent to this address, given its callback URL: same scheme, host
 * (or a sub-domain) and port, and the callback's path or one below it. Among loopback addresses
 * the port is free (spec: authorization.md, Redirect rules).
 */
export function isRedirectAllowed(callback: string, requested: string): boolean {
  const from = parse(callback)
  const to = parse(requested)
  if (!from || !to || from.protocol !== to.protocol) return false
  if (to.username || to.password || to.hash) return false
  return sameHost(from, to) && isBelow(from.pathname, to.pathname)
}

/** Whether an app can have this as its callback URL. */
export function isCallbackUrl(address: string): boolean {
  return isRedirectAllowed(address, address)
}

function sameHost(from: URL, to: URL): boolean {
  if (LOOPBACK.includes(from.hostname) && LOOPBACK.includes(to.hostname)) return true
  const within = from.hostname !== '' && to.hostname.endsWith(`.${from.hostname}`)
  return from.port === to.port && (from.hostname === to.hostname || within)
}

/** By whole segments: `/path` holds `/path/more` but not `/pathology`. */
function isBelow(path: string, requested: string): boolean {
  const base = path.replace(/\/$/, '')
  return requested === base || requested.startsWith(`${base}/`)
}

/** An address with these parameters behind those it has. Values are percent-encoded, so that they come back byte for byte. */
export function withQuery(
  address: string,
  parameters: Readonly<Record<string, string | undefined>>,
): string {
  const url = new URL(address)
  const added = Object.entries(parameters)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(value!)}`)
  url.search = [...(url.search.length > 1 ? [url.search.slice(1)] : []), ...added].join('&')
  return url.href
}

/** Whether a browser, and not some program on the user's machine, takes this address. */
export function isHttp(address: string): boolean {
  return /^https?:/i.test(address)
}

/** `undefined` also for what is no place to go but a script or a document of its own. */
function parse(address: string): URL | undefined {
  const url = parseUrl(address)
  if (!url) return undefined
  return ['javascript:', 'data:', 'blob:', 'file:', 'vbscript:'].includes(url.protocol)
    ? undefined
    : url
}
