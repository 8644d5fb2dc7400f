import {type LineFile, openLineFile} from '#lib/platform/line-file.js'
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
  lines(): Generator<PlacedLine>
  /** The line at a position from `lines`. Throws the system's error. */
  lineAt(at: number): HistoryLine
  close(): void
}

interface OpenFile {
  readonly file: LineFile
  /** The position of its first byte. */
  readonly start: number
}

/** Opens the files of the history; `undefined` is the directory of a machine without a history. Throws the system's error. */
export function openHistoryReader(directory: string | undefined): HistoryReader {
  const files: OpenFile[] = []
  const close = () => files.forEach(({file}) => file.close())
  try {
    let start = 0
    for (const path of directory === undefined ? [] : historyFiles(directory)) {
      const file = openLineFile(path)
      files.push({file, start})
      start += file.size
    }
  } catch (error) {
    close()
    throw error
  }
  return {
    *lines() {
      for (const {file, start} of files) {
        for (const {text, at} of file.lines(0)) {
          const line = parseLine(text)
          if (line) yield {line, at: start + at}
        }
      }
    },
    lineAt(at) {
      const {file, start} = files.findLast(one => one.start <= at)!
      return parseLine(file.lineAt(at - start))!
    },
    close,
  }
}
