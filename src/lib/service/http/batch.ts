import {STATUS_CODES} from 'node:http'
import {Readable} from 'node:stream'
import {buffer} from 'node:stream/consumers'
import {setImmediate} from 'node:timers/promises'
import {type ApiError, badRequest, errorBody, failure, methodNotAllowed} from '../errors.js'
import {readWhole} from './body.js'
import type {ServiceRequest, ServiceResponse} from './message.js'
import {mediaType, multipartBoundary, multipartParts} from './multipart.js'
import type {Random} from '../store/ids.js'
import {jsonResponse} from './answers/respond.js'

/** Most calls in one batch, and most characters in the address of one (reference: protocols.md, section 7). */
const CALL_LIMIT = 100
const ADDRESS_LIMIT = 8000
/** Most bytes of a call before its body. */
const HEAD_LIMIT = 64 * 1024
/** So many bytes of answers are enough for one batch: calls that come later are left for another. */
const ANSWERS_LIMIT = 16 * 1024 * 1024

/** What of the outer request says how it travelled itself, and nothing about the calls in it. */
const OWN_HEADERS = /^(content-.*|host|connection|transfer-encoding|expect|accept-encoding|if-.*)$/

export function isBatchPath(pathname: string): boolean {
  return pathname === '/batch' || pathname === '/batch/drive/v2'
}

/** A call of a batch with the name by which its sender will know the answer. */
interface Inner {
  readonly contentId?: string
  readonly call: ServiceRequest | ApiError
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
  const calls = await readCalls(request, boundary)
  // No answer can have it: it is made now, and told with the first of them.
  const separator = `batch_${random(16).toString('hex')}`
  return {
    status: 200,
    headers: {'Content-Type': `multipart/mixed; boundary=${separator}`},
    body: Readable.from(answersTo(calls, separator, serve)),
  }
}

async function* answersTo(
  calls: readonly Inner[],
  separator: string,
  serve: BatchContext['serve'],
): AsyncGenerator<Buffer, void, undefined> {
  let size = 0
  for (const {contentId, call} of calls) {
    const answer = (): ServiceResponse | Promise<ServiceResponse> => {
      if (!isRequest(call)) return refusalOf(call)
      return size < ANSWERS_LIMIT ? serve(call) : refusalOf(enoughAnswers())
    }
    const part = await partOf(contentId, await answer())
    size += part.length
    yield Buffer.concat([Buffer.from(`--${separator}\r\n`), part, Buffer.from('\r\n')])
    // A call is done in one go: between two of them others have their turn.
    await setImmediate()
  }
  yield Buffer.from(`--${separator}--\r\n`)
}

async function readCalls(request: ServiceRequest, boundary: string): Promise<Inner[]> {
  const bytes = await readWhole(request)
  const calls: Inner[] = []
  const source = Readable.from([bytes]).iterator() as AsyncIterator<Buffer>
  for await (const {headers, body} of multipartParts(source, boundary)) {
    const content = await buffer(body)
    if (calls.length === CALL_LIMIT) {
      throw badRequest(`A batch may have ${CALL_LIMIT} calls at most.`)
    }
    calls.push({
      contentId: headers['content-id'],
      call: readCall(request, headers['content-type'], content),
    })
  }
  if (calls.length === 0) throw badRequest('The batch has no calls.')
  return calls
}

/** The request that a part holds: request line, headers, blank line, body. */
function readCall(
  outer: ServiceRequest,
  contentType: string | undefined,
  bytes: Buffer,
): ServiceRequest | ApiError {
  if (mediaType(contentType) !== 'application/http') {
    return badRequest('A part of a batch has the Content-Type application/http.')
  }
  const headLength = /\r?\n\r?\n/.exec(bytes.toString('latin1', 0, HEAD_LIMIT))
  if (!headLength && bytes.length > HEAD_LIMIT) {
    return badRequest(`The head of a call may have ${HEAD_LIMIT} bytes at most.`)
  }
  const head = bytes.subarray(0, headLength?.index ?? bytes.length).toString()
  const body = headLength
    ? bytes.subarray(headLength.index + headLength[0].length)
    : Buffer.alloc(0)
  const [line = '', ...lines] = head.replace(/^\s+/, '').split(/\r?\n/)
  const [, method, address] = /^([A-Za-z]+) (\S+)(?: HTTP\/\d(?:\.\d)?)?\s*$/.exec(line) ?? []
  if (!method || !address) {
    return badRequest('A part of a batch starts with a request line such as GET /drive/v2/about.')
  }
  if (address.length > ADDRESS_LIMIT) {
    return badRequest(`The address of a call may have ${ADDRESS_LIMIT} characters at most.`)
  }
  if (!address.startsWith('/')) {
    return badRequest(`The address of a call is a path from the root, not ${address}.`)
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
  const url = URL.canParse(outer.url.origin + address) && new URL(outer.url.origin + address)
  if (!url) return badRequest(`The address of a call is not one: ${address}.`)
  return {
    method: method.toUpperCase(),
    url,
    headers: {...Object.fromEntries(shared), ...own, 'content-length': String(body.length)},
    body: Readable.from(body.length > 0 ? [body] : []),
    remoteAddress: outer.remoteAddress,
  }
}

function isRequest(call: ServiceRequest | ApiError): call is ServiceRequest {
  return 'method' in call
}

function refusalOf(error: ApiError): ServiceResponse {
  return jsonResponse(error.status, errorBody(error), error.headers)
}

function enoughAnswers(): ApiError {
  return failure(
    429,
    'rateLimitExceeded',
    `The answers before this one have ${ANSWERS_LIMIT} bytes together. Send this call again, in another batch.`,
  )
}

async function partOf(contentId: string | undefined, response: ServiceResponse): Promise<Buffer> {
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
