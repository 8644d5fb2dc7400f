import {
  closeSync,
  fsync,
  futimesSync,
  openSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import {promisify} from 'node:util'

interface Writing {
  /** The name beside the file's that it has until it is whole; what is left there is replaced. */
  readonly temporary?: string
  readonly mode?: number
  /** The modification time it gets, in milliseconds since 1970. */
  readonly modified?: number
  /** Whether it is on the disk for good before it gets its name. */
  readonly sync?: boolean
  /** Gives it its name. */
  readonly place?: (temporary: string, file: string) => void
}

/**
 * Writes a file whole or not at all, readable by its owner alone unless `mode` says otherwise. But
 * for the disk's own time each step is synchronous: on its way through the thread pool it takes
 * longer than all of them here, which is most of the time with thousands of small files.
 */
export async function writeWhole(
  file: string,
  content: string | Buffer,
  {
    temporary = temporaryFor(file),
    mode = 0o600,
    modified,
    sync = false,
    place = renameSync,
  }: Writing = {},
): Promise<void> {
  const opened = openNew(temporary, mode)
  try {
    try {
      writeFileSync(opened, content)
      if (modified !== undefined) futimesSync(opened, new Date(), new Date(modified))
      if (sync) await promisify(fsync)(opened)
    } finally {
      closeSync(opened)
    }
    place(temporary, file)
  } finally {
    remove(temporary)
  }
}

/** A name beside a file's that nothing else gets; the number of the process in it tells what is left over. */
export function temporaryFor(file: string): string {
  return `${file}.${process.pid}.${process.hrtime.bigint()}.tmp`
}

function openNew(path: string, mode: number): number {
  try {
    return openSync(path, 'wx', mode)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    unlinkSync(path)
    return openSync(path, 'wx', mode)
  }
}

function remove(path: string): void {
  try {
    unlinkSync(path)
  } catch {
    // It has got another name.
  }
}
