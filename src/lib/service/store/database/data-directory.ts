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
import {ELSEWHERE, inWords, keepNamesNow, writeDurably} from './disk.js'
import {newerData} from './layout.js'

/** Where the content files of a data directory lie, and where what the database does not name goes. */
export const CONTENT = 'content'
export const LOST = 'lost+found'

/** The file by which a data directory is known. Its database holds the same ID. */
export const MARK = 'drv-data.json'

/** The format of the directory, not of the database, which has versions of its own. */
const FORMAT = 1

/** What a data directory may have before it is one; file systems make a `lost+found` themselves. */
const OWN = new Set([
  ...['', '-wal', '-shm', '-journal'].flatMap(suffix => [`drv.db${suffix}`, `counts.db${suffix}`]),
  ...[CONTENT, LOST, MARK],
])

const RESTORE =
  'To put a backup back, copy its drv.db there together with its drv.db-wal; where it has none, remove the one there. To start anew, move the directory away or use another one.'

/** Makes a data directory for its owner only, and throws `DataError` where what is in it cannot be used; a full disk can. */
export function prepareDirectory(directory: string): void {
  makeDirectory(directory)
  for (const path of [directory, join(directory, CONTENT)]) requireUsable(path, 'a directory')
  for (const suffix of ['', '-wal', '-shm']) requireUsable(databaseIn(directory) + suffix, 'a file')
}

/** Makes a directory and those above it; Node's own way never ends where a directory takes nothing, as below /proc. */
function makeDirectory(directory: string): void {
  const missing: string[] = []
  let above = directory
  while (!factsOf(above) && dirname(above) !== above) {
    missing.unshift(above)
    above = dirname(above)
  }
  const facts = factsOf(above)
  if (missing.length > 0 && facts && !facts.isDirectory()) {
    throw cannotBeMade(directory, `${above} is ${kindOf(facts)}`)
  }
  for (const path of missing) {
    try {
      mkdirSync(path, 0o700)
    } catch (error) {
      // Another process was faster.
      if (factsOf(path)?.isDirectory()) continue
      throw cannotBeMade(directory, whyNot(path, error), error)
    }
  }
}

function whyNot(path: string, error: unknown): string {
  const {code} = error as NodeJS.ErrnoException
  if (code === 'EEXIST') return `${path} is a link that leads nowhere`
  return code === 'ENOENT' ? `${dirname(path)} takes nothing` : reasonOf(error)
}

function cannotBeMade(directory: string, why: string, cause?: unknown): DataError {
  return new DataError(
    `The directory ${directory} cannot be made: ${why}.`,
    `Mend that, or ${ELSEWHERE}.`,
    {cause},
  )
}

/** Throws what keeps `path`, where it is there, from being used, in words that name it and not the whole directory. */
function requireUsable(path: string, wanted: 'a directory' | 'a file'): void {
  const facts = factsOf(path)
  if (!facts) return
  if (kindOf(facts) !== wanted) {
    throw new DataError(
      `${path} is ${kindOf(facts)}, and the service needs ${wanted} there.`,
      `Move it away, or ${ELSEWHERE}.`,
    )
  }
  try {
    const {R_OK, W_OK, X_OK} = constants
    accessSync(path, wanted === 'a file' ? R_OK | W_OK : R_OK | W_OK | X_OK)
  } catch (error) {
    throw inWords(error, path)
  }
}

function kindOf(facts: Stats): string {
  if (facts.isDirectory()) return 'a directory'
  return facts.isFile() ? 'a file' : 'no ordinary file'
}

/** The facts of a path; `undefined` where there is nothing, or nothing that can be looked at. */
function factsOf(path: string): Stats | undefined {
  return orElse(undefined, () => statSync(path), /./)
}

/** What is in a directory that is to be used for data. */
interface Found {
  readonly directory: string
  /** The ID in the mark. */
  readonly mark?: string
  /** Names that no data directory has. */
  readonly others: readonly string[]
  readonly hasContent: boolean
  readonly hasDatabase: boolean
}

/**
 * Looks at a directory before anything is written there. Throws `DataError` where it is plain already
 * that it cannot be used.
 *
 * Another process may be making the same directory: it makes the database first, with its ID, then
 * the mark and the content. So these are read in the opposite order, the database last.
 */
export function lookAt(directory: string): Found {
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
    const what = size === undefined ? 'is missing' : 'is empty'
    requireNew(found, what)
    if (hasLog) throw lost(directory, what, `its log ${log}`)
  }
  return found
}

/** Looks at the database of a directory. Throws `DataError` where it cannot be used. */
export function admit(
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
        'Use another directory, or move that file away.',
      )
    }
    const isUsed = get('SELECT 1 FROM users UNION ALL SELECT 1 FROM blobs LIMIT 1') !== undefined
    if (!isUsed) requireNoContent(found, 'is empty')
    // One of before the first release may have no such table.
    if (!tables.has('data_directory')) return
    const id = get<{id: string}>('SELECT id FROM data_directory')?.id
    if (mark === undefined || id === undefined || id === mark) return
    throw new DataError(
      `The database ${databaseIn(directory)} is that of another data directory: its ID is ${id}, and the mark ${join(directory, MARK)} has ${mark}.`,
      'Put back the drv.db of this directory, or the mark that belongs to this drv.db.',
    )
  })
}

/** Throws `DataError` for a directory that must not become a data directory. */
function requireNew(found: Found, what: 'is missing' | 'is empty'): void {
  if (found.mark === undefined && found.others.length > 0) {
    throw new DataError(
      `The directory ${found.directory} holds other things than the data of drv: ${listed(found.others)}.`,
      'Use an empty directory, or one that does not exist yet: it is made.',
    )
  }
  requireNoContent(found, what)
}

function requireNoContent({directory, hasContent}: Found, what: 'is missing' | 'is empty'): void {
  if (hasContent) throw lost(directory, what, `the content in ${join(directory, CONTENT)}`)
}

function lost(directory: string, what: string, left: string): DataError {
  return new DataError(
    `The database ${databaseIn(directory)} ${what}, and ${left} is of no use without it.`,
    RESTORE,
  )
}

/** The ID in the mark of a data directory, if it has one. Throws `DataError` for a newer format and for a file that is no mark. */
export function readMark(directory: string): string | undefined {
  const path = join(directory, MARK)
  const text = orElse(undefined, () => readFileSync(path, 'utf8'), /^ENOENT$/)
  if (text === undefined) return undefined
  const {format, id} = parsed(text)
  if (typeof format === 'number' && format > FORMAT) throw newerData(directory)
  if (format === FORMAT && typeof id === 'string' && id !== '') return id
  throw new DataError(
    `The file ${path} is not the mark of a data directory that it should be.`,
    'Put it back from a backup; or, where the drv.db beside it is sound, move the file away, and it is made anew.',
  )
}

/** Marks a directory: the mark is there whole or not at all. `draft` is a free name beside it. */
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
  keepNamesNow(directory)
}

function parsed(text: string): {readonly format?: unknown; readonly id?: unknown} {
  try {
    return (JSON.parse(text) ?? {}) as {format?: unknown; id?: unknown}
  } catch {
    return {}
  }
}

/** The first of some names of files, and how many more there are. */
export function listed(names: readonly string[]): string {
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

/** What `look` sees, or `nothing` where there is nothing to look at: an error with such a code. */
function orElse<T, N>(nothing: N, look: () => T, codes = /^ENOENT$|^ENOTDIR$/): T | N {
  try {
    return look()
  } catch (error) {
    if (codes.test((error as NodeJS.ErrnoException).code ?? '')) return nothing
    throw error
  }
}
