import type {ContentFile} from './content-file.js'

/** Writes pieces in sequence. */
export interface PieceWriter {
  /** Queues a piece. Resolves when the next piece can be queued. */
  write(piece: Buffer): Promise<void>
  /** Resolves when all pieces are written to the file, but not necessarily flushed to disk. */
  flush(): Promise<void>
}

/** Maximum number of bytes in the queue. */
const MAX_WAITING = 1024 * 1024

/** Writes to a file from `position` on. Pieces that arrive during a write are written in one system call. */
export function createPieceWriter(
  file: Pick<ContentFile, 'write' | 'writev'>,
  position: number,
): PieceWriter {
  let waiting: Buffer[] = []
  let size = 0
  let work: Promise<void> | undefined
  let failure: {readonly error: unknown} | undefined

  async function writeWaiting(): Promise<void> {
    try {
      while (waiting.length > 0) {
        const pieces = waiting
        waiting = []
        size = 0
        position += await writeFully(file, pieces, position)
      }
    } catch (error) {
      failure = {error}
    } finally {
      // Synchronously after the last check, so that no piece can arrive in between.
      work = undefined
    }
  }

  async function settle(): Promise<void> {
    await work
    if (failure) throw failure.error
  }

  return {
    async write(piece) {
      waiting.push(piece)
      size += piece.length
      work ??= writeWaiting()
      if (size >= MAX_WAITING || failure) await settle()
    },
    flush: settle,
  }
}

/** Writes all of `pieces` at `position`, with several calls if needed. Returns their total size in bytes. */
async function writeFully(
  file: Pick<ContentFile, 'write' | 'writev'>,
  pieces: Buffer[],
  position: number,
): Promise<number> {
  const total = pieces.reduce((sum, piece) => sum + piece.length, 0)
  let {bytesWritten: done} = await file.writev(pieces, position)
  if (done === total) return total
  const rest = Buffer.concat(pieces)
  while (done < total) {
    const {bytesWritten} = await file.write(rest, done, total - done, position + done)
    done += bytesWritten
  }
  return total
}
