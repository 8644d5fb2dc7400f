import {SMALL} from '#lib/service/store/content/small.js'
import {findRow} from '#lib/service/store/database/rows.js'
import type {Store} from '#lib/service/store/index.js'
import type {SeedContent} from './seed.js'

/** The content of exported files. */

/** Content of an exported seed that is in a file of its own. */
export interface SeparateContent {
  /** Relative to the folder of the seed. */
  readonly path: string
  readonly blob: {readonly id: string; readonly size: number}
}

export interface ContentExport {
  /** The fields for stored content, which is the source of an editor document or the content of a binary file. */
  of(blobId: string, isEditor: boolean): SeedContent
  /** The content that must be written to files of its own. */
  readonly separate: ReadonlyMap<string, SeparateContent>
}

/** Exports sizes instead of content. */
export function sizesOnly(store: Store): ContentExport {
  return {
    of(blobId, isEditor) {
      const {size} = blobOf(store, blobId)
      return isEditor ? {source: ''} : size === 0 ? {} : {size}
    },
    separate: new Map(),
  }
}

/** Exports content. That of more than `limit` bytes (default: 16 KiB) gets a file of its own in `folder`. */
export function wholeContent(store: Store, folder: string, limit = SMALL): ContentExport {
  const separate = new Map<string, SeparateContent>()
  return {
    of(blobId, isEditor) {
      const blob = blobOf(store, blobId)
      if (isEditor) return {source: store.content.readAll(blob).toString('utf8')}
      if (blob.size === 0) return {}
      if (blob.size > limit) {
        const path = `${folder}/${blob.sha256}`
        separate.set(path, {path, blob})
        return {path}
      }
      const bytes = store.content.readAll(blob)
      const text = plainText(bytes)
      return text === undefined ? {base64: bytes.toString('base64')} : {text}
    },
    separate,
  }
}

interface BlobRow {
  readonly id: string
  readonly size: number
  readonly sha256: string
}

const blobOf = (store: Store, id: string): BlobRow => findRow<BlobRow>(store, 'blobs', {id})!

/** Content as text that people can read; `undefined` for other content. */
function plainText(bytes: Buffer): string | undefined {
  const text = bytes.toString('utf8')
  // eslint-disable-next-line no-control-regex
  const isReadable = !/[\u0000-\u0008\u000B-\u001F\u007F\uFEFF]/.test(text)
  return isReadable && Buffer.from(text).equals(bytes) ? text : undefined
}
