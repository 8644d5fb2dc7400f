import {Duplex} from 'node:stream'
import {type Connection, openConnection, type PlainRequest} from './connection.js'
import {requestHead} from './head.js'
import {type HttpRequest, lengthOf, type Send} from './transport.js'

/**
 * Many small requests. For one, Node's client takes longer than all else that is done for a small
 * file; here it is one write, and its answer one look. Only plain requests go this way, and only
 * plain answers are understood: all others are left to Node's client, byte for byte as they came.
 */

/**
 * Leaves to `transport` what it does not know. Connections do not keep the process alive. `now` in
 * milliseconds.
 */
export function createQuickTransport(transport: Send, now: () => number): Send {
  /** Those without a request, the last used at the end. */
  const idle = new Map<string, Connection[]>()
  /** Where an answer was not plain: others will not be either, and each would cost a connection. */
  const odd = new Set<string>()
  return async request => {
    const url = new URL(request.url)
    if (!isPlain(request) || odd.has(url.origin)) return transport(request)
    request.signal?.throwIfAborted()
    const connections = idle.get(url.origin) ?? []
    idle.set(url.origin, connections)
    // What cannot be written must not cost a connection.
    const head = headOf(request, url)
    const connection = lastFree(connections) ?? openConnection(url, now)
    const answer = await connection.exchange(head, request)
    if (connection.isFree()) connections.push(connection)
    if (!(answer instanceof Duplex)) return answer
    odd.add(url.origin)
    return transport({...request, connection: answer})
  }
}

/** What asks for packed content is left alone: it is much, as a list is. */
function isPlain(request: HttpRequest): request is PlainRequest {
  const {method, body, decompress, isLarge} = request
  if (isLarge || method === 'HEAD' || (method === 'GET' && decompress)) return false
  return body === undefined || typeof body === 'string' || Buffer.isBuffer(body)
}

function headOf({method, headers, body}: PlainRequest, url: URL): string {
  return requestHead(method, url, {...headers, ...lengthOf(method, headers, body)})
}

function lastFree(connections: Connection[]): Connection | undefined {
  for (;;) {
    const connection = connections.pop()
    if (!connection || connection.isFree()) return connection
    connection.close()
  }
}
