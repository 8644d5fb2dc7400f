import type {IncomingMessage} from 'node:http'
import {serve} from './serve.js'

/** A proxy in front of a service that counts the requests, and the changes in them. */
export interface ChangeProxy {
  readonly url: string
  /** The requests so far, as `GET /drive/v2/about`. */
  readonly requests: string[]
  /** The changes so far; those in batches are counted one by one. */
  readonly changes: string[]
}

/** Lines of requests that change something. Reserving IDs is a GET. */
const CHANGES = /^(POST|PUT|PATCH|DELETE) \S+/gm

/** Headers that concern one connection only. */
const OWN = ['host', 'connection', 'transfer-encoding', 'content-encoding', 'content-length']

/**
 * Starts the proxy, which ends with the test. `isLost`: whether the response to a request never arrives. `refused` has
 * the IDs of items that cannot be changed: their requests concern the root folder instead.
 */
export async function startChangeProxy(
  target: string,
  isLost: (request: string) => boolean = () => false,
  refused: ReadonlySet<string> = new Set(),
): Promise<ChangeProxy> {
  const requests: string[] = []
  const changes: string[] = []
  const {url} = await serve((message, response) => {
    void (async () => {
      const {method = '', url: path = ''} = message
      const body = Buffer.from(refuse(await text(message), refused), 'latin1')
      const line = refuse(`${method} ${path}`, refused)
      requests.push(line)
      const isBatch = path.includes('/batch')
      changes.push(...((isBatch ? body.toString('latin1') : line).match(CHANGES) ?? []))
      const answer = await fetch(target + line.slice(method.length + 1), {
        method,
        headers: passed(Object.entries(message.headers) as Array<[string, string]>),
        redirect: 'manual',
        ...(body.length > 0 && {body: new Uint8Array(body)}),
      })
      const bytes = Buffer.from(await answer.arrayBuffer())
      if (isLost(line)) return
      response.writeHead(answer.status, {
        ...passed(answer.headers),
        ...(answer.status !== 204 && {'content-length': String(bytes.length)}),
      })
      response.end(bytes)
    })()
  })
  return {url, requests, changes}
}

/** A request or batch in which changes of some items are changes of the root folder. */
function refuse(text: string, refused: ReadonlySet<string>): string {
  return [...refused].reduce((left, id) => {
    const change = new RegExp(`^(PATCH|POST|DELETE) (\\S*)/files/${id}(?![\\w-])`, 'gm')
    return left.replaceAll(change, '$1 $2/files/root')
  }, text)
}

async function text(message: IncomingMessage): Promise<string> {
  return Buffer.concat(await message.toArray()).toString('latin1')
}

function passed(headers: Iterable<readonly [string, string]>): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => !OWN.includes(name)))
}
