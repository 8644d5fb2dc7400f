import type {IncomingMessage, ServerResponse} from 'node:http'
import {finished, type Readable} from 'node:stream'
import {setImmediate} from 'node:timers/promises'

/** Unread request bodies: a client that is still sending must finish before it reads the response. */

/** The limits for discarding the rest of a request body after an early response. */
export interface DrainLimits {
  /** Bytes. */
  readonly drainBytes: number
  /** In ms. */
  readonly drainTime: number
}

export const DRAIN_LIMITS: DrainLimits = {drainBytes: 64 * 1024 * 1024, drainTime: 5_000}

/**
 * Sends `100 Continue` to a client that waits for it (`Expect: 100-continue`; RFC 9110, section
 * 10.1.1) when the handler first reads the body. A request refused earlier never sends its body.
 */
export function continueWhenRead(message: IncomingMessage, reply: ServerResponse): void {
  const read = message._read.bind(message)
  message._read = size => {
    message._read = read
    if (!reply.headersSent) reply.writeContinue()
    read(size)
  }
}

/** Whether a part of the request's body has not arrived yet. */
export async function isUnread(message: IncomingMessage): Promise<boolean> {
  const {headers} = message
  const hasBody =
    headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
  if (!hasBody || message.complete) return false
  // Bytes that arrived with the headers may be parsed only in the next turn of the event loop.
  await setImmediate()
  return !message.complete
}

/** Reads and discards the rest of a body, up to the limits or until `stop`. Never rejects. */
export function drainBody(
  body: Readable,
  {drainBytes, drainTime}: DrainLimits,
  stop: AbortSignal,
): Promise<void> {
  if (stop.aborted) return Promise.resolve()
  return new Promise(resolve => {
    const end = () => {
      clearTimeout(timer)
      stop.removeEventListener('abort', end)
      body.off('data', count)
      cleanUp()
      resolve()
    }
    let left = drainBytes
    const count = (chunk: Buffer) => {
      left -= chunk.length
      if (left < 0) end()
    }
    const timer = setTimeout(end, drainTime)
    const cleanUp = finished(body, {writable: false}, end)
    stop.addEventListener('abort', end)
    // A remaining `readable` listener of an earlier reader would keep the stream from flowing.
    body.removeAllListeners('readable').on('data', count).resume()
  })
}
