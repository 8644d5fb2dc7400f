import {isObject} from '#lib/api/validate.js'
import type {Context} from '#lib/cli/context/context.js'
import {unreadable} from '#lib/cli/explain/unreadable.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {readFileChunks} from '#lib/platform/open-file.js'
import {NDJSON_HINT} from './record-names.js'
import {decoded, linesOf, pausing, textOfStdin} from './stdin.js'

/** A record that was read, and where it stands. */
export interface ReadRecord {
  readonly record: Readonly<Record<string, unknown>>
  /** `people.csv, line 4` */
  readonly place: string
  /** All values are texts, and an empty one is none: a row of a table. */
  readonly isRow: boolean
}

/** What is no record, with why. */
export interface BrokenRecord {
  readonly input: string
  readonly place: string
  readonly error: UsageError
}

/**
 * The records of a file, `-` for standard input: NDJSON, or CSV (RFC 4180) or TSV with a header, told
 * apart by the file's ending, else by how it begins. Throws `UsageError` for a file that cannot be read,
 * and for a table that is none; a line of NDJSON that is no record comes as such,
 * unless it is the first.
 */
export async function* readRecords(
  path: string,
  context: Pick<Context, 'io' | 'waits'>,
): AsyncGenerator<ReadRecord | BrokenRecord> {
  const name = path === '-' ? 'standard input' : path
  const text = path === '-' ? textOfStdin(context) : textOfFile(path, context)
  const {start, whole} = await beginning(text)
  const kind = kindOf(path, start)
  if (kind === 'ndjson') yield* objects(whole, name)
  else if (kind) yield* rows(whole, name, kind)
}

async function* textOfFile(path: string, {waits}: Pick<Context, 'waits'>): AsyncGenerator<string> {
  const wait = waits.begin(() => path)
  try {
    yield* pausing(decoded(readFileChunks(path), path), wait)
  } catch (error) {
    throw error instanceof UsageError ? error : unreadable(path, error)
  }
}

/** The first text that is not blank, and all of it again. */
async function beginning(text: AsyncGenerator<string>) {
  let start = ''
  let next = await text.next()
  for (; !next.done; next = await text.next()) {
    start += next.value
    if (/\S[^]*\n/.test(start) || start.length > MOST_START) break
  }
  async function* whole() {
    yield start
    yield* text
  }
  return {start, whole: whole()}
}

/** Characters within which it has to show what a file is. */
const MOST_START = 64 * 1024

type Kind = 'ndjson' | 'csv' | 'tsv'

/** What a file is; `undefined` for an empty one. */
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
): AsyncGenerator<ReadRecord | BrokenRecord> {
  let count = 0
  for await (const line of linesOf(text, name)) {
    count += 1
    const place = `${name}, record ${count}`
    const record = valueOf(line)
    if (isObject(record)) {
      yield {record, place, isRow: false}
      continue
    }
    const words = record === undefined ? 'is no valid JSON' : 'is no JSON object'
    // The others of a document of JSON are no records either.
    if (count === 1) throw new UsageError(`${place} ${words}.`, NDJSON_HINT)
    const error = new UsageError(`The record ${words}.`, NDJSON_HINT)
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
    columns: header => checkedHeader(header, name),
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
    const line = error.lines === undefined ? '' : ` at line ${String(error.lines)}`
    throw new UsageError(`${name} is no ${kind.toUpperCase()}${line}: ${problemOf(error.code)}.`)
  } finally {
    // Else the file stays open.
    source.destroy()
  }
}

function checkedHeader(header: readonly string[], name: string): string[] {
  const names = header.map(text => text.trim())
  const twice = names.find((text, index) => text !== '' && names.indexOf(text) !== index)
  if (twice !== undefined) throw new UsageError(`${name} has two columns "${twice}".`)
  if (names.includes('')) {
    throw new UsageError(`${name} has a column without a name in its first line.`)
  }
  return names
}

function problemOf(code: string): string {
  if (code.includes('COLUMNS') || code.includes('LENGTH')) {
    return 'the row has not as many values as the first line has names'
  }
  if (code.includes('QUOTE')) return 'a quotation mark is in the wrong place or not closed'
  if (code.includes('MAX_RECORD')) return 'a row is too long'
  return 'the row cannot be read'
}
