import {closeSync, fstatSync, openSync, read, readSync} from 'node:fs'
import {promisify} from 'node:util'
import {historyFiles} from './file.js'
import {type HistoryLine, parseLine} from './lines.js'

/**
 * Reads the history, as it was when the reader was opened. Lines can be read again by their position, so that
 * nobody has to keep them: there may be millions.
 */

/** A line with its position: the number of bytes of the history before it. */
export interface PlacedLine {
  readonly line: HistoryLine
  readonly at: number
}

export interface HistoryReader {
  /** All complete lines, in the order in which they were written. Throws the system's error. */
  lines(): AsyncGenerator<PlacedLine>
  /** The line at a position from `lines`. Throws the system's error. */
  lineAt(at: number): HistoryLine
  close(): void
}

interface OpenFile {
  readonly file: number
  readonly size: number
  /** The position of its first byte. */
  readonly start: number
}

const LINE_FEED = 10
/** Bytes that hold most lines. */
const USUAL = 1024
/** Bytes to read at a time. */
const PIECE = 64 * 1024

/** Opens the files of the history; `undefined` is the directory of a machine without a history. Throws the system's error. */
export function openHistoryReader(directory: string | undefined): HistoryReader {
  const files: OpenFile[] = []
  const close = () => files.forEach(({file}) => closeSync(file))
  try {
    let start = 0
    for (const path of directory === undefined ? [] : historyFiles(directory)) {
      const file = openSync(path, 'r')
      const {size} = fstatSync(file)
      files.push({file, size, start})
      start += size
    }
  } catch (error) {
    close()
    throw error
  }

  async function* lines(): AsyncGenerator<PlacedLine> {
    for (const {file, size, start} of files) {
      for await (const {text, at} of linesOf(file, size)) {
        const line = parseLine(text)
        if (line) yield {line, at: start + at}
      }
    }
  }

  function lineAt(at: number): HistoryLine {
    const {file, start} = files.findLast(one => one.start <= at)!
    for (let length = USUAL; ; length *= 2) {
      const bytes = Buffer.allocUnsafe(length)
      const found = bytes.subarray(0, readSync(file, bytes, 0, length, at - start))
      const end = found.indexOf(LINE_FEED)
      if (end >= 0) return parseLine(found.toString('utf8', 0, end))!
      if (found.length < length) return parseLine(found.toString())!
    }
  }

  return {lines, lineAt, close}
}

/** The first `size` bytes of a file, in pieces. */
async function* chunksOf(file: number, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < size;) {
    const chunk = Buffer.allocUnsafe(Math.min(PIECE, size - at))
    const {bytesRead} = await promisify(read)(file, chunk, 0, chunk.length, at)
    if (bytesRead === 0) return
    yield chunk.subarray(0, bytesRead)
    at += bytesRead
  }
}

/** The lines of a file of any size. It does not use readline, which also splits at U+2028, which JSON allows. */
async function* linesOf(file: number, size: number): AsyncGenerator<{text: string; at: number}> {
  let rest: Buffer = Buffer.alloc(0)
  let at = 0
  for await (const chunk of chunksOf(file, size)) {
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
    let start = 0
    for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, start)) {
      yield {text: bytes.toString('utf8', start, end), at: at + start}
      start = end + 1
    }
    rest = bytes.subarray(start)
    at += start
  }
  if (rest.length > 0) yield {text: rest.toString(), at}
}
