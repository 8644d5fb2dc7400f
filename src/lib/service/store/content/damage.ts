import {type ReadStream} from 'node:fs'
import {pipeline, Transform} from 'node:stream'

/** Content as the database has it. */
export interface Stored {
  readonly id: string
  /** In bytes. */
  readonly size: number
}

/** Content as a revision or a request names it. */
export function storedOf({blobId, size}: {readonly blobId: string; readonly size: number}): Stored {
  return {id: blobId, size}
}

/** Content that is not there as the database has it. `message` is a sentence for the log, with the path. */
export class DamagedContent extends Error {
  readonly id: string
  /** `ENOENT` where nothing is there at all: whoever removed it may have removed its row, too. */
  readonly code: 'ENOENT' | undefined

  /** `found`: how many bytes there are; `undefined` where there is nothing. */
  constructor({id, size}: Stored, path: string, found: number | undefined) {
    super(
      found === undefined
        ? `The content ${id} is gone: there is none in ${path}.`
        : `The content ${id} is damaged: ${path} has ${found} bytes instead of ${size}.`,
    )
    this.name = 'DamagedContent'
    this.id = id
    this.code = found === undefined ? 'ENOENT' : undefined
  }
}

/** The `count` bytes of a file's stream; a stream that ends before makes the error that `short` tells of what came. */
export function exactly(
  source: ReadStream,
  count: number,
  short: (came: number) => Error,
): Transform {
  let came = 0
  const counted = new Transform({
    highWaterMark: source.readableHighWaterMark,
    transform(chunk: Buffer, _encoding, done) {
      came += chunk.length
      done(null, chunk)
    },
    flush(done) {
      done(came < count ? short(came) : null)
    },
  })
  // Whoever reads hears of what goes wrong, and closes the file by ending this stream.
  return pipeline(source, counted, () => undefined)
}

/** Whether nothing is there. */
export function isGone(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT'
}
