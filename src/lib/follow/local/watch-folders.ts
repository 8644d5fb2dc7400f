import {type FSWatcher, lstatSync, opendirSync, watch} from 'node:fs'
import {join} from 'node:path'
import {REMOVED_FOLDER} from '#lib/transfer/local/encode-name.js'
import {RULES_FILE} from '#lib/transfer/local/rules.js'
import {joinPath, parentOf} from '#lib/transfer/tree/steps.js'
import {isWithin, lastName} from './local-item.js'

/** The reports of a watcher since the last `take`. */
export interface Reported {
  /** The folders in which something may have changed, relative to the watched one. */
  readonly folders: ReadonlySet<string>
  /** Whether anything may have changed anywhere, because reports may be missing. */
  readonly isUncertain: boolean
  /** Whether exclude rules may have changed. */
  readonly isOfRules: boolean
}

/** Reports changes below a folder. */
export interface FolderWatcher {
  /** Returns the reports so far, and clears them. */
  take(): Reported | Promise<Reported>
  /** Watches again from the start, because other folders are excluded, or have the names of earlier ones. */
  restart(): void | Promise<void>
  close(): void
}

interface WatchOptions {
  /** The absolute path of the folder. */
  readonly root: string
  /** Folders, relative to the watched one, that need not be watched. */
  readonly excluded: ReadonlySet<string>
  /** Called for each report. */
  readonly onReport: () => void
  /** Called when the system refuses to watch a folder, whose changes are then not reported. */
  readonly onRefused: (error: NodeJS.ErrnoException) => void
}

/** Creates a watcher; resolves when everything is watched. */
export type WatchFolders = (options: WatchOptions) => FolderWatcher | Promise<FolderWatcher>

/**
 * The number of reports after which some may be missing: Linux drops reports beyond a queue of 16,384, without
 * telling Node.
 */
const BURST = 8000

/**
 * Watches each folder with the system's own watch, which reports changes of its files. Nothing is kept of files, and
 * only folders are looked at: chokidar reads the facts of all files when it starts, and of all files of a folder
 * whenever one changes, which leaves 50 MB behind for 50,000 files.
 */
export const watchFolders: WatchFolders = ({root, excluded, onReport, onRefused}) => {
  const watchers = new Map<string, FSWatcher>()
  let folders = new Set<string>()
  let count = 0
  let isUncertain = false
  let isOfRules = false

  function report(folder: string): void {
    count += 1
    folders.add(folder)
    onReport()
  }

  /** Watches a folder and those below it. */
  function open(top: string): void {
    const waiting = [top]
    for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
      if (lastName(folder) === REMOVED_FOLDER || excluded.has(folder)) continue
      try {
        watchOne(folder)
        waiting.push(...foldersIn(folder))
      } catch (error) {
        refuse(folder, error as NodeJS.ErrnoException)
      }
    }
  }

  function watchOne(folder: string): void {
    const watcher = watch(join(root, folder))
    watchers.set(folder, watcher)
    watcher.on('change', (kind, name) => {
      if (name === RULES_FILE) isOfRules = true
      if (kind === 'rename' && typeof name === 'string') follow(joinPath(folder, name))
      report(folder)
    })
    watcher.on('error', error => {
      close(folder)
      refuse(folder, error)
    })
  }

  /** The folders in a folder, read entry by entry because it may have very many files. */
  function foldersIn(folder: string): string[] {
    const found: string[] = []
    const entries = opendirSync(join(root, folder))
    try {
      for (let entry = entries.readSync(); entry; entry = entries.readSync()) {
        if (entry.isDirectory()) found.push(joinPath(folder, entry.name))
      }
    } finally {
      entries.closeSync()
    }
    return found
  }

  /** Watches what a path is now. Folders below a new one may have received entries before they were watched. */
  function follow(path: string): void {
    close(path)
    if (!isFolder(path)) return
    open(path)
    for (const folder of watchedBelow(path)) report(folder)
  }

  /** Closes the watchers of a folder and those below it. */
  function close(top: string): void {
    for (const folder of watchedBelow(top)) {
      watchers.get(folder)!.close()
      watchers.delete(folder)
    }
  }

  function watchedBelow(top: string): string[] {
    if (top !== '' && !watchers.has(top)) return []
    const tops = new Set([top])
    return [...watchers.keys()].filter(folder => top === '' || isWithin(folder, tops))
  }

  function isFolder(path: string): boolean {
    try {
      return lstatSync(join(root, path)).isDirectory()
    } catch {
      return false
    }
  }

  /** Reports a folder that cannot be watched. One that is gone is a change of its parent. */
  function refuse(folder: string, error: NodeJS.ErrnoException): void {
    if (folder !== '' && !isFolder(folder)) return report(parentOf(folder))
    isUncertain = true
    onRefused(error)
    onReport()
  }

  function reopen(): void {
    close('')
    open('')
    isUncertain = true
  }

  open('')
  return {
    take() {
      // Among the missing reports may be those of new folders.
      if (count > BURST) reopen()
      const taken = {folders, isUncertain, isOfRules}
      folders = new Set()
      count = 0
      isUncertain = isOfRules = false
      return taken
    },
    restart() {
      reopen()
      onReport()
    },
    close: () => close(''),
  }
}
