import type {OperationId} from '#lib/api/operations.js'
import {printable} from '#lib/platform/sanitize.js'
import {buildRequest} from './calls.js'
import type {CallInput, IncomingContent, RangeInput} from './client.js'
import {ProtocolError} from './errors.js'
import type {Sender} from './request.js'
import {announcedSize, contentChunks, discardBody} from './transport/incoming.js'

/** Downloads content, whole or from an offset (reference: protocols.md, section 3). */

/**
 * Requests content and returns when the response begins. With `range` the request is sent once, otherwise it is
 * retried. If the service does not support ranges or the content has changed, all content comes instead.
 */
export function downloadContent(
  sender: Sender,
  id: OperationId,
  input: CallInput,
  range?: RangeInput,
): Promise<IncomingContent> {
  const method = sender.operation(id)
  // An operation that can return JSON sends content only with alt=media.
  const params = method.response ? {...input.params, alt: 'media'} : input.params
  const ask = async () => {
    const request = buildRequest(sender.baseUrl, method, {...input, params})
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
        `${new URL(request.url).host} sent compressed content (${printable(packing, 40)}), although drv asked for uncompressed content. A proxy may be changing the response.`,
      )
    }
    const start = status === 206 ? firstByte(headers['content-range']) : 0
    if (start !== 0 && start !== range?.start) {
      discardBody(response)
      throw new ProtocolError(
        `${new URL(request.url).host} sent a different range of the content than requested.`,
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
  // With a range the caller retries, and counts failures of the body too.
  return range ? ask() : sender.retry({repeat: 'safe'}, ask)
}

function rangeHeaders({start, etag}: RangeInput): Record<string, string> {
  if (start === 0) return {}
  return {range: `bytes=${start}-`, ...(etag !== undefined && {'if-range': etag})}
}

/** Offset of the first byte of a range; -1 for a missing or invalid header. */
function firstByte(contentRange: string | undefined): number {
  const first = /^\s*bytes\s+(\d+)-\d+\/(\d+|\*)\s*$/i.exec(contentRange ?? '')?.[1]
  return first === undefined ? -1 : Number(first)
}
