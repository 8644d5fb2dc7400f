import {constants} from 'node:fs'
import {createFsFromVolume, type IFs, Volume} from 'memfs'

/** A disk in memory. What was not flushed can be lost when its machine loses power. */

/** Changes of the disk, by the names of memfs. */
const CHANGES = [
  ...[
    'openFile',
    'write',
    'writeFile',
    'link',
    'unlink',
    'symlink',
    'rename',
    'mkdir',
    'mkdirp',
    'rmdir',
    'rm',
  ],
  ...['ftruncate', 'fchmod', 'chmod', 'futimes', 'utimes'],
] as const

const {O_CREAT, O_TRUNC} = constants

/** The file of a descriptor, as memfs stores it. */
interface Inode {
  mtime: Date
  getBuffer(): Buffer
  setBuffer(content: Buffer): void
}

type Change = (...given: unknown[]) => unknown

interface Core {
  process: object
  getFileByFd(file: number): {readonly node: Inode; readonly link: {getPath(): string}} | undefined
}

export class Disk {
  readonly fs: IFs
  /** The content that is certain to survive, of files that were written since they were flushed. */
  readonly #flushed = new Map<Inode, Buffer>()

  /** The path of an open file; `undefined` if the descriptor is none of this disk. */
  readonly pathOf: (file: number) => string | undefined

  /** Calls `onChange` before each change; if it throws, nothing is changed. */
  constructor(onChange: () => void) {
    const volume = new Volume()
    const core = (volume as unknown as {_core: Core})._core
    // Asking the system takes most of the time of an access.
    const [user, group] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0]
    core.process = {...core.process, cwd: () => '/', getuid: () => user, getgid: () => group}
    const nodeOf = (file: unknown) => core.getFileByFd(file as number)!.node
    for (const name of CHANGES) {
      const changes = core as unknown as Record<string, Change>
      const change = changes[name]!.bind(core)
      changes[name] = (...given) => {
        // Opening a file changes something only if it creates or empties the file.
        if (name !== 'openFile' || Number(given[1]) & (O_CREAT | O_TRUNC)) onChange()
        if (name === 'write') this.#written(nodeOf(given[0]))
        return change(...given)
      }
    }
    const flushing = volume as unknown as Record<'_fsync' | '_fdatasync', (file: number) => void>
    for (const name of ['_fsync', '_fdatasync'] as const) {
      flushing[name] = file => {
        onChange()
        this.#flushed.delete(nodeOf(file))
      }
    }
    this.pathOf = file => core.getFileByFd(file)?.link.getPath()
    this.fs = createFsFromVolume(volume)
  }

  #written(node: Inode): void {
    if (!this.#flushed.has(node)) this.#flushed.set(node, Buffer.from(node.getBuffer()))
  }

  /** Makes everything survive, as the system does some time after it was written. */
  flush(): void {
    this.#flushed.clear()
  }

  /** Loses what was not flushed; `share`, from 0 to 1, of the bytes that were appended remain. */
  losePower(share: number): void {
    for (const [node, flushed] of this.#flushed) {
      const content = node.getBuffer()
      const isAppended = content.subarray(0, flushed.length).equals(flushed)
      const end = flushed.length + Math.floor((content.length - flushed.length) * share)
      const {mtime} = node
      node.setBuffer(isAppended ? Buffer.from(content.subarray(0, end)) : flushed)
      node.mtime = mtime
    }
    this.#flushed.clear()
  }
}
