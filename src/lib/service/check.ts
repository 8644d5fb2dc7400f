import {lstat, opendir} from 'node:fs/promises'
import {join} from 'node:path'
import {DataError} from '#lib/platform/setup-error.js'
import {reasonOf} from '#lib/platform/system-errors.js'
import {ORPHAN_AGE} from '#lib/service/store/content/content.js'
import {isGone} from '#lib/service/store/content/damage.js'
import {
  checkContentBytes,
  checkContentFile,
  checkPartialFile,
  type ContentProblem,
  contentRow,
  contentsAfter,
  contentTotals,
  holdersOf,
  isDeletedContent,
  isUploadRunning,
  uploadsAfter,
} from '#lib/service/store/content/integrity.js'
import {isSmall} from '#lib/service/store/content/small.js'
import {CONTENT} from '#lib/service/store/database/data-directory.js'
import {unfinishedId, unfinishedName} from '#lib/service/store/database/disk.js'
import {faultIn, openReadOnly, type ReadOnlyDatabase} from '#lib/service/store/database/inspect.js'
import {THUMBNAIL} from '#lib/service/store/files/revisions.js'
import {isContentUsed} from '#lib/service/store/upload-sessions.js'

/** Content that differs from its database row, or has no row. */
export interface DataFinding extends Omit<ContentProblem, 'what'> {
  readonly what: ContentProblem['what'] | 'surplus'
  /** Relative to the data directory. */
  readonly path: string
  /** The files with this content, in the current or an older revision, or as the thumbnail. */
  readonly files: ReadonlyArray<{
    readonly id: string
    readonly title: string
    readonly revision_id: string
  }>
}

/** The totals of a check. */
export interface CheckSummary {
  /** Number of contents in the database. */
  readonly contents: number
  /** Their total size in bytes. */
  readonly bytes: number
  /** Number of files that are not in the database, but too new to be reported as surplus. */
  readonly young: number
}

export interface CheckOptions {
  /** Unix ms of the system clock, which the modification times of files come from. */
  readonly now: number
  readonly signal?: AbortSignal
  /** Called with the number of bytes read and the total. */
  readonly onProgress?: (done: number, total: number) => void
}

/** Number of rows read from the database at a time. */
const PAGE = 1000

const DATABASE = 'drv.db'

/**
 * Compares all content in a data directory with its size and MD5 in the database, and unfinished
 * uploads with the number of bytes received. Yields each problem and returns the totals. Changes
 * nothing, and may run while the service runs: a content that looks wrong is skipped if its row has
 * since changed. Throws `DataError` for a directory that cannot be read.
 */
export async function* checkData(
  directory: string,
  options: CheckOptions,
): AsyncGenerator<DataFinding, CheckSummary> {
  const database = openReadOnly(directory)
  try {
    const {contents, bytes} = contentTotals(database)
    if (faultIn(database) !== undefined) {
      const problem = 'The database is partly unreadable, so its data about content may be wrong.'
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
): AsyncGenerator<DataFinding> {
  let done = 0
  for (const row of inPages(after => contentsAfter(database, after, PAGE))) {
    const path = isSmall(row.id) ? DATABASE : join(CONTENT, row.id)
    const trouble = isSmall(row.id)
      ? checkContentBytes(row, contentRow(database, row.id)?.bytes ?? null)
      : await checkContentFile(row, join(directory, path), signal)
    done += row.size
    onProgress?.(done, total)
    // Deleting content removes its row first, so content without a row was deleted meanwhile.
    if (!trouble || !contentRow(database, row.id)) continue
    yield {...trouble, path, files: filesOf(database, row.id)}
  }
}

async function* checkUploads(
  database: ReadOnlyDatabase,
  directory: string,
  now: number,
): AsyncGenerator<DataFinding> {
  for (const row of inPages(after => uploadsAfter(database, after, PAGE, now))) {
    const path = await pathOfPart(directory, row.blob_id)
    const trouble = await checkPartialFile(join(directory, path), row.received)
    if (!trouble || !isUploadRunning(database, row.id, now)) continue
    const problem = `${trouble.problem} It belongs to an upload in progress.`
    yield {...trouble, problem, path, files: []}
  }
}

/** Yields all rows of a table in the order of their IDs, one page at a time. */
function* inPages<Row extends {readonly id: string}>(
  rowsAfter: (id: string) => readonly Row[],
): Generator<Row> {
  let rows = rowsAfter('')
  while (rows.length > 0) {
    yield* rows
    rows = rowsAfter(rows.at(-1)!.id)
  }
}

/** Returns the path of an upload's content, relative to the data directory. The upload may have finished meanwhile. */
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

/** Yields the content files that are not in the database. Returns the number of new files, which may be uploads in progress. */
async function* findSurplus(
  database: ReadOnlyDatabase,
  directory: string,
  now: number,
): AsyncGenerator<DataFinding, number> {
  let young = 0
  const entries = await opendir(join(directory, CONTENT)).catch(error => {
    if (isGone(error)) return []
    throw new DataError(
      `Cannot read the content directory ${join(directory, CONTENT)}: ${reasonOf(error)}.`,
      'Fix its permissions, or restore it from a backup.',
      {cause: error},
    )
  })
  for await (const {name} of entries) {
    // The service itself removes unfinished and released files.
    if (unfinishedId(name) !== undefined || isDeletedContent(database, name)) continue
    if (isContentUsed(database, name)) continue
    const path = join(CONTENT, name)
    const facts = await lstat(join(directory, path)).catch(() => undefined)
    if (!facts) continue
    if (now - facts.mtimeMs < ORPHAN_AGE) young++
    else yield {what: 'surplus', path, problem: 'It is not in the database.', files: []}
  }
  return young
}

function filesOf(database: ReadOnlyDatabase, blobId: string): DataFinding['files'] {
  return holdersOf(database, blobId).map(({id, title, revision_id: revisionId}) => ({
    id,
    title,
    revision_id: revisionId ?? THUMBNAIL,
  }))
}
