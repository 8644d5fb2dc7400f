/** How to reach the service, and as whom. */
export interface ClientOptions {
  /** Where the service is, without the path of the API; as the description says unless given. */
  baseUrl?: string
  /** An access token, or what finds one before each request. It goes to baseUrl and nowhere else. */
  token?: string | (() => string | undefined | Promise<string | undefined>)
  /** In place of the global fetch. Like that, it must not follow to another origin with the token. */
  fetch?: typeof globalThis.fetch
}

export interface CallOptions {
  /** Ends the request when it is aborted. */
  signal?: AbortSignal
}

/** For methods that take content. It is sent in one request: there are no resumable uploads here. */
export interface UploadOptions extends CallOptions {
  /** The content, with its media type as its type. */
  media?: Blob
}

/** A refusal by the service, or an answer that cannot be read. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  /** The status of HTTP, such as 404. */
  readonly status: number
  /** The service's own word for what is wrong, such as notFound; empty where it has none. */
  readonly reason: string
  /** The whole answer: JSON where it is that, else text. */
  readonly body: unknown

  constructor(status: number, reason: string, message: string, body: unknown) {
    super(message)
    this.status = status
    this.reason = reason
    this.body = body
  }
}

/** A record with fields that this method cannot do without. */
export type With<T, K extends keyof T> = T & Required<Pick<T, K>>

interface Call {
  readonly method: string
  /** Below the root, without a slash in front; {name} and {+name} are filled in. */
  readonly path: string
  /** Where content goes, and whether a record can go with it. */
  readonly upload?: {readonly path: string; readonly multipart: boolean}
  /** What a value of the path must not be, as it would lead to another method. */
  readonly not?: {readonly [name: string]: readonly string[]}
}

export function connect(root: string, options: ClientOptions) {
  const fetch = options.fetch ?? globalThis.fetch
  const base = new URL(options.baseUrl ?? root).href.replace(/\/*$/, '/')

  async function send(
    call: Call,
    parameters: object = {},
    {signal, media}: UploadOptions = {},
    body?: unknown,
    query: {readonly [name: string]: string} = {},
  ): Promise<Response> {
    const content = contentOf(call, body, media)
    const path = media && call.upload ? call.upload.path : call.path
    const url = addressOf(base, path, call.not, {...parameters, ...content.query, ...query})
    const token = typeof options.token === 'function' ? await options.token() : options.token
    const response = await fetch(url, {
      method: call.method,
      headers: {...content.headers, ...(token && {authorization: 'Bearer ' + token})},
      ...(content.body !== undefined && {body: content.body}),
      ...(signal && {signal}),
    })
    if (!response.ok) throw errorOf(response.status, await response.text())
    return response
  }

  async function json<T>(
    call: Call,
    parameters?: object,
    options?: UploadOptions,
    body?: unknown,
  ): Promise<T> {
    const response = await send(call, parameters, options, body)
    const text = await response.text()
    const answer = parsed(text)
    if (answer !== undefined) return answer as T
    throw new ApiError(response.status, '', 'The answer is no JSON.', text)
  }

  return {
    json,
    media: (call: Call, parameters?: object, options?: CallOptions, body?: unknown) =>
      send(call, parameters, options, body, {alt: 'media'}),
    async nothing(
      call: Call,
      parameters?: object,
      options?: UploadOptions,
      body?: unknown,
    ): Promise<void> {
      await (await send(call, parameters, options, body)).text()
    },
    async *pages<T extends {nextPageToken?: string}>(
      call: Call,
      parameters: object = {},
      options?: CallOptions,
    ): AsyncGenerator<T, void> {
      let at = parameters
      for (;;) {
        const page = await json<T>(call, at, options)
        yield page
        if (!page.nextPageToken) return
        at = {...parameters, pageToken: page.nextPageToken}
      }
    },
  }
}

function addressOf(base: string, template: string, not: Call['not'], parameters: object): string {
  const values = new Map<string, unknown>(Object.entries(parameters))
  const forbidden = new Map(Object.entries(not ?? {}))
  const used = new Set<string>()
  const path = template.replace(/\{(\+?)([^{}]+)\}/g, (_, plus: string, name: string) => {
    used.add(name)
    const value = String(values.get(name) ?? '')
    const filled = plus ? reserved(value) : segment(value)
    // An address forgets such steps, in whatever way they are written, and leads to another method.
    const isStep = filled.split('/').some(step => /^(\.|%2e){1,2}$/i.test(step))
    if (filled === '' || isStep || forbidden.get(name)?.includes(value)) {
      throw new TypeError(name + ' must not be ' + JSON.stringify(value) + '.')
    }
    return filled
  })
  const url = new URL(base + path)
  if (!url.href.startsWith(base)) throw new TypeError(url.href + ' is not below ' + base + '.')
  for (const [name, given] of values) {
    if (used.has(name)) continue
    for (const value of Array.isArray(given) ? given : [given]) {
      if (value !== undefined && value !== null) url.searchParams.append(name, String(value))
    }
  }
  return url.href
}

/** All but the unreserved characters of RFC 3986 is encoded. */
function segment(value: string): string {
  return encodeURIComponent(value).replace(/[!'()*]/g, encoded)
}

/** Reserved characters stay, and so does what is encoded already. */
function reserved(value: string): string {
  return encodeURI(value)
    .replace(/%5B/g, '[')
    .replace(/%5D/g, ']')
    .replace(/%25([0-9A-Fa-f]{2})/g, '%$1')
}

function encoded(character: string): string {
  return '%' + character.charCodeAt(0).toString(16).toUpperCase()
}

interface Content {
  readonly headers: {readonly [name: string]: string}
  readonly query: {readonly [name: string]: string}
  readonly body?: string | Blob
}

/** A record goes as JSON, content as it is, and both as the two parts of multipart/related. */
function contentOf(call: Call, record: unknown, media: Blob | undefined): Content {
  const json = JSON.stringify(record)
  const jsonType = 'application/json; charset=UTF-8'
  if (!media) {
    if (record === undefined) return {headers: {}, query: {}}
    return {headers: {'content-type': jsonType}, query: {}, body: json}
  }
  const type = media.type || 'application/octet-stream'
  if (record === undefined) {
    return {headers: {'content-type': type}, query: {uploadType: 'media'}, body: media}
  }
  if (!call.upload?.multipart) throw new TypeError('Content and a record cannot go together here.')
  const random = () => Math.random().toString(36).slice(2)
  const boundary = 'part' + random() + random()
  const part = (type: string) => '--' + boundary + '\r\ncontent-type: ' + type + '\r\n\r\n'
  const end = '\r\n--' + boundary + '--\r\n'
  return {
    headers: {'content-type': 'multipart/related; boundary=' + boundary},
    query: {uploadType: 'multipart'},
    body: new Blob([part(jsonType), json, '\r\n', part(type), media, end]),
  }
}

interface Refusal {
  readonly error?: {
    readonly message?: string
    readonly status?: string
    readonly errors?: readonly {readonly reason?: string}[]
  }
}

function errorOf(status: number, text: string): ApiError {
  const body = parsed(text)
  const error = (body as Refusal | null | undefined)?.error
  const reason = error?.errors?.[0]?.reason ?? error?.status ?? ''
  const message = error?.message ?? 'The service answered with status ' + status + '.'
  return new ApiError(status, reason, message, body ?? text)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
