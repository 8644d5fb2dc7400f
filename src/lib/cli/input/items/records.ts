import {isObject} from '#lib/api/validate.js'
import type {Context} from '#lib/cli/context/context.js'
import {unreadableFileError} from '#lib/cli/explain/unreadable.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {waitForInput} from '#lib/cli/terminal/io.js'
import type {Wait} from '#lib/client/transport/waits.js'
import {readFileChunks} from '#lib/platform/open-file.js'
import {NDJSON_HINT} from './record-names.js'

/** A record and its position in the input. */
export interface ReadRecord {
  readonly record: Readonly<Record<string, unknown>>
  /** The position, such as `people.csv, line 4`. */
  readonly place: string
  /** Whether it is a table row: all values are strings, and empty ones count as absent. */
  readonly isRow: boolean
}

/** A line that is not a valid record. */
export interface InvalidRecord {
  readonly input: string
  readonly place: string
  readonly error: UsageError
}

/**
 * The records of a file, or of standard input for `-`: NDJSON, or CSV (RFC 4180) or TSV with a header,
 * detected by file extension or else by content. Throws `UsageError` for an unreadable file, an invalid
 * table, or an invalid first NDJSON line; yields later invalid lines as `InvalidRecord`.
 */
export async function* readRecords(
  path: string,
  context: Pick<Context, 'io' | 'waits'>,
): AsyncGenerator<ReadRecord | InvalidRecord> {
  const name = path === '-' ? 'standard input' : path
  const text = path === '-' ? textOfStdin(context) : textOfFile(path, context)
  const {start, whole} = await readStart(text)
  const kind = kindOf(path, start)
  if (kind === 'ndjson') yield* objects(whole, name)
  else if (kind) yield* rows(whole, name, kind)
}

async function* textOfFile(path: string, {waits}: Pick<Context, 'waits'>): AsyncGenerator<string> {
  const wait = waits.begin(() => path)
  try {
    yield* pausing(decoded(readFileChunks(path), path), wait)
  } catch (error) {
    throw error instanceof UsageError ? error : unreadableFileError(path, error)
  }
}

/** The start of a text, up to its first non-blank line, and the whole text. */
async function readStart(text: AsyncGenerator<string>) {
  let start = ''
  let next = await text.next()
  for (; !next.done; next = await text.next()) {
    start += next.value
    if (/\S[^]*\n/.test(start) || start.length > MAX_START) break
  }
  async function* whole() {
    try {
      yield start
      yield* text
    } finally {
      // Closes the file if the consumer stops early.
      await text.return(undefined)
    }
  }
  return {start, whole: whole()}
}

/** Maximum number of characters to read for detecting the format. */
const MAX_START = 64 * 1024

type Kind = 'ndjson' | 'csv' | 'tsv'

/** The format of a file; `undefined` for an empty one. */
function kindOf(path: string, start: string): Kind | undefined {
  if (start.trim() === '') return undefined
  const ending = /\.(ndjson|jsonl|csv|tsv)$/i.exec(path)?.[1]?.toLowerCase()
  if (ending) return ending === 'jsonl' ? 'ndjson' : (ending as Kind)
  if (/^\s*[{[]/.test(start)) return 'ndjson'
  const header = start.trimStart().split('\n', 1)[0]!
  return header.includes('\t') ? 'tsv' : 'csv'
}

async function* objects(
  text: AsyncIterable<string>,
  name: string,
): AsyncGenerator<ReadRecord | InvalidRecord> {
  let count = 0
  for await (const line of linesOf(text, name)) {
    count += 1
    const place = `${name}, record ${count}`
    const record = valueOf(line)
    if (isObject(record)) {
      yield {record, place, isRow: false}
      continue
    }
    const problem = record === undefined ? 'not valid JSON' : 'not a JSON object'
    // If the first line is invalid, the file is not NDJSON.
    if (count === 1) throw new UsageError(`Cannot read ${place}: ${problem}.`, NDJSON_HINT)
    const error = new UsageError(`Invalid record: ${problem}.`, NDJSON_HINT)
    yield {input: line.slice(0, 200), place, error}
  }
}

function valueOf(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

async function* rows(
  text: AsyncIterable<string>,
  name: string,
  kind: 'csv' | 'tsv',
): AsyncGenerator<ReadRecord> {
  const [{parse, CsvError}, {Readable}] = await Promise.all([
    import('csv-parse'),
    import('node:stream'),
  ])
  const parser = parse({
    delimiter: kind === 'tsv' ? '\t' : ',',
    columns: header => checkedHeader(header, name, kind),
    info: true,
    skip_empty_lines: true,
    relax_quotes: kind === 'tsv',
    max_record_size: 16 * 1024 * 1024,
  })
  const source = Readable.from(text)
  source.on('error', error => parser.destroy(error))
  try {
    for await (const row of source.pipe(parser)) {
      const {record, info} = row as {record: Record<string, string>; info: {lines: number}}
      yield {record, place: `${name}, line ${info.lines}`, isRow: true}
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    const line = error.lines === undefined ? '' : `, line ${String(error.lines)}`
    throw new UsageError(`Cannot read ${name}${line}: ${problemOf(error.code)}.`)
  } finally {
    // Closes the file.
    source.destroy()
  }
}

function checkedHeader(header: readonly string[], name: string, kind: 'csv' | 'tsv'): string[] {
  const names = header.map(text => text.trim())
  const [first = ''] = names
  if (kind === 'csv' && names.length === 1 && first.includes(';')) {
    throw new UsageError(
      `Cannot read ${name}: its only column is "${first}", so it seems to use semicolons as separators.`,
      'Use commas as separators, or tabs in a .tsv file.',
    )
  }
  const duplicate = names.find((text, index) => text !== '' && names.indexOf(text) !== index)
  if (duplicate !== undefined) {
    throw new UsageError(`Cannot read ${name}: duplicate column "${duplicate}".`)
  }
  if (names.includes('')) {
    throw new UsageError(`Cannot read ${name}: a column in the header has no name.`)
  }
  return names
}

function problemOf(code: string): string {
  if (code.includes('COLUMNS') || code.includes('LENGTH')) {
    return 'the row and the header have different numbers of columns'
  }
  if (code.includes('QUOTE')) return 'a quotation mark is misplaced or not closed'
  if (code.includes('MAX_RECORD')) return 'a row is too long'
  return 'the row cannot be read'
}

/** Maximum number of characters in a line. */
const MAX_LINE_LENGTH = 1024 * 1024

/** The chunks of standard input, decoded. Throws `UsageError` for invalid UTF-8. */
export async function* textOfStdin(context: Pick<Context, 'io' | 'waits'>): AsyncGenerator<string> {
  yield* pausing(decoded(context.io.stdin, 'standard input'), waitForInput(context))
}

/** The same chunks. Pauses `wait` while the consumer processes one, and ends it after the last. */
export async function* pausing(
  chunks: AsyncIterable<string>,
  wait: Wait | undefined,
): AsyncGenerator<string> {
  try {
    for await (const chunk of chunks) {
      wait?.pause()
      yield chunk
      wait?.renew()
    }
  } finally {
    wait?.end()
  }
}

/** The decoded text of byte chunks, without a byte order mark. Throws `UsageError` for invalid UTF-8. */
export async function* decoded(
  bytes: AsyncIterable<Uint8Array | string>,
  name: string,
): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', {fatal: true})
  const decode = (chunk?: Uint8Array) => {
    try {
      return decoder.decode(chunk, {stream: chunk !== undefined})
    } catch {
      throw new UsageError(`Cannot read ${name}: it is not UTF-8 text.`, 'Convert it to UTF-8.')
    }
  }
  for await (const chunk of bytes) yield decode(Buffer.from(chunk as Buffer))
  yield decode()
}

/** The non-blank lines of a text in chunks, without line endings. Throws `UsageError` for a line that is too long. */
export async function* linesOf(text: AsyncIterable<string>, name: string): AsyncGenerator<string> {
  for await (const line of splitText(text, name, /\r?\n/)) {
    if (line.includes('\0'))
      throw new UsageError(`Cannot read ${name}: it contains NUL characters.`, NULL_HINT)
    if (line.trim() !== '') yield line.replace(/\r$/, '')
  }
}

const NULL_HINT = 'To read names that end with NUL, as from `find -print0`, pass -0 (--null).'

/** The parts between separators of a text in chunks. Throws `UsageError` for a part that is too long. */
export async function* splitText(
  text: AsyncIterable<string>,
  name: string,
  separator: string | RegExp,
): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of text) {
    const parts = (rest + chunk).split(separator)
    rest = parts.pop()!
    if (rest.length > MAX_LINE_LENGTH) {
      throw new UsageError(
        `Cannot read ${name}: a line has more than ${MAX_LINE_LENGTH.toLocaleString('en')} characters.`,
      )
    }
    yield* parts
  }
  if (rest !== '') yield rest
}

/** The items of a source in groups: each has the items available when the consumer asks for it, about `max` at most. */
export async function* groupsOf<T>(source: AsyncIterable<T>, max: number): AsyncGenerator<T[]> {
  const iterator = source[Symbol.asyncIterator]()
  let waiting: T[] = []
  let isDone = false
  let failure: {readonly error: unknown} | undefined
  let wake = () => {}
  let room = () => {}
  const pump = async () => {
    try {
      for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
        waiting.push(next.value)
        wake()
        if (waiting.length >= max) await new Promise<void>(resolve => (room = resolve))
      }
    } catch (error) {
      failure = {error}
    }
    isDone = true
    wake()
  }
  void pump()
  try {
    for (;;) {
      if (waiting.length === 0 && !isDone) await new Promise<void>(resolve => (wake = resolve))
      // Items of the same chunk arrive in separate turns of the event loop.
      await new Promise(setImmediate)
      const group = waiting
      waiting = []
      room()
      if (group.length > 0) yield group
      else if (failure) throw failure.error
      else if (isDone) return
    }
  } finally {
    // Not awaited, because standard input may stay open without more data.
    void iterator.return?.()?.then(undefined, () => undefined)
  }
}
