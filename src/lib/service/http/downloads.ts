import {encodeSegment} from '#lib/api/url-paths.js'
import type {Content} from '#lib/service/call.js'
import {atHeader, failure} from '#lib/service/errors.js'
import {storedOf} from '#lib/service/store/content/damage.js'
import type {Store} from '#lib/service/store/index.js'
import {namesTag} from './conditions.js'
import type {ServiceResponse} from './message.js'

/**
 * Bytes as an answer: whole, a range of them, or not changed (reference: protocols.md, section 3).
 * Throws 416 `requestedRangeNotSatisfiable`.
 */
export function contentResponse(
  store: Store,
  {content, mimeType, filename, etag}: Content,
  request: Readonly<Record<string, string | undefined>>,
): ServiceResponse {
  const text = 'text' in content ? Buffer.from(content.text) : undefined
  const size = 'text' in content ? text!.length : content.size
  const shared = {
    'Accept-Ranges': 'bytes',
    'Cache-Control': 'private, max-age=0, must-revalidate',
    ETag: etag,
  }
  const noneMatch = request['if-none-match']
  if (noneMatch !== undefined && namesTag(noneMatch, etag)) return {status: 304, headers: shared}

  const ifRange = request['if-range']
  const isSame = ifRange === undefined || ifRange.trim() === etag
  const range = requestedRange(isSame ? request.range : undefined, size)
  if (range === 'unsatisfiable') {
    throw failure(
      416,
      'requestedRangeNotSatisfiable',
      'Requested range not satisfiable',
      atHeader('Range'),
      {'Content-Range': `bytes */${size}`},
    )
  }
  const {start, end} = range ?? {start: 0, end: size - 1}
  return {
    status: range ? 206 : 200,
    headers: {
      ...shared,
      'Content-Type': safeType(mimeType),
      'Content-Length': String(end - start + 1),
      'Content-Disposition': contentDisposition(filename),
      ...(range && {'Content-Range': `bytes ${start}-${end}/${size}`}),
    },
    // An empty range cannot be asked of a file.
    body:
      'blobId' in content && size > 0
        ? store.content.read(storedOf(content), {start, end})
        : (text?.subarray(start, end + 1) ?? ''),
  }
}

/**
 * Which part of `size` bytes, its last one included, a `Range` header asks for (reference: protocols.md, section 3).
 * `undefined` means all of it: there is no header, it is malformed, or it asks for several parts.
 * `unsatisfiable` means none of the bytes asked for are there (416).
 */
function requestedRange(
  header: string | undefined,
  size: number,
): {readonly start: number; readonly end: number} | 'unsatisfiable' | undefined {
  const [, first, last] = /^\s*bytes\s*=\s*(\d*)\s*-\s*(\d*)\s*$/i.exec(header ?? '') ?? []
  if (first === undefined || last === undefined) return undefined
  if (first === '') {
    if (last === '') return undefined
    const length = Math.min(Number(last), size)
    return length === 0 ? 'unsatisfiable' : {start: size - length, end: size - 1}
  }
  const start = Number(first)
  if (last !== '' && Number(last) < start) return undefined
  if (start >= size) return 'unsatisfiable'
  return {start, end: last === '' ? size - 1 : Math.min(Number(last), size - 1)}
}

/**
 * Tells a browser to save the bytes under this name, whatever characters it has (RFC 6266): a
 * plain form for old readers and the exact one in UTF-8.
 */
export function contentDisposition(filename: string): string {
  const plain = filename.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  const exact =
    plain === filename ? '' : `; filename*=UTF-8''${encodeSegment(wellFormed(filename))}`
  return `attachment; filename="${plain}"${exact}`
}

/** A lone half of a surrogate pair has no UTF-8. */
function wellFormed(text: string): string {
  return Buffer.from(text).toString()
}

/** A type that a header can carry: what a file claims to be comes from outside. */
function safeType(mimeType: string): string {
  return /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(\s*;[\x20-\x7e]*)?$/.test(mimeType)
    ? mimeType
    : 'application/octet-stream'
}
