import {STATUS_CODES} from 'node:http'
import {Readable} from 'node:stream'
import {buffer} from 'node:stream/consumers'
import {setImmediate} from 'node:timers/promises'
import {description} from '#lib/api/description/index.js'
import {parseUrl} from '#lib/platform/values.js'
import {
  badRequest,
  errorBody,
  failure,
  FileServiceError,
  methodNotAllowed,
} from '#lib/service/errors.js'
import {readWhole} from '#lib/service/http/body.js'
import {incomingUrl, type ServiceRequest, type ServiceResponse} from '#lib/service/http/message.js'
import {mediaType, multipartBoundary, multipartParts} from '#lib/service/http/multipart.js'
import {jsonResponse} from '#lib/service/http/respond.js'
import type {Random} from '#lib/service/store/ids.js'

/** Maximum number of calls in a batch, and of characters in the path of a call (reference: protocols.md, section 7). */
const CALL_LIMIT = 100
const PATH_LIMIT = 8000
/** Maximum size in bytes of the request line and headers of a call. */
const HEAD_LIMIT = 64 * 1024
/** Size of the responses in bytes after which the remaining calls of a batch are refused with 429. */
const RESPONSES_LIMIT = 16 * 1024 * 1024

/** Headers of the batch request that do not apply to its calls. */
const OWN_HEADERS = /^(content-.*|host|connection|transfer-encoding|expect|accept-encoding|if-.*)$/

/** The paths that accept batches: the path in the description, and the path that clients of the public service use. */
export const BATCH_PATHS: readonly string[] = [`/${description.batchPath}`, '/batch/drive/v2']

/** A part of a batch: a call, and the Content-ID that its response repeats. */
interface CallPart {
  readonly contentId?: string
  readonly contentType?: string
  readonly content: Buffer
}

interface BatchContext {
  /** Handles a call as if it were sent alone. */
  readonly serve: (call: ServiceRequest) => Promise<ServiceResponse>
  readonly random: Random
}

/**
 * Runs the calls of a batch one after the other, while the response is read. The batch succeeds even
 * if calls fail. Throws 400 for a malformed or too large batch.
 */
export async function batchResponse(
  request: ServiceRequest,
  {serve, random}: BatchContext,
): Promise<ServiceResponse> {
  if (request.method !== 'POST') {
    throw methodNotAllowed(`A batch must be sent with POST, not ${request.method}.`, ['POST'])
  }
  const boundary = multipartBoundary(request.headers['content-type'], 'multipart/mixed')
  if (boundary === undefined) {
    throw badRequest('A batch must have the Content-Type multipart/mixed with a boundary.')
  }
  const parts = await readParts(request, boundary)
  // The boundary is random, so no response can contain it.
  const separator = `batch_${random(16).toString('hex')}`
  return {
    status: 200,
    headers: {'Content-Type': `multipart/mixed; boundary=${separator}`},
    body: Readable.from(respondToAll(request, parts, separator, serve)),
  }
}

async function* respondToAll(
  request: ServiceRequest,
  parts: readonly CallPart[],
  separator: string,
  serve: BatchContext['serve'],
): AsyncGenerator<Buffer, void, undefined> {
  let size = 0
  for (const part of parts) {
    const response = await respondTo(request, part, size, serve).catch(errorResponse)
    const bytes = await bytesOf(part.contentId, response)
    size += bytes.length
    yield Buffer.concat([Buffer.from(`--${separator}\r\n`), bytes, Buffer.from('\r\n')])
    // A call runs synchronously, so other requests get a turn between two calls.
    await setImmediate()
  }
  yield Buffer.from(`--${separator}--\r\n`)
}

/** Responds to a call; `size` is the total size of the earlier responses. Throws `FileServiceError` for an invalid part. */
async function respondTo(
  request: ServiceRequest,
  part: CallPart,
  size: number,
  serve: BatchContext['serve'],
): Promise<ServiceResponse> {
  const call = readCall(request, part)
  if (size < RESPONSES_LIMIT) return serve(call)
  throw failure(
    429,
    'rateLimitExceeded',
    `The earlier responses of this batch exceed ${RESPONSES_LIMIT} bytes. Send this call again in another batch.`,
  )
}

function errorResponse(error: unknown): ServiceResponse {
  if (!(error instanceof FileServiceError)) throw error
  return jsonResponse(error.status, errorBody(error), error.headers)
}

async function readParts(request: ServiceRequest, boundary: string): Promise<CallPart[]> {
  const parts: CallPart[] = []
  const source = Readable.from([await readWhole(request)]).iterator() as AsyncIterator<Buffer>
  for await (const {headers, body} of multipartParts(source, boundary)) {
    const content = await buffer(body)
    if (parts.length === CALL_LIMIT) {
      throw badRequest(`A batch may have at most ${CALL_LIMIT} calls.`)
    }
    parts.push({contentId: headers['content-id'], contentType: headers['content-type'], content})
  }
  if (parts.length === 0) throw badRequest('The batch has no calls.')
  return parts
}

/** Parses the request in a part: request line, headers, blank line, body. Throws 400. */
function readCall(outer: ServiceRequest, {contentType, content}: CallPart): ServiceRequest {
  if (mediaType(contentType) !== 'application/http') {
    throw badRequest('A part of a batch must have the Content-Type application/http.')
  }
  const blank = /\r?\n\r?\n/.exec(content.toString('latin1', 0, HEAD_LIMIT))
  if (!blank && content.length > HEAD_LIMIT) {
    throw badRequest(`The headers of a call may have at most ${HEAD_LIMIT} bytes.`)
  }
  const head = content.subarray(0, blank?.index).toString()
  const body = content.subarray(blank ? blank.index + blank[0].length : content.length)
  const [line = '', ...lines] = head.replace(/^\s+/, '').split(/\r?\n/)
  const [, method, address] = /^([A-Za-z]+) (\S+)(?: HTTP\/\d(?:\.\d)?)?\s*$/.exec(line) ?? []
  if (!method || !address) {
    throw badRequest(
      'A part of a batch must start with a request line such as GET /drive/v2/about.',
    )
  }
  if (address.length > PATH_LIMIT) {
    throw badRequest(`The path of a call may have at most ${PATH_LIMIT} characters.`)
  }
  if (!address.startsWith('/')) {
    throw badRequest(`The path of a call must start with a slash: ${address}.`)
  }
  const own = Object.fromEntries(
    lines.flatMap(text => {
      const colon = text.indexOf(':')
      return colon > 0
        ? [[text.slice(0, colon).trim().toLowerCase(), text.slice(colon + 1).trim()] as const]
        : []
    }),
  )
  const shared = Object.entries(outer.headers).filter(([name]) => !OWN_HEADERS.test(name))
  if (!parseUrl(outer.url.origin + address)) {
    throw badRequest(`The path of a call is not valid: ${address}.`)
  }
  return {
    method: method.toUpperCase(),
    url: incomingUrl(outer.url.origin, address),
    headers: {...Object.fromEntries(shared), ...own, 'content-length': String(body.length)},
    body: Readable.from(body.length > 0 ? [body] : []),
    remoteAddress: outer.remoteAddress,
  }
}

async function bytesOf(contentId: string | undefined, response: ServiceResponse): Promise<Buffer> {
  const {status, headers = {}, body = ''} = response
  const bytes = body instanceof Readable ? await buffer(body) : Buffer.from(body)
  const lines = [
    'Content-Type: application/http',
    ...(contentId ? [`Content-ID: ${responseId(contentId)}`] : []),
    '',
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    ...Object.entries(headers).flatMap(([name, value]) =>
      [value].flat().map(single => `${name}: ${single}`),
    ),
    ...(status === 204 || status === 304 ? [] : [`Content-Length: ${bytes.length}`]),
    '',
    '',
  ]
  return Buffer.concat([Buffer.from(lines.join('\r\n')), bytes])
}

/** `<x>` becomes `<response-x>`. */
function responseId(contentId: string): string {
  return contentId.startsWith('<') ? `<response-${contentId.slice(1)}` : `response-${contentId}`
}
