import {createHash, hash} from 'node:crypto'
import {createReadStream} from 'node:fs'
import {lstat, mkdir, readdir, rename, rm} from 'node:fs/promises'
import {basename, join} from 'node:path'
import {reasonOf} from '#lib/platform/system-errors.js'
import {CONTENT, firstNames, LOST} from '#lib/service/store/database/data-directory.js'
import type {Database} from '#lib/service/store/database/database.js'
import {unfinishedId} from '#lib/service/store/database/disk.js'
import type {ReadOnlyDatabase} from '#lib/service/store/database/inspect.js'
import {column, findRow, rowsAfter} from '#lib/service/store/database/rows.js'
import {isGone, type Stored} from './damage.js'

/** A difference between content and its row in the database. */
export interface ContentProblem {
  readonly what: 'damaged' | 'missing'
  /** A complete sentence. */
  readonly problem: string
}

/** The row of content in the database. */
export interface KnownContent extends Stored {
  readonly md5: string
}

const READ_SIZE = 1024 * 1024

/** Checks content that is stored in the database. */
export function checkContentBytes(
  {size, md5}: KnownContent,
  bytes: Buffer | null,
): ContentProblem | undefined {
  if (bytes === null) return {what: 'missing', problem: 'The database has no content for it.'}
  if (bytes.length !== size) return wrongSize(bytes.length, size)
  return hash('md5', bytes) === md5 ? undefined : wrongSum()
}

/** Checks a content file. Streams the whole file. */
export async function checkContentFile(
  {size, md5}: KnownContent,
  path: string,
  signal?: AbortSignal,
): Promise<ContentProblem | undefined> {
  try {
    const found = await sizeOf(path)
    if (found !== size) return wrongSize(found, size)
    return (await md5Of(path, signal)) === md5 ? undefined : wrongSum()
  } catch (error) {
    signal?.throwIfAborted()
    return unreadable(error)
  }
}

/** Checks the file of a running upload, which must have at least this many bytes. */
export async function checkPartialFile(
  path: string,
  atLeast: number,
): Promise<ContentProblem | undefined> {
  try {
    const found = await sizeOf(path)
    return found < atLeast ? wrongSize(found, atLeast) : undefined
  } catch (error) {
    return unreadable(error)
  }
}

async function sizeOf(path: string): Promise<number> {
  const facts = await lstat(path)
  if (!facts.isFile()) throw new Error('it is not a regular file')
  return facts.size
}

async function md5Of(path: string, signal: AbortSignal | undefined): Promise<string> {
  const sum = createHash('md5')
  const pieces: AsyncIterable<Buffer> = createReadStream(path, {highWaterMark: READ_SIZE, signal})
  for await (const piece of pieces) sum.update(piece)
  return sum.digest('hex')
}

function wrongSize(found: number, size: number): ContentProblem {
  return {what: 'damaged', problem: `It has ${found} bytes instead of ${size}.`}
}

function wrongSum(): ContentProblem {
  return {what: 'damaged', problem: 'Its MD5 checksum does not match.'}
}

function unreadable(error: unknown): ContentProblem {
  if (isGone(error)) return {what: 'missing', problem: 'The file does not exist.'}
  return {what: 'damaged', problem: `The file cannot be read: ${reasonOf(error)}.`}
}

/** The number of contents and their total size in bytes. */
export function contentTotals(database: ReadOnlyDatabase) {
  return database.get<{contents: number; bytes: number}>(
    'SELECT count(*) AS contents, coalesce(sum(size), 0) AS bytes FROM blobs',
  )!
}

/** The first `limit` contents after the ID `after`. */
export function contentsAfter(database: ReadOnlyDatabase, after: string, limit: number) {
  const contents = 'SELECT id, size, md5 FROM blobs WHERE TRUE'
  return rowsAfter<KnownContent>(database, contents, 'id', {after, limit})
}

/** The bytes of content in the database; `undefined` if the content was deleted, `null` if it has a file. */
export function contentRow(database: ReadOnlyDatabase, id: string) {
  return findRow<{bytes: Buffer | null}>(database, 'blobs', {id})
}

/** The files that use content in a revision, or as their thumbnail (`revision_id` is `null`). */
export function holdersOf(database: ReadOnlyDatabase, blobId: string) {
  return database.all<{id: string; title: string; revision_id: string | null}>(
    `SELECT f.id, f.title, u.revision_id FROM (
       SELECT file_id, id AS revision_id FROM revisions WHERE blob_id = :blobId
       UNION ALL SELECT file_id, NULL FROM thumbnails WHERE blob_id = :blobId
     ) u JOIN files f ON f.id = u.file_id ORDER BY f.id, u.revision_id`,
    {blobId},
  )
}

/** Running uploads, whose content is incomplete. */
const RUNNING_UPLOADS = 'FROM uploads WHERE answer IS NULL AND expires_at > :now'

/** The first `limit` running uploads after the ID `after`. */
export function uploadsAfter(
  database: ReadOnlyDatabase,
  after: string,
  limit: number,
  now: number,
) {
  const uploads = `SELECT id, blob_id, received ${RUNNING_UPLOADS}`
  return rowsAfter<{id: string; blob_id: string; received: number}>(database, uploads, 'id', {
    now,
    after,
    limit,
  })
}

export function isUploadRunning(
  database: ReadOnlyDatabase,
  uploadId: string,
  now: number,
): boolean {
  const running = `SELECT 1 ${RUNNING_UPLOADS} AND id = :uploadId`
  return database.get(running, {now, uploadId}) !== undefined
}

/** Whether content was deleted, but its file still exists. The next start removes it. */
export function isDeletedContent(database: ReadOnlyDatabase, id: string): boolean {
  return findRow(database, 'deleted_content', {id}) !== undefined
}

type Sweepable = Pick<Database, 'all' | 'run' | 'write'> & {readonly directory: string}

/** The names of content files that the database does not refer to. */
export interface Swept {
  /** Files moved to `lost+found`. A name that already existed there got a number. */
  readonly moved: readonly string[]
  /** Files that could not be moved. */
  readonly stuck: readonly string[]
}

/**
 * Cleans up after processes that ended early. Deletes the files of deleted content, and unfinished
 * files that are unused and older than `before` (Unix ms of the system clock). Moves other unused
 * files of this age to `lost+found`, since they may be the only copy.
 */
export async function sweep(
  store: Sweepable,
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
  // Read after the database: deleted content without a file is completely gone.
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

/** The notices after a cleanup, as complete sentences. */
export function sweepNotices(directory: string, {moved, stuck}: Swept): string[] {
  const files = `unreferenced files from ${join(directory, CONTENT)}`
  const to = join(directory, LOST)
  return [
    ...(moved.length > 0 ? [`Moved ${files} to ${to}: ${firstNames(moved)}.`] : []),
    ...(stuck.length > 0 ? [`Could not move ${files} to ${to}: ${firstNames(stuck)}.`] : []),
  ]
}

/** Deletes the rows of deleted content whose files no longer exist. IDs are never used again. */
function forgetDeleted({run, write}: Sweepable, ids: ReadonlySet<string>): void {
  if (ids.size === 0) return
  write(() =>
    run('DELETE FROM deleted_content WHERE id IN (SELECT value FROM json_each(:ids))', {
      ids: JSON.stringify([...ids]),
    }),
  )
}

/** Deletes unfinished mark files. Does not touch other files outside the content folder. */
async function removeDrafts({directory}: Sweepable, before: number): Promise<void> {
  for (const name of await readdir(directory)) {
    const path = join(directory, name)
    if (unfinishedId(name) !== undefined && (await isOldFile(path, before))) await removed(path)
  }
}

async function isOldFile(path: string, before: number): Promise<boolean> {
  const facts = await lstat(path).catch(() => undefined)
  return facts !== undefined && facts.isFile() && facts.mtimeMs < before
}

/** Deletes a file. Returns whether it no longer exists. */
async function removed(path: string): Promise<boolean> {
  try {
    await rm(path, {force: true})
    return true
  } catch {
    // Some systems refuse while the file is being read.
    return false
  }
}

/** Moves a file to a directory without replacing another. `gone` means that another process has moved it. */
async function moveInto(directory: string, path: string): Promise<'moved' | 'stuck' | 'gone'> {
  try {
    await mkdir(directory, {recursive: true, mode: 0o700})
    await rename(path, await freePath(directory, basename(path)))
    return 'moved'
  } catch (error) {
    return isGone(error) ? 'gone' : 'stuck'
  }
}

async function freePath(directory: string, name: string): Promise<string> {
  for (let number = 1; ; number++) {
    const path = join(directory, number === 1 ? name : `${name}.${number}`)
    if ((await lstat(path).catch(() => undefined)) === undefined) return path
  }
}
