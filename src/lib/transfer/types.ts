import type {Readable} from 'node:stream'
import type {OperationId} from '#lib/api/operations.js'
import type {Client, ParameterTexts} from '#lib/client/client.js'
import type {Wait} from '#lib/client/transport/waits.js'
import type {Identity} from '#lib/transfer/journal/entry.js'
import type {Journal} from '#lib/transfer/journal/journal.js'
import type {Scanned} from '#lib/transfer/local/open-file.js'

/** Keeps all transfers of a run together to a number of bytes a second. */
export interface Throttle {
  /** The most bytes to take at once. */
  readonly slice: number
  /** Waits until so many bytes may go; rejects with the signal's reason. */
  take(bytes: number, signal?: AbortSignal): Promise<void>
}

/** What a transfer needs of the world. */
export interface World {
  readonly client: Client
  /** Ends the transfer; what can be taken up again stays. */
  readonly signal: AbortSignal
  /** Where interrupted transfers are remembered; without it nothing outlives the process. */
  readonly journal?: Journal
  /** What all content keeps to, both ways. */
  readonly throttle?: Throttle
  /**
   * Does `work` once the outcome of the command was told: whoever is killed before is told it by the
   * next run, and nothing is done twice. Without it a transfer that is over is forgotten at once.
   */
  readonly afterwards?: (work: () => Promise<void>) => void
  /** Hears that what a later run would need cannot be kept on this machine; else that is an error. */
  readonly onLoss?: (error: unknown) => void
}

/** A file's record as the service gives it. */
export type FileRecord = Readonly<Record<string, unknown>>

/** Hears how many bytes are done, and of how many; may be called often. */
export type OnProgress = (done: number, total?: number) => void

/** Where content comes from: a file, or a stream of unknown length. */
export type Source =
  | {
      readonly path: string
      /** What the scan of a tree saw of it. */
      readonly scanned?: Scanned
      /** Bytes that one request of a session brings, a multiple of 256 KiB. */
      readonly chunkSize?: number
    }
  | {
      readonly stream: Readable
      /** The wait for what comes next of it. */
      readonly wait?: Wait
    }

/** The bytes of one request. */
export interface Piece {
  readonly start: number
  readonly size: number
  /** Size of the whole, once it is known: with the last piece at the latest. */
  readonly total?: number
  /** Opens the bytes; each attempt opens them anew. */
  bytes(): Readable | Buffer
}

/** Content on its way up. */
export interface UploadContent {
  /** Bytes of the whole, where known beforehand. */
  readonly size?: number
  /** What tells the file from another; `undefined` for a stream. */
  readonly identity?: Identity
  /** The piece that begins at a byte; throws `TransferError` where that has gone by. */
  piece(start: number): Promise<Piece>
  /** MD5 in hexadecimal of all; `undefined` before all was read. */
  md5(): string | undefined
  /** The same, reading what was not read yet; `undefined` where nothing can be read again. */
  wholeMd5(): Promise<string | undefined>
  close(): Promise<void>
}

export interface Upload {
  readonly operation: 'files.insert' | 'files.update'
  readonly params: ParameterTexts
  /** Metadata to send along; an `id` in it is the person's own choice. */
  readonly body?: Readonly<Record<string, unknown>>
  readonly source: Source
  readonly mimeType?: string
  /**
   * The ID of the new file, reserved with `reserveIds`. Whoever gives none gets one reserved, where
   * the kind of file can have one.
   */
  readonly id?: string
  /** The tag that the file must still have, or the service refuses with 412. */
  readonly ifMatch?: string
  /** Only content that takes a session is remembered: who sends many small files looks what is there. */
  readonly remembersLargeOnly?: boolean
  readonly onProgress?: OnProgress
}

export interface Download {
  readonly operation: OperationId
  readonly params: ParameterTexts
  /** A path whose directory exists. */
  readonly path: string
  /** The folder of the tree that it belongs to; absolute. No link below it is followed. */
  readonly root?: string
  /** A file of that name may be replaced. */
  readonly overwrite: boolean
  /** What the content should be, where it is known: MD5 in hexadecimal, size in bytes. */
  readonly md5?: string
  readonly size?: number
  /** The modification time the file gets, in milliseconds since 1970. */
  readonly modified?: number
  readonly onProgress?: OnProgress
}

/** A download that lies in its place, whole. */
export interface Saved {
  readonly path: string
  readonly size: number
  /** In hexadecimal. */
  readonly md5: string
  readonly mimeType?: string
}
