import type {FileHandle} from 'node:fs/promises'

/** Writes pieces one behind the other. */
export interface PieceWriter {
  /** Takes a piece; settles when there is room for the next one. */
  write(piece: Buffer): Promise<void>
  /** Settles when all pieces are with the system (not yet certainly on the disk). */
  flush(): Promise<void>
}

/** So many bytes may wait to be written, together, while others are. */
const WAITING = 1024 * 1024

/** Writes to a file from `position` on. Pieces that come meanwhile go together in one system call. */
export function createPieceWriter(file: FileHandle, position: number): PieceWriter {
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
      // At once, so that no piece can come between the last look and this.
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
      if (size >= WAITING || failure) await settle()
    },
    flush: settle,
  }
}

/** Writes all of `pieces` at `position`: a single call may stop short. Returns how many bytes they are. */
async function writeFully(
  file: FileHandle,
  pieces: readonly Buffer[],
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
