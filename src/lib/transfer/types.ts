import type {Readable} from 'node:stream'
import type {OperationId} from '#lib/api/operations.js'
import type {Client, HistoryNote, ParameterTexts} from '#lib/client/client.js'
import type {Wait} from '#lib/client/transport/waits.js'
import type {Identity} from '#lib/transfer/journal/entry.js'
import type {Journal} from '#lib/transfer/journal/journal.js'
import type {Scanned} from '#lib/transfer/local/open-file.js'
import type {ReplacedFile} from './replace-file.js'

/** Limits all transfers of a run together to a number of bytes per second. */
export interface Throttle {
  /** Maximum number of bytes to take at once. */
  readonly slice: number
  /** Waits until that many bytes may be sent; rejects with the signal's reason. */
  take(bytes: number, signal?: AbortSignal): Promise<void>
}

/** The environment of a transfer. */
export interface World {
  readonly client: Client
  /** Cancels the transfer; resumable state is kept. */
  readonly signal: AbortSignal
  /** Records interrupted transfers; without it nothing can be resumed later. */
  readonly journal?: Journal
  /** Limits the rate of uploads and downloads. */
  readonly throttle?: Throttle
  /**
   * Runs `work` after the command has reported its result: if the process is killed before, the next run
   * reports it without transferring again. Without it, completed transfers are removed at once.
   */
  readonly afterwards?: (work: () => Promise<void>) => void
  /**
   * Whether new files are flushed to disk too before they get their names: a follower takes a file that a power failure
   * has emptied for a changed one.
   */
  readonly isDurable?: boolean
  /** Called if state for later runs cannot be saved; without it that is an error. */
  readonly onLoss?: (error: unknown) => void
}

/** A file's record as the service returns it. */
export type FileRecord = Readonly<Record<string, unknown>>

/** Called often with the number of bytes done and in total. */
export type OnProgress = (done: number, total?: number) => void

/** A source of content: a file, or a stream of unknown length. */
export type ContentSource =
  | {
      readonly path: string
      /** What the scan of a tree knows about it. */
      readonly scanned?: Scanned
      /** Bytes per request of a session, a multiple of 256 KiB. */
      readonly chunkSize?: number
    }
  | {
      readonly stream: Readable
      /** The wait for the next data of the stream. */
      readonly wait?: Wait
    }

/** The bytes for one request. */
export interface Piece {
  readonly start: number
  readonly size: number
  /** Total size, once known: at the latest with the last piece. */
  readonly total?: number
  /** Opens the bytes; called for each attempt. */
  bytes(): Readable | Buffer
}

/** Content to upload. */
export interface UploadContent {
  /** Total size in bytes, if known in advance. */
  readonly size?: number
  /** Identifies the version of the file; `undefined` for a stream. */
  readonly identity?: Identity
  /** The piece that starts at an offset; throws `TransferError` if a stream is already past it. */
  piece(start: number): Promise<Piece>
  /** The MD5 of all content in hexadecimal; `undefined` until everything was read. */
  md5(): string | undefined
  /** The same, reading the rest if necessary; `undefined` if a stream was not read to its end. */
  wholeMd5(): Promise<string | undefined>
  close(): Promise<void>
}

export interface Upload {
  readonly operation: 'files.insert' | 'files.update'
  readonly params: ParameterTexts
  /** Metadata to send; an `id` in it is the user's choice. */
  readonly body?: Readonly<Record<string, unknown>>
  readonly source: ContentSource
  readonly mimeType?: string
  /** The ID of the new file, reserved with `reserveIds` (default: reserved if the kind of file allows it). */
  readonly id?: string
  /** The ETag that the file must still have; otherwise the service refuses with 412. */
  readonly ifMatch?: string
  readonly history?: HistoryNote
  /** Whether to record only session uploads, because the caller compares small files anyway. */
  readonly remembersLargeOnly?: boolean
  readonly onProgress?: OnProgress
}

export interface Download {
  readonly operation: OperationId
  readonly params: ParameterTexts
  /** A path whose directory exists. */
  readonly path: string
  /** The absolute root of the tree that it belongs to. Links below it are not followed. */
  readonly root?: string
  /** Whether an existing file may be replaced. */
  readonly overwrite: boolean
  /** The file to replace, if that is allowed only while it is unchanged. */
  readonly replaced?: ReplacedFile
  /** The expected content, if known: MD5 in hexadecimal, size in bytes. */
  readonly md5?: string
  readonly size?: number
  /** Modification time to set, in milliseconds since 1970. */
  readonly modified?: number
  readonly onProgress?: OnProgress
}

/** A completed download. */
export interface Saved {
  readonly path: string
  readonly size: number
  /** In hexadecimal. */
  readonly md5: string
  readonly mimeType?: string
}
