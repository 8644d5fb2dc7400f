import {Writable} from 'node:stream'
import {downloadTo} from '#lib/transfer/download.js'
import {TransferError} from '#lib/transfer/errors.js'
import {endsAll} from '#lib/transfer/many/verdict.js'
import type {OnProgress, World} from '#lib/transfer/types.js'
import type {RemoteFile} from './entries.js'
import {requestFor} from './pull.js'
import {TAR_END, tarHeader, tarPadding} from './tar.js'

/** A tar archive that is written while its files are downloaded. */
export interface Archive {
  /** Reserves a place for the next entry; entries are written in the order of their places. */
  place(): ArchiveLocation
  addFolder(place: ArchiveLocation, path: string): Promise<void>
  /**
   * Adds a file; returns its size in bytes. If the download fails before any content arrives, the archive
   * has no entry; a large file that fails later is padded with zeros, so that the archive stays valid.
   */
  addFile(world: World, place: ArchiveLocation, file: FileEntry): Promise<number>
  /** Waits for all entries, and ends the archive. */
  end(): Promise<void>
}

export interface ArchiveLocation {
  /** Resolves when everything before it is written. */
  readonly begun: Promise<void>
  leave(): void
}

interface FileEntry {
  readonly path: string
  readonly remote: RemoteFile
  readonly onProgress: OnProgress
}

/** Maximum size in bytes of content that is downloaded concurrently and verified before its entry begins. */
const SMALL = 1024 * 1024
/** Maximum size in bytes of an export, whose size is unknown until its end. */
const MOST_EXPORTED = 256 * 1024 * 1024
const ZEROS = Buffer.alloc(64 * 1024)

/** An archive that passes its bytes to `write`. */
export function createArchive(write: (bytes: Uint8Array) => Promise<void>): Archive {
  let last: Promise<void> = Promise.resolve()

  async function addSmall(
    world: World,
    {begun}: ArchiveLocation,
    file: FileEntry,
  ): Promise<number> {
    const {path, remote} = file
    const chunks: Buffer[] = []
    let size = 0
    await fetch(world, file, async chunk => {
      size += chunk.length
      if (size > MOST_EXPORTED) throw tooLarge()
      chunks.push(chunk)
    })
    await begun
    const header = tarHeader({path, isFolder: false, size, modified: remote.modified})
    await write(Buffer.concat([header, ...chunks, tarPadding(size)]))
    return size
  }

  async function addLarge(
    world: World,
    {begun}: ArchiveLocation,
    file: FileEntry,
  ): Promise<number> {
    const {path, remote} = file
    const {size, modified} = remote
    await begun
    let written = 0
    let isOpen = true
    try {
      await fetch(world, file, async chunk => {
        isOpen = false
        const isFirst = written === 0
        written += chunk.length
        const header = isFirst ? [tarHeader({path, isFolder: false, size, modified})] : []
        await write(Buffer.concat([...header, chunk]))
        isOpen = true
      })
    } catch (error) {
      // The output failed, or the command is ending.
      if (!isOpen || written === 0 || world.signal.aborted || endsAll(error)) throw error
      for (let left = size - written; left > 0; left -= ZEROS.length) {
        await write(ZEROS.subarray(0, Math.min(left, ZEROS.length)))
      }
      await write(tarPadding(size))
      throw incomplete(error)
    }
    await write(tarPadding(size))
    return size
  }

  return {
    place() {
      const begun = last
      let leave = () => {}
      const left = new Promise<void>(resolve => (leave = resolve))
      last = begun.then(() => left)
      return {begun, leave}
    },
    async addFolder(place, path) {
      try {
        await place.begun
        await write(tarHeader({path, isFolder: true, size: 0}))
      } finally {
        place.leave()
      }
    },
    async addFile(world, place, file) {
      const {exported, size} = file.remote
      try {
        return await (exported || size <= SMALL ? addSmall : addLarge)(world, place, file)
      } finally {
        place.leave()
      }
    },
    async end() {
      await last
      await write(TAR_END)
    },
  }
}

/** Downloads a file and passes its content to `take`. */
async function fetch(
  world: World,
  {remote, onProgress}: FileEntry,
  take: (chunk: Buffer) => Promise<void>,
): Promise<void> {
  const {md5, size, exported} = remote
  const stream = new Writable({
    write(chunk: Buffer, _, done) {
      take(chunk).then(() => done(), done)
    },
  })
  // `downloadTo` reports the error.
  stream.on('error', () => undefined)
  const facts = exported ? {} : {md5, size}
  await downloadTo(world, {...requestFor(remote), ...facts, onProgress}, stream)
}

function tooLarge(): TransferError {
  return new TransferError(
    'content',
    'The export is too large for an archive.',
    'Download it separately with `drv pull FILE --export FORMAT`.',
  )
}

function incomplete(cause: unknown): TransferError {
  const {message} = cause as Error
  const words = `The file is incomplete in the archive: ${message}`
  return Object.assign(new TransferError('content', words, 'Run the same command again.'), {cause})
}
