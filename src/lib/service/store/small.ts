import {type Blob, type ContentStore, digestsOf} from './content.js'
import type {Database} from './database.js'
import {newOpaqueId, type Random} from './ids.js'

/**
 * Up to this size, in bytes, content lies in the database: it is on the disk with the row that
 * names it, without a file that has to get there first.
 */
export const SMALL = 16 * 1024

/** The IDs of such content start so, and are longer by that than those of other content. */
const MARK = 'row-'
const MARKED = /^row-.{28}$/

/** A content store that keeps small content in the database, once `registerBlob` has entered it there. */
export function withSmallContent(
  files: ContentStore,
  database: Pick<Database, 'get'>,
  random: Random,
): ContentStore {
  const isSmall = (id: string) => MARKED.test(id)
  const blobOf = (bytes: Buffer): Blob => ({
    id: MARK + newOpaqueId(random),
    size: bytes.length,
    ...digestsOf(bytes),
    bytes,
  })
  const bytesOf = (id: string): Buffer => {
    const row = database.get<{bytes: Buffer}>('SELECT bytes FROM blobs WHERE id = :id', {id})
    if (!row) throw Object.assign(new Error(`ENOENT: no content ${id}`), {code: 'ENOENT'})
    return row.bytes
  }

  return {
    ...files,
    async receive(body) {
      const chunks: Buffer[] = []
      let size = 0
      for await (const chunk of body.iterator({destroyOnReturn: false}) as AsyncIterable<Buffer>) {
        chunks.push(chunk)
        size += chunk.length
        if (size > SMALL) break
      }
      const head = Buffer.concat(chunks)
      return size > SMALL ? files.receive(body, head) : blobOf(head)
    },

    read(id, range) {
      if (!isSmall(id)) return files.read(id, range)
      const bytes = bytesOf(id)
      return range ? bytes.subarray(range.start, range.end + 1) : bytes
    },

    readAll: (id, limit) =>
      isSmall(id) ? bytesOf(id).subarray(0, limit) : files.readAll(id, limit),

    put: bytes => (bytes.length > SMALL ? files.put(bytes) : blobOf(bytes)),

    // The row is all there is of it.
    remove(id) {
      if (!isSmall(id)) files.remove(id)
    },
  }
}
