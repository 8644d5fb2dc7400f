import {basename, join, relative, sep} from 'node:path'
import type {FSWatcher} from 'chokidar'
import {inPieces} from '#lib/platform/values.js'
import {RULES_FILE} from '#lib/transfer/local/rules.js'
import {parentOf} from '#lib/transfer/tree/steps.js'

/** The reports of a watcher since the last `take`. */
export interface Reported {
  /** The folders in which something may have changed, relative to the watched one. */
  readonly folders: ReadonlySet<string>
  /** The folders that were removed or moved: others with their names are not watched. */
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

/** Number of folders that share a watcher of chokidar, and of watchers with few folders before they are joined. */
const GROUP = 100

interface Group {
  readonly watcher: FSWatcher
  /** The folders that are still there. */
  readonly folders: Set<string>
}

/**
 * Watches single folders with chokidar: they report changes of their files, so the cost does not grow with the number
 * of files. New subfolders are left to the caller, who finds them in the folder: between reading a folder and watching
 * it, chokidar can miss one.
 */
export const watchFolders: WatchFolders = async ({root, folders: first, onReport, onRefused}) => {
  const {watch} = await import('chokidar')
  const groups = new Set<Group>()
  const groupOf = new Map<string, Group>()
  let folders = new Set<string>()
  let gone = new Set<string>()
  let count = 0
  let isUncertain = false
  let isOfRules = false
  /** Whether folders may have gone without a report. */
  let isOutdated = false

  const pathOf = (path: string) => relative(root, path).split(sep).join('/')

  function hear(event: string, name: string | null, folder: string): void {
    count += 1
    if (name === RULES_FILE) isOfRules = true
    // The report of a folder about itself has its own name, as one about an item of that name.
    if (event === 'rename' && name === basename(join(root, folder)) && folder !== '') {
      gone.add(folder)
      groupOf.get(folder)?.folders.delete(folder)
      folders.add(parentOf(folder))
    }
    folders.add(folder)
    onReport()
  }

  async function open(some: readonly string[]): Promise<void> {
    const ways = some.map(wayTo)
    const starts = new Set(ways.map(([start]) => join(root, start!)))
    const wanted = new Set(ways.flat().map(folder => unixPath(join(root, folder))))
    const watcher = watch([...starts], {
      ...{ignoreInitial: true, followSymlinks: false},
      depth: Math.max(...ways.map(({length}) => length)) - 1,
      // Otherwise, chokidar ignores names such as those of editors' backups.
      atomic: false,
      ignored: path => !wanted.has(unixPath(path)),
    })
    const group = {watcher, folders: new Set(some)}
    groups.add(group)
    for (const folder of some) groupOf.set(folder, group)
    watcher.on('raw', (event, name, details) => {
      const {watchedPath} = details as {readonly watchedPath?: string}
      if (watchedPath !== undefined) hear(event, name, pathOf(watchedPath))
    })
    watcher.on('error', error => {
      isUncertain = true
      onRefused(error as NodeJS.ErrnoException)
      onReport()
    })
    await new Promise<void>(resolve => void watcher.once('ready', () => resolve()))
  }

  /** One group after the other, because chokidar reads all folders of a watcher at the same time. */
  async function openAll(some: Iterable<string>): Promise<void> {
    for (const piece of inPieces(some, GROUP)) await open(piece)
  }

  async function close(group: Group): Promise<void> {
    groups.delete(group)
    for (const [folder, one] of groupOf) if (one === group) groupOf.delete(folder)
    await group.watcher.close()
  }

  /** Closes what watched these folders before, because chokidar would use it again. */
  async function add(some: readonly string[]): Promise<void> {
    const all = new Set(some)
    const old = new Set(some.flatMap(folder => groupOf.get(folder) ?? []))
    const small = [...groups].filter(group => group.folders.size < GROUP / 2)
    if (small.length > GROUP) for (const group of small) old.add(group)
    for (const group of old) {
      for (const folder of group.folders) all.add(folder)
      await close(group)
    }
    await openAll(all)
    for (const folder of all) folders.add(folder)
    onReport()
  }

  await openAll(first)
  return {
    async take() {
      const isBurst = count > BURST
      count = 0
      if (isOutdated && !isBurst) {
        await add([...groups].flatMap(group => [...group.folders]))
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
    async close() {
      await Promise.all([...groups].map(close))
    },
  }
}

/**
 * The folders through which chokidar finds one, outer ones first: it takes a backslash in a given path for a slash, but
 * not in a name that it reads.
 */
function wayTo(folder: string): string[] {
  return folder.includes('\\') ? [...wayTo(parentOf(folder)), folder] : [folder]
}

/** A path as chokidar gives it to `ignored`. */
function unixPath(path: string): string {
  return path.replaceAll('\\', '/')
}
