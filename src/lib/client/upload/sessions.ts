import {plannedRequest} from '#lib/client/calls.js'
import type {Chunk, SessionState, UploadSessions} from '#lib/client/client.js'
import {ProtocolError, ServiceError} from '#lib/client/errors.js'
import {readJsonText, readRecord} from '#lib/client/read-response.js'
import type {Outbound, Sender} from '#lib/client/request.js'
import {redirectWords, REMEDY} from '#lib/client/responses.js'
import {discardBody} from '#lib/client/transport/incoming.js'
import type {HttpResponse} from '#lib/client/transport/transport.js'
import {parseUrl} from '#lib/platform/values.js'

/** Resumable uploads (reference: protocols.md, section 1, Resumable session). */

/** Status of an incomplete upload; not a redirect here. */
const INCOMPLETE = 308
/** Status that confirms that a session was canceled. */
const CANCELLED = 499

export function createSessions(sender: Sender): UploadSessions {
  // Do not use new URL: a path that starts with two slashes would become a host.
  const addressOf = (session: string) =>
    session.startsWith('/') ? new URL(sender.baseUrl).origin + session : session

  /** Reads the body of a response without content, so that its connection can be reused. */
  async function readEmpty(response: HttpResponse, url: string): Promise<void> {
    await readJsonText(response, sender.reading(url))
  }

  async function ask(
    session: string,
    {headers, bytes}: {readonly headers: Outbound['headers']; readonly bytes?: Chunk['bytes']},
  ): Promise<SessionState> {
    const url = addressOf(session)
    const request = {method: 'PUT', url, headers, body: bytes, statuses: [INCOMPLETE]}
    const response = await sender.send(request)
    if (response.status === INCOMPLETE) {
      await readEmpty(response, url)
      return {isDone: false, received: receivedFromRange(response.headers.range)}
    }
    return {isDone: true, record: await readRecord(response, sender.reading(url))}
  }

  return {
    start: (id, input) =>
      // An unused session has no effect, so starting another one is safe.
      sender.retry({repeat: 'safe'}, async () => {
        const method = sender.operation(id)
        const {body, ...planned} = plannedRequest(sender.baseUrl, method, input, 'resumable')
        const response = await sender.send({...planned, body: body && JSON.stringify(body)})
        const session = sessionAddress(response, planned.url)
        await readEmpty(response, planned.url)
        return session
      }),
    status: (session, total) =>
      ask(session, {headers: {'content-length': '0', 'content-range': `bytes */${total ?? '*'}`}}),
    send: (session, chunk) =>
      ask(session, {
        headers: {'content-length': String(chunk.size), ...rangeHeader(chunk)},
        bytes: chunk.bytes,
      }),
    async cancel(session) {
      const url = addressOf(session)
      try {
        await sender.retry({repeat: 'safe'}, async () => {
          const response = await sender.send({method: 'DELETE', url, statuses: [CANCELLED]})
          await readEmpty(response, url)
        })
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error
      }
    },
  }
}

/** Number of bytes that the service has received, from its `Range` header, whose unit may be missing. */
export function receivedFromRange(range: string | undefined): number {
  const last = /^\s*(?:bytes\s*=\s*)?0-(\d+)\s*$/i.exec(range ?? '')?.[1]
  return last === undefined ? 0 : Number(last) + 1
}

/** `Content-Range` for a chunk; an empty chunk only announces the total. */
export function rangeHeader({
  start,
  size,
  total,
}: Pick<Chunk, 'start' | 'size' | 'total'>): Record<string, string> {
  if (size === 0 && start === 0) return {}
  const bytes = size === 0 ? '*' : `${start}-${start + size - 1}`
  return {'content-range': `bytes ${bytes}/${total ?? '*'}`}
}

/** The path of a session, so that it survives a change of port. Throws `ProtocolError` for another origin. */
function sessionAddress(response: HttpResponse, url: string): string {
  const {status, headers} = response
  const {location} = headers
  const session = location === undefined ? undefined : parseUrl(location, url)
  if (session) {
    if (session.origin === new URL(url).origin) return session.pathname + session.search
  }
  discardBody(response)
  const carried = 'your content'
  const words =
    redirectWords(status, headers, url, {carried, remedy: REMEDY, verb: 'directs the upload'}) ??
    'did not return an upload session. Try again later.'
  throw new ProtocolError(`${new URL(url).host} ${words}`)
}
