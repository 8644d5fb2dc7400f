import type {Readable} from 'node:stream'
import type {Random} from './ids.js'

/** Content that lies whole on the disk under its own random ID. */
export interface Blob {
  readonly id: string
  readonly size: number
  /** Lower-case hex. */
  readonly md5: string
  readonly sha1: string
  readonly sha256: string
}

/** The content files of a data directory. */
export interface ContentStore {
  /** Takes in a whole body; when it settles, the bytes are on the disk. A body that breaks off leaves nothing. */
  receive(body: Readable): Promise<Blob>
  /** The bytes of a blob from `start` to `end` inclusive; all by default. */
  read(id: string, range?: {start: number; end: number}): Readable
  /** A blob's bytes at once, for small content. */
  readAll(id: string): Buffer
  /** Stores bytes at once, for content the service makes itself. */
  put(bytes: Buffer): Blob
  /** Forgets a blob; one that is gone already is no error. */
  remove(id: string): void
}

export function openContent(directory: string, random: Random): ContentStore {
  throw new Error(`content store at ${directory} ${random.length}`)
}
