import {lstatSync, renameSync, rmSync} from 'node:fs'
import {basename, dirname, join} from 'node:path'
import {downloadFile} from '#lib/transfer/download.js'
import {TransferError} from '#lib/transfer/errors.js'
import {LIFETIME} from '#lib/transfer/journal/journal.js'
import {ASIDE} from '#lib/transfer/local/encode-name.js'
import {holdBelow, inFolderOf, inWords, makeEntry} from '#lib/transfer/local/held-folder.js'
import {scanFile} from '#lib/transfer/local/scan.js'
import {ALL_DRIVES} from '#lib/transfer/remote/records.js'
import {removeSecondName} from '#lib/transfer/target.js'
import type {Download, Saved, World} from '#lib/transfer/types.js'
import type {RemoteFile} from './entries.js'
import type {PullPiece} from './pull-tree.js'
import {isSame} from './settle.js'
import {only, type PullStep} from './steps.js'

/**
 * Nothing outside the root of a pull is touched, whatever links appear below it meanwhile; nothing is
 * deleted: what the service does not have is put aside. Another pull may work there at the same time.
 */

/** The folder of this machine that a pull works in. */
export interface PullPlace {
  /** The folder that all paths are below. Its own path may have links; none below it is followed. */
  readonly root: string
  /** The name of this run's folder among those of things put aside. */
  readonly stamp: string
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Removes what killed processes left in the way: nothing of it is missed where that fails. */
export function cleanUp(
  {root, now}: PullPlace,
  {steps, parts, abandoned}: Pick<PullPiece, 'steps' | 'parts' | 'abandoned'>,
): void {
  for (const path of abandoned) {
    attempt(() => inFolderOf(root, join(root, path), (folder, name) => rmSync(folder.entry(name))))
  }
  if (parts.size === 0) return
  // Killed between giving a file its name and taking the other one away, or taking note of it.
  for (const {path} of only(steps, 'same')) {
    const part = parts.get(path)
    if (part !== undefined) attempt(() => removeRest(root, join(root, path), basename(part), now))
  }
}

/** Another pull may write to a part that is none of the file's own, until nobody can go on with it. */
function removeRest(root: string, path: string, part: string, now: () => number): void {
  inFolderOf(root, path, (folder, name) => {
    removeSecondName(folder, name, part)
    const left = lstatSync(folder.entry(part), {throwIfNoEntry: false})
    if (left && now() - left.mtimeMs > LIFETIME) rmSync(folder.entry(part))
  })
}

/** Makes a folder; gives whether there was none. One that came to be meanwhile is as good, unless it is a link. */
export function makeLocalFolder({root}: PullPlace, path: string): boolean {
  return inFolderOf(root, join(root, path), (folder, name) => {
    const isNew = makeEntry(folder, name)
    folder.below(name).close()
    return isNew
  })
}

/** Downloads a file; `undefined` where another pull has put it there since this one looked. */
export async function pullFile(
  world: World,
  {root}: PullPlace,
  step: Extract<PullStep, {readonly action: 'download' | 'replace'}>,
  onProgress: Download['onProgress'],
): Promise<Saved | undefined> {
  const path = join(root, step.path)
  const {md5, size, modified, exported} = step.remote
  const isNew = step.action === 'download'
  try {
    return await downloadFile(world, {
      ...requestFor(step.remote),
      path,
      root,
      overwrite: !isNew,
      ...(!exported && {md5, size}),
      modified,
      onProgress,
    })
  } catch (error) {
    if (!isNew || !isConflict(error)) throw error
    const local = scanFile(root, path)
    if (!local || !(await isSame({local, remote: step.remote}, world.signal))) throw appeared(path)
    return undefined
  }
}

/** Puts something aside; gives whether it was still there. */
export function putAside({root, stamp}: PullPlace, path: string): boolean {
  const aside = dirname(join(root, ASIDE, stamp, path))
  return inFolderOf(root, join(root, path), (folder, name) => {
    const to = holdBelow(root, aside, {isMade: true})
    try {
      const isThere = moved(folder.entry(name), to.entry(name))
      to.check()
      return isThere
    } catch (error) {
      throw inWords(error, to)
    } finally {
      to.close()
    }
  })
}

/** What asks for the content of a file. */
export function requestFor({id, exported}: RemoteFile): Pick<Download, 'operation' | 'params'> {
  return exported
    ? {operation: 'files.export', params: {fileId: id, mimeType: exported.type}}
    : {operation: 'files.get', params: {fileId: id, ...ALL_DRIVES}}
}

const isConflict = (error: unknown) => error instanceof TransferError && error.kind === 'conflict'

function appeared(path: string): TransferError {
  const words = `${path} was created by something else while this ran, with other content.`
  return new TransferError('conflict', words, 'Run the same command again.')
}

/** Does what may as well be left undone. */
function attempt(work: () => void): void {
  try {
    work()
  } catch {
    // It is gone, or a link is in the way.
  }
}

/** Whether there was something to move. */
function moved(from: string, to: string): boolean {
  try {
    renameSync(from, to)
    return true
  } catch (error) {
    // It was the rest of a download that is whole now.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}
