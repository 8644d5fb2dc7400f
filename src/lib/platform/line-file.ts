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
/** Number of bytes to read for `lines`, and for `lineAt`. Large buffers would enlarge the process permanently. */
const CHUNK = 64 * 1024
const NEAR = 16 * 1024

/** Opens a file of lines. Throws the system's error. */
export function openLineFile(path: string): LineFile {
  const file = openSync(path, 'r')
  const {size} = fstatSync(file)
  const read = (length: number, at: number) => {
    const bytes = Buffer.allocUnsafe(length)
    return bytes.subarray(0, readSync(file, bytes, 0, length, at))
  }
  /** The bytes that `lineAt` has read last: neighboring lines are often read one after the other. */
  let near: Buffer = Buffer.alloc(0)
  let nearAt = 0

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
    for (let length = NEAR; ; length *= 2) {
      const from = at - nearAt
      const end = from >= 0 && from < near.length ? near.indexOf(LINE_FEED, from) : -1
      if (end >= 0) return near.toString('utf8', from, end)
      near = read(length, at)
      nearAt = at
      if (near.length < length && !near.includes(LINE_FEED)) return near.toString()
    }
  }

  return {size, lines, lineAt, close: () => closeSync(file)}
}
