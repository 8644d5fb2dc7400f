import {storedOf} from '#lib/service/store/content/damage.js'
import type {Store} from '#lib/service/store/index.js'
import {detailsOf, type FileRow} from './files.js'
import {searchWords} from './words.js'

/** Maximum size of content for full-text search, in bytes. Larger content is not indexed. */
export const INDEXED_CONTENT_LIMIT = 1024 * 1024

/** Text to index for a file, besides title and description. Missing text stays unchanged. */
export interface SearchText {
  /** The text of the content. */
  readonly content?: string
  /** `indexableText` of the File. */
  readonly given?: string
}

/** Updates the indexed words of a file, except those of its title (reference: protocols.md, section 5). */
export function indexFile(store: Store, fileId: string, {content, given}: SearchText = {}): void {
  const {details} = store.get<Pick<FileRow, 'details'>>(
    'SELECT details FROM files WHERE id = :fileId',
    {fileId},
  )!
  const description = searchWords(detailsOf({details}).description ?? '')
  const words = {
    description,
    given: given === undefined ? null : searchWords(given),
    content: content === undefined ? null : searchWords(content),
  }
  store.run(
    `UPDATE file_words SET description = :description, given = coalesce(:given, given),
       content = coalesce(:content, content)
     WHERE file_id = :fileId AND (description <> :description OR given <> :given OR content <> :content)`,
    {fileId, ...words},
  )
}

/** The text of content for search; empty if it is too large or not text. */
export function contentText(
  store: Store,
  content: {
    readonly blobId: string
    readonly size: number
    readonly mimeType: string
    readonly text?: string
  },
  anyType = false,
): string {
  const isText = anyType || content.mimeType.startsWith('text/')
  if (!isText || content.size > INDEXED_CONTENT_LIMIT) return ''
  return content.text ?? store.content.readAll(storedOf(content)).toString('utf8')
}

/** Copies the indexed words of a file to its copy: those of the content, and those of `indexableText` if the copy has none. */
export function copyWords(store: Store, fromId: string, toId: string): void {
  store.run(
    `UPDATE file_words SET content = source.content,
       given = iif(trim(file_words.given) = '', source.given, file_words.given)
     FROM file_words source WHERE source.file_id = :fromId AND file_words.file_id = :toId`,
    {fromId, toId},
  )
}
