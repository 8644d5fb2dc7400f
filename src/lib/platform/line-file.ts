import {closeSync, fstatSync, openSync, readSync} from 'node:fs'

/** A line of a file, without its line feed. */
export interface FileLine {
  readonly text: string
  /** Its position: the number of bytes before it. */
  readonly at: number
  /** The position after its line feed. */
  readonly end: number
  /** Whether it has a line feed: the last line may have been cut short. */
  readonly isWhole: boolean
}

/**
 * An open file of lines, perhaps millions: each can be read again by its position, also after another file has
 * replaced this one. It does not use readline, which also splits at U+2028, which JSON allows.
 */
export interface LineFile {
  /** Size of the file in bytes, when it was opened. */
  readonly size: number
  /** The lines from a position on, up to the size when it was opened. Throws the system's error. */
  lines(start: number): Generator<FileLine>
  /** The line at a position. Throws the system's error. */
  lineAt(at: number): string
  close(): void
}

const LINE_FEED = 10
/** Number of bytes to read for `lines`. Large buffers would enlarge the process permanently. */
const CHUNK = 64 * 1024
/** Number of bytes to read for `lineAt`, before the line and from it on. */
const BEFORE = 8 * 1024
const AFTER = 16 * 1024

/** Opens a file of lines. Throws the system's error. */
export function openLineFile(path: string): LineFile {
  const file = openSync(path, 'r')
  const {size} = fstatSync(file)
  const fill = (bytes: Buffer, at: number) =>
    bytes.subarray(0, readSync(file, bytes, 0, bytes.length, at))
  const read = (length: number, at: number) => fill(Buffer.allocUnsafe(length), at)
  /** The two parts that `lineAt` has read last: neighboring lines are often read soon after each other, in any order. */
  let [last, before] = [newPart(), newPart()]

  function* lines(start: number): Generator<FileLine> {
    let rest: Buffer = Buffer.alloc(0)
    let at = start
    for (;;) {
      const next = at + rest.length
      const found = read(Math.min(CHUNK, Math.max(0, size - next)), next)
      if (found.length === 0) break
      const bytes = rest.length === 0 ? found : Buffer.concat([rest, found])
      let from = 0
      for (let feed = bytes.indexOf(LINE_FEED); feed >= 0; feed = bytes.indexOf(LINE_FEED, from)) {
        const end = at + feed + 1
        yield {text: bytes.toString('utf8', from, feed), at: at + from, end, isWhole: true}
        from = feed + 1
      }
      rest = bytes.subarray(from)
      at += from
    }
    if (rest.length > 0) yield {text: rest.toString(), at, end: at + rest.length, isWhole: false}
  }

  function lineAt(at: number): string {
    const known = lineIn(last, at) ?? lineIn(before, at)
    if (known !== undefined) return known
    // The buffer is used again, because there may be millions of reads.
    ;[last, before] = [before, last]
    last.bytes = last.buffer.subarray(0, 0)
    last.start = Math.max(0, at - BEFORE)
    last.bytes = fill(last.buffer, last.start)
    return lineIn(last, at) ?? longLineAt(at)
  }

  /** A line that is longer than a part, or the last one without a line feed. */
  function longLineAt(at: number): string {
    for (let length = 2 * AFTER; ; length *= 2) {
      const bytes = read(length, at)
      const end = bytes.indexOf(LINE_FEED)
      if (end >= 0) return bytes.toString('utf8', 0, end)
      if (bytes.length < length) return bytes.toString()
    }
  }

  return {size, lines, lineAt, close: () => closeSync(file)}
}

/** A part of a file in memory. */
interface Part {
  readonly buffer: Buffer
  /** The bytes that were read. */
  bytes: Buffer
  /** Its position in the file. */
  start: number
}

function newPart(): Part {
  const buffer = Buffer.allocUnsafe(BEFORE + AFTER)
  return {buffer, bytes: buffer.subarray(0, 0), start: 0}
}

/** The line at a position of the file, if a part contains all of it. */
function lineIn({bytes, start}: Part, at: number): string | undefined {
  const from = at - start
  const end = from >= 0 && from < bytes.length ? bytes.indexOf(LINE_FEED, from) : -1
  return end < 0 ? undefined : bytes.toString('utf8', from, end)
}
