import {
  accessSync,
  constants,
  mkdirSync,
  opendirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
} from 'node:fs'
import {dirname, join} from 'node:path'
import {printable} from '#lib/platform/sanitize.js'
import {DataError} from '#lib/platform/setup-error.js'
import {reasonOf} from '#lib/platform/system-errors.js'
import {type Database, databaseIn} from './database.js'
import {OTHER_DIRECTORY_HINT, syncDirectoryNow, translateError, writeDurably} from './disk.js'
import {newerData} from './layout.js'

/** The folders of a data directory for content files, and for files that the database does not refer to. */
export const CONTENT = 'content'
export const LOST = 'lost+found'

/** The folder for what running services say about themselves. */
export const RUNNING = 'running'

/** The file that marks a data directory. It contains the same ID as the database. */
export const MARK = 'drv-data.json'

/** The format of the directory. The database has its own version. */
const FORMAT = 1

/** Entries that are allowed in a directory before it becomes a data directory. File systems may create `lost+found`. */
const OWN = new Set([
  ...['', '-wal', '-shm', '-journal'].flatMap(suffix => [`drv.db${suffix}`, `counts.db${suffix}`]),
  ...[CONTENT, LOST, RUNNING, MARK],
])

/** Whether an entry of a data directory belongs to drv. */
export function isOwnName(name: string): boolean {
  return OWN.has(name)
}

const RESTORE =
  'To restore a backup, copy its drv.db and drv.db-wal to this directory; if the backup has no drv.db-wal, delete the one here. To start over, move the directory away or use another one.'

/** Creates a data directory with access for its owner only. Throws `DataError` if its contents cannot be used. A full disk is no error. */
export function prepareDirectory(directory: string): void {
  makeDirectory(directory)
  for (const path of [directory, join(directory, CONTENT)]) requireUsable(path, 'a directory')
  for (const suffix of ['', '-wal', '-shm']) requireUsable(databaseIn(directory) + suffix, 'a file')
}

/** Creates a directory and its parents. Node's recursive `mkdir` never returns below /proc. */
function makeDirectory(directory: string): void {
  const missing: string[] = []
  let above = directory
  while (!factsOf(above) && dirname(above) !== above) {
    missing.unshift(above)
    above = dirname(above)
  }
  const facts = factsOf(above)
  if (missing.length > 0 && facts && !facts.isDirectory()) {
    throw cannotCreate(directory, `${above} is ${kindOf(facts)}`)
  }
  for (const path of missing) {
    try {
      mkdirSync(path, 0o700)
    } catch (error) {
      // Another process may have created it.
      if (factsOf(path)?.isDirectory()) continue
      throw cannotCreate(directory, reasonFor(path, error), error)
    }
  }
}

function reasonFor(path: string, error: unknown): string {
  const {code} = error as NodeJS.ErrnoException
  if (code === 'EEXIST') return `${path} is a broken link`
  return code === 'ENOENT' ? `${dirname(path)} does not allow new entries` : reasonOf(error)
}

function cannotCreate(directory: string, reason: string, cause?: unknown): DataError {
  return new DataError(
    `Cannot create the directory ${directory}: ${reason}.`,
    `Check the path and its permissions, or ${OTHER_DIRECTORY_HINT}.`,
    {cause},
  )
}

/** Throws `DataError` if `path` exists but cannot be used. The message names `path`, not the whole directory. */
function requireUsable(path: string, expected: 'a directory' | 'a file'): void {
  const facts = factsOf(path)
  if (!facts) return
  if (kindOf(facts) !== expected) {
    throw new DataError(
      `${path} is ${kindOf(facts)}, but must be ${expected}.`,
      `Move it away, or ${OTHER_DIRECTORY_HINT}.`,
    )
  }
  try {
    const {R_OK, W_OK, X_OK} = constants
    accessSync(path, expected === 'a file' ? R_OK | W_OK : R_OK | W_OK | X_OK)
  } catch (error) {
    throw translateError(error, path)
  }
}

function kindOf(facts: Stats): string {
  if (facts.isDirectory()) return 'a directory'
  return facts.isFile() ? 'a file' : 'a special file'
}

/** The stats of a path; `undefined` if it does not exist or cannot be read. */
function factsOf(path: string): Stats | undefined {
  return orElse(undefined, () => statSync(path), /./)
}

/** The contents of a directory that is about to be used for data. */
interface Found {
  readonly directory: string
  /** The ID in the mark file. */
  readonly mark?: string
  /** Names that do not belong to a data directory. */
  readonly others: readonly string[]
  readonly hasContent: boolean
  readonly hasDatabase: boolean
}

/**
 * Inspects a directory before anything is written there. Throws `DataError` if it cannot be used.
 *
 * Another process may be creating the same data directory: first the database with its ID, then the
 * mark and the content. So this reads in the opposite order, the database last.
 */
export function inspectDirectory(directory: string): Found {
  const seen = {
    directory,
    mark: readMark(directory),
    others: orElse([], () => readdirSync(directory)).filter(name => !OWN.has(name)),
    hasContent: hasEntries(join(directory, CONTENT)),
  }
  const log = `${databaseIn(directory)}-wal`
  const hasLog = (statSync(log, {throwIfNoEntry: false})?.size ?? 0) > 0
  const size = statSync(databaseIn(directory), {throwIfNoEntry: false})?.size
  const found = {...seen, hasDatabase: size !== undefined && size > 0}
  if (!found.hasDatabase) {
    const state = size === undefined ? 'is missing' : 'is empty'
    requireNew(found, state)
    if (hasLog) throw lost(directory, state, `its log ${log}`)
  }
  return found
}

/** Checks that a database belongs to its directory. Throws `DataError` if it does not. */
export function validateDatabase(
  found: Found,
  {all, get, read}: Pick<Database, 'all' | 'get' | 'read'>,
): void {
  const {directory, mark} = found
  read(() => {
    const rows = all<{name: string}>("SELECT name FROM sqlite_master WHERE type = 'table'")
    const tables = new Set(rows.map(({name}) => name))
    if (tables.size === 0) return requireNew(found, 'is empty')
    if (!tables.has('users') || !tables.has('blobs')) {
      throw new DataError(
        `The database ${databaseIn(directory)} belongs to another program.`,
        'Use another directory, or move the file away.',
      )
    }
    const isUsed = get('SELECT 1 FROM users UNION ALL SELECT 1 FROM blobs LIMIT 1') !== undefined
    if (!isUsed) requireNoContent(found, 'is empty')
    // Databases from before the first release may not have this table.
    if (!tables.has('data_directory')) return
    const id = get<{id: string}>('SELECT id FROM data_directory')?.id
    if (mark === undefined || id === undefined || id === mark) return
    throw new DataError(
      `The database ${databaseIn(directory)} belongs to another data directory: its ID is ${id}, but ${join(directory, MARK)} has the ID ${mark}.`,
      `Restore the drv.db of this directory, or the ${MARK} that belongs to this drv.db.`,
    )
  })
}

/** Throws `DataError` if a directory without a database must not become a data directory. */
function requireNew(found: Found, state: 'is missing' | 'is empty'): void {
  if (found.mark === undefined && found.others.length > 0) {
    throw new DataError(
      `The directory ${found.directory} contains files that do not belong to drv: ${firstNames(found.others)}.`,
      'Use an empty or new directory.',
    )
  }
  requireNoContent(found, state)
}

function requireNoContent({directory, hasContent}: Found, state: 'is missing' | 'is empty'): void {
  if (hasContent) throw lost(directory, state, `the content in ${join(directory, CONTENT)}`)
}

function lost(directory: string, state: string, rest: string): DataError {
  return new DataError(
    `The database ${databaseIn(directory)} ${state}, and ${rest} cannot be used without it.`,
    RESTORE,
  )
}

/** The ID in the mark of a data directory; `undefined` without a mark. Throws `DataError` for a newer format and an invalid mark. */
export function readMark(directory: string): string | undefined {
  const path = join(directory, MARK)
  const text = orElse(undefined, () => readFileSync(path, 'utf8'), /^ENOENT$/)
  if (text === undefined) return undefined
  const {format, id} = parsed(text)
  if (typeof format === 'number' && format > FORMAT) throw newerData(directory)
  if (format === FORMAT && typeof id === 'string' && id !== '') return id
  throw new DataError(
    `The file ${path} is not valid: it must contain the ID of the data directory.`,
    `Restore it from a backup. If the drv.db in the same directory is not damaged, you can move ${MARK} away instead; drv then creates a new ${MARK}.`,
  )
}

/** Writes the mark of a directory atomically. `draft` is an unused name in the directory. */
export function writeMark(directory: string, id: string, draft: string): void {
  const path = join(directory, draft)
  const mark = JSON.stringify({program: 'drv', format: FORMAT, id})
  try {
    writeDurably(path, Buffer.from(`${mark}\n`))
    renameSync(path, join(directory, MARK))
  } catch (error) {
    rmSync(path, {force: true})
    throw error
  }
  syncDirectoryNow(directory)
}

function parsed(text: string): {readonly format?: unknown; readonly id?: unknown} {
  try {
    return (JSON.parse(text) ?? {}) as {format?: unknown; id?: unknown}
  } catch {
    return {}
  }
}

/** The first three file names, and the number of the others. */
export function firstNames(names: readonly string[]): string {
  const some = names.slice(0, 3).map(name => printable(name, 60))
  const rest = names.length - some.length
  return rest > 0 ? `${some.join(', ')} and ${rest} more` : some.join(', ')
}

function hasEntries(directory: string): boolean {
  return orElse(false, () => {
    const entries = opendirSync(directory)
    try {
      return entries.readSync() !== null
    } finally {
      entries.closeSync()
    }
  })
}

/** The result of `read`, or `fallback` for an error with one of these codes (default: the path does not exist). */
function orElse<T, N>(fallback: N, read: () => T, codes = /^ENOENT$|^ENOTDIR$/): T | N {
  try {
    return read()
  } catch (error) {
    if (codes.test((error as NodeJS.ErrnoException).code ?? '')) return fallback
    throw error
  }
}
