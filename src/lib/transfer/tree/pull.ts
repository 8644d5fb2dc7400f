import {lstat, mkdir, realpath, rename, rm} from 'node:fs/promises'
import {dirname, join} from 'node:path'
import {makeFolder} from '../../config/folder.js'
import {downloadFile} from '../download.js'
import type {Download, World} from '../types.js'
import type {RemoteFile} from './entries.js'
import {ASIDE} from '../local/encode-name.js'
import {ALL_DRIVES} from '../remote/records.js'
import {createPool} from './pool.js'
import {recordNotes, type Run, runSteps, watched} from './run.js'
import {forgetFinished} from './finished.js'
import {only, type PullStep} from './steps.js'

export interface PullOptions extends Run {
  readonly world: World
  /** The plan's steps, whose `check` steps have been decided. */
  readonly steps: readonly PullStep[]
  /** What interrupted downloads left, by the path of the file. */
  readonly parts: ReadonlyMap<string, string>
  /** The folder that all paths are below. Its own path may have links; none below it is followed. */
  readonly root: string
  /** The name of this run's folder among those of things put aside. */
  readonly stamp: string
}

/**
 * Does what a plan says. Nothing outside the root is touched, nothing is deleted: what the service
 * does not have is put aside into a folder of the root, and only when nothing has failed.
 */
export async function pull(options: PullOptions): Promise<void> {
  const {world, steps, parts, ledger, stamp} = options
  await makeFolder(options.root)
  const root = await realpath(options.root)
  recordNotes(only(steps, 'same', 'skip', 'fail'), ledger)
  // Killed between giving a file its name and taking the other one away, or taking note of it.
  const same = only(steps, 'same')
  for (const {path} of same) {
    const part = parts.get(path)
    if (part !== undefined) await rm(part, {force: true})
  }
  await forgetFinished(
    world.journal,
    new Map(same.map(({path, remote}) => [join(root, path), remote.id])),
  )
  // Folders first and one by one, each before those in it: they cost nothing beside their content.
  const pool = createPool({now: () => 0, width: 1})
  await runSteps(only(steps, 'folder'), {...options, pool}, async ({path}) => {
    if (await isFolderMade(join(root, path))) ledger.count('folders')
  })
  const folders = new Map<string, Promise<void>>()
  await runSteps(only(steps, 'download', 'replace'), options, async (step, signal) => {
    const path = join(root, step.path)
    const {md5, size, modified, exported} = step.remote
    const folder = dirname(path)
    // Once for all files in it: each look costs as much as a small file.
    if (!folders.has(folder)) folders.set(folder, checkFolder(folder))
    await folders.get(folder)
    const isNew = step.action === 'download'
    const saved = await watched(options, step.path, onProgress =>
      downloadFile(
        {...world, signal},
        {
          ...requestFor(step.remote),
          path,
          overwrite: !isNew,
          ...(!exported && {md5, size}),
          modified,
          onProgress,
        },
      ),
    )
    ledger.count(isNew ? 'created' : 'replaced', saved.size)
  })
  const removals = only(steps, 'remove')
  if (ledger.tally().failed.length > 0) {
    for (const {path} of removals) ledger.skip(path, 'nothing is removed after a failure')
    return
  }
  await runSteps(removals, options, async ({path}) => {
    const aside = join(root, ASIDE, stamp, path)
    await checkFolder(dirname(join(root, path)))
    await makeFolder(dirname(aside))
    if (await moved(join(root, path), aside)) ledger.count('removed')
  })
}

/** What asks for the content of a file. */
export function requestFor({id, exported}: RemoteFile): Pick<Download, 'operation' | 'params'> {
  return exported
    ? {operation: 'files.export', params: {fileId: id, mimeType: exported.type}}
    : {operation: 'files.get', params: {fileId: id, ...ALL_DRIVES}}
}

/** Whether the folder had to be made; one that came to be meanwhile is as good. */
async function isFolderMade(path: string): Promise<boolean> {
  try {
    await mkdir(path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    await checkFolder(path)
    return false
  }
}

/** Throws where the way to a file leads through a link, which somebody may have put there since. */
async function checkFolder(path: string): Promise<void> {
  const isOwn = (await lstat(path)).isDirectory() && (await realpath(path)) === path
  if (!isOwn) throw new Error(`${path} is a link, or lies behind one, and is not followed`)
}

/** Whether there was something to move. */
async function moved(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to)
    return true
  } catch (error) {
    // It was the rest of a download that is whole now.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}
