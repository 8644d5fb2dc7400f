import {createHash, hash} from 'node:crypto'
import {createReadStream} from 'node:fs'
import {lstat, mkdir, readdir, rename, rm} from 'node:fs/promises'
import {basename, join} from 'node:path'
import {reasonOf} from '#lib/platform/system-errors.js'
import {CONTENT, listed, LOST} from '#lib/service/store/database/data-directory.js'
import type {Database} from '#lib/service/store/database/database.js'
import {unfinishedId} from '#lib/service/store/database/disk.js'
import type {ReadOnlyDatabase} from '#lib/service/store/database/inspect.js'
import {column, findRow, rowsBehind} from '#lib/service/store/database/rows.js'
import {isGone, type Stored} from './damage.js'

/** How content is not as the database has it. */
export interface Trouble {
  readonly what: 'damaged' | 'missing'
  /** A sentence. */
  readonly problem: string
}

/** Content as a row of the database has it. */
export interface Known extends Stored {
  readonly md5: string
}

const READ_SIZE = 1024 * 1024

/** What is wrong with content whose bytes lie in the database: its row has these. */
export function troubleOfBytes({size, md5}: Known, bytes: Buffer | null): Trouble | undefined {
  if (bytes === null) return {what: 'missing', problem: 'Its row has no bytes.'}
  if (bytes.length !== size) return wrongSize(bytes.length, size)
  return hash('md5', bytes) === md5 ? undefined : wrongSum()
}

/** What is wrong with content that lies in a file, which is read to its end, a piece at a time. */
export async function troubleOfFile(
  {size, md5}: Known,
  path: string,
  signal?: AbortSignal,
): Promise<Trouble | undefined> {
  try {
    const found = await sizeOf(path)
    if (found !== size) return wrongSize(found, size)
    return (await md5Of(path, signal)) === md5 ? undefined : wrongSum()
  } catch (error) {
    signal?.throwIfAborted()
    return unreadable(error)
  }
}

/** What is wrong with a file that has to have so many bytes at least. */
export async function troubleOfPart(path: string, atLeast: number): Promise<Trouble | undefined> {
  try {
    const found = await sizeOf(path)
    return found < atLeast ? wrongSize(found, atLeast) : undefined
  } catch (error) {
    return unreadable(error)
  }
}

async function sizeOf(path: string): Promise<number> {
  const facts = await lstat(path)
  if (!facts.isFile()) throw new Error('it is no ordinary file')
  return facts.size
}

async function md5Of(path: string, signal: AbortSignal | undefined): Promise<string> {
  const sum = createHash('md5')
  const pieces: AsyncIterable<Buffer> = createReadStream(path, {highWaterMark: READ_SIZE, signal})
  for await (const piece of pieces) sum.update(piece)
  return sum.digest('hex')
}

function wrongSize(found: number, size: number): Trouble {
  return {what: 'damaged', problem: `It has ${found} bytes instead of ${size}.`}
}

function wrongSum(): Trouble {
  return {what: 'damaged', problem: 'Its MD5 is another one.'}
}

function unreadable(error: unknown): Trouble {
  if (isGone(error)) return {what: 'missing', problem: 'There is no such file.'}
  return {what: 'damaged', problem: `It cannot be read: ${reasonOf(error)}.`}
}

/** How many contents there are, and their bytes. */
export function contentTotals(database: ReadOnlyDatabase) {
  return database.get<{contents: number; bytes: number}>(
    'SELECT count(*) AS contents, coalesce(sum(size), 0) AS bytes FROM blobs',
  )!
}

/** The first `limit` contents with IDs behind `after`. */
export function contentsBehind(database: ReadOnlyDatabase, after: string, limit: number) {
  const contents = 'SELECT id, size, md5 FROM blobs WHERE TRUE'
  return rowsBehind<Known>(database, contents, 'id', {after, limit})
}

/** The row of content, with its bytes where they are in it; `undefined` once it is deleted. */
export function contentRow(database: ReadOnlyDatabase, id: string) {
  return findRow<{bytes: Buffer | null}>(database, 'blobs', {id})
}

/** The files that have content, now, in an older revision or (without `revision_id`) as the thumbnail. */
export function holdersOf(database: ReadOnlyDatabase, blobId: string) {
  return database.all<{id: string; title: string; revision_id: string | null}>(
    `SELECT f.id, f.title, u.revision_id FROM (
       SELECT file_id, id AS revision_id FROM revisions WHERE blob_id = :blobId
       UNION ALL SELECT file_id, NULL FROM thumbnails WHERE blob_id = :blobId
     ) u JOIN files f ON f.id = u.file_id ORDER BY f.id, u.revision_id`,
    {blobId},
  )
}

/** Uploads under way: their content is being filled. A finished one's content is among the others. */
const UNDER_WAY = 'FROM uploads WHERE answer IS NULL AND expires_at > :now'

/** The first `limit` uploads under way with IDs behind `after`. */
export function uploadsBehind(
  database: ReadOnlyDatabase,
  after: string,
  limit: number,
  now: number,
) {
  const uploads = `SELECT id, blob_id, received ${UNDER_WAY}`
  return rowsBehind<{id: string; blob_id: string; received: number}>(database, uploads, 'id', {
    now,
    after,
    limit,
  })
}

export function isUnderWay(database: ReadOnlyDatabase, uploadId: string, now: number): boolean {
  return database.get(`SELECT 1 ${UNDER_WAY} AND id = :uploadId`, {now, uploadId}) !== undefined
}

/** Whether the database has let go of content whose file is still there: the next start removes it. */
export function isLetGo(database: ReadOnlyDatabase, id: string): boolean {
  return findRow(database, 'deleted_content', {id}) !== undefined
}

/** What clearing up needs of a store. */
type Sweepable = Pick<Database, 'all' | 'run' | 'write'> & {readonly directory: string}

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
function forgetDeleted({run, write}: Sweepable, ids: ReadonlySet<string>): void {
  if (ids.size === 0) return
  write(() =>
    run('DELETE FROM deleted_content WHERE id IN (SELECT value FROM json_each(:ids))', {
      ids: JSON.stringify([...ids]),
    }),
  )
}

/** Removes the marks that were never put in place. Nothing else beside the content is touched. */
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
    return isGone(error) ? 'gone' : 'stuck'
  }
}

async function freePath(directory: string, name: string): Promise<string> {
  for (let number = 1; ; number++) {
    const path = join(directory, number === 1 ? name : `${name}.${number}`)
    if ((await lstat(path).catch(() => undefined)) === undefined) return path
  }
}
