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

/** How much content can become an editor document, in bytes. */
const IMPORT_LIMIT = 50 * 1024 * 1024

/** Content on the disk and the type it is of. */
export interface Incoming {
  readonly blobId: string
  readonly size: number
  readonly mimeType: string
  /** What it says, where that is not what its bytes say: they are the source of an editor document. */
  readonly text?: string
}

/** The type a request names for a file; 400 for a text that is none or that the service does not know. */
export function namedType(mimeType: unknown): string | undefined {
  if (typeof mimeType !== 'string' || mimeType === '') return undefined
  const bare = bareType(mimeType)
  if (bare && kindOfType(bare)) return bare
  throw invalid(`${JSON.stringify(mimeType)} is no media type that a file can have.`, 'mimeType')
}

/**
 * The type of content: what the body of the request names, else what the content came with, else
 * what the file's name or the first bytes speak of (reference: resources.md, File.mimeType).
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

/** Content for a file of this kind: taken as it is, or turned into the source of an editor document; 400 where it cannot be. */
export function acceptContent(
  call: Pick<Call, 'store' | 'now' | 'afterCommit'>,
  incoming: Incoming,
  kind: FileKind,
  type: string,
): Incoming {
  if (kind === 'binary') return incoming
  if (kind !== 'editor') {
    throw badRequest(`A ${kind} has no content. Send the request without it.`, 'mimeType')
  }
  if (incoming.size > IMPORT_LIMIT) {
    throw badRequest('Only content of 50 MB or less can become an editor document.', 'convert')
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

/** The editor type that `convert` makes of content of this type; 400 when there is none. */
export function convertedType(from: string): string {
  const target = importTarget(from)
  if (target) return target
  throw notImportable(from)
}

function notImportable(from: string, type?: string) {
  const target = type === undefined ? 'an editor document' : type
  return badRequest(
    `Content of type ${from} cannot be turned into ${target}; about.get lists what can in importFormats.`,
    'convert',
  )
}

/** What a file's details say of its content: the size of an image that was understood. */
export function withContentFacts(store: Store, details: FileDetails, content: Incoming): void {
  delete details.image
  if (!content.mimeType.startsWith('image/') || content.size === 0) return
  const limit = Math.min(content.size, IMAGE_HEADER_LIMIT)
  const image = imageSize(store.content.readAll(storedOf(content), limit))
  if (image) details.image = {width: image.width, height: image.height}
}

/** Scopes for facts about files only. */
const METADATA_SCOPES = scopes('drive.metadata', 'drive.metadata.readonly')

/** 403 for a token that may know facts about files but not their content. */
export function requireContentScope({scopes: granted, operation}: Call): void {
  const enough = operation.scopes.some(
    scope => granted.has(scope) && !METADATA_SCOPES.includes(scope),
  )
  if (enough) return
  throw forbidden(
    'insufficientPermissions',
    'The token reaches facts about files, but not their content. Sign in with a scope for content.',
  )
}
