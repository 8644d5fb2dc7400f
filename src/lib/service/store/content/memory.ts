import {mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import type {Readable} from 'node:stream'
import {unfinishedName, writeDurably} from '#lib/service/store/database/disk.js'
import {newOpaqueId, type Random} from '#lib/service/store/ids.js'
import {type ContentStore, digestsOf, openContentStore} from './content.js'
import type {ContentFile} from './content-file.js'
import {DamagedContent, type Stored} from './damage.js'

/** Content in memory, up to a limit; the rest is in a private temporary folder. */
export interface MemoryContent {
  readonly store: ContentStore
  /** Keeps all present content until `restore`, even if it is deleted. Returns the function that restores it. */
  snapshot(): () => void
  /** Deletes everything, with the temporary folder. */
  close(): void
}

/** The default limit in bytes. */
export const MEMORY_LIMIT = 64 * 1024 * 1024

/** Content in memory. While it is written, `bytes` has room for more than `size`. */
interface Kept {
  bytes: Buffer
  size: number
  isUnfinished?: boolean
}

/** Creates an empty content store in memory. More than `limit` bytes go to files in a temporary folder. */
export function openMemoryContent(random: Random, limit = MEMORY_LIMIT): MemoryContent {
  let kept = new Map<string, Kept>()
  /** The total room of `kept` in bytes. */
  let used = 0
  /** IDs of the files that a snapshot needs. */
  const held = new Set<string>()
  const inFiles = new Set<string>()
  let folder: {readonly path: string; readonly files: ContentStore} | undefined

  function openFolder() {
    if (!folder) {
      // Readable by its owner only.
      const path = mkdtempSync(join(tmpdir(), 'drv-'))
      folder = {path, files: openContentStore(path, random)}
    }
    return folder
  }

  const hasRoom = (size: number) => used + size <= limit

  function setKept(id: string, content: Kept | undefined): void {
    used += (content?.bytes.length ?? 0) - (kept.get(id)?.bytes.length ?? 0)
    if (content) kept.set(id, content)
    else kept.delete(id)
  }

  function keep(bytes: Buffer) {
    const id = newOpaqueId(random)
    setKept(id, {bytes, size: bytes.length})
    return {id, size: bytes.length, ...digestsOf(bytes)}
  }

  function inFile<B extends {readonly id: string}>(blob: B): B {
    inFiles.add(blob.id)
    return blob
  }

  /** The bytes of content in memory. Throws `DamagedContent` if it is missing or too short. */
  function bytesOf(stored: Stored): Buffer {
    const found = kept.get(stored.id)
    if (found && found.size >= stored.size) return found.bytes.subarray(0, stored.size)
    throw new DamagedContent(stored, 'memory', found?.size)
  }

  /** Moves content to a file, to go on writing there. */
  async function moveToFile(id: string, {bytes, size}: Kept): Promise<ContentFile> {
    const {path, files} = openFolder()
    writeDurably(join(path, unfinishedName(id)), bytes.subarray(0, size))
    setKept(id, undefined)
    inFiles.add(id)
    return files.edit({id, size})
  }

  function editKept(id: string, content: Kept): ContentFile {
    let file: ContentFile | undefined

    async function write(pieces: readonly Buffer[], position: number) {
      const count = pieces.reduce((sum, piece) => sum + piece.length, 0)
      const end = position + count
      if (!file && end > content.bytes.length) {
        if (hasRoom(end - content.bytes.length)) {
          const before = content.bytes.length
          content.bytes = grown(content, end)
          used += content.bytes.length - before
        } else {
          file = await moveToFile(id, content)
        }
      }
      if (file) return file.writev([...pieces], position)
      let at = position
      for (const piece of pieces) at += piece.copy(content.bytes, at)
      content.size = Math.max(content.size, end)
      return {bytesWritten: count}
    }

    return {
      writev: write,
      write: (bytes, offset, length, position) =>
        write([bytes.subarray(offset, offset + length)], position),
      stat: async () => file?.stat() ?? {size: content.size},
      async truncate(size) {
        if (file) return file.truncate(size)
        content.size = Math.min(content.size, size)
      },
      datasync: async () => file?.datasync(),
      close: async () => file?.close(),
    }
  }

  function discard(id: string): void {
    if (!inFiles.has(id)) setKept(id, undefined)
    else if (!held.has(id)) {
      inFiles.delete(id)
      openFolder().files.remove(id)
    }
  }

  /** Chooses the place of existing content. */
  const placeOf = (stored: Stored) => (inFiles.has(stored.id) ? openFolder().files : undefined)

  const store: ContentStore = {
    async receive(body: Readable, head = Buffer.alloc(0)) {
      const chunks = [head]
      let size = head.length
      if (hasRoom(size)) {
        for await (const chunk of body.iterator({
          destroyOnReturn: false,
        }) as AsyncIterable<Buffer>) {
          chunks.push(chunk)
          size += chunk.length
          if (!hasRoom(size)) break
        }
      }
      const bytes = Buffer.concat(chunks)
      return hasRoom(size) ? keep(bytes) : inFile(await openFolder().files.receive(body, bytes))
    },
    begin() {
      const id = newOpaqueId(random)
      setKept(id, {bytes: Buffer.alloc(0), size: 0, isUnfinished: true})
      return id
    },
    async edit(stored) {
      const files = placeOf(stored)
      if (files) return files.edit(stored)
      bytesOf(stored)
      return editKept(stored.id, kept.get(stored.id)!)
    },
    async finish(stored) {
      const files = placeOf(stored)
      if (files) return files.finish(stored)
      const bytes = Buffer.from(bytesOf(stored))
      setKept(stored.id, {bytes, size: bytes.length})
    },
    discardUnfinished(id) {
      if (inFiles.has(id)) openFolder().files.discardUnfinished(id)
      else if (kept.get(id)?.isUnfinished) setKept(id, undefined)
    },
    read(stored, range = {start: 0, end: stored.size - 1}) {
      const files = placeOf(stored)
      return files
        ? files.read(stored, range)
        : bytesOf(stored).subarray(range.start, range.end + 1)
    },
    readAll(stored, limit) {
      return placeOf(stored)?.readAll(stored, limit) ?? bytesOf(stored).subarray(0, limit)
    },
    put: bytes => (hasRoom(bytes.length) ? keep(bytes) : inFile(openFolder().files.put(bytes))),
    remove: discard,
  }

  return {
    store,
    snapshot() {
      const copy = new Map(kept)
      const files = [...inFiles]
      for (const id of files) held.add(id)
      return () => {
        kept = new Map(copy)
        used = [...kept.values()].reduce((sum, {bytes}) => sum + bytes.length, 0)
        for (const id of [...inFiles]) if (!files.includes(id)) discard(id)
      }
    },
    close() {
      kept.clear()
      used = 0
      if (folder) rmSync(folder.path, {recursive: true, force: true})
      folder = undefined
    },
  }
}

/** A larger buffer with the same bytes, so that many small writes copy little. */
function grown({bytes, size}: Kept, least: number): Buffer {
  const larger = Buffer.alloc(Math.max(least, bytes.length * 2))
  bytes.copy(larger, 0, 0, size)
  return larger
}
