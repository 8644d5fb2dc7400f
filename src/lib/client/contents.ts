import type {OperationId} from '#lib/api/operations.js'
import {printable} from '#lib/platform/sanitize.js'
import {requestOf} from './calls.js'
import type {CallInput, IncomingContent, RangeInput} from './client.js'
import {ProtocolError} from './errors.js'
import type {Sender} from './request.js'
import {announcedSize, contentChunks, discardBody} from './transport/incoming.js'

/** Content from the service, whole or from some byte on (reference: protocols.md, section 3). */

/**
 * Requests content; returns as soon as the response begins. With `range` it is requested once, without as often as
 * the retry policy says. Where the service gives no parts, or has other content by now, all comes instead.
 */
export function downloadContent(
  sender: Sender,
  id: OperationId,
  input: CallInput,
  range?: RangeInput,
): Promise<IncomingContent> {
  const method = sender.operation(id)
  // Who answers with JSON as well has to be asked for the content.
  const params = method.response ? {...input.params, alt: 'media'} : input.params
  const ask = async () => {
    const request = requestOf(sender.baseUrl, method, {...input, params})
    const response = await sender.send({
      ...request,
      headers: range && rangeHeaders(range),
      content: true,
    })
    const {status, headers} = response
    const packing = headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
    if (packing !== 'identity') {
      discardBody(response)
      throw new ProtocolError(
        `${new URL(request.url).host} sent the content packed as ${printable(packing, 40)}, which it was asked not to do. Something on the way may change what the service sends.`,
      )
    }
    const start = status === 206 ? firstByte(headers['content-range']) : 0
    if (start !== 0 && start !== range?.start) {
      discardBody(response)
      throw new ProtocolError(
        `${new URL(request.url).host} sent another part of the content than it was asked for.`,
      )
    }
    const size = announcedSize(response)
    return {
      stream: contentChunks(response, sender.reading(request.url)),
      cancel: () => discardBody(response),
      size,
      start,
      mimeType: headers['content-type'],
      etag: headers.etag,
    }
  }
  // Whoever asks for parts goes on after faults of the body as well, and counts them together.
  return range ? ask() : sender.retry({repeat: 'safe'}, ask)
}

function rangeHeaders({start, etag}: RangeInput): Record<string, string> {
  if (start === 0) return {}
  return {range: `bytes=${start}-`, ...(etag !== undefined && {'if-range': etag})}
}

/** The first byte of a part; -1 for a header that says nothing of it. */
function firstByte(contentRange: string | undefined): number {
  const first = /^\s*bytes\s+(\d+)-\d+\/(\d+|\*)\s*$/i.exec(contentRange ?? '')?.[1]
  return first === undefined ? -1 : Number(first)
}
