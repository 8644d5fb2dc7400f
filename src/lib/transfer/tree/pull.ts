import {lstatSync, renameSync, rmSync} from 'node:fs'
import {basename, dirname, join} from 'node:path'
import {downloadFile} from '#lib/transfer/download.js'
import {TransferError} from '#lib/transfer/errors.js'
import {LIFETIME} from '#lib/transfer/journal/journal.js'
import {REMOVED_FOLDER} from '#lib/transfer/local/encode-name.js'
import {holdBelow, inFolderOf, makeEntry, withGivenPath} from '#lib/transfer/local/held-folder.js'
import {scanFile} from '#lib/transfer/local/scan.js'
import {ALL_DRIVES} from '#lib/transfer/remote/records.js'
import type {KeptFiles} from '#lib/transfer/sync/kept-files.js'
import {removeSecondName} from '#lib/transfer/target.js'
import type {Download, Saved, World} from '#lib/transfer/types.js'
import type {RemoteFile} from './entries.js'
import type {PullPiece} from './pull-tree.js'
import {isUnchanged} from './settle.js'
import {type PullStep, stepsOfAction} from './steps.js'

/**
 * Carries out a pull. Nothing outside its root is touched, even if links appear below it. Nothing is
 * deleted: entries that the service does not have are moved aside. Several pulls may run concurrently.
 */

/** The local folder of a pull. */
export interface PullPlace {
  /** The root of all paths. Its own path may contain links; those below it are not followed. */
  readonly root: string
  /** The name of this run's folder for entries moved aside. */
  readonly stamp: string
  /** Returns milliseconds since 1970. */
  readonly now: () => number
  /** Replaces only files that are unchanged since they were scanned. */
  readonly kept?: Pick<KeptFiles, 'replacing'>
}

/** Removes partial files that killed processes left; errors are ignored. */
export function cleanUp(
  {root, now}: PullPlace,
  {steps, parts, abandoned}: Pick<PullPiece, 'steps' | 'parts' | 'abandoned'>,
): void {
  for (const path of abandoned) {
    attempt(() => inFolderOf(root, join(root, path), (folder, name) => rmSync(folder.entry(name))))
  }
  if (parts.size === 0) return
  // A process may be killed after giving a file its name, but before removing the old one or its entry.
  for (const {path} of stepsOfAction(steps, 'same')) {
    const part = parts.get(path)
    if (part !== undefined) attempt(() => removeRest(root, join(root, path), basename(part), now))
  }
}

/** Removes a leftover partial file: of this file at once, of another pull only when it has expired. */
function removeRest(root: string, path: string, part: string, now: () => number): void {
  inFolderOf(root, path, (folder, name) => {
    removeSecondName(folder, name, part)
    const left = lstatSync(folder.entry(part), {throwIfNoEntry: false})
    if (left && now() - left.mtimeMs > LIFETIME) rmSync(folder.entry(part))
  })
}

/** Creates a folder; false if it already exists. Throws for a link. */
export function makeLocalFolder({root}: PullPlace, path: string): boolean {
  return inFolderOf(root, join(root, path), (folder, name) => {
    const isNew = makeEntry(folder, name)
    folder.below(name).close()
    return isNew
  })
}

/** Downloads a file; `undefined` if another pull has downloaded it meanwhile. */
export async function pullFile(
  world: World,
  {root, kept}: PullPlace,
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
      ...(step.action === 'replace' && kept && {replaced: kept.replacing(path, step.local)}),
      ...(!exported && {md5, size}),
      modified,
      onProgress,
    })
  } catch (error) {
    if (!isNew || !isConflict(error)) throw error
    const local = scanFile(root, path)
    if (!local || !(await isUnchanged({local, remote: step.remote}, world.signal)))
      throw appeared(path)
    return undefined
  }
}

/** Moves an entry aside; false if it no longer exists. */
export function putAside({root, stamp}: PullPlace, path: string): boolean {
  const aside = dirname(join(root, REMOVED_FOLDER, stamp, path))
  return inFolderOf(root, join(root, path), (folder, name) => {
    const to = holdBelow(root, aside, {isMade: true})
    try {
      const isThere = moved(folder.entry(name), to.entry(name))
      to.check()
      return isThere
    } catch (error) {
      throw withGivenPath(error, to)
    } finally {
      to.close()
    }
  })
}

/** The request for the content of a file. */
export function requestFor({id, exported}: RemoteFile): Pick<Download, 'operation' | 'params'> {
  return exported
    ? {operation: 'files.export', params: {fileId: id, mimeType: exported.type}}
    : {operation: 'files.get', params: {fileId: id, ...ALL_DRIVES}}
}

const isConflict = (error: unknown) => error instanceof TransferError && error.kind === 'conflict'

function appeared(path: string): TransferError {
  const words = `Another program created ${path} with different content during the download.`
  return new TransferError('conflict', words, 'Run the same command again.')
}

/** Runs optional work, ignoring errors. */
function attempt(work: () => void): void {
  try {
    work()
  } catch {
    // The file is gone, or a link is in the way.
  }
}

/** Renames a file; false if it no longer exists. */
function moved(from: string, to: string): boolean {
  try {
    renameSync(from, to)
    return true
  } catch (error) {
    // It was a partial download that has been completed.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}
