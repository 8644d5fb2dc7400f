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
const MOST = 128 * 1024
/**
 * So many pieces may wait to be used. With what TLS still delivers after a pause, they must fit into
 * all memories that `Room` gives in turn but one.
 */
const WAITING = 4

/** Puts bytes into the place they belong in, as far as that goes, unless they lie there already. */
export function fill(place: Uint8Array, bytes: Uint8Array): void {
  const isThere = bytes.buffer === place.buffer && bytes.byteOffset === place.byteOffset
  if (!isThere) place.set(bytes.subarray(0, place.length))
}

export interface DirectConnection {
  /** For the connection's options. */
  readonly onread: OnReadOpts
  /**
   * The body of an answer over that connection, `size` bytes of it, in pieces of the memory that
   * `room` gives. What goes wrong with the answer or with `room` goes wrong with it. `undefined`
   * where the answer has come whole already, has broken off, or comes without this connection, as
   * in a test.
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
      if (!isConnected || response.destroyed || response.complete) return undefined
      return bodyOf(response, size, room, takeOver => {
        reader = takeOver
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

/** `onTakeOver` hears who takes all further bytes of the connection. */
function bodyOf(
  response: IncomingMessage,
  size: number,
  room: Room,
  onTakeOver: (reader: Reader) => void,
): Readable {
  const {socket} = response
  /** Bytes that were not received, and that were not handed out. */
  let missing = size
  let left = size
  /** Received, and without a place for now; each fits into what `LEAST` leaves. */
  const held: Uint8Array[] = []
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
  // What has come whole is only to be handed out, whatever becomes of the connection.
  const breakOff = (error?: Error) => {
    if (missing > 0) body.destroy(error)
  }
  response.on('error', breakOff)
  response.once('close', () => breakOff())

  /** Takes over from the parser, with what that has of the body, or has yet to be given. */
  function begin(): void {
    hasBegun = true
    const parsed = [response.read()] as Array<Buffer | null>
    // One chunk at a time while it flows; what is left there would go to the parser later.
    while (socket.readableLength > 0 && socket.read() !== null) {
      parsed.push(response.read() as Buffer | null)
    }
    for (const bytes of parsed) if (bytes) hold(bytes)
    onTakeOver({memory: () => memory?.subarray(used, used + MOST), take})
    renew()
  }

  function take(bytes: Uint8Array): boolean {
    if (memory) {
      missing -= bytes.length
      pass(bytes)
      if (isFull(memory)) renew()
    } else hold(bytes)
    return isWanted && memory !== undefined && missing > 0
  }

  function hold(bytes: Uint8Array): void {
    missing -= bytes.length
    for (let at = 0; at < bytes.length; at += LEAST) held.push(bytes.subarray(at, at + LEAST))
  }

  const isFull = ({length}: Uint8Array) => left > 0 && length - used < LEAST

  /** Gets the next memory, and goes on as soon as it is there. */
  function renew(): void {
    memory = undefined
    const proceed = (next: Uint8Array) => {
      // Whoever goes on after this one may have that memory.
      if (body.destroyed) return
      memory = next
      used = 0
      while (held.length > 0 && !isFull(memory)) pass(held.shift()!)
      if (isFull(memory)) renew()
      else goOn()
    }
    room()
      .then(proceed)
      .catch((error: unknown) => void body.destroy(error as Error))
  }

  function goOn(): void {
    if (isWanted && memory && missing > 0) socket.resume()
  }

  /** Puts bytes where they belong, and hands them out. */
  function pass(bytes: Uint8Array): void {
    const place = memory!.subarray(used, used + Math.min(bytes.length, left))
    if (place.length === 0) return
    fill(place, bytes)
    used += place.length
    left -= place.length
    isWanted = body.push(Buffer.from(place.buffer, place.byteOffset, place.length))
    if (left === 0) body.push(null)
  }

  return body
}
