import {Writable} from 'node:stream'

/** A stream that collects everything written to it, and its text. */
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
