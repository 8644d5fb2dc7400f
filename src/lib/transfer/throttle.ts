import {Readable} from 'node:stream'
import type {Piece, Throttle, UploadContent} from './types.js'

interface ThrottleOptions {
  /** Bytes per second, uploads and downloads together. */
  readonly rate: number
  /** Returns milliseconds. */
  readonly now: () => number
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>
}

/** Milliseconds of unused rate that may be used later, because timers are inexact. */
const BURST = 250
/** Slices per second, and their minimum and maximum size in bytes: smooth, but worth a system call. */
const SLICES = 16
const SMALLEST = 1024
const LARGEST = 64 * 1024

/** A token bucket, represented by the time when the next byte may be sent; callers are served in order. */
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

/** Content that is uploaded at the limited rate. Retried bytes count again. */
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
