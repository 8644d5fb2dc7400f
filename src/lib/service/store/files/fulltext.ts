import {storedOf} from '#lib/service/store/content/damage.js'
import type {Store} from '#lib/service/store/index.js'
import {detailsOf, type FileRow} from './files.js'
import {searchWords} from './words.js'

/** How much content full-text search looks at, in bytes: larger content is found by its title only. */
export const INDEXED_CONTENT_LIMIT = 1024 * 1024

/** Text that search finds a file by, besides title and description. What is left out stays as it was. */
export interface SearchText {
  /** Of the content. */
  readonly content?: string
  /** `indexableText` of the File. */
  readonly given?: string
}

/** Brings the words that `fullText contains` looks at in line with a file (reference: protocols.md, section 5). */
export function indexFile(store: Store, fileId: string, text: SearchText = {}): void {
  const file = store.get<
    Pick<FileRow, 'title' | 'details'> & {
      key: number | null
      content_words: string
      given_words: string
    }
  >(
    `SELECT f.title, f.details, w.key, coalesce(w.content_words, '') AS content_words,
       coalesce(w.given_words, '') AS given_words
     FROM files f LEFT JOIN file_words w ON w.file_id = f.id WHERE f.id = :fileId`,
    {fileId},
  )!
  const content = text.content === undefined ? file.content_words : searchWords(text.content)
  const given = text.given === undefined ? file.given_words : searchWords(text.given)
  const described = searchWords(file.title, detailsOf(file).description ?? '')
  const words = described + given + content
  const {key} = store.get<{key: number}>(
    `INSERT INTO file_words (file_id, words, content_words, given_words)
     VALUES (:fileId, :words, :content, :given)
     ON CONFLICT (file_id) DO UPDATE SET words = excluded.words,
       content_words = excluded.content_words, given_words = excluded.given_words
     RETURNING key`,
    {fileId, words, content, given},
  )!
  if (file.key !== null) store.run('DELETE FROM text_words WHERE rowid = :key', {key})
  if (words.trim() === searchWords(file.title).trim()) return
  store.run(
    `INSERT INTO text_words (rowid, described, given, content)
     VALUES (:key, :described, :given, :content)`,
    {key, described, given, content},
  )
}

/** The text of content for search; nothing when it is too large or no text. */
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

/** Lets a copy be found by the content of its source, and by its given text unless it has its own. */
export function copyWords(store: Store, fromId: string, toId: string): void {
  store.run(
    `UPDATE file_words SET content_words = source.content_words,
       given_words = iif(file_words.given_words = '', source.given_words, file_words.given_words)
     FROM file_words source WHERE source.file_id = :fromId AND file_words.file_id = :toId`,
    {fromId, toId},
  )
  indexFile(store, toId)
}
