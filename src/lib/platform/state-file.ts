import {hash} from 'node:crypto'
import {readdir, rm, stat} from 'node:fs/promises'
import {dirname, join} from 'node:path'
import {type LockOptions, withLock} from './lock.js'
import {readRegularFile, requireRegularFile} from './open-file.js'
import {readPrivateFile, writePrivateFile} from './private-file.js'
import {isObject, parseJson} from './values.js'
import {makeFolder, writeWhole} from './write-file.js'

/**
 * State files: small files that commands keep between runs. They have mode 0600, are written
 * atomically, and are changed by one process at a time.
 */

/** Conversion between a state and its text. */
interface Format<T> {
  /** The state in a file's text; `undefined` if invalid. May throw. `mode` is the file's mode. */
  readonly parse: (text: string, mode: number) => T | undefined
  readonly format: (state: T) => string
}

interface StateFileOptions<T> extends Format<T> {
  /** `undefined` on a machine without a suitable directory: nothing is read or written. */
  readonly file: string | undefined
  /** Whether to ignore a file or directory that another user could have written. */
  readonly isPrivate?: boolean
  /** Whether to flush the file to disk after writing (default: true). */
  readonly sync?: boolean
  /** The temporary path while writing; an existing file there is replaced. */
  readonly temporary?: string
}

export interface StateFile<T> {
  /** The state; `undefined` if it is missing or cannot be read. */
  read(): T | undefined
  /** Like `read`, but throws the system's error, `SpecialFileError` or the error of `parse`. */
  readOrThrow(): T | undefined
  /** Writes the state. Throws the system's error. */
  write(state: T): Promise<void>
  /** Like `write`, but ignores errors; for a state whose loss is harmless. */
  tryWrite(state: T): Promise<void>
  /** Runs `work` while holding the lock of this file. Throws what `withLock` throws. */
  locked<R>(work: () => Promise<R>, options?: LockOptions): Promise<R>
  /** Under the lock, writes the state that `change` returns; nothing if it returns `undefined`. */
  update(change: (state: T | undefined) => T | undefined): Promise<void>
  /** Removes the file and returns whether it existed. Throws the system's error and `SpecialFileError`. */
  remove(): Promise<boolean>
}

/** A state file. It reads and writes only when a method is called. */
export function stateFile<T>(options: StateFileOptions<T>): StateFile<T> {
  const {file, parse, format, isPrivate = false, sync = true, temporary} = options

  const read = (): T | undefined => {
    try {
      return readOrThrow()
    } catch {
      return undefined
    }
  }

  function readOrThrow(): T | undefined {
    if (file === undefined) return undefined
    if (isPrivate) {
      const content = readPrivateFile(file, LARGEST)
      return content && parse(content.toString('utf8'), 0o600)
    }
    const found = readRegularFile(file)
    return found && parse(found.text, found.mode)
  }

  async function write(state: T): Promise<void> {
    if (file === undefined) return
    const text = format(state)
    if (isPrivate) return writePrivateFile(file, text, {sync})
    await makeFolder(dirname(file), 0o700)
    await writeWhole(file, text, {sync, temporary})
  }

  const locked: StateFile<T>['locked'] = (work, options) =>
    file === undefined ? work() : withLock(`${file}.lock`, work, options)

  return {
    read,
    readOrThrow,
    write,
    tryWrite: state => write(state).catch(() => undefined),
    locked,
    update: change =>
      locked(async () => {
        const state = change(read())
        if (state !== undefined) await write(state)
      }),
    async remove() {
      if (file === undefined) return false
      await requireRegularFile(file, true)
      const isThere = (await writtenAt(file)) !== undefined
      await rm(file, {force: true})
      return isThere
    },
  }
}

/** JSON on one line, checked with `isValid`. */
export function jsonStateFormat<T>(isValid: (value: unknown) => value is T): Format<T> {
  return {
    parse(text) {
      const value = parseJson(text)
      return isValid(value) ? value : undefined
    },
    format: state => JSON.stringify(state),
  }
}

/** A time, in milliseconds since 1970. */
export const timeFormat = jsonStateFormat(value => typeof value === 'number')

/** A map as a JSON object; entries with invalid values are left out. */
export function mapFormat<T>(
  isValue: (value: unknown) => value is T,
): Format<ReadonlyMap<string, T>> {
  return {
    parse(text) {
      const value = parseJson(text)
      const entries = isObject(value) ? Object.entries(value) : []
      return new Map(entries.filter((entry): entry is [string, T] => isValue(entry[1])))
    },
    format: map => JSON.stringify(Object.fromEntries(map)),
  }
}

/** The first hexadecimal digits of a key's SHA-256: a file name that does not reveal the key. */
export function nameFromKey(key: string | readonly string[], digits = 64): string {
  return hash('sha256', typeof key === 'string' ? key : JSON.stringify(key)).slice(0, digits)
}

/**
 * Whether a state written at `time` is still valid, all in milliseconds. A time in the future (the
 * clock was set back) is not.
 */
export function isFresh(time: number, now: number, lifetime: number): boolean {
  return time <= now && now - time < lifetime
}

/** Whether a state written at `time` may be deleted, all in milliseconds; never if the clock was set back. */
export function isExpired(time: number, now: number, lifetime: number): boolean {
  return now - time > lifetime
}

/** Deletes the files of a directory for which `isOver` is true. Errors are ignored. */
export async function removeFiles(
  directory: string,
  isOver: (file: string) => boolean | Promise<boolean>,
): Promise<void> {
  for (const name of await readdir(directory).catch(() => [])) {
    const file = join(directory, name)
    if (await isOver(file)) await rm(file, {force: true}).catch(() => undefined)
  }
}

/** Modification time of a file, in milliseconds since 1970; `undefined` if it cannot be read. */
export async function writtenAt(file: string): Promise<number | undefined> {
  return (await stat(file).catch(() => undefined))?.mtimeMs
}

/** Maximum size of a private file in bytes: a description of the maximum size, plus JSON escapes. */
const LARGEST = 64 * 1024 * 1024
