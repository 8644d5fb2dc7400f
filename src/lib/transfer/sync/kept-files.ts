import {lstatSync, rmSync} from 'node:fs'
import {basename, dirname, join} from 'node:path'
import {conflictName} from '#lib/transfer/local/conflict-name.js'
import {holdBelow} from '#lib/transfer/local/held-folder.js'
import {
  type ScannedState,
  isInState,
  placeFile,
  type ReplacedFile,
} from '#lib/transfer/replace-file.js'
import {ownPartOf} from '#lib/transfer/target.js'

/**
 * Local files that were replaced by newer remote versions. They stay under other names for a while: if a program
 * that had one open still writes to it, it gets a name again instead of being removed.
 */
export interface KeptFiles {
  /** The state in which a file may be replaced. */
  replacing(path: string, state: ScannedState): ReplacedFile
  /** Removes the files whose time is over; all of them with `isLast`. Returns the paths of those that were changed. */
  check(isLast?: boolean): RescuedFile[]
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
  let files: KeptFile[] = []

  function release({path, aside, state}: KeptFile): RescuedFile[] {
    const folder = holdBelow(root, dirname(aside))
    try {
      const entry = folder.entry(basename(aside))
      if (!isInState(entry, state) && lstatSync(entry, {throwIfNoEntry: false})) {
        let name = conflictName(basename(path), host, now())
        for (let number = 2; !placeFile(entry, folder.entry(name)); number++) {
          name = conflictName(basename(path), `${host}-${number}`, now())
        }
        rmSync(entry, {force: true})
        return [{path, to: join(dirname(aside), name)}]
      }
      rmSync(entry, {force: true})
      return []
    } finally {
      folder.close()
    }
  }

  return {
    replacing(path, state) {
      return {
        ...state,
        aside: basename(ownPartOf(path)),
        onAside: aside => void files.push({path, aside, state, since: now()}),
      }
    },
    check(isLast = false) {
      const isOver = ({since}: KeptFile) => isLast || now() - since >= KEPT
      const over = files.filter(isOver)
      files = files.filter(file => !isOver(file))
      return over.flatMap(file => {
        try {
          return release(file)
        } catch {
          // Its folder was moved or removed.
          return []
        }
      })
    },
  }
}
