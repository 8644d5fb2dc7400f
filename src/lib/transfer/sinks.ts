import {hash} from 'node:crypto'
import type {Writable} from 'node:stream'
import {TransferError} from './errors.js'
import {createRunningMd5} from './md5.js'
import type {Sink} from './part-file.js'

/** Where downloaded content goes, if not to a partial file. */

/** Holds at most `limit` bytes in memory. Throws `TransferError` for more. */
export function memorySink(limit: number): Sink & {bytes(): Buffer} {
  let chunks: Buffer[] = []
  let at = 0
  let md5: string | undefined
  const bytes = () => (chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks))
  return {
    get at() {
      return at
    },
    async write(chunk) {
      at += chunk.length
      md5 = undefined
      if (at > limit)
        throw damaged(`received more than the expected ${limit.toLocaleString('en')} bytes`)
      chunks.push(chunk)
    },
    async restart() {
      chunks = []
      at = 0
      md5 = undefined
      return true
    },
    flush: async () => undefined,
    md5: async () => (md5 ??= hash('md5', bytes())),
    bytes,
  }
}

/** Writes to a stream, which cannot restart after the first byte. */
export function streamSink(stream: Writable): Sink {
  const md5 = createRunningMd5()
  return {
    get at() {
      return md5.at
    },
    async write(chunk) {
      md5.update(chunk, md5.at)
      await new Promise<void>((settle, fail) => {
        stream.write(chunk, error => (error ? fail(error) : settle()))
      })
    },
    restart: async () => md5.at === 0,
    flush: async () => undefined,
    md5: async () => md5.digest(),
  }
}

/** The error for content that differs from that of the service. `words` says how. */
export function damaged(words: string): TransferError {
  return new TransferError(
    'content',
    `The downloaded content is wrong: ${words}.`,
    'The file may have changed during the download. Try again.',
  )
}
