import {closeSync, fstatSync, openSync, readSync} from 'node:fs'

/** A log as it was read. */
export interface ReadLog {
  /** The first line of the file, with its line feed; '' without one. */
  readonly heading: string
  /** Size of the file in bytes. */
  readonly size: number
  /**
   * Calls `onLine` with each complete line from an offset on; returns the offset after the last one. Throws the errors of
   * `onLine`, and the system's error.
   */
  lines(offset: number, onLine: (line: string) => void): number
}

/** Number of bytes that contain the first line. */
const HEADING = 200
/** Number of bytes read together. Large buffers would enlarge the process permanently. */
const CHUNK = 64 * 1024

/** Opens a log, and runs `work` with it; `undefined` if the file cannot be opened. */
export function withLog<T>(file: string, work: (log: ReadLog) => T): T | undefined {
  let descriptor: number
  try {
    descriptor = openSync(file, 'r')
  } catch {
    return undefined
  }
  try {
    const chunk = Buffer.allocUnsafe(CHUNK)
    const {size} = fstatSync(descriptor)
    const start = chunk.toString('utf8', 0, readSync(descriptor, chunk, 0, HEADING, 0))
    return work({
      heading: start.slice(0, start.indexOf('\n') + 1),
      size,
      lines(offset, onLine) {
        let rest: Buffer = Buffer.alloc(0)
        let end = offset
        for (let at = offset; ;) {
          const count = readSync(descriptor, chunk, 0, CHUNK, at)
          if (count === 0) return end
          at += count
          const bytes =
            rest.length === 0
              ? chunk.subarray(0, count)
              : Buffer.concat([rest, chunk.subarray(0, count)])
          let from = 0
          for (let feed = bytes.indexOf(10); feed !== -1; feed = bytes.indexOf(10, from)) {
            onLine(bytes.toString('utf8', from, feed))
            from = feed + 1
          }
          end += from
          rest = Buffer.from(bytes.subarray(from))
        }
      },
    })
  } finally {
    closeSync(descriptor)
  }
}
