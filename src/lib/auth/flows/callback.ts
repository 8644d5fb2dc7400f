import {createServer, type IncomingMessage, type ServerResponse} from 'node:http'
import type {AddressInfo} from 'node:net'
import {isLoopback} from '#lib/config/address.js'
import {SetupError} from '#lib/platform/setup-error.js'
import {reasonOf} from '#lib/platform/system-errors.js'
import {parseUrl} from '#lib/platform/values.js'

/** The path of the default callback URL. */
const PATH = '/callback'

/** A callback request of the browser. */
export interface Callback {
  readonly query: URLSearchParams
  /** Shows the result in the browser: success, or the error message. */
  answer(problem?: string): Promise<void>
}

/** A server on this machine that receives one callback of the browser. */
export interface CallbackServer {
  readonly redirectUri: string
  /** Rejects with the reason of the signal if that aborts first. */
  readonly callback: Promise<Callback>
  close(): void
}

/**
 * Listens at a free loopback port, or at `url` (spec: authorization.md, Redirect rules), for one callback, then closes.
 * Any other request, or one with another host name, gets a 404.
 */
export async function openCallbackServer(signal: AbortSignal, url?: URL): Promise<CallbackServer> {
  const server = createServer()
  const port = Number(url?.port ?? 0)
  const fixedHost = url && (url.hostname === '[::1]' ? '::1' : '127.0.0.1')
  // Machines without IPv4 have only the IPv6 loopback.
  const host = await listen(server, fixedHost ?? '127.0.0.1', port).catch((error: unknown) => {
    if (url) throw cannotListen(url, error)
    return listen(server, '::1', port)
  })
  const address = server.address() as AddressInfo
  const name = url?.hostname ?? (host === '::1' ? '[::1]' : host)
  const authority = `${name}:${address.port}`
  const path = url?.pathname ?? PATH
  const redirectUri = `http://${authority}${path}`
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  const callback = new Promise<Callback>((resolve, reject) => {
    const onAbort = () => {
      close()
      reject(signal.reason as Error)
    }
    if (signal.aborted) return onAbort()
    signal.addEventListener('abort', onAbort, {once: true})
    let taken = false
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      const url = new URL(request.url ?? '/', 'http://landing.invalid')
      const isIt = request.method === 'GET' && url.pathname === path
      if (taken || !isIt || request.headers.host !== authority) {
        response.writeHead(404, {connection: 'close'}).end()
        return
      }
      taken = true
      server.close()
      resolve({query: url.searchParams, answer: problem => show(response, problem)})
    })
  })
  // Avoids an unhandled rejection if nothing waits for the callback.
  callback.catch(() => undefined)
  return {redirectUri, callback, close}
}

function listen(
  server: ReturnType<typeof createServer>,
  host: string,
  port: number,
): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve(host)
    })
  })
}

/** The error for a callback URL that drv cannot listen at. */
function cannotListen(url: URL, cause: unknown): SetupError {
  return new SetupError(
    'environment',
    `Cannot listen on ${url.host}: ${reasonOf(cause)}. Pass a URL with another port to --callback.`,
    {cause},
  )
}

/**
 * Checks the URL of `--callback`, for servers that compare it with the registered one: http, on this machine, with a
 * port. Throws `SetupError('environment')` for any other.
 */
export function checkCallbackUrl(text: string): URL {
  const url = parseUrl(text)
  const isPlain = url && !url.username && !url.password && !url.search && !url.hash
  if (url?.protocol === 'http:' && isLoopback(url) && url.port !== '' && isPlain) return url
  throw new SetupError(
    'environment',
    'Invalid --callback: must be an http:// URL of this machine with a port and without a query, fragment or user name, such as http://127.0.0.1:8085/callback.',
  )
}

/** Sends the page to the browser; later calls do nothing. */
function show(response: ServerResponse, problem: string | undefined): Promise<void> {
  if (response.headersSent || response.destroyed) return Promise.resolve()
  return new Promise(resolve => {
    response.once('finish', resolve).once('close', resolve)
    response.writeHead(problem === undefined ? 200 : 400, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
      // The address contains the code.
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      connection: 'close',
    })
    response.end(callbackPage(problem))
  })
}

/** The page after sign-in: success, or the error message. */
export function callbackPage(problem: string | undefined): string {
  const [mark, title, words] =
    problem === undefined
      ? ['✓', 'You are signed in', 'You can close this page and return to your terminal.']
      : ['✕', 'Sign-in failed', problem]
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8" />
<meta name="viewport" content="width=device-width" />
<title>${title}</title>
<style>
  body { font: 1.1rem/1.5 system-ui, sans-serif; max-width: 28rem; margin: 20vh auto 0; padding: 0 1rem; text-align: center; color-scheme: light dark }
  .mark { font-size: 3rem; margin: 0; color: ${problem === undefined ? '#1a7f37' : '#cf222e'} }
</style>
<p class="mark" aria-hidden="true">${mark}</p>
<h1>${title}</h1>
<p>${escape(words)}</p>
</html>
`
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)
}
