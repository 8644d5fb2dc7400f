import {CHUNK_UNIT} from '#lib/api/wire.js'
import {atHeader, failure} from '#lib/service/errors.js'
import type {ServiceRequest} from '#lib/service/http/message.js'
import type {Progress} from '#lib/service/store/upload-sessions.js'

/** What a request to an upload session comes for. */
export type Step =
  /** To ask how far the upload is; `total` may be news. It `concludes` an upload that is whole. */
  | {readonly kind: 'query'; readonly total?: number; readonly concludes: boolean}
  /** To bring the bytes from `start` up to, not including, `end`: as many as come when that is open. */
  | {
      readonly kind: 'bytes'
      readonly start: number
      readonly end?: number
      /** Of these bytes, those before `aligned` are stored: an odd end of a chunk comes again. */
      readonly aligned?: number
      readonly total?: number
      /** Whether the content is whole with these bytes. */
      readonly isLast: boolean
    }

const FORM = /^bytes\s+(?:(\d+)-(\d+)|\*)\/(\d+|\*)$/i

/**
 * Reads the step off a request's `Content-Range` and `Content-Length` (reference: protocols.md,
 * section 1, Resumable session). Throws 400 for a step that does not fit what was said before.
 */
export function readStep(
  contentRange: string | undefined,
  length: number | undefined,
  {received, total}: Progress,
): Step {
  if (contentRange === undefined) return wholeContent(length, {received, total})
  const [match, first, last, named] = FORM.exec(contentRange.trim()) ?? []
  if (match === undefined) {
    throw invalidRange(`it must look like bytes 0-99/1000 or bytes */1000, not ${contentRange}`)
  }
  const namedTotal = named === '*' ? undefined : Number(named)
  if (namedTotal !== undefined && total !== undefined && namedTotal !== total) {
    throw invalidRange(`the total was ${total} bytes before, and is ${namedTotal} now`)
  }
  const whole = namedTotal ?? total
  if (whole !== undefined && whole < received) {
    throw invalidRange(`the total is ${whole} bytes, but ${received} bytes are stored already`)
  }
  if (first === undefined) {
    if (length) throw invalidRange('a query of the state has no body')
    return {kind: 'query', total: namedTotal, concludes: received === whole}
  }
  const start = Number(first)
  const end = Number(last) + 1
  if (end <= start) throw invalidRange('it ends before it starts')
  if (whole !== undefined && end > whole) throw invalidRange(`it goes beyond the total of ${whole}`)
  if (length !== undefined && length !== end - start) throw wrongCount(length, start, end)
  if (start > received) {
    throw invalidRange(`it starts at byte ${start}, but the next byte to send is ${received}`)
  }
  const isLast = end === whole
  return {
    kind: 'bytes',
    start,
    end,
    aligned: isLast ? end : alignedDown(end),
    total: namedTotal,
    isLast,
  }
}

/** The largest multiple of the chunk unit that is not above `count`. */
export function alignedDown(count: number): number {
  return count - (count % CHUNK_UNIT)
}

/** 400: the body is not as long as the request said. */
export function wrongCount(count: number, start: number, end: number) {
  return failure(
    400,
    'badRequest',
    `Invalid request. There were ${count} byte(s) in the request body. There should have been ` +
      `${end - start} byte(s) (starting at offset ${start} and ending at offset ${end - 1}) ` +
      'according to the Content-Range header.',
  )
}

/** A request without `Content-Range` brings everything. */
function wholeContent(length: number | undefined, {received, total}: Progress): Step {
  if (length !== undefined && total !== undefined && length !== total) {
    throw wrongCount(length, 0, total)
  }
  if (length !== undefined && length < received) {
    throw invalidRange(`${received} bytes are stored already, more than the ${length} of the body`)
  }
  const end = length ?? total
  return {kind: 'bytes', start: 0, end, aligned: end, total: length, isLast: true}
}

/** The number of bytes in a header; `undefined` where it is missing. Throws 400 for what is no number. */
export function readSize(headers: ServiceRequest['headers'], name: string): number | undefined {
  const text = headers[name.toLowerCase()]?.trim()
  if (text === undefined) return undefined
  if (/^\d+$/.test(text)) return Number(text)
  throw failure(400, 'badRequest', `${name} must be a number of bytes.`, atHeader(name))
}

/** The length of a request's body in bytes; `undefined` where only its end will tell. */
export function contentLength({headers}: ServiceRequest): number | undefined {
  const length = headers['content-length']
  if (length !== undefined) return Number(length)
  return headers['transfer-encoding'] === undefined ? 0 : undefined
}

/** The headers of every response of a session. */
export function sessionHeaders(id: string): Record<string, string> {
  return {'X-GUploader-UploadID': id}
}

function invalidRange(what: string) {
  return failure(
    400,
    'badRequest',
    `The upload cannot go on like this: ${what}.`,
    atHeader('Content-Range'),
  )
}
