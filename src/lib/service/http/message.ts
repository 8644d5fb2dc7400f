import type {Socket} from 'node:net'
import type {Readable} from 'node:stream'

/** A request from a connection or from a part of a batch. */
export interface ServiceRequest {
  /** In upper case. */
  readonly method: string
  /** Includes the origin that the client connected to. */
  readonly url: URL
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Readable
  /** Where the request came from, for counting failed sign-ins. */
  readonly remoteAddress: string
  /** The connection; `undefined` for a part of a batch. */
  readonly socket?: Socket
}

/** The URL of a request to `origin`, without a slash at the end of the path, which the public service ignores too. */
export function incomingUrl(origin: string, address: string): URL {
  const url = new URL(origin + address)
  if (url.pathname.length > 1 && url.pathname.endsWith('/')) {
    url.pathname = url.pathname.slice(0, -1)
  }
  return url
}

/**
 * The method of a request, in upper case. `X-HTTP-Method-Override` replaces POST, for clients behind
 * proxies that allow only GET and POST.
 */
export function effectiveMethod({method, headers}: ServiceRequest): string {
  const override = headers['x-http-method-override']
  return method === 'POST' && override !== undefined ? override.trim().toUpperCase() : method
}

/** The entries of a header such as `Accept`, in lower case, with weights from 0 to 1 (RFC 9110, section 12.4.2). */
export function weightedList(header = ''): Array<readonly [name: string, weight: number]> {
  return header.split(',').map(part => {
    const [name = '', ...parameters] = part.split(';').map(text => text.trim().toLowerCase())
    const weight = parameters.find(text => text.startsWith('q='))
    return [name, weight === undefined ? 1 : Number(weight.slice(2)) || 0]
  })
}

export interface ServiceResponse {
  readonly status: number
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  /** For a stream, `headers` must contain the length if it is known. */
  readonly body?: string | Buffer | Readable
}

/** Maximum size of a JSON or form body, in bytes. */
export const BODY_LIMIT = 16 * 1024 * 1024

/** Thrown by `readBody` for a body above the limit. */
export class BodyTooLarge extends Error {}

/** Reads a whole body. Throws `BodyTooLarge` above `limit` bytes. */
export async function readBody(body: Readable, limit = BODY_LIMIT): Promise<Buffer> {
  // Keep the connection open after refusing a body: the response still has to be sent.
  const chunks = body.iterator({destroyOnReturn: false}) as AsyncIterable<Buffer>
  return concatChunks(chunks, limit, () => new BodyTooLarge())
}

/** Concatenates pieces. Throws the error of `tooLarge` above `limit` bytes. */
export async function concatChunks(
  pieces: AsyncIterable<Buffer>,
  limit: number,
  tooLarge: () => Error,
): Promise<Buffer> {
  const all: Buffer[] = []
  let size = 0
  for await (const piece of pieces) {
    size += piece.length
    if (size > limit) throw tooLarge()
    all.push(piece)
  }
  return Buffer.concat(all)
}

/**
 * Whether an `If-Match` or `If-None-Match` header contains this entity tag (reference: protocols.md,
 * section 3, ETag preconditions). `*` matches every tag; weak and strong tags compare equal.
 */
export function namesTag(header: string, tag: string): boolean {
  if (header.trim() === '*') return true
  const tags = header.match(/(?:W\/)?"[^"]*"/g) ?? [header.trim()]
  return tags.some(named => strong(named) === strong(tag))
}

function strong(tag: string): string {
  return tag.startsWith('W/') ? tag.slice(2) : tag
}
