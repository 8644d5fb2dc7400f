import {existsSync} from 'node:fs'
import {basename, join, relative, sep} from 'node:path'
import {inPieces} from '#lib/platform/values.js'
import {RULES_FILE} from '#lib/transfer/local/rules.js'
import {joinPath, parentOf} from '#lib/transfer/tree/steps.js'

/** The reports of a watcher since the last `take`. */
export interface Reported {
  /** The folders in which something may have changed, relative to the watched one. */
  readonly folders: ReadonlySet<string>
  /** The folders that were removed, moved or replaced, and all below them: others with their names are not watched. */
  readonly gone: ReadonlySet<string>
  /** Whether anything may have changed anywhere, because reports may be missing. */
  readonly isUncertain: boolean
  /** Whether exclude rules may have changed. */
  readonly isOfRules: boolean
}

/** Reports changes in folders. */
export interface FolderWatcher {
  /** Returns the reports so far, and clears them. */
  take(): Reported | Promise<Reported>
  /** Watches more folders; then reports each of them, because it may have changed before. */
  add(folders: readonly string[]): Promise<void>
  close(): void | Promise<void>
}

interface WatchOptions {
  /** The absolute path of the followed folder. */
  readonly root: string
  /** The folders to watch, relative to it; '' is the followed one. */
  readonly folders: readonly string[]
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

/** Number of folders that are opened at the same time. */
const AT_ONCE = 100

/**
 * Watches single folders with chokidar: they report changes of their files, so the cost does not grow with the number
 * of files. New subfolders are left to the caller, who finds them in the folder.
 */
export const watchFolders: WatchFolders = async ({root, folders: first, onReport, onRefused}) => {
  const {FSWatcher} = await import('chokidar')
  // Without `atomic: false`, it ignores names such as those of editors' backups.
  const watcher = new FSWatcher({ignoreInitial: true, followSymlinks: false, atomic: false})
  // chokidar lists a folder before it watches it, and after each report. So it can miss a new subfolder, stops at a
  // link through a file, and closes the watch of a folder that was replaced. Throttled, it does not list any.
  watcher._throttle = () => false
  const watched = new Set<string>()
  /** The watched folders that a folder contains. */
  const below = new Map<string, Set<string>>()
  const refused = new Set<string>()
  let folders = new Set<string>()
  let gone = new Set<string>()
  let count = 0
  let isUncertain = false
  let isOfRules = false
  /** Whether folders may have gone without a report. */
  let isOutdated = false

  const pathOf = (path: string) => relative(root, path).split(sep).join('/')

  watcher.on('raw', (event, name, details) => {
    const {watchedPath} = details as {readonly watchedPath?: string}
    if (watchedPath !== undefined) hear(event, name, pathOf(watchedPath))
  })
  watcher.on('error', error => {
    const failure = error as NodeJS.ErrnoException
    if (failure.path !== undefined) refused.add(failure.path)
    isUncertain = true
    onRefused(failure)
    onReport()
  })

  function hear(event: string, name: string | null, folder: string): void {
    count += 1
    if (name === RULES_FILE) isOfRules = true
    if (event === 'rename' && name !== null) {
      lose(joinPath(folder, name))
      // The report of a folder about itself has its own name, as one about an item of that name.
      if (name === basename(join(root, folder))) lose(folder)
    }
    folders.add(folder)
    onReport()
  }

  /** Stops watching a folder that may be another one now, and those below it. */
  function lose(folder: string): void {
    if (folder === '' || !watched.delete(folder)) return
    watcher._closeFile(join(root, folder))
    for (const inner of below.get(folder) ?? []) lose(inner)
    below.delete(folder)
    below.get(parentOf(folder))?.delete(folder)
    gone.add(folder)
    folders.add(parentOf(folder))
  }

  /** Watches a folder, or its successor. */
  async function open(folder: string): Promise<void> {
    const path = join(root, folder)
    watcher._closeFile(path)
    refused.delete(path)
    await watcher._nodeFsHandler._addToNodeFs(path, true, undefined, 0)
    if (watcher._closers.has(path)) {
      watched.add(folder)
      if (folder !== '') insideOf(parentOf(folder)).add(folder)
      folders.add(folder)
      // Changes of its rules before now were not reported.
      isOfRules ||= existsSync(join(path, RULES_FILE))
    } else if (!refused.has(path) && folder !== '') {
      gone.add(folder)
      folders.add(parentOf(folder))
    }
  }

  function insideOf(folder: string): Set<string> {
    const known = below.get(folder) ?? new Set()
    below.set(folder, known)
    return known
  }

  async function add(some: Iterable<string>): Promise<void> {
    for (const piece of inPieces(some, AT_ONCE)) await Promise.all(piece.map(open))
    onReport()
  }

  await add(first)
  return {
    async take() {
      const isBurst = count > BURST
      count = 0
      if (isOutdated && !isBurst) {
        await add([...watched])
        isUncertain = true
      }
      // When it is over, everything is watched again.
      if (isBurst) onReport()
      isOutdated = isBurst
      const taken = {folders, gone, isUncertain: isUncertain || isBurst, isOfRules}
      folders = new Set()
      gone = new Set()
      isUncertain = isOfRules = false
      return taken
    },
    add,
    close: () => watcher.close(),
  }
}
