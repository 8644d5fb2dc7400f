import {STATUS_CODES} from 'node:http'
import {Readable} from 'node:stream'
import {buffer} from 'node:stream/consumers'
import {setImmediate} from 'node:timers/promises'
import {description} from '#lib/api/description/index.js'
import {parseUrl} from '#lib/platform/values.js'
import {ApiError, badRequest, errorBody, failure, methodNotAllowed} from '#lib/service/errors.js'
import {readWhole} from '#lib/service/http/body.js'
import {requestUrl, type ServiceRequest, type ServiceResponse} from '#lib/service/http/message.js'
import {mediaType, multipartBoundary, multipartParts} from '#lib/service/http/multipart.js'
import {jsonResponse} from '#lib/service/http/respond.js'
import type {Random} from '#lib/service/store/ids.js'

/** Most calls in one batch, and most characters in the address of one (reference: protocols.md, section 7). */
const CALL_LIMIT = 100
const ADDRESS_LIMIT = 8000
/** Most bytes of a call before its body. */
const HEAD_LIMIT = 64 * 1024
/** So many bytes of answers are enough for one batch: calls that come later are left for another. */
const ANSWERS_LIMIT = 16 * 1024 * 1024

/** What of the outer request says how it travelled itself, and nothing about the calls in it. */
const OWN_HEADERS = /^(content-.*|host|connection|transfer-encoding|expect|accept-encoding|if-.*)$/

/** Where batches are taken: where the description says, and where clients of the public service send them. */
export const BATCH_PATHS: readonly string[] = [`/${description.batchPath}`, '/batch/drive/v2']

/** A part of a batch: a call, with the name by which its sender will know the answer. */
interface CallPart {
  readonly contentId?: string
  readonly contentType?: string
  readonly content: Buffer
}

interface BatchContext {
  /** Answers a call as it is answered alone. */
  readonly serve: (call: ServiceRequest) => Promise<ServiceResponse>
  readonly random: Random
}

/**
 * Answers a batch of calls, one after the other, while the answers are read. The batch itself
 * succeeds whatever becomes of them. Throws 400 for one that is malformed or too large.
 */
export async function batchResponse(
  request: ServiceRequest,
  {serve, random}: BatchContext,
): Promise<ServiceResponse> {
  if (request.method !== 'POST') {
    throw methodNotAllowed(`A batch is sent with POST, not ${request.method}.`, ['POST'])
  }
  const boundary = multipartBoundary(request.headers['content-type'], 'multipart/mixed')
  if (boundary === undefined) {
    throw badRequest('A batch has the Content-Type multipart/mixed with a boundary.')
  }
  const parts = await readParts(request, boundary)
  // No answer can have it: it is made now, and told with the first of them.
  const separator = `batch_${random(16).toString('hex')}`
  return {
    status: 200,
    headers: {'Content-Type': `multipart/mixed; boundary=${separator}`},
    body: Readable.from(answersTo(request, parts, separator, serve)),
  }
}

async function* answersTo(
  request: ServiceRequest,
  parts: readonly CallPart[],
  separator: string,
  serve: BatchContext['serve'],
): AsyncGenerator<Buffer, void, undefined> {
  let size = 0
  for (const part of parts) {
    const answer = await answerTo(request, part, size, serve).catch(refusalOf)
    const bytes = await bytesOf(part.contentId, answer)
    size += bytes.length
    yield Buffer.concat([Buffer.from(`--${separator}\r\n`), bytes, Buffer.from('\r\n')])
    // A call is done in one go: between two of them others have their turn.
    await setImmediate()
  }
  yield Buffer.from(`--${separator}--\r\n`)
}

/** The answer to a call; `size` is that of the answers before. Throws what is wrong with the part. */
async function answerTo(
  request: ServiceRequest,
  part: CallPart,
  size: number,
  serve: BatchContext['serve'],
): Promise<ServiceResponse> {
  const call = readCall(request, part)
  if (size < ANSWERS_LIMIT) return serve(call)
  throw failure(
    429,
    'rateLimitExceeded',
    `The answers before this one have ${ANSWERS_LIMIT} bytes together. Send this call again, in another batch.`,
  )
}

function refusalOf(error: unknown): ServiceResponse {
  if (!(error instanceof ApiError)) throw error
  return jsonResponse(error.status, errorBody(error), error.headers)
}

async function readParts(request: ServiceRequest, boundary: string): Promise<CallPart[]> {
  const parts: CallPart[] = []
  const source = Readable.from([await readWhole(request)]).iterator() as AsyncIterator<Buffer>
  for await (const {headers, body} of multipartParts(source, boundary)) {
    const content = await buffer(body)
    if (parts.length === CALL_LIMIT) {
      throw badRequest(`A batch may have ${CALL_LIMIT} calls at most.`)
    }
    parts.push({contentId: headers['content-id'], contentType: headers['content-type'], content})
  }
  if (parts.length === 0) throw badRequest('The batch has no calls.')
  return parts
}

/** The request that a part holds: request line, headers, blank line, body. Throws 400. */
function readCall(outer: ServiceRequest, {contentType, content}: CallPart): ServiceRequest {
  if (mediaType(contentType) !== 'application/http') {
    throw badRequest('A part of a batch has the Content-Type application/http.')
  }
  const blank = /\r?\n\r?\n/.exec(content.toString('latin1', 0, HEAD_LIMIT))
  if (!blank && content.length > HEAD_LIMIT) {
    throw badRequest(`The head of a call may have ${HEAD_LIMIT} bytes at most.`)
  }
  const head = content.subarray(0, blank?.index).toString()
  const body = content.subarray(blank ? blank.index + blank[0].length : content.length)
  const [line = '', ...lines] = head.replace(/^\s+/, '').split(/\r?\n/)
  const [, method, address] = /^([A-Za-z]+) (\S+)(?: HTTP\/\d(?:\.\d)?)?\s*$/.exec(line) ?? []
  if (!method || !address) {
    throw badRequest('A part of a batch starts with a request line such as GET /drive/v2/about.')
  }
  if (address.length > ADDRESS_LIMIT) {
    throw badRequest(`The address of a call may have ${ADDRESS_LIMIT} characters at most.`)
  }
  if (!address.startsWith('/')) {
    throw badRequest(`The address of a call is a path from the root, not ${address}.`)
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
    throw badRequest(`The address of a call is not one: ${address}.`)
  }
  return {
    method: method.toUpperCase(),
    url: requestUrl(outer.url.origin, address),
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
    ...(contentId ? [`Content-ID: ${answerId(contentId)}`] : []),
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
function answerId(contentId: string): string {
  return contentId.startsWith('<') ? `<response-${contentId.slice(1)}` : `response-${contentId}`
}
