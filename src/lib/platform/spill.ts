import {randomUUID} from 'node:crypto'
import {closeSync, openSync, readSync, unlinkSync, writeSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'

/** Keeps any number of lists of values: after the first ones, they go to a temporary file, as JSON. */
export interface Spill<V> {
  /** Keeps a list, which must survive JSON; returns where it is. */
  add(values: readonly V[]): SpillPlace<V>
  /** The list at a place. Throws the system's error. */
  at(place: SpillPlace<V>): readonly V[]
  /** Removes the file; the lists in it are lost. */
  close(): void
}

/** A list in memory, or its bytes in the file. */
export type SpillPlace<V> = readonly V[] | {readonly start: number; readonly size: number}

/** Number of values to keep in memory: about 20 MiB of file records. */
export const SPILL_MEMORY = 20_000
/** Bytes to write at a time. */
const PIECE = 256 * 1024

/**
 * Creates a spill. Its file has no name, so that it disappears with the process, however that ends. If the file cannot
 * be created or written, everything stays in memory.
 */
export function createSpill<V>(mostInMemory = SPILL_MEMORY): Spill<V> {
  let inMemory = 0
  let file: number | undefined
  let isBroken = false
  /** Number of bytes before the lists that wait to be written. */
  let written = 0
  let end = 0
  /** Lists that wait, by their start. */
  const waiting = new Map<number, Buffer>()

  function flush(): void {
    const bytes = Buffer.concat([...waiting.values()])
    file ??= openNameless()
    for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at, undefined, written + at)
    written = end
    waiting.clear()
  }

  return {
    add(values) {
      inMemory += values.length
      if (inMemory <= mostInMemory || isBroken) return values
      const bytes = Buffer.from(JSON.stringify(values))
      const place = {start: end, size: bytes.length}
      waiting.set(end, bytes)
      end += bytes.length
      if (end - written < PIECE) return place
      try {
        flush()
      } catch {
        isBroken = true
      }
      return place
    },
    at(place) {
      if (!('start' in place)) return place
      const {start, size} = place
      const bytes = waiting.get(start) ?? readBytes(file!, start, size)
      return JSON.parse(bytes.toString()) as V[]
    },
    close() {
      if (file !== undefined) closeSync(file)
      file = undefined
    },
  }
}

/** Opens a file that only this process can use. Throws the system's error. */
function openNameless(): number {
  const path = join(tmpdir(), `drv-${randomUUID()}`)
  const file = openSync(path, 'wx+', 0o600)
  unlinkSync(path)
  return file
}

function readBytes(file: number, start: number, size: number): Buffer {
  const bytes = Buffer.allocUnsafe(size)
  for (let at = 0; at < size;) {
    const count = readSync(file, bytes, at, size - at, start + at)
    if (count === 0) throw new Error('a temporary file is shorter than it was')
    at += count
  }
  return bytes
}
