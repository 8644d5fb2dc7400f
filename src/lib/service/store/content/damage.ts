import {type ReadStream} from 'node:fs'
import {pipeline, Transform} from 'node:stream'

/** The ID and size of content in the database. */
export interface Stored {
  readonly id: string
  /** In bytes. */
  readonly size: number
}

/** The `Stored` of a revision or a request. */
export function storedOf({blobId, size}: {readonly blobId: string; readonly size: number}): Stored {
  return {id: blobId, size}
}

/** Content is missing or does not match the database. `message` is a sentence for the log, with the path. */
export class DamagedContent extends Error {
  readonly id: string
  /** `ENOENT` if the content is missing. Another process may have deleted it with its row. */
  readonly code: 'ENOENT' | undefined

  /** `found` is the number of bytes; `undefined` if the content is missing. */
  constructor({id, size}: Stored, path: string, found: number | undefined) {
    super(
      found === undefined
        ? `The content ${id} is missing from ${path}.`
        : `The content ${id} is damaged: ${path} has ${found} bytes instead of ${size}.`,
    )
    this.name = 'DamagedContent'
    this.id = id
    this.code = found === undefined ? 'ENOENT' : undefined
  }
}

/** A stream of the `count` bytes of `source`. If `source` ends early, it fails with the error of `short`, which gets the number of received bytes. */
export function readExactly(
  source: ReadStream,
  count: number,
  short: (received: number) => Error,
): Transform {
  let received = 0
  const counted = new Transform({
    highWaterMark: source.readableHighWaterMark,
    transform(chunk: Buffer, _encoding, done) {
      received += chunk.length
      done(null, chunk)
    },
    flush(done) {
      done(received < count ? short(received) : null)
    },
  })
  // Errors reach the reader of this stream, and destroying it closes the file.
  return pipeline(source, counted, () => undefined)
}

/** Whether an error means that a file does not exist. */
export function isGone(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT'
}
