import {lstat, opendir} from 'node:fs/promises'
import {join} from 'node:path'
import {DataError} from '#lib/platform/setup-error.js'
import {reasonOf} from '#lib/platform/system-errors.js'
import {ORPHAN_AGE} from '#lib/service/store/content/content.js'
import {isGone} from '#lib/service/store/content/damage.js'
import {
  contentRow,
  contentsAfter,
  contentTotals,
  holdersOf,
  isDeletedContent,
  isUploadRunning,
  type ContentProblem,
  checkContentBytes,
  checkContentFile,
  checkPartialFile,
  uploadsAfter,
} from '#lib/service/store/content/integrity.js'
import {isSmall} from '#lib/service/store/content/small.js'
import {CONTENT} from '#lib/service/store/database/data-directory.js'
import {unfinishedId, unfinishedName} from '#lib/service/store/database/disk.js'
import {faultIn, openReadOnly, type ReadOnlyDatabase} from '#lib/service/store/database/inspect.js'
import {THUMBNAIL} from '#lib/service/store/files/revisions.js'
import {isContentUsed} from '#lib/service/store/upload-sessions.js'

/** Content that is not as the database has it, or that it does not have at all. */
export interface Finding extends Omit<ContentProblem, 'what'> {
  readonly what: ContentProblem['what'] | 'surplus'
  /** Below the data directory. */
  readonly path: string
  /** The files that have it, now or in an older revision (or as the thumbnail). */
  readonly files: ReadonlyArray<{
    readonly id: string
    readonly title: string
    readonly revision_id: string
  }>
}

/** What was looked at. */
export interface CheckSummary {
  /** Contents that the database has. */
  readonly contents: number
  /** Their bytes. */
  readonly bytes: number
  /** Files that the database does not name, too young to be called surplus. */
  readonly young: number
}

export interface CheckOptions {
  /** Unix ms of the system's clock: files carry it. */
  readonly now: number
  readonly signal?: AbortSignal
  /** Hears how many bytes have been read, and of how many. */
  readonly onProgress?: (done: number, total: number) => void
}

/** Rows that are held at once. */
const PAGE = 1000

const DATABASE = 'drv.db'

/**
 * Reads all contents of a data directory and holds them against what the database says of their
 * size and MD5; of uploads under way, against how many bytes they told of. Changes nothing, and may
 * run beside the service: what changes meanwhile is looked at twice. Throws `DataError` for a
 * directory that cannot be read.
 */
export async function* checkData(
  directory: string,
  options: CheckOptions,
): AsyncGenerator<Finding, CheckSummary> {
  const database = openReadOnly(directory)
  try {
    const {contents, bytes} = contentTotals(database)
    if (faultIn(database) !== undefined) {
      const problem = 'Parts of it cannot be read, so that what it says of contents may be wrong.'
      yield {what: 'damaged', path: DATABASE, problem, files: []}
    }
    yield* checkContents(database, directory, {...options, total: bytes})
    yield* checkUploads(database, directory, options.now)
    const young = yield* findSurplus(database, directory, options.now)
    return {contents, bytes, young}
  } finally {
    database.close()
  }
}

async function* checkContents(
  database: ReadOnlyDatabase,
  directory: string,
  {signal, onProgress, total}: CheckOptions & {readonly total: number},
): AsyncGenerator<Finding> {
  let done = 0
  for (const row of inPages(after => contentsAfter(database, after, PAGE))) {
    const path = isSmall(row.id) ? DATABASE : join(CONTENT, row.id)
    const trouble = isSmall(row.id)
      ? checkContentBytes(row, contentRow(database, row.id)?.bytes ?? null)
      : await checkContentFile(row, join(directory, path), signal)
    done += row.size
    onProgress?.(done, total)
    // Whoever deletes content takes its row first.
    if (!trouble || !contentRow(database, row.id)) continue
    yield {...trouble, path, files: filesOf(database, row.id)}
  }
}

async function* checkUploads(
  database: ReadOnlyDatabase,
  directory: string,
  now: number,
): AsyncGenerator<Finding> {
  for (const row of inPages(after => uploadsAfter(database, after, PAGE, now))) {
    const path = await pathOfPart(directory, row.blob_id)
    const trouble = await checkPartialFile(join(directory, path), row.received)
    if (!trouble || !isUploadRunning(database, row.id, now)) continue
    const problem = `${trouble.problem} It belongs to an upload under way.`
    yield {...trouble, problem, path, files: []}
  }
}

/** All rows of a table, read a page at a time: those behind an ID. */
function* inPages<Row extends {readonly id: string}>(
  rowsAfter: (id: string) => readonly Row[],
): Generator<Row> {
  let rows = rowsAfter('')
  while (rows.length > 0) {
    yield* rows
    rows = rowsAfter(rows.at(-1)!.id)
  }
}

/** Where content that is being filled lies, below the data directory: it may be whole by now. */
async function pathOfPart(directory: string, id: string): Promise<string> {
  const [draft, whole] = [unfinishedName(id), id].map(name => join(CONTENT, name)) as [
    string,
    string,
  ]
  for (const path of [draft, whole]) {
    if (await lstat(join(directory, path)).catch(() => undefined)) return path
  }
  return draft
}

/** What lies among the contents and belongs to none. Returns how much of that may still be somebody's upload. */
async function* findSurplus(
  database: ReadOnlyDatabase,
  directory: string,
  now: number,
): AsyncGenerator<Finding, number> {
  let young = 0
  const entries = await opendir(join(directory, CONTENT)).catch(error => {
    if (isGone(error)) return []
    throw new DataError(
      `${join(directory, CONTENT)} cannot be read: ${reasonOf(error)}.`,
      'It is the directory of the contents: mend it, or put a backup back.',
      {cause: error},
    )
  })
  for await (const {name} of entries) {
    // What the service left unfinished, or has let go of, it removes itself.
    if (unfinishedId(name) !== undefined || isDeletedContent(database, name)) continue
    if (isContentUsed(database, name)) continue
    const path = join(CONTENT, name)
    const facts = await lstat(join(directory, path)).catch(() => undefined)
    if (!facts) continue
    if (now - facts.mtimeMs < ORPHAN_AGE) young++
    else yield {what: 'surplus', path, problem: 'The database does not name it.', files: []}
  }
  return young
}

function filesOf(database: ReadOnlyDatabase, blobId: string): Finding['files'] {
  return holdersOf(database, blobId).map(({id, title, revision_id: revisionId}) => ({
    id,
    title,
    revision_id: revisionId ?? THUMBNAIL,
  }))
}
