import {scopes} from '#lib/api/description/scopes.js'
import type {Call, Media} from '#lib/service/call.js'
import {badRequest, forbidden, invalid} from '#lib/service/errors.js'
import {storedOf} from '#lib/service/store/content/damage.js'
import type {FileDetails} from '#lib/service/store/files/files.js'
import {INDEXED_CONTENT_LIMIT} from '#lib/service/store/files/fulltext.js'
import {forgetBlobs, putBlob} from '#lib/service/store/files/revisions.js'
import type {Store} from '#lib/service/store/index.js'
import {importSource, importTarget, sourceText} from './convert.js'
import {
  bareType,
  DEFAULT_TYPE,
  type FileKind,
  IMAGE_HEADER_LIMIT,
  imageSize,
  kindOfType,
  typeByContent,
  typeByName,
} from './types.js'

/** Maximum size of content to convert to an editor document, in bytes. */
const IMPORT_LIMIT = 50 * 1024 * 1024

/** New content on disk, with its media type. */
export interface Incoming {
  readonly blobId: string
  readonly size: number
  readonly mimeType: string
  /** The plain text of an editor document, whose bytes are its source. */
  readonly text?: string
}

/** The media type that a request sets for a file; `undefined` if it sets none. Throws 400 for an invalid or unknown type. */
export function namedType(mimeType: unknown): string | undefined {
  if (typeof mimeType !== 'string' || mimeType === '') return undefined
  const bare = bareType(mimeType)
  if (bare && kindOfType(bare)) return bare
  throw invalid(`Unsupported media type: ${JSON.stringify(mimeType)}.`, 'mimeType')
}

/**
 * The media type of content, from the first of these that has one: the request body, the upload, the
 * file name, the first bytes (reference: resources.md, File.mimeType).
 */
export function contentType(
  store: Store,
  named: string | undefined,
  media: Media | undefined,
  fileName: string,
): string {
  const binary = named !== undefined && kindOfType(named) === 'binary' ? named : undefined
  return (
    binary ??
    bareType(media?.mimeType) ??
    typeByName(fileName) ??
    (media && typeByContent(store.content.readAll(media, 16))) ??
    DEFAULT_TYPE
  )
}

/** Content for a file of this kind: unchanged for a binary file, converted to its source for an editor document. Throws 400. */
export function acceptContent(
  call: Pick<Call, 'store' | 'now' | 'afterCommit'>,
  incoming: Incoming,
  kind: FileKind,
  type: string,
): Incoming {
  if (kind === 'binary') return incoming
  if (kind !== 'editor') {
    throw badRequest(`A ${kind} cannot have content. Send the request without it.`, 'mimeType')
  }
  if (incoming.size > IMPORT_LIMIT) {
    throw badRequest('The content is too large to convert (limit: 50 MiB).', 'convert')
  }
  const text = call.store.content.readAll(storedOf(incoming)).toString('utf8')
  const source = importSource(type, incoming.mimeType, text)
  if (source === undefined) throw notImportable(incoming.mimeType, type)
  const blob = putBlob(call.store, call.now, Buffer.from(source))
  forgetBlobs(call, [incoming.blobId])
  const {id: blobId, size} = blob
  const words = size > INDEXED_CONTENT_LIMIT ? '' : sourceText(type, source)
  return {blobId, size, mimeType: incoming.mimeType, text: words}
}

/** The editor type that `convert` turns content of this type into. Throws 400 if it cannot be converted. */
export function convertedType(from: string): string {
  const target = importTarget(from)
  if (target) return target
  throw notImportable(from)
}

function notImportable(from: string, type?: string) {
  const target = type === undefined ? 'an editor document' : type
  return badRequest(
    `Content of type ${from} cannot be converted to ${target}. about.get lists the supported conversions in importFormats.`,
    'convert',
  )
}

/** Updates the details of a file for new content: the size of an image in a supported format, or none. */
export function setContentDetails(store: Store, details: FileDetails, content: Incoming): void {
  delete details.image
  if (!content.mimeType.startsWith('image/') || content.size === 0) return
  const limit = Math.min(content.size, IMAGE_HEADER_LIMIT)
  const image = imageSize(store.content.readAll(storedOf(content), limit))
  if (image) details.image = {width: image.width, height: image.height}
}

/** Scopes that give access to metadata only. */
const METADATA_SCOPES = scopes('drive.metadata', 'drive.metadata.readonly')

/** Throws 403 `insufficientPermissions` if the token gives access to metadata only. */
export function requireContentScope({scopes: granted, operation}: Call): void {
  const enough = operation.scopes.some(
    scope => granted.has(scope) && !METADATA_SCOPES.includes(scope),
  )
  if (enough) return
  throw forbidden(
    'insufficientPermissions',
    'The token gives access to the metadata of files, but not to their content. Sign in with a scope for content.',
  )
}
