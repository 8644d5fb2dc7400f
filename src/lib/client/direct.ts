import type {IncomingMessage} from 'node:http'
import type {OnReadOpts, Socket} from 'node:net'
import {Readable} from 'node:stream'

/**
 * Large content read from the connection into the memory it is wanted in. Node's parser would copy
 * every byte into memory that is new each time, which takes longer than to receive it; so it gets
 * the answer's head alone, and its connection carries nothing else afterwards.
 */

/**
 * Gives the memory that the next bytes belong into, once it is free: at least `LEAST` bytes. It is
 * filled from its start on, and the next is asked for when less than `LEAST` bytes of it are left.
 */
export type Room = () => Promise<Uint8Array>

/** What is read while there is no memory that it belongs into, so that only this much is copied. */
export const LEAST = 64 * 1024
/** The most that is read at once, so that work on some bytes begins while others come. */
const MOST = 256 * 1024
/** So many pieces may wait to be used; they must fit into one memory that `Room` gives. */
const WAITING = 4

export interface DirectConnection {
  /** For the connection's options. */
  readonly onread: OnReadOpts
  /**
   * The body of an answer over that connection, `size` bytes of it, in pieces of the memory that
   * `room` gives. What goes wrong with the answer or with `room` goes wrong with it. `undefined`
   * where the bytes come another way, as in a test without a connection.
   */
  read(response: IncomingMessage, size: number, room: Room): Readable | undefined
}

export function createDirectConnection(): DirectConnection {
  let isConnected = false
  let reader: Reader | undefined
  return {
    onread: {
      buffer: () => reader?.memory() ?? Buffer.allocUnsafe(LEAST),
      callback(this: Socket, size: number, memory: Uint8Array) {
        isConnected = true
        const bytes = memory.subarray(0, size)
        return reader ? reader.take(bytes) : this.push(bytes)
      },
    },
    read(response, size, room) {
      if (!isConnected) return undefined
      return bodyOf(response, size, room, begun => {
        reader = begun
      })
    },
  }
}

interface Reader {
  /** Where the next bytes may be put; `undefined` where there is no place for them yet. */
  memory(): Uint8Array | undefined
  /** Takes bytes that were received, and says whether more are wanted now. */
  take(bytes: Uint8Array): boolean
}

/** `onBegin` hears who takes all further bytes of the connection. */
function bodyOf(
  response: IncomingMessage,
  size: number,
  room: Room,
  onBegin: (reader: Reader) => void,
): Readable {
  const {socket} = response
  let left = size
  /** Received, but there was no place for it. */
  let held: Uint8Array[] = []
  let memory: Uint8Array | undefined
  let used = 0
  let hasBegun = false
  let isWanted = false

  const body = new Readable({
    // Pieces stay what they are; others would be joined, and copied.
    objectMode: true,
    highWaterMark: WAITING,
    read() {
      isWanted = true
      if (hasBegun) goOn()
      else begin()
    },
    destroy(error, done) {
      response.destroy()
      done(error)
    },
  })
  response.on('error', error => body.destroy(error))
  response.once('close', () => body.destroy())

  /** Takes over from the parser, with what that has of the body, or has yet to be given. */
  function begin(): void {
    hasBegun = true
    const parsed = [response.read(), socket.read() && response.read()] as Array<Buffer | null>
    held = parsed.filter(bytes => bytes !== null)
    onBegin({memory: () => memory?.subarray(used, used + MOST), take})
    renew()
  }

  function take(bytes: Uint8Array): boolean {
    if (memory) pass(bytes)
    else held.push(bytes)
    if (memory && isFull(memory)) renew()
    return isWanted && memory !== undefined && left > 0
  }

  const isFull = ({length}: Uint8Array) => left > 0 && length - used < LEAST

  /** Gets the next memory, and goes on as soon as it is there. */
  function renew(): void {
    memory = undefined
    const proceed = (next: Uint8Array) => {
      memory = next
      used = 0
      while (held.length > 0 && !isFull(memory)) {
        const [bytes, ...others] = held
        pass(bytes!.subarray(0, LEAST))
        held = bytes!.length > LEAST ? [bytes!.subarray(LEAST), ...others] : others
      }
      if (isFull(memory)) renew()
      else goOn()
    }
    room()
      .then(proceed)
      .catch((error: unknown) => void body.destroy(error as Error))
  }

  function goOn(): void {
    if (isWanted && memory && left > 0) socket.resume()
  }

  /** Puts bytes where they belong, if they are not there yet, and hands them out. */
  function pass(bytes: Uint8Array): void {
    const place = memory!.subarray(used, used + Math.min(bytes.length, left))
    if (place.length === 0) return
    const isThere = bytes.buffer === place.buffer && bytes.byteOffset === place.byteOffset
    if (!isThere) place.set(bytes.subarray(0, place.length))
    used += place.length
    left -= place.length
    isWanted = body.push(Buffer.from(place.buffer, place.byteOffset, place.length))
    if (left === 0) body.push(null)
  }

  return body
}
