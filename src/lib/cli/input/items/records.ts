import {isObject} from '#lib/api/validate.js'
import type {Context} from '#lib/cli/context/context.js'
import {unreadable} from '#lib/cli/explain/unreadable.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {waitForInput} from '#lib/cli/terminal/io.js'
import type {Wait} from '#lib/client/transport/waits.js'
import {readFileChunks} from '#lib/platform/open-file.js'
import {NDJSON_HINT} from './record-names.js'

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
    try {
      yield start
      yield* text
    } finally {
      // Who stops at the start has not come to it: else the file stays open.
      await text.return(undefined)
    }
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
    const line = error.lines === undefined ? '' : ` at line ${String(error.lines)}`
    throw new UsageError(`${name} is no ${kind.toUpperCase()}${line}: ${problemOf(error.code)}.`)
  } finally {
    // Else the file stays open.
    source.destroy()
  }
}

function checkedHeader(header: readonly string[], name: string, kind: 'csv' | 'tsv'): string[] {
  const names = header.map(text => text.trim())
  const [first = ''] = names
  if (kind === 'csv' && names.length === 1 && first.includes(';')) {
    throw new UsageError(
      `${name} has a single column, "${first}": it seems to be separated by semicolons.`,
      'Save it with commas between the values, or with tabs as .tsv.',
    )
  }
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

/** The most characters of a line that names something or is a record. */
const LONGEST_LINE = 1024 * 1024

/** Standard input as text, as it comes. Throws `UsageError` where it is no UTF-8. */
export async function* textOfStdin(context: Pick<Context, 'io' | 'waits'>): AsyncGenerator<string> {
  yield* pausing(decoded(context.io.stdin, 'Standard input'), waitForInput(context))
}

/** The same pieces; `wait` is paused while one is worked on, and ends with the last one. */
export async function* pausing(
  pieces: AsyncIterable<string>,
  wait: Wait | undefined,
): AsyncGenerator<string> {
  try {
    for await (const piece of pieces) {
      wait?.pause()
      yield piece
      wait?.renew()
    }
  } finally {
    wait?.end()
  }
}

/** The text that comes as bytes, without a mark of their order. Throws `UsageError` where it is no UTF-8. */
export async function* decoded(
  bytes: AsyncIterable<Uint8Array | string>,
  name: string,
): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', {fatal: true})
  const decode = (chunk?: Uint8Array) => {
    try {
      return decoder.decode(chunk, {stream: chunk !== undefined})
    } catch {
      throw new UsageError(`${name} is no text in UTF-8.`, 'Save it as UTF-8, then try again.')
    }
  }
  for await (const chunk of bytes) yield decode(Buffer.from(chunk as Buffer))
  yield decode()
}

/** The lines of a text that comes in pieces, without their ends and without blank ones. */
export async function* linesOf(text: AsyncIterable<string>, name: string): AsyncGenerator<string> {
  for await (const line of piecesOf(text, name, /\r?\n/)) {
    if (line.includes('\0')) throw new UsageError(`${name} has names that end with NUL.`, NULL_HINT)
    if (line.trim() !== '') yield line.replace(/\r$/, '')
  }
}

const NULL_HINT = 'Pass -0 (--null) to read them, as after `find -print0`.'

/** What stands between separators in a text that comes in pieces. */
export async function* piecesOf(
  text: AsyncIterable<string>,
  name: string,
  separator: string | RegExp,
): AsyncGenerator<string> {
  let rest = ''
  for await (const piece of text) {
    const pieces = (rest + piece).split(separator)
    rest = pieces.pop()!
    if (rest.length > LONGEST_LINE) {
      throw new UsageError(`${name} has a line of more than ${LONGEST_LINE} characters.`)
    }
    yield* pieces
  }
  if (rest !== '') yield rest
}

/** What is at hand of a source, together: as many as have come when the next ones are asked for. */
export async function* atHand<T>(source: AsyncIterable<T>, most: number): AsyncGenerator<T[]> {
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
        if (waiting.length >= most) await new Promise<void>(resolve => (room = resolve))
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
      // What comes with the same chunk comes in turns of its own.
      await new Promise(setImmediate)
      const group = waiting
      waiting = []
      room()
      if (group.length > 0) yield group
      else if (failure) throw failure.error
      else if (isDone) return
    }
  } finally {
    // Nobody waits for it: standard input may never say anything more.
    void iterator.return?.()?.then(undefined, () => undefined)
  }
}
