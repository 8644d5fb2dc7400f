import {hash} from 'node:crypto'
import {readdir, rm, stat} from 'node:fs/promises'
import {dirname, join} from 'node:path'
import {type LockOptions, withLock} from './lock.js'
import {readRegularFile, requireRegularFile} from './open-file.js'
import {readPrivateFile, writePrivateFile} from './private-file.js'
import {isObject, parseJson} from './values.js'
import {makeFolder, writeWhole} from './write-file.js'

/**
 * Small files that commands keep between runs: readable by their owner alone, written whole or not at
 * all, changed by one process at a time.
 */

/** How a state is written as text. */
interface Format<T> {
  /**
   * The state that the text of a file says; `undefined` for a text that is none. It may throw an error
   * of its own. `mode` is the file's.
   */
  readonly parse: (text: string, mode: number) => T | undefined
  readonly format: (state: T) => string
}

interface StateFileOptions<T> extends Format<T> {
  /** `undefined` on a machine that has no place for it: nothing is read or written. */
  readonly file: string | undefined
  /** It is believed only where no other user can have written it, and written only there. */
  readonly isPrivate?: boolean
  /** Whether it is on the disk for good once it is written (default: true). */
  readonly sync?: boolean
  /** The name that it has until it is whole; what is left there is replaced. */
  readonly temporary?: string
}

export interface StateFile<T> {
  /** The state; `undefined` where there is none that can be read. */
  read(): T | undefined
  /** The same, but throws the system's error, `SpecialFileError` or that of `parse`. */
  readOrThrow(): T | undefined
  /** Throws the system's error. */
  write(state: T): Promise<void>
  /** The same for a state whose loss is harmless. */
  tryWrite(state: T): Promise<void>
  /** Does `work` while no other process does so for this file; fails as `withLock` does. */
  locked<R>(work: () => Promise<R>, options?: LockOptions): Promise<R>
  /** Writes what `change` makes of the state, under the lock; nothing where that is `undefined`. */
  update(change: (state: T | undefined) => T | undefined): Promise<void>
  /** Says whether there was one. Throws the system's error and `SpecialFileError`. */
  remove(): Promise<boolean>
}

/** A state file; nothing is read or written before it is asked for. */
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

/** JSON in one line, of which `isValid` says whether it is such a state. */
export function jsonFormat<T>(isValid: (value: unknown) => value is T): Format<T> {
  return {
    parse(text) {
      const value = parseJson(text)
      return isValid(value) ? value : undefined
    },
    format: state => JSON.stringify(state),
  }
}

/** A time in milliseconds since 1970. */
export const timeFormat = jsonFormat(value => typeof value === 'number')

/** A map as an object of JSON; entries whose value is none are left out. */
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

/** The first hexadecimal digits of a key's SHA-256: a file name that tells nothing of the key. */
export function nameFromKey(key: string | readonly string[], digits = 64): string {
  return hash('sha256', typeof key === 'string' ? key : JSON.stringify(key)).slice(0, digits)
}

/**
 * Whether a state of a time counts, all in milliseconds. A time in the future comes from a clock that
 * was set back: it counts for nothing.
 */
export function isFresh(time: number, now: number, lifetime: number): boolean {
  return time <= now && now - time < lifetime
}

/** Whether a state of a time may be deleted, all in milliseconds. A clock that was set back deletes nothing. */
export function isExpired(time: number, now: number, lifetime: number): boolean {
  return now - time > lifetime
}

/** Removes the files of a directory that are over; one that cannot be removed stays. */
export async function removeFiles(
  directory: string,
  isOver: (file: string) => boolean | Promise<boolean>,
): Promise<void> {
  for (const name of await readdir(directory).catch(() => [])) {
    const file = join(directory, name)
    if (await isOver(file)) await rm(file, {force: true}).catch(() => undefined)
  }
}

/** When a file was written last, in milliseconds since 1970; `undefined` where it cannot be seen. */
export async function writtenAt(file: string): Promise<number | undefined> {
  return (await stat(file).catch(() => undefined))?.mtimeMs
}

/** Bytes of a private file: a description as long as an answer may be, and what JSON adds to it. */
const LARGEST = 64 * 1024 * 1024
