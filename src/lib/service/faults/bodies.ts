import type {Socket} from 'node:net'
import {Readable} from 'node:stream'
import {setImmediate, setTimeout} from 'node:timers/promises'

/** Bodies that do not arrive as they were sent. */

/** How often a second a slowed body moves on. */
const STEPS = 20

/** The first `count` bytes. */
export function firstBytes(body: Readable, count: number): Readable {
  return readable(body, head(body, count))
}

/** The first `count` bytes; then the connection is reset. */
export function broken(body: Readable, count: number, socket: Socket): Readable {
  async function* pieces(): AsyncGenerator<Buffer> {
    yield* head(body, count)
    // What was passed on is on its way first.
    await setImmediate()
    socket.resetAndDestroy()
    throw Object.assign(new Error('The connection was reset.'), {code: 'ECONNRESET'})
  }
  return readable(body, pieces())
}

/** All bytes, so many a second. */
export function slowed(body: Readable, bytesPerSecond: number): Readable {
  const step = Math.max(1, Math.floor(bytesPerSecond / STEPS))
  async function* pieces(): AsyncGenerator<Buffer> {
    for await (const chunk of chunksOf(body)) {
      for (let at = 0; at < chunk.length; at += step) {
        const piece = chunk.subarray(at, at + step)
        await setTimeout((piece.length / bytesPerSecond) * 1000)
        yield piece
      }
    }
  }
  return readable(body, pieces())
}

async function* head(body: Readable, count: number): AsyncGenerator<Buffer> {
  let left = count
  if (left === 0) return
  for await (const chunk of chunksOf(body)) {
    yield chunk.subarray(0, left)
    left -= Math.min(left, chunk.length)
    if (left === 0) return
  }
}

/** The body of a request outlives its reading: the answer goes over the same connection. */
function chunksOf(body: Readable): AsyncIterable<Buffer> {
  return body.iterator({destroyOnReturn: false}) as AsyncIterable<Buffer>
}

/** `pieces` of `body` as a stream. Whoever destroys it does not wait for the next piece. */
function readable(body: Readable, pieces: AsyncGenerator<Buffer>): Readable {
  return new Readable({
    read() {
      pieces.next().then(
        ({done, value}) => this.push(done ? null : value),
        (error: Error) => this.destroy(error),
      )
    },
    destroy(error, done) {
      body.destroy()
      done(error)
    },
  })
}
