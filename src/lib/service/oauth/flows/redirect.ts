import {parseUrl} from '#lib/platform/values.js'
const LOOPBACK = ['127.0.0.1', '[::1]', 'localhost']

/**
 * Whether an app with this callback URL may redirect users to the requested URL. Scheme, host (or a
 * subdomain) and port must match, and the path must be the callback's path or below it. Loopback
 * addresses may use any port (spec: authorization.md, Redirect rules).
 */
export function isRedirectAllowed(callback: string, requested: string): boolean {
  const from = parse(callback)
  const to = parse(requested)
  if (!from || !to || from.protocol !== to.protocol) return false
  if (to.username || to.password || to.hash) return false
  return sameHost(from, to) && isBelow(from.pathname, to.pathname)
}

/** Whether a URL is valid as a callback URL. */
export function isCallbackUrl(address: string): boolean {
  return isRedirectAllowed(address, address)
}

function sameHost(from: URL, to: URL): boolean {
  if (LOOPBACK.includes(from.hostname) && LOOPBACK.includes(to.hostname)) return true
  const isSubdomain = from.hostname !== '' && to.hostname.endsWith(`.${from.hostname}`)
  return from.port === to.port && (from.hostname === to.hostname || isSubdomain)
}

/** Compares whole segments: `/path/more` is below `/path`, but `/pathology` is not. */
function isBelow(path: string, requested: string): boolean {
  const base = path.replace(/\/$/, '')
  return requested === base || requested.startsWith(`${base}/`)
}

/** Appends query parameters to a URL. Values are percent-encoded, so that the app gets them back unchanged. */
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

/** Whether a browser opens this URL itself, rather than another program on the user's machine. */
export function isHttp(address: string): boolean {
  return /^https?:/i.test(address)
}

/** Parses a URL; `undefined` if it is invalid, or has a scheme that runs scripts or opens local documents. */
function parse(address: string): URL | undefined {
  const url = parseUrl(address)
  if (!url) return undefined
  return ['javascript:', 'data:', 'blob:', 'file:', 'vbscript:'].includes(url.protocol)
    ? undefined
    : url
}
