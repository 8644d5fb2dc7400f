import {atHeader, failure} from '#lib/service/errors.js'
import type {ServiceRequest} from '#lib/service/http/message.js'
import {mediaType} from '#lib/service/http/multipart.js'
import type {Progress} from '#lib/service/store/upload-sessions.js'
import {
  alignedDown,
  contentLength,
  readSize,
  sessionHeaders,
  type UploadAction,
  type UploadProtocol,
  wrongCount,
} from './upload-protocol.js'

/**
 * The protocol of `uploadType=resumable` (reference: protocols.md, section 1, Resumable session).
 * `Content-Range` has the position of the sent bytes, and the response 308 the number of stored bytes.
 */
export function rangeProtocol(request: ServiceRequest): UploadProtocol {
  const {headers, method} = request
  return {
    announced: () => ({
      size: readSize(headers, 'X-Upload-Content-Length'),
      mimeType: mediaType(headers['x-upload-content-type']),
    }),
    startsWithContent: () => false,
    started: (id, address) => ({
      status: 200,
      headers: {
        ...sessionHeaders(id),
        Location: `${address}?uploadType=resumable&upload_id=${id}`,
      },
      body: '',
    }),
    cancels: () => method === 'DELETE',
    canceled: id => ({status: 499, headers: sessionHeaders(id), body: ''}),
    step: progress => readStep(headers['content-range'], contentLength(request), progress),
    incomplete(id, received) {
      const plain = headers['x-guploader-no-308']?.toLowerCase() === 'yes'
      return {
        status: plain ? 200 : 308,
        headers: {
          ...sessionHeaders(id),
          ...(received > 0 && {Range: `bytes=0-${received - 1}`}),
          ...(plain && {'X-HTTP-Status-Code-Override': '308'}),
        },
        body: '',
      }
    },
    finished: response => response,
    refused: error => error,
  }
}

const FORM = /^bytes\s+(?:(\d+)-(\d+)|\*)\/(\d+|\*)$/i

/**
 * The step in the `Content-Range` and `Content-Length` of a request (reference: protocols.md, section
 * 1, Resumable session). Throws 400 if it contradicts the session.
 */
function readStep(
  contentRange: string | undefined,
  length: number | undefined,
  {received, total}: Progress,
): UploadAction {
  if (contentRange === undefined) return wholeContent(length, {received, total})
  const [match, first, last, named] = FORM.exec(contentRange.trim()) ?? []
  if (match === undefined) {
    throw invalidRange(
      `${contentRange} must have a form such as "bytes 0-99/1000" or "bytes */1000"`,
    )
  }
  const namedTotal = named === '*' ? undefined : Number(named)
  if (namedTotal !== undefined && total !== undefined && namedTotal !== total) {
    throw invalidRange(`the total is ${namedTotal} bytes, but was ${total} bytes before`)
  }
  const whole = namedTotal ?? total
  if (whole !== undefined && whole < received) {
    throw invalidRange(`the total is ${whole} bytes, but ${received} bytes are already stored`)
  }
  if (first === undefined) {
    if (length) throw invalidRange('a status query cannot have a body')
    return {kind: 'query', total: namedTotal, concludes: received === whole}
  }
  const start = Number(first)
  const end = Number(last) + 1
  if (end <= start) throw invalidRange('the range ends before it starts')
  if (whole !== undefined && end > whole) {
    throw invalidRange(`the range exceeds the total of ${whole} bytes`)
  }
  if (length !== undefined && length !== end - start) throw wrongCount(length, start, end)
  if (start > received) {
    throw invalidRange(
      `the range starts at byte ${start}, but the next byte to send is ${received}`,
    )
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

/** The step of a request without `Content-Range`, whose body is the whole content. */
function wholeContent(length: number | undefined, {received, total}: Progress): UploadAction {
  if (length !== undefined && total !== undefined && length !== total) {
    throw wrongCount(length, 0, total)
  }
  if (length !== undefined && length < received) {
    throw invalidRange(`the body has ${length} bytes, but ${received} bytes are already stored`)
  }
  const end = length ?? total
  return {kind: 'bytes', start: 0, end, aligned: end, total: length, isLast: true}
}

function invalidRange(reason: string) {
  return failure(400, 'badRequest', `Invalid Content-Range: ${reason}.`, atHeader('Content-Range'))
}
