import {lstat, mkdir, readdir, rename, rm} from 'node:fs/promises'
import {basename, join} from 'node:path'
import {CONTENT, listed, LOST} from '#lib/service/store/database/data-directory.js'
import {column} from '#lib/service/store/database/rows.js'
import type {Store} from '#lib/service/store/index.js'
import {unfinishedId} from './unfinished.js'

/** What became of the content files that the database does not name: names in the content directory. */
export interface Swept {
  /** They lie in `lost+found` now, where a name that was taken got a number. */
  readonly moved: readonly string[]
  /** They could not be moved, and are where they were. */
  readonly stuck: readonly string[]
}

/**
 * Clears up what processes left that ended in the middle of something. What the database has let go
 * of is removed. Of the rest, what was last written before `before` (Unix ms of the system's clock)
 * and is not `isUsed` is removed if the service wrote it and it is unfinished; else it may be
 * somebody's only copy, and is moved to `lost+found`.
 */
export async function sweep(
  store: Store,
  before: number,
  isUsed: (id: string) => boolean,
): Promise<Swept> {
  const {directory} = store
  const content = join(directory, CONTENT)
  const deleted = new Set(
    column<string>(store, 'SELECT id FROM deleted_content WHERE id NOT IN (SELECT id FROM blobs)'),
  )
  const gone = new Set(deleted)
  const moved: string[] = []
  const stuck: string[] = []
  // Read after the database: what it has let go of and is not here is gone.
  for (const name of await readdir(content)) {
    const path = join(content, name)
    if (deleted.has(name)) {
      if (!(await removed(path))) gone.delete(name)
    } else if (await isOldFile(path, before)) {
      const id = unfinishedId(name)
      if (isUsed(id ?? name)) continue
      if (id !== undefined) {
        await removed(path)
        continue
      }
      const outcome = await moveInto(join(directory, LOST), path)
      if (outcome === 'moved') moved.push(name)
      if (outcome === 'stuck') stuck.push(name)
    }
  }
  await removeDrafts(store, before)
  forgetDeleted(store, gone)
  return {moved, stuck}
}

/** What is told of a sweep, in whole sentences. */
export function sweepNotices(directory: string, {moved, stuck}: Swept): string[] {
  const from = `The database does not name these files of ${join(directory, CONTENT)}`
  const to = join(directory, LOST)
  return [
    ...(moved.length > 0 ? [`${from}, so they were moved to ${to}: ${listed(moved)}.`] : []),
    ...(stuck.length > 0 ? [`${from}, and they cannot be moved to ${to}: ${listed(stuck)}.`] : []),
  ]
}

/** The database need not know any more of content whose file is gone: its ID never comes again. */
function forgetDeleted({run, write}: Store, ids: ReadonlySet<string>): void {
  if (ids.size === 0) return
  write(() =>
    run('DELETE FROM deleted_content WHERE id IN (SELECT value FROM json_each(:ids))', {
      ids: JSON.stringify([...ids]),
    }),
  )
}

/** Removes the marks that were never put in place. Nothing else beside the content is touched. */
async function removeDrafts({directory}: Store, before: number): Promise<void> {
  for (const name of await readdir(directory)) {
    const path = join(directory, name)
    if (unfinishedId(name) !== undefined && (await isOldFile(path, before))) await removed(path)
  }
}

async function isOldFile(path: string, before: number): Promise<boolean> {
  const facts = await lstat(path).catch(() => undefined)
  return facts !== undefined && facts.isFile() && facts.mtimeMs < before
}

/** Whether a file is gone now. */
async function removed(path: string): Promise<boolean> {
  try {
    await rm(path, {force: true})
    return true
  } catch {
    // Some systems refuse while someone reads it.
    return false
  }
}

/** Moves a file into a directory, over no other. It is `gone` where another process was faster. */
async function moveInto(directory: string, path: string): Promise<'moved' | 'stuck' | 'gone'> {
  try {
    await mkdir(directory, {recursive: true, mode: 0o700})
    await rename(path, await freePath(directory, basename(path)))
    return 'moved'
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'gone' : 'stuck'
  }
}

async function freePath(directory: string, name: string): Promise<string> {
  for (let number = 1; ; number++) {
    const path = join(directory, number === 1 ? name : `${name}.${number}`)
    if ((await lstat(path).catch(() => undefined)) === undefined) return path
  }
}
