import {randomBytes} from 'node:crypto'
import {existsSync, rmdirSync, rmSync} from 'node:fs'
import {basename, dirname, join} from 'node:path'
import {conflictName} from '#lib/transfer/local/conflict-name.js'
import {REMOVED_FOLDER} from '#lib/transfer/local/encode-name.js'
import {holdBelow} from '#lib/transfer/local/held-folder.js'
import {
  isInState,
  placeFile,
  type ReplacedFile,
  type ScannedState,
} from '#lib/transfer/replace-file.js'

/**
 * Local files that were replaced by newer remote versions. They stay in the folder for removed files for a while: if
 * a program that had one open still writes to it, it gets a name again instead of being removed.
 */
export interface KeptFiles {
  /** The state in which a file may be replaced. */
  replacing(path: string, state: ScannedState): ReplacedFile
  /** Removes the files whose time is over; all of them with `isLast`. Returns those that were changed, with new names. */
  check(isLast?: boolean): RescuedFile[]
  /** Whether no file is kept. */
  readonly isEmpty: boolean
}

/** A file that another program changed after it was replaced. */
export interface RescuedFile {
  readonly path: string
  /** The new path. */
  readonly to: string
}

interface KeptFile {
  readonly path: string
  readonly aside: string
  readonly state: ScannedState
  readonly since: number
}

/** Milliseconds for which a replaced file is kept: programs open a file and write to it within less. */
const KEPT = 2000

interface KeptFilesOptions {
  /** The folder below which all files are. */
  readonly root: string
  /** Returns milliseconds since 1970. */
  readonly now: () => number
  /** The name of this machine, for the names of changed files. */
  readonly host: string
}

export function createKeptFiles({root, now, host}: KeptFilesOptions): KeptFiles {
  const folder = join(root, REMOVED_FOLDER, `replaced-${randomBytes(6).toString('hex')}`)
  let files: KeptFile[] = []
  let number = 0

  function release({path, aside, state}: KeptFile): RescuedFile[] {
    if (isInState(aside, state)) {
      rmSync(aside)
      return []
    }
    if (!existsSync(aside)) return []
    // Its folder may have been moved or removed meanwhile.
    const to = giveName(path, aside)
    return [{path, to: to ?? aside}]
  }

  function giveName(path: string, aside: string): string | undefined {
    try {
      const home = holdBelow(root, dirname(path))
      try {
        for (let count = 1; ; count++) {
          const name = conflictName(basename(path), count === 1 ? host : `${host}-${count}`, now())
          if (!placeFile(aside, home.entry(name))) continue
          rmSync(aside, {force: true})
          return join(dirname(path), name)
        }
      } finally {
        home.close()
      }
    } catch {
      return undefined
    }
  }

  return {
    replacing(path, state) {
      return {
        ...state,
        openAside() {
          const held = holdBelow(root, folder, {isMade: true})
          const name = String(++number)
          return {path: join(folder, name), entry: held.entry(name), close: held.close}
        },
        onAside: aside => void files.push({path, aside, state, since: now()}),
      }
    },
    get isEmpty() {
      return files.length === 0
    },
    check(isLast = false) {
      if (files.length === 0) return []
      const isOver = ({since}: KeptFile) => isLast || now() - since >= KEPT
      const over = files.filter(isOver)
      files = files.filter(file => !isOver(file))
      const rescued = over.flatMap(release)
      for (const empty of [folder, dirname(folder)]) removeEmpty(empty)
      return rescued
    },
  }
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // It has other files.
  }
}
