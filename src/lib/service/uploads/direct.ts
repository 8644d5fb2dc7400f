import {Readable} from 'node:stream'
import {parseMaxSize} from '#lib/api/document/formats.js'
import type {Operation} from '#lib/api/operations.js'
import type {Answer, Media} from '#lib/service/call.js'
import {badRequest, failure} from '#lib/service/errors.js'
import {checkedBody, refuseOtherTypes, unknownEncoding} from '#lib/service/http/body.js'
import {BODY_LIMIT, concatChunks, type ServiceRequest} from '#lib/service/http/message.js'
import {
  decodeBase64,
  mediaType,
  multipartBoundary,
  multipartParts,
  type Part,
} from '#lib/service/http/multipart.js'
import type {ContentForm} from '#lib/service/http/parameters.js'
import {type OperationContext, type OperationRequest, perform} from '#lib/service/http/perform.js'
import {discardBlob} from '#lib/service/store/files/revisions.js'
import {googUploadForm, googUploadType} from './goog-protocol.js'

/**
 * Receives content in a single request, alone or with metadata. Upload sessions: `resumable.ts`.
 * Using the content: `../handlers`.
 */

/**
 * The upload type of a request on an upload path (reference: protocols.md, section 1). Headers of the
 * X-Goog-Upload protocol override `uploadType`.
 */
export function uploadTypeOf(
  request: ServiceRequest,
  uploadType: ContentForm | undefined,
): ContentForm {
  const form = googUploadForm(request) ?? uploadType
  if (form) return form
  return mediaType(request.headers['content-type']) === 'multipart/related' ? 'multipart' : 'media'
}

/** Receives an upload in one request and runs its operation. If it fails, the content is deleted. */
export async function performUpload(
  context: OperationContext,
  request: ServiceRequest,
  operationRequest: OperationRequest,
  type: 'media' | 'multipart',
): Promise<Answer> {
  const {operation} = operationRequest
  refuseEncodedContent(request)
  checkSize(operation, request.headers['content-length'])
  if (type === 'multipart') return performMultipart(context, request, operationRequest)
  const blob = await context.store.content.receive(limited(operation, request))
  const mimeType = googUploadType(request) ?? mediaType(request.headers['content-type'])
  const body = checkedBody(operation, Buffer.alloc(0))
  return performWith(context, {...operationRequest, body, media: {...blob, mimeType}})
}

/** Throws 413 `uploadTooLarge` for a size (decimal text, in bytes) above the limit of the operation. */
export function checkSize(operation: Operation, size: string | undefined): void {
  const limit = sizeLimit(operation)
  if (Number(size ?? 0) > limit) throw tooLarge(limit)
}

/** Maximum size of content for an operation, in bytes. */
function sizeLimit({mediaUpload}: Operation): number {
  return parseMaxSize(mediaUpload?.maxSize ?? '') ?? Infinity
}

/** Throws 415 for compressed content, which would be stored compressed. */
export function refuseEncodedContent({headers}: ServiceRequest): void {
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') throw unknownEncoding(encoding)
}

async function performMultipart(
  context: OperationContext,
  request: ServiceRequest,
  operationRequest: OperationRequest,
): Promise<Answer> {
  const {operation} = operationRequest
  const boundary = multipartBoundary(request.headers['content-type'], 'multipart/related')
  if (boundary === undefined) {
    throw badRequest('The Content-Type must be multipart/related with a boundary.')
  }
  // Keep the connection open if reading stops early: the response still has to be sent.
  const source = limited(operation, request).iterator({destroyOnReturn: false})
  const parts = multipartParts(source as AsyncIterator<Buffer>, boundary)
  const metadata = await nextPart(parts)
  refuseOtherTypes(metadata.headers['content-type'])
  const body = checkedBody(operation, await wholePart(metadata))
  const media = await nextPart(parts)
  const blob = await context.store.content.receive(Readable.from(decoded(media)))
  try {
    if (!(await parts.next()).done) throw wrongParts()
  } catch (error) {
    context.store.content.remove(blob.id)
    throw error
  }
  const mimeType = mediaType(media.headers['content-type'])
  return performWith(context, {...operationRequest, body, media: {...blob, mimeType}})
}

async function performWith(
  context: OperationContext,
  request: OperationRequest & {readonly media: Media},
): Promise<Answer> {
  try {
    return await perform(context, request)
  } catch (error) {
    discardBlob(context.store, request.media.id)
    throw error
  }
}

/** The body. Without a `Content-Length`, reading throws 413 above the limit of the operation. */
function limited(operation: Operation, {body, headers}: ServiceRequest): Readable {
  if (headers['content-length'] !== undefined) return body
  return Readable.from(atMost(body, sizeLimit(operation)))
}

async function* atMost(body: Readable, limit: number): AsyncGenerator<Buffer> {
  let size = 0
  for await (const chunk of body.iterator({destroyOnReturn: false}) as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > limit) throw tooLarge(limit)
    yield chunk
  }
}

async function nextPart(parts: AsyncIterator<Part>): Promise<Part> {
  const next = await parts.next()
  if (next.done) throw wrongParts()
  return next.value
}

function wholePart({body}: Part): Promise<Buffer> {
  return concatChunks(body, BODY_LIMIT, () => badRequest('The metadata part is too large.'))
}

function decoded({headers, body}: Part): AsyncIterable<Buffer> {
  const encoding = headers['content-transfer-encoding']?.toLowerCase() ?? 'binary'
  if (encoding === 'base64') return decodeBase64(body)
  if (['binary', '8bit', '7bit'].includes(encoding)) return body
  throw badRequest(`The Content-Transfer-Encoding must be binary or base64, not ${encoding}.`)
}

function wrongParts() {
  return badRequest('The body must have two parts: the metadata as JSON, then the content.')
}

function tooLarge(limit: number) {
  return failure(413, 'uploadTooLarge', `The content is too large (limit: ${limit} bytes).`)
}
