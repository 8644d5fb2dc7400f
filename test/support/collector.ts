import {Writable} from 'node:stream'

/** A stream that keeps what is written to it, and the text of that. */
export function collector() {
  const chunks: Buffer[] = []
  const stream = new Writable({
    write(chunk: Buffer, _, done) {
      chunks.push(chunk)
      done()
    },
  })
  return {stream, text: () => Buffer.concat(chunks).toString()}
}
