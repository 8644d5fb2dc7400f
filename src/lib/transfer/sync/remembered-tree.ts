import {randomUUID} from 'node:crypto'
import {appendFileSync, renameSync} from 'node:fs'
import {rm} from 'node:fs/promises'
import {dirname} from 'node:path'
import {type LineFile, openLineFile} from '#lib/platform/line-file.js'
import {type LockOptions, withLock} from '#lib/platform/lock.js'
import {requireRegularFile} from '#lib/platform/open-file.js'
import {jsonStateFormat, stateFile} from '#lib/platform/state-file.js'
import {isObject} from '#lib/platform/values.js'
import {makeFolder, writeWhole} from '#lib/platform/write-file.js'
import {fingerprintOf, type TreeFingerprint} from './tree-fingerprint.js'
import {applyLine, emptyState, type LogLine, otherLines, type TreeState} from './tree-lines.js'
import {packNode, type TreeNode} from './tree-node.js'
import {draftOf, readerOf, type TreeDraft, type TreeReader} from './tree-state.js'

/**
 * A remembered tree: a local folder and the remote folder that it was transferred from or to, item by item, with
 * the page token up to which remote changes are known. It is a log with mode 0600 to which several processes
 * append under its lock, and which is rewritten when it has grown to several times its content. Unreadable entries
 * are dropped: the next run lists the remote folder again.
 */
export interface RememberedTree extends TreeReader {
  /** Reads the lines that other processes have written since. */
  refresh(): Promise<void>
  /** What this process has read or written of the file, for `hasNews`. */
  mark(): TreeMark
  /**
   * Changes the tree: reads the new lines, runs `work`, and writes its changes together. Throws `SetupError` if
   * the lock is not released in time, and the system's error.
   */
  update<T>(work: (draft: TreeDraft) => T): Promise<T>
  /** Rewrites the file with no more than it needs. Throws what `update` throws. */
  compact(): Promise<void>
  /** The fingerprint that was saved; `undefined` if the tree has changed since. Reads almost nothing of the tree. */
  fingerprint(): TreeFingerprint | undefined
  /** Saves the fingerprint for the options of `digest`, if nothing is left to transfer with them. */
  saveFingerprint(digest: string): Promise<void>
  /** Removes the file. */
  forget(): Promise<void>
  /** Releases the memory until the next use. */
  unload(): void
}

/** The part of the file of a tree that a process has read. */
export interface TreeMark {
  readonly file: string
  /** The first line; '' if nothing was read. */
  readonly heading: string
  /** Number of bytes. */
  readonly size: number
}

/** Whether other processes have written since. Reads almost nothing. */
export function hasNews({file, heading, size}: TreeMark): boolean {
  const log = openLog(file)
  if (!log) return heading !== ''
  try {
    return log.size !== size || headingOf(log) !== heading
  } finally {
    log.close()
  }
}

function openLog(file: string): LineFile | undefined {
  try {
    return openLineFile(file)
  } catch {
    return undefined
  }
}

/** The first line, with its line feed; '' without one. */
function headingOf(log: LineFile): string {
  const [first] = log.lines(0)
  return first?.isWhole ? `${first.text}\n` : ''
}

/** The version of the format; a file of another version is forgotten. */
const VERSION = 1

/** A log is rewritten if it has more than this many times the lines that it needs. */
const GROWTH = 2
/** Number of lines below which a log is never rewritten. */
const SMALL = 1000

/** A line that an update writes, and the node that it puts. */
interface AddedLine {
  readonly text: string
  readonly node: TreeNode | undefined
}

interface SavedFingerprint extends TreeMark {
  readonly fingerprint: TreeFingerprint
}

/** The fingerprint beside the file of a tree, and the part of that file for which it is valid. */
function fingerprintFile(file: string) {
  const isSaved = (value: unknown): value is SavedFingerprint =>
    isObject(value) && value.file === file && isObject(value.fingerprint)
  return stateFile({
    file: file.replace(/\.jsonl$/, '.fingerprint.json'),
    sync: false,
    ...jsonStateFormat(isSaved),
  })
}

const LOCKING: LockOptions = {
  patience: 30_000,
  busy: file =>
    `Another drv process is working on this folder. Try again. If no other drv process is running, delete ${file}.`,
}

/** Opens a remembered tree; reads nothing until its first use. */
export function openTree(file: string): RememberedTree {
  const fingerprints = fingerprintFile(file)
  let state: TreeState | undefined
  /** The file that was read, from which nodes are read again. */
  let log: LineFile | undefined
  /** The first line of the file that was read. */
  let generation = ''
  /** Number of bytes read. */
  let offset = 0
  let lines = 0
  /** Whether the file ends in an interrupted write. */
  let isTorn = false

  const current = (): TreeState => {
    if (!state) read()
    return state!
  }

  function forgetRead(): void {
    unload()
    state = emptyState()
    generation = ''
    offset = 0
    lines = 0
  }

  function unload(): void {
    state = undefined
    log?.close()
    log = undefined
  }

  /** Reads the file, or the part of it that is new. A torn or invalid line ends the tree. */
  function read(): void {
    const opened = openLog(file)
    const heading = opened ? headingOf(opened) : ''
    const isSame = state && opened && heading === generation && opened.size >= offset
    if (!isSame) forgetRead()
    if (!opened) return
    log?.close()
    log = opened
    state!.nodes.readFrom(opened.lineAt)
    try {
      for (const {text, at, end, isWhole} of opened.lines(offset)) {
        // The end of an interrupted write: later lines cannot be read.
        isTorn = !isWhole
        if (isTorn) break
        if (generation === '') {
          checkHeading(text)
          generation = heading
        } else {
          applyLine(state!, JSON.parse(text) as LogLine, at)
          lines += 1
        }
        offset = end
      }
    } catch {
      forgetRead()
    }
  }

  async function write(added: readonly AddedLine[], isNew: boolean): Promise<void> {
    const live = current()
    const needed = live.nodes.size + live.creations.size + live.folders.size + 1
    if (isNew || isTorn || generation === '' || lines > Math.max(SMALL, GROWTH * needed)) {
      await rewrite(live)
    } else if (added.length > 0) {
      appendFileSync(file, added.map(({text}) => text).join(''))
      for (const {text, node} of added) {
        if (node) live.nodes.wrote(node, offset)
        offset += Buffer.byteLength(text)
      }
    }
  }

  async function rewrite(live: TreeState): Promise<void> {
    const heading = `${JSON.stringify(['drv tree', VERSION, randomUUID()])}\n`
    /** The positions of the lines after the heading, those of nodes first. */
    const positions: number[] = []
    let size = Buffer.byteLength(heading)
    const placed = (line: string): string => {
      positions.push(size)
      size += Buffer.byteLength(line) + 1
      return `${line}\n`
    }
    function* texts(): Generator<string> {
      yield heading
      const lineOf = (node: TreeNode) => JSON.stringify(['node', ...packNode(node)])
      for (const line of live.nodes.lines(lineOf)) yield placed(line)
      for (const line of otherLines(live)) yield placed(JSON.stringify(line))
    }
    await writeWhole(file, texts(), {
      place(temporary, target) {
        const opened = openLog(temporary)
        if (!opened) throw new Error(`cannot read ${temporary}`)
        // Windows replaces no open file.
        log?.close()
        log = opened
        renameSync(temporary, target)
        live.nodes.rewrote(positions)
        live.nodes.readFrom(opened.lineAt)
      },
    })
    generation = heading
    offset = size
    lines = positions.length
    isTorn = false
  }

  async function update<T>(work: (draft: TreeDraft) => T, isNewFile = false): Promise<T> {
    await makeFolder(dirname(file), 0o700)
    return withLock(
      `${file}.lock`,
      async () => {
        await requireRegularFile(file)
        read()
        const added: AddedLine[] = []
        let isNew = isNewFile
        const draft = draftOf(
          current,
          line => {
            const node = applyLine(current(), line)
            added.push({text: `${JSON.stringify(line)}\n`, node})
            lines += 1
          },
          () => {
            forgetRead()
            isNew = true
          },
        )
        try {
          const result = work(draft)
          await write(added, isNew)
          return result
        } catch (error) {
          // The memory may have what the file does not.
          unload()
          throw error
        }
      },
      LOCKING,
    )
  }

  const mark = (): TreeMark => ({file, heading: generation, size: offset})

  return Object.assign(Object.create(readerOf(current)) as TreeReader, {
    async refresh() {
      read()
    },
    mark,
    fingerprint() {
      const saved = fingerprints.read()
      return saved && !hasNews(saved) ? saved.fingerprint : undefined
    },
    async saveFingerprint(digest: string) {
      const fingerprint = fingerprintOf(readerOf(current), digest)
      if (fingerprint) await fingerprints.tryWrite({...mark(), fingerprint})
    },
    update: <T>(work: (draft: TreeDraft) => T) => update(work),
    compact: () => update(() => undefined, true),
    async forget() {
      unload()
      await rm(file, {force: true})
      await fingerprints.remove()
    },
    unload,
  })
}

/** Throws for the first line of another format. */
function checkHeading(line: string): void {
  const [mark, version] = JSON.parse(line) as unknown[]
  if (mark !== 'drv tree' || version !== VERSION) throw new TypeError('another format')
}
