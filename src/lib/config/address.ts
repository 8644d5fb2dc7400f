import {parseUrl} from '#lib/api/parse-url.js'
import {withoutEndSlashes} from '#lib/api/steps.js'
import {isPrintable, printable} from '#lib/platform/sanitize.js'
import {SetupError} from '#lib/platform/setup-error.js'

/** Addresses of services: which are allowed, and what counts as this very machine. */

/** Whether a URL's host is this machine by its literal address (127.0.0.0/8, ::1) or as `localhost`. */
export function isLoopback(url: URL): boolean {
  const host = url.hostname.toLowerCase()
  return host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host)
}

/**
 * A service's address as everything else uses it: no slash at the end. https, or http on this
 * machine; no credentials, query or fragment. `source` names where it came from: `DRV_BASE_URL`.
 * Throws `SetupError('configuration')` with what is wrong.
 */
export function checkAddress(text: string, source: string): string {
  const fail = (wrong: string) =>
    new SetupError(
      'configuration',
      `${source} ${wrong}. Give it an address such as https://files.example.com.`,
    )
  const shown = withoutSecretParts(text)
  const url = parseUrl(text)
  if (!url) throw fail(`is not an address: "${shown}"`)
  if (url.username || url.password) throw fail('must not hold a user name or password')
  if (url.search || url.hash) throw fail(`must not have a "?" or "#" part: "${shown}"`)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw fail(`must start with https://, not ${printable(url.protocol, 20)}`)
  }
  checkOrigin(url, source)
  return url.origin + withoutEndSlashes(url.pathname)
}

/** A text that is no proper address, for a message: without the parts that may be secret. */
function withoutSecretParts(text: string): string {
  const place = text.replace(/[?#].*$/s, '').replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/is, '$1')
  return printable(place, 100)
}

/** Throws `SetupError('configuration')` for an address that would carry a token in the open. */
export function checkOrigin(url: URL, source: string): void {
  if (url.protocol === 'https:' || isLoopback(url)) return
  throw new SetupError(
    'configuration',
    `${source} would send your token unprotected to ${printable(url.host, 100)}. Use https:// there; http:// is only for this machine.`,
  )
}

/** `webAddress` for an address of at most 2,000 characters that can also be shown as it came. */
export function pageAddress(text: string): string | undefined {
  return isPrintable(text, 2000) ? webAddress(text) : undefined
}

/**
 * An address that a service gave for a person's browser, as the browser understands it: one line of
 * ASCII. `undefined` for anything but http(s), and for one that holds credentials.
 */
export function webAddress(text: string): string | undefined {
  const url = parseUrl(text)
  if (!url) return undefined
  const {protocol, username, password, href} = url
  const isWeb = protocol === 'https:' || protocol === 'http:'
  return isWeb && !username && !password ? href : undefined
}

/** Parameters whose value lets in whoever knows it. */
const SECRETS = /(?<=[?&](?:access_token|oauth_token|upload_id|key|code|client_secret)=)[^&#]+/g

/** An address as it may be shown: without what lets others in. */
export function shownAddress(url: URL): string {
  const shown = new URL(url)
  shown.username = ''
  shown.password = ''
  return shown.href.replace(SECRETS, '***')
}
