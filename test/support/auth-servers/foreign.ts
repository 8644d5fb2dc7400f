import {once} from 'node:events'
import {createServer, type RequestListener} from 'node:http'
import type {AddressInfo} from 'node:net'
import {onTestFinished} from 'vitest'
import {openBrowser} from '../person.js'

/**
 * Authorization servers of other kinds, each in front of a local file service that accepts its tokens
 * (`files.ts`). All of them stop at the end of the test.
 */

/** A request to the token endpoint. */
export interface Asked {
  readonly grant: string
  readonly form: Readonly<Record<string, string | undefined>>
  /** The error of the response. */
  readonly error?: string
}

/** What a test does with such a server, whatever its kind. */
export interface ForeignServer {
  /** For `DRV_AUTH_URL`. */
  readonly issuer: string
  /** For `DRV_BASE_URL`. */
  readonly baseUrl: string
  readonly clientId: string
  readonly clientSecret?: string
  /** The variables for this server. */
  readonly env: Readonly<Record<string, string>>
  /** The requests to the token endpoint, including refused ones, without polls that wait. */
  readonly asked: readonly Asked[]
  /** The number of refreshes that returned tokens. */
  refreshes(): number
  readonly control: Control
  /** Whether the file service accepts an access token now. */
  accepts(token: string): Promise<boolean>
  /** Revokes every refresh token, as a user does who revokes the access of an app. */
  endSignIns(): Promise<void>
  /** Enters a user code as a user, and authorizes or denies it. */
  authorizeDevice(address: string, userCode: string, agrees?: boolean): Promise<string>
  /** Authorizes or denies the web flow as a user; returns the final page of drv. */
  authorizeWeb(address: string, agrees?: boolean): Promise<string>
}

/** Options that a test changes while the server runs. */
export class Control {
  /** Lifetime in seconds of access tokens issued from now on. */
  lifetime = 3600
  /** `503`: every endpoint is busy; `reset`: connections are reset. */
  trouble: '503' | 'reset' | undefined
  /** The number of refreshes that succeed, but whose responses are lost. */
  lostRefreshes = 0
  /** Awaited before a refresh is handled; if it rejects, the refresh gets no response. */
  beforeRefresh: () => Promise<void> | void = () => undefined

  private readonly over = new Set<string>()
  private readonly known = new Set<string>()

  /** Records a token that the file service has received. */
  isOver(token: string): boolean {
    this.known.add(token)
    return this.over.has(token)
  }

  /** The file service rejects all access tokens that it has received so far, and the named ones. */
  expire(...tokens: readonly string[]): void {
    for (const token of [...this.known, ...tokens]) this.over.add(token)
  }
}

/** Listens on a port of this machine, below `path`, until the test ends. */
export async function listen(answer: (url: string) => RequestListener): Promise<string> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  server.on('request', answer(url))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return url
}

/** Clicks through the pages of a server: fills in the known fields, and presses the button that agrees. */
export async function clickThrough(
  address: string,
  values: Readonly<Record<string, string>>,
): Promise<string> {
  const browser = openBrowser()
  let page = await browser.open(address)
  for (let count = 0; count < 10 && /<form\b/i.test(page); count++) {
    page = await browser.submit(browser.address(), page, values)
  }
  return page
}

/** A request to a stub. */
export interface Call {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly form: URLSearchParams
  /** User and password of Basic authentication. */
  readonly basic?: readonly [user: string, password: string]
  readonly accept: string
}

export interface Answer {
  readonly status?: number
  /** An object is sent as JSON. */
  readonly body?: unknown
  readonly type?: string
  readonly location?: string
}

/** A stub that responds according to its options; it fails when a test wants it to. */
export function stub(
  control: Control,
  answer: (call: Call) => Answer | Promise<Answer>,
): RequestListener {
  return (message, reply) => {
    void (async () => {
      if (control.trouble === 'reset') return message.socket.resetAndDestroy()
      const text: Buffer[] = []
      for await (const chunk of message) text.push(chunk as Buffer)
      const {pathname, searchParams} = new URL(message.url ?? '/', 'http://stub.invalid')
      const {accept = '', authorization = ''} = message.headers
      const form = new URLSearchParams(Buffer.concat(text).toString())
      if (form.get('grant_type') === 'refresh_token') await control.beforeRefresh()
      const encoded = /^Basic (\S+)$/.exec(authorization)?.[1]
      const [user = '', password = ''] = Buffer.from(encoded ?? '', 'base64')
        .toString()
        .split(':')
      const called: Call = {
        method: message.method ?? '',
        path: pathname,
        query: searchParams,
        form,
        accept,
        ...(encoded !== undefined && {
          basic: [decodeURIComponent(user), decodeURIComponent(password)] as const,
        }),
      }
      const busy: Answer = {status: 503, body: 'busy', type: 'text/plain'}
      const {
        status,
        body = '',
        type,
        location,
      } = control.trouble === '503' ? busy : await answer(called)
      const isRefresh = form.get('grant_type') === 'refresh_token' && status === undefined
      if (isRefresh && control.lostRefreshes > 0 && !hasError(body)) {
        control.lostRefreshes--
        return message.socket.resetAndDestroy()
      }
      const isText = typeof body === 'string'
      const headers = {
        'content-type': type ?? (isText ? 'text/html' : 'application/json'),
        ...(location !== undefined && {location}),
      }
      reply.writeHead(status ?? (location === undefined ? 200 : 302), headers)
      reply.end(isText ? body : JSON.stringify(body))
    })().catch(() => reply.destroy())
  }
}

function hasError(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'error' in body
}

/** A page with two buttons that redirects back. */
export function consentPage(hidden: Readonly<Record<string, string>>): string {
  const fields = Object.entries(hidden).map(
    ([name, value]) =>
      `<input type="hidden" name="${name}" value="${value.replaceAll('"', '')}" />`,
  )
  return `<form method="post">${fields.join('')}<button name="decision" value="yes">Yes</button></form>`
}
