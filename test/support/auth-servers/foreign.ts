import {once} from 'node:events'
import {createServer, type RequestListener} from 'node:http'
import type {AddressInfo} from 'node:net'
import {onTestFinished} from 'vitest'
import {openBrowser} from '../person.js'

/**
 * Authorization servers that are none of drv's own, each in front of an embedded file service that
 * takes its tokens (`files.ts`). All of them end with the test.
 */

/** A grant that the token endpoint was asked for. */
export interface Asked {
  readonly grant: string
  readonly form: Readonly<Record<string, string | undefined>>
  /** The error it was refused with. */
  readonly error?: string
}

/** What a test does with such a server, whatever its habits. */
export interface ForeignServer {
  /** For `DRV_AUTH_URL`. */
  readonly issuer: string
  /** For `DRV_BASE_URL`. */
  readonly baseUrl: string
  readonly clientId: string
  readonly clientSecret?: string
  /** The variables of all that. */
  readonly env: Readonly<Record<string, string>>
  /** What the token endpoint was asked for, refusals too, but for polls that wait. */
  readonly asked: readonly Asked[]
  /** How many of them were refreshes that gave tokens. */
  refreshes(): number
  readonly control: Control
  /** Whether the file service takes an access token now. */
  accepts(token: string): Promise<boolean>
  /** Ends every refresh token, as a person does who takes an app's access back. */
  endSignIns(): Promise<void>
  /** Has somebody type a user code and agree, or not. */
  authorizeDevice(address: string, userCode: string, agrees?: boolean): Promise<string>
  /** Has somebody agree in the web flow, or not; answers the page that drv shows at its end. */
  authorizeWeb(address: string, agrees?: boolean): Promise<string>
}

/** What a test changes while the server runs. */
export class Control {
  /** Seconds that the access tokens live which are made from now on. */
  lifetime = 3600
  /** `503`: every endpoint is busy; `reset`: connections break. */
  trouble: '503' | 'reset' | undefined
  /** So many refreshes are done, and their answers lost. */
  lostRefreshes = 0
  /** Waited for before a refresh is looked at; one that fails is never answered. */
  beforeRefresh: () => Promise<void> | void = () => undefined

  private readonly over = new Set<string>()
  private readonly known = new Set<string>()

  /** Notes a token that the file service was shown. */
  isOver(token: string): boolean {
    this.known.add(token)
    return this.over.has(token)
  }

  /** The file service takes none of the access tokens any more that it was shown or that are named. */
  expire(...tokens: readonly string[]): void {
    for (const token of [...this.known, ...tokens]) this.over.add(token)
  }
}

/** Listens on a port of this machine, as `path` of it, until the test ends. */
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

/** Clicks through the pages of a server: fills in what it knows, and presses the button that agrees. */
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
  /** An object goes as JSON. */
  readonly body?: unknown
  readonly type?: string
  readonly location?: string
}

/** A stub that answers as its habits say; it is in trouble where a test wants that. */
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

/** A page with two buttons that comes back to where it is. */
export function consentPage(hidden: Readonly<Record<string, string>>): string {
  const fields = Object.entries(hidden).map(
    ([name, value]) =>
      `<input type="hidden" name="${name}" value="${value.replaceAll('"', '')}" />`,
  )
  return `<form method="post">${fields.join('')}<button name="decision" value="yes">Yes</button></form>`
}
