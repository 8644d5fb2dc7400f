import {Readable} from 'node:stream'
import type {Piece, Throttle, UploadContent} from './types.js'

interface ThrottleOptions {
  /** Bytes a second, both ways together. */
  readonly rate: number
  /** Milliseconds. */
  readonly now: () => number
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>
}

/** Milliseconds whose bytes may be made up for, for no timer is exact. */
const BURST = 250
/** Slices a second, and their sizes in bytes: smooth, and still worth a system call. */
const SLICES = 16
const SMALLEST = 1024
const LARGEST = 64 * 1024

/** A token bucket, kept as the time at which the next byte may go: those who ask are served in turn. */
export function createThrottle({rate, now, sleep}: ThrottleOptions): Throttle {
  let next = now()
  return {
    slice: Math.max(SMALLEST, Math.min(LARGEST, Math.floor(rate / SLICES))),
    async take(bytes, signal) {
      const at = Math.max(next, now() - BURST)
      next = at + (bytes / rate) * 1000
      const wait = at - now()
      if (wait > 0) await sleep(wait, signal)
    },
  }
}

/** Content that goes up no faster. What is sent again counts again. */
export function throttled(
  content: UploadContent,
  throttle: Throttle | undefined,
  signal: AbortSignal,
): UploadContent {
  if (!throttle) return content
  const slow = (piece: Piece): Piece => ({
    ...piece,
    bytes() {
      const bytes = piece.bytes()
      if (piece.size === 0) return bytes
      return Readable.from(slices(bytes, throttle, signal), {objectMode: false})
    },
  })
  return {...content, piece: async start => slow(await content.piece(start))}
}

async function* slices(
  bytes: Readable | Buffer,
  {slice, take}: Throttle,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const chunks = Buffer.isBuffer(bytes) ? [bytes] : (bytes as AsyncIterable<Buffer>)
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += slice) {
      const part = chunk.subarray(at, at + slice)
      await take(part.length, signal)
      yield part
    }
  }
}
