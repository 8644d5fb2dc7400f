import type {IncomingMessage, ServerResponse} from 'node:http'
import {finished, type Readable} from 'node:stream'
import {setImmediate} from 'node:timers/promises'

/** What of a request has not been read when its answer is made. */

/** How much of a request is taken in that nobody reads, and how long, so that its sender comes to read the answer. */
export interface DrainLimits {
  /** Bytes. */
  readonly drainBytes: number
  /** In ms. */
  readonly drainTime: number
}

export const DRAIN_LIMITS: DrainLimits = {drainBytes: 64 * 1024 * 1024, drainTime: 5_000}

/**
 * Lets a sender who asks whether to go on (`Expect: 100-continue`; RFC 9110, section 10.1.1) do so
 * once somebody reads. One who is refused before has nothing to send.
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
  // What came together with the head may only now be looked at.
  await setImmediate()
  return !message.complete
}

/** Takes in what is left of a body, up to a limit or until `stop`. Never rejects. */
export function drain(
  body: Readable,
  {drainBytes, drainTime}: DrainLimits,
  stop: AbortSignal,
): Promise<void> {
  if (stop.aborted) return Promise.resolve()
  return new Promise(resolve => {
    const end = () => {
      clearTimeout(patience)
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
    const patience = setTimeout(end, drainTime)
    const cleanUp = finished(body, {writable: false}, end)
    stop.addEventListener('abort', end)
    // Whoever read before has stopped, but may still listen, and as long the bytes would not flow.
    body.removeAllListeners('readable').on('data', count).resume()
  })
}
