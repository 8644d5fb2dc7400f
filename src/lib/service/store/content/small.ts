import type {Database} from '#lib/service/store/database/database.js'
import {newOpaqueId, type Random} from '#lib/service/store/ids.js'
import {type Blob, type ContentStore, digestsOf} from './content.js'
import {DamagedContent, type Stored} from './damage.js'

/** Maximum size of content that is stored in the database, in bytes. */
export const SMALL = 16 * 1024

/** The prefix of the IDs of content in the database. */
const MARK = 'row-'
const MARKED = /^row-.{28}$/

/** Whether content is stored in the database. */
export function isSmall(id: string): boolean {
  return MARKED.test(id)
}

/** A content store that keeps small content in the database at `path`. `registerBlob` inserts its row. */
export function withSmallContent(
  files: ContentStore,
  database: Pick<Database, 'get'>,
  path: string,
  random: Random,
): ContentStore {
  const blobOf = (bytes: Buffer): Blob => ({
    id: MARK + newOpaqueId(random),
    size: bytes.length,
    ...digestsOf(bytes),
    bytes,
  })
  const bytesOf = (stored: Stored): Buffer => {
    const row = database.get<{bytes: Buffer | null}>('SELECT bytes FROM blobs WHERE id = :id', {
      id: stored.id,
    })
    if (row?.bytes?.length === stored.size) return row.bytes
    throw new DamagedContent(stored, path, row?.bytes?.length)
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

    read(stored, range) {
      if (!isSmall(stored.id)) return files.read(stored, range)
      const bytes = bytesOf(stored)
      return range ? bytes.subarray(range.start, range.end + 1) : bytes
    },

    readAll: (stored, limit) =>
      isSmall(stored.id) ? bytesOf(stored).subarray(0, limit) : files.readAll(stored, limit),

    put: bytes => (bytes.length > SMALL ? files.put(bytes) : blobOf(bytes)),

    // Small content has no file.
    remove(id) {
      if (!isSmall(id)) files.remove(id)
    },
  }
}
