import {STATUS_CODES} from 'node:http'
import {Readable} from 'node:stream'
import {type ApiError, badRequest, errorBody, failure} from '../errors.js'
import {readWhole} from './body.js'
import type {ServiceRequest, ServiceResponse} from './message.js'
import {headerParameter, mediaType, multipartParts} from './multipart.js'
import {jsonResponse} from './respond.js'

/** Most calls in one batch, and most characters in the address of one (reference: protocols.md, section 7). */
const CALL_LIMIT = 100
const ADDRESS_LIMIT = 8000

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

/**
 * Answers a batch of calls, one after the other, each as `serve` answers it alone. The batch itself
 * succeeds whatever becomes of them. Throws 400 for one that is malformed or too large.
 */
export async function batchResponse(
  request: ServiceRequest,
  serve: (call: ServiceRequest) => Promise<ServiceResponse>,
): Promise<ServiceResponse> {
  if (request.method !== 'POST') {
    const message = `A batch is sent with POST, not ${request.method}.`
    throw failure(405, 'methodNotAllowed', message, undefined, {Allow: 'POST'})
  }
  const contentType = request.headers['content-type']
  const boundary = contentType && headerParameter(contentType, 'boundary')
  if (mediaType(contentType) !== 'multipart/mixed' || !boundary) {
    throw badRequest('A batch has the Content-Type multipart/mixed with a boundary.')
  }
  const calls = await readCalls(request, boundary)
  const answers: string[] = []
  for (const {contentId, call} of calls) {
    const response = isRequest(call) ? await serve(call) : refusalOf(call)
    answers.push(await partOf(contentId, response))
  }
  const separator = `batch_${answerBoundary(answers)}`
  const body = answers.map(answer => `--${separator}\r\n${answer}\r\n`).join('')
  return {
    status: 200,
    headers: {'Content-Type': `multipart/mixed; boundary=${separator}`},
    body: `${body}--${separator}--\r\n`,
  }
}

async function readCalls(request: ServiceRequest, boundary: string): Promise<Inner[]> {
  const bytes = await readWhole(request)
  const calls: Inner[] = []
  const source = Readable.from([bytes]).iterator() as AsyncIterator<Buffer>
  for await (const {headers, body} of multipartParts(source, boundary)) {
    const pieces: Buffer[] = []
    for await (const piece of body) pieces.push(piece)
    if (calls.length === CALL_LIMIT) {
      throw badRequest(`A batch may have ${CALL_LIMIT} calls at most.`)
    }
    calls.push({
      contentId: headers['content-id'],
      call: readCall(request, headers['content-type'], Buffer.concat(pieces)),
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
  const headLength = /\r?\n\r?\n/.exec(bytes.toString('latin1'))
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

async function partOf(contentId: string | undefined, response: ServiceResponse): Promise<string> {
  const {status, headers = {}, body = ''} = response
  const text = body instanceof Readable ? await textOf(body) : body.toString()
  const lines = [
    'Content-Type: application/http',
    ...(contentId ? [`Content-ID: ${answerId(contentId)}`] : []),
    '',
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    ...Object.entries(headers).flatMap(([name, value]) =>
      [value].flat().map(single => `${name}: ${single}`),
    ),
    ...(status === 204 || status === 304 ? [] : [`Content-Length: ${Buffer.byteLength(text)}`]),
    '',
    text,
  ]
  return lines.join('\r\n')
}

async function textOf(body: Readable): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of body as AsyncIterable<Buffer>) pieces.push(piece)
  return Buffer.concat(pieces).toString()
}

/** `<x>` becomes `<response-x>`. */
function answerId(contentId: string): string {
  return contentId.startsWith('<') ? `<response-${contentId.slice(1)}` : `response-${contentId}`
}

/** A boundary that stands in none of the answers. */
function answerBoundary(answers: readonly string[]): number {
  let number = 1
  while (answers.some(answer => answer.includes(`--batch_${number}`))) number++
  return number
}
