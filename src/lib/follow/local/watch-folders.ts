import type {Stats} from 'node:fs'
import {basename, relative, sep} from 'node:path'
import {REMOVED_FOLDER} from '#lib/transfer/local/encode-name.js'
import {RULES_FILE} from '#lib/transfer/local/rules.js'
import {parentOf} from '#lib/transfer/tree/steps.js'

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
  /** Watches again from the start, because folders were replaced by others of the same name. */
  restart(): Promise<void>
  close(): void | Promise<void>
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
export type WatchFolders = (options: WatchOptions) => Promise<FolderWatcher>

/**
 * The number of reports after which some may be missing: Linux drops reports beyond a queue of 16,384, without
 * telling Node.
 */
const BURST = 8000

/**
 * Watches folders with chokidar. Only folders are watched; they report changes of their files, so the cost does
 * not grow with the number of files.
 */
export const watchFolders: WatchFolders = async ({root, excluded, onReport, onRefused}) => {
  const {watch} = await import('chokidar')
  let folders = new Set<string>()
  let count = 0
  let isUncertain = false
  let isOfRules = false

  const pathOf = (path: string) => relative(root, path).split(sep).join('/')

  function report(folder: string): void {
    if (folder === '..' || folder.startsWith('../')) return
    count += 1
    folders.add(folder)
    onReport()
  }

  async function open() {
    const watcher = watch(root, {
      ignoreInitial: true,
      followSymlinks: false,
      ignored: (path, facts?: Stats) =>
        (facts !== undefined && !facts.isDirectory()) ||
        (path !== root && (excluded.has(pathOf(path)) || basename(path) === REMOVED_FOLDER)),
    })
    watcher.on('raw', (_, name, details) => {
      const {watchedPath} = details as {readonly watchedPath?: string}
      if (watchedPath === undefined) return
      if (name === RULES_FILE) isOfRules = true
      report(pathOf(watchedPath))
    })
    // A folder may have received entries before it was watched.
    watcher.on('addDir', path => report(pathOf(path)))
    watcher.on('unlinkDir', path => report(parentOf(pathOf(path))))
    watcher.on('error', error => {
      isUncertain = true
      onRefused(error as NodeJS.ErrnoException)
      onReport()
    })
    await new Promise<void>(resolve => void watcher.once('ready', () => resolve()))
    return watcher
  }

  let watcher = await open()
  return {
    take() {
      const taken = {folders, isUncertain: isUncertain || count > BURST, isOfRules}
      folders = new Set()
      count = 0
      isUncertain = isOfRules = false
      return taken
    },
    async restart() {
      await watcher.close()
      watcher = await open()
      isUncertain = true
    },
    close: () => watcher.close(),
  }
}
