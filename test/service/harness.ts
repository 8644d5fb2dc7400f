import {mkdtemp, rm} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {type ScopeName, scopes} from '#lib/api/description/scopes.js'
import {createService, type Service, type ServiceOptions} from '#lib/service/index.js'
import {appById, createApp} from '#lib/service/oauth/store/apps.js'
import {mintToken} from '#lib/service/oauth/tokens/mint-token.js'
import {ensureUser} from '#lib/service/store/users.js'

/** What a request carries besides its method and path. */
export interface RequestOptions {
  /** A token's text, or `null` for a request without one; a token of the user `local` by default. */
  readonly token?: string | null
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  /** An object goes as JSON, anything else as it is. */
  readonly body?: unknown
}

/** A running service over a data directory of its own, with a clock that stands until it is moved. */
export interface TestService extends Service {
  readonly directory: string
  /** Unix ms; set it to move the time. */
  readonly clock: {now: number}
  /** A new token of a user, who is made where there is none: full access unless scopes are named. */
  token(login?: string, names?: readonly ScopeName[], clientId?: string): string
  /** `path` is below `/drive/v2/`, starts with a slash, or is a whole address. Redirects are not followed. */
  send(method: string, path: string, options?: RequestOptions): Promise<Response>
  /** Sends and reads the JSON of the answer; an answer without a body is `undefined`. */
  json(method: string, path: string, options?: RequestOptions): Promise<Answer>
}

type Body = NonNullable<NonNullable<Parameters<typeof fetch>[1]>['body']>

export interface Answer {
  readonly status: number
  readonly headers: Headers

  readonly body: any
}

/** Starts a service; `close()` ends it and removes its directory, but for one that was given. */
export async function startTestService(
  options: Partial<Omit<ServiceOptions, 'clock'>> & {now?: number} = {},
): Promise<TestService> {
  const {now = Date.UTC(2026, 10, 21, 9, 30), ...rest} = options
  const directory = rest.data ?? (await mkdtemp(join(tmpdir(), 'drv-')))
  const clock = {now}
  const service = await createService({
    // What else is written to the disk meanwhile is none of a test's business.
    freeSpace: () => 2 ** 40,
    ...rest,
    data: directory,
    clock: () => clock.now,
  })
  const token: TestService['token'] = (
    login = 'local',
    names = ['drive', 'drive.appdata'],
    clientId,
  ) => {
    const {store} = service
    if (clientId !== undefined && !appById(store, clientId)) {
      createApp(store, {clientId, name: clientId, isPublic: true}, clock.now)
    }
    const user = ensureUser(store, login, clock.now)
    return mintToken(store, {user, clientId, scopes: scopes(...names)}, clock.now)
  }
  const standard = token()

  const send: TestService['send'] = (method, path, {token, query, headers, body} = {}) => {
    const url = new URL(/^(\/|http:)/.test(path) ? path : `/drive/v2/${path}`, service.url)
    for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value)
    const isRaw =
      typeof body === 'string' || body instanceof Uint8Array || body instanceof ReadableStream
    return fetch(url, {
      method,
      redirect: 'manual',
      headers: {
        ...(token !== null && {authorization: `Bearer ${token ?? standard}`}),
        ...(body !== undefined && !isRaw && {'content-type': 'application/json'}),
        ...headers,
      },
      body: body === undefined ? undefined : isRaw ? (body as Body) : JSON.stringify(body),
      ...(body instanceof ReadableStream && {duplex: 'half'}),
    })
  }

  return {
    ...service,
    directory,
    clock,
    token,
    send,
    async json(method, path, options) {
      const response = await send(method, path, options)
      const text = await response.text()
      const body: unknown = text === '' ? undefined : JSON.parse(text)
      return {status: response.status, headers: response.headers, body}
    },
    async close() {
      await service.close()
      if (rest.data === undefined) await rm(directory, {recursive: true, force: true})
    },
  }
}
