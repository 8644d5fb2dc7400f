import {mkdtemp, rm} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {type ScopeName, scopes} from '#lib/api/description/scopes.js'
import {createService, type Service, type ServiceOptions} from '#lib/service/index.js'
import {appById, createApp} from '#lib/service/oauth/store/apps.js'
import {mintToken} from '#lib/service/oauth/tokens/mint-token.js'
import {ensureUser} from '#lib/service/store/users.js'

/** The parts of a request besides its method and path. */
export interface RequestOptions {
  /** A token, or `null` for none (default: a token of the user `local`). */
  readonly token?: string | null
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  /** Objects are sent as JSON, other values unchanged. */
  readonly body?: unknown
}

/** A running service with its own data directory and a clock that only tests advance. */
export interface TestService extends Omit<Service, 'clock'> {
  readonly directory: string
  /** Unix ms; set it to change the time. */
  readonly clock: {now: number}
  /** A new token of a user, who is created if missing (default scopes: full access). */
  token(login?: string, names?: readonly ScopeName[], clientId?: string): string
  /** `path` is relative to `/drive/v2/`, starts with a slash, or is a complete URL. Does not follow redirects. */
  send(method: string, path: string, options?: RequestOptions): Promise<Response>
  /** Sends a request and parses the JSON response; `undefined` for a response without a body. */
  json(method: string, path: string, options?: RequestOptions): Promise<Answer>
}

type Body = NonNullable<NonNullable<Parameters<typeof fetch>[1]>['body']>

export interface Answer {
  readonly status: number
  readonly headers: Headers

  readonly body: any
}

/** Starts a service. `close()` stops it and deletes its directory unless the caller passed one. */
export async function startTestService(
  options: Partial<Omit<ServiceOptions, 'clock'>> & {now?: number} = {},
): Promise<TestService> {
  const {now = Date.UTC(2026, 10, 21, 9, 30), ...rest} = options
  const directory = rest.data ?? (await mkdtemp(join(tmpdir(), 'drv-')))
  const clock = {now}
  const service = await createService({
    // Other writes to the disk must not affect tests.
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
