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
/** Number of bytes to read for `lineAt`, before the line and from it on, and how many of such parts to keep. */
const BEFORE = 8 * 1024
const AFTER = 16 * 1024
const PARTS = 2

/** Opens a file of lines. Throws the system's error. */
export function openLineFile(path: string): LineFile {
  const file = openSync(path, 'r')
  const {size} = fstatSync(file)
  const read = (length: number, at: number) => {
    const bytes = Buffer.allocUnsafe(length)
    return bytes.subarray(0, readSync(file, bytes, 0, length, at))
  }
  /** What `lineAt` has read last: neighboring lines are often read soon after each other, in any order. */
  let near: ReadonlyArray<{readonly bytes: Buffer; readonly start: number}> = []

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
    for (const {bytes, start} of near) {
      const from = at - start
      const end = from >= 0 && from < bytes.length ? bytes.indexOf(LINE_FEED, from) : -1
      if (end >= 0) return bytes.toString('utf8', from, end)
    }
    const start = Math.max(0, at - BEFORE)
    for (let length = at - start + AFTER; ; length *= 2) {
      const bytes = read(length, start)
      const end = bytes.indexOf(LINE_FEED, at - start)
      const isAll = bytes.length < length
      if (end < 0 && !isAll) continue
      near = [{bytes, start}, ...near.slice(0, PARTS - 1)]
      return bytes.toString('utf8', at - start, end < 0 ? undefined : end)
    }
  }

  return {size, lines, lineAt, close: () => closeSync(file)}
}
