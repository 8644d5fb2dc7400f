/** Options of the client. */
export interface ClientOptions {
  /** URL of the service without the path of the API (default: the one in the description). */
  baseUrl?: string
  /** An access token, or a function that returns one for each request. It is sent only to baseUrl. */
  token?: string | (() => string | undefined | Promise<string | undefined>)
  /** Replaces the global fetch. It must not follow redirects to another origin with the token. */
  fetch?: typeof globalThis.fetch
}

export interface CallOptions {
  /** Cancels the request when aborted. */
  signal?: AbortSignal
}

/** Options of methods that accept content. It is sent in one request; resumable uploads are not supported. */
export interface UploadOptions extends CallOptions {
  /** The content and its media type. */
  media?: Blob
}

/** An error response, or a response that cannot be read. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  /** The HTTP status, such as 404. */
  readonly status: number
  /** The service's reason, such as notFound; empty without one. */
  readonly reason: string
  /** The response body: parsed JSON, or text. */
  readonly body: unknown

  constructor(status: number, reason: string, message: string, body: unknown) {
    super(message)
    this.status = status
    this.reason = reason
    this.body = body
  }
}

/** A record with fields that this method requires. */
export type With<T, K extends keyof T> = T & Required<Pick<T, K>>

interface Call {
  readonly method: string
  /** Relative to the root URL, without a leading slash; {name} and {+name} are replaced with values. */
  readonly path: string
  /** The path for uploads, and whether a record can be sent with the content. */
  readonly upload?: {readonly path: string; readonly multipart: boolean}
  /** Values that a path parameter must not have, because they would address another method. */
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
    throw new ApiError(response.status, '', 'The response is not valid JSON.', text)
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
    // URLs drop such segments, however they are encoded, and would address another method.
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

/** Encodes all but the unreserved characters of RFC 3986. */
function segment(value: string): string {
  return encodeURIComponent(value).replace(/[!'()*]/g, encoded)
}

/** Keeps reserved characters and existing percent-encoding. */
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

/** JSON for a record, the bytes for content, and multipart/related for both. */
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
  if (!call.upload?.multipart)
    throw new TypeError('This method cannot send content and a record together.')
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
  const message = error?.message ?? 'The service responded with status ' + status + '.'
  return new ApiError(status, reason, message, body ?? text)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
