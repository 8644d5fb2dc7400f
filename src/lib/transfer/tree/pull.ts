import {lstatSync, renameSync, rmSync} from 'node:fs'
import {realpath} from 'node:fs/promises'
import {basename, dirname, join} from 'node:path'
import {makeFolder} from '#lib/platform/write-file.js'
import {downloadFile} from '#lib/transfer/download.js'
import {TransferError} from '#lib/transfer/errors.js'
import {forgetFinished, LIFETIME} from '#lib/transfer/journal/journal.js'
import {ASIDE} from '#lib/transfer/local/encode-name.js'
import {holdBelow, inFolderOf, inWords, makeEntry} from '#lib/transfer/local/held-folder.js'
import {scanFile} from '#lib/transfer/local/scan.js'
import {ALL_DRIVES} from '#lib/transfer/remote/records.js'
import {removeSecondName} from '#lib/transfer/target.js'
import type {Download, World} from '#lib/transfer/types.js'
import type {RemoteFile} from './entries.js'
import {createPool} from './pool.js'
import {recordNotes, type Run, runSteps, watched} from './run.js'
import {isSame} from './settle.js'
import {only, type PullStep} from './steps.js'

export interface PullOptions extends Run {
  readonly world: World
  /** The plan's steps, whose `check` steps have been decided. */
  readonly steps: readonly PullStep[]
  /** What interrupted downloads left, by the path of the file. */
  readonly parts: ReadonlyMap<string, string>
  /** Paths of what downloads of killed processes left, which nobody continues. */
  readonly abandoned: readonly string[]
  /** The folder that all paths are below. Its own path may have links; none below it is followed. */
  readonly root: string
  /** The name of this run's folder among those of things put aside. */
  readonly stamp: string
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/**
 * Does what a plan says. Nothing outside the root is touched, whatever links appear below it meanwhile;
 * nothing is deleted: what the service does not have is put aside into a folder of the root, and only
 * when nothing has failed. Another pull may work in the same folder at the same time.
 */
export async function pull(options: PullOptions): Promise<void> {
  const {world, steps, parts, abandoned, ledger, stamp, now} = options
  await makeFolder(options.root)
  const root = await realpath(options.root)
  recordNotes(only(steps, 'same', 'skip', 'fail'), ledger)
  for (const path of abandoned) {
    attempt(() => inFolderOf(root, join(root, path), (folder, name) => rmSync(folder.entry(name))))
  }
  const same = only(steps, 'same')
  // Killed between giving a file its name and taking the other one away, or taking note of it.
  for (const {path} of same) {
    const part = parts.get(path)
    if (part !== undefined) attempt(() => removeRest(join(root, path), basename(part)))
  }
  await forgetFinished(
    world.journal,
    new Map(same.map(({path, remote}) => [join(root, path), remote.id])),
  )
  // Folders first and one by one, each before those in it: they cost nothing beside their content.
  const pool = createPool({now: () => 0, width: 1})
  await runSteps(only(steps, 'folder'), {...options, pool}, async ({path}) => {
    const isMade = inFolderOf(root, join(root, path), (folder, name) => {
      const isNew = makeEntry(folder, name)
      // One that came to be meanwhile is as good, unless it is a link.
      folder.below(name).close()
      return isNew
    })
    if (isMade) ledger.count('folders')
  })
  await runSteps(only(steps, 'download', 'replace'), options, async (step, signal) => {
    const path = join(root, step.path)
    const {md5, size, modified, exported} = step.remote
    const isNew = step.action === 'download'
    try {
      const saved = await watched(options, step.path, onProgress =>
        downloadFile(
          {...world, signal},
          {
            ...requestFor(step.remote),
            path,
            root,
            overwrite: !isNew,
            ...(!exported && {md5, size}),
            modified,
            onProgress,
          },
        ),
      )
      ledger.count(isNew ? 'created' : 'replaced', saved.size)
    } catch (error) {
      if (!isNew || !isConflict(error)) throw error
      // Another pull has put it there since this one looked.
      const local = scanFile(root, path)
      if (!local || !(await isSame({local, remote: step.remote}, signal))) throw appeared(path)
      ledger.count('unchanged')
    }
  })
  const removals = only(steps, 'remove')
  if (ledger.tally().failed.length > 0) {
    for (const {path} of removals) ledger.skip(path, 'nothing is removed after a failure')
    return
  }
  await runSteps(removals, options, async ({path}) => {
    const aside = dirname(join(root, ASIDE, stamp, path))
    const isMoved = inFolderOf(root, join(root, path), (folder, name) => {
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
    if (isMoved) ledger.count('removed')
  })

  /** Another pull may write to a part that is none of the file's own, until nobody can go on with it. */
  function removeRest(path: string, part: string): void {
    inFolderOf(root, path, (folder, name) => {
      removeSecondName(folder, name, part)
      const left = lstatSync(folder.entry(part), {throwIfNoEntry: false})
      if (left && now() - left.mtimeMs > LIFETIME) rmSync(folder.entry(part))
    })
  }
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
