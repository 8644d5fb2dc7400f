import type {Socket} from 'node:net'
import type {Readable} from 'node:stream'

/** A request as the parts of the service see it, whoever carried it: a socket or a part of a batch. */
export interface ServiceRequest {
  /** In upper case. */
  readonly method: string
  /** With the origin the caller reached. */
  readonly url: URL
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Readable
  /** Where the request came from, for counting failed sign-ins. */
  readonly remoteAddress: string
  /** The connection, where the request has one of its own. */
  readonly socket?: Socket
}

/** The address of a request, at `origin`. A slash at the end of a path means nothing, as in the public service. */
export function requestUrl(origin: string, address: string): URL {
  const url = new URL(origin + address)
  if (url.pathname.length > 1 && url.pathname.endsWith('/')) {
    url.pathname = url.pathname.slice(0, -1)
  }
  return url
}

/** The method that is meant, in upper case: callers behind proxies that know only GET and POST say it in a header. */
export function wantedMethod({method, headers}: ServiceRequest): string {
  const wish = headers['x-http-method-override']
  return method === 'POST' && wish !== undefined ? wish.trim().toUpperCase() : method
}

/** What a header such as `Accept` lists, in lower case, with weights from 0 to 1 (RFC 9110, section 12.4.2). */
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
  /** A stream is sent with what `headers` says of its length. */
  readonly body?: string | Buffer | Readable
}

/** The most bytes a JSON or form body may have. */
export const BODY_LIMIT = 16 * 1024 * 1024

/** Thrown by `readBody` for a body over the limit. */
export class BodyTooLarge extends Error {}

/** Takes in a small body whole; throws `BodyTooLarge` over `limit` bytes. */
export async function readBody(body: Readable, limit = BODY_LIMIT): Promise<Buffer> {
  // The connection must outlive a body that is refused: the answer goes over it.
  const chunks = body.iterator({destroyOnReturn: false}) as AsyncIterable<Buffer>
  return gather(chunks, limit, () => new BodyTooLarge())
}

/** Puts pieces together; throws what `tooLarge` gives when they have more than `limit` bytes. */
export async function gather(
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
 * Whether the list of entity tags in an `If-Match` or `If-None-Match` header names this one
 * (reference: protocols.md, section 3, ETag preconditions). `*` names any that exists; a weak tag
 * compares equal to the strong one.
 */
export function namesTag(header: string, tag: string): boolean {
  if (header.trim() === '*') return true
  const tags = header.match(/(?:W\/)?"[^"]*"/g) ?? [header.trim()]
  return tags.some(named => strong(named) === strong(tag))
}

function strong(tag: string): string {
  return tag.startsWith('W/') ? tag.slice(2) : tag
}
