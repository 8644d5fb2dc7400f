import {readFile} from 'node:fs/promises'
import {createRequire} from 'node:module'
import {dirname} from 'node:path'
import {compileFunction} from 'node:vm'
import {CommandError, UsageError} from '#lib/cli/terminal/errors.js'
import type {ListText, OutputFormat, Text} from './format.js'

/** Runs the expression on concatenated JSON texts and returns the output. */
export type Jq = (input: string) => string

/**
 * Compiles a jq expression; `isCompact` prints each value on one line. Throws `UsageError` with jq's
 * message if it is invalid.
 */
export async function compileJq(expression: string, isCompact: boolean): Promise<Jq> {
  const run = await loadJq(isCompact ? '-c' : '-M')
  // Without input, jq only parses the expression.
  refuse(run(expression, ''))
  return input => {
    const result = attempt(() => run(expression, input))
    refuse(result)
    return result.stdout
  }
}

/** Filters a JSON format with jq: a list as one document after its last page, `ndjson` record by record. */
export function jqFormat(
  jq: Jq,
  {isStructured, record, records, list, array = list}: OutputFormat,
): OutputFormat {
  const then = async (text: Text) => jq(await text)
  const whole = ({rows, end}: ListText): ListText => {
    if (!end) return {rows: some => then(rows(some))}
    const pieces: string[] = []
    return {
      async rows(some) {
        pieces.push(await rows(some))
        return ''
      },
      end: async rest => jq([...pieces, await end(rest)].join('')),
    }
  }
  return {
    isStructured,
    record: (...given) => then(record(...given)),
    records: (...given) => then(records(...given)),
    list: layout => whole(list(layout)),
    array: layout => whole(array(layout)),
  }
}

function refuse({code, stderr}: JqResult): void {
  // An error in a middle value does not change the exit code; only the message shows it.
  const words = stderr.split('\n').filter(line => line.startsWith('jq: error'))
  if (code === 0 && words.length === 0) return
  const message = (words[0] === undefined ? stderr : stderr.slice(stderr.indexOf(words[0]))).trim()
  throw new UsageError(
    `--jq failed: ${message.replaceAll(/\s+/g, ' ') || `jq exited with code ${code}`}`,
    'The input of the filter is the output of --json; run the command with --json to see it. The built-in jq has version 1.7.',
  )
}

/** Throws `CommandError` if the input exceeds jq's memory. */
function attempt(run: () => JqResult): JqResult {
  try {
    return run()
  } catch (error) {
    if (!isAbort(error)) throw error
    throw new CommandError(
      'failed',
      'The result is too large for jq.',
      'Pass --format ndjson to filter each record, or reduce the result with --limit or --columns.',
    )
  }
}

/** Whether jq's WebAssembly result out of memory. */
function isAbort(error: unknown): boolean {
  return error instanceof Error && error.constructor.name === 'RuntimeError'
}

/** The result of a run. */
interface JqResult {
  /** jq's exit code: 0, 3 for an invalid expression, 5 for an invalid value. */
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

interface Module {
  callMain(args: string[]): number
  readonly HEAPU8: Uint8Array
  readonly HEAPU32: Uint32Array
}

type Create = () => Promise<Module>
/** The function that Node compiles from a CommonJS file, with two globals replaced. */
type Define = (
  exports: unknown,
  module: {exports: unknown},
  require: NodeJS.Require,
  __dirname: string,
  WebAssembly: Assembly,
  console: Readonly<Record<'log' | 'error', () => void>>,
) => void
/** A WASI read or write: the memory ranges, and the address for the number of bytes. */
type Call = (file: number, vectors: number, count: number, done: number) => number
type Imports = Readonly<Record<string, Readonly<Record<string, Call>>>>
/** The parts of WebAssembly used here; the types of Node 20 lack them. */
interface Assembly {
  instantiate(source: Uint8Array, imports: Imports): Promise<unknown>
  readonly RuntimeError: unknown
}

/**
 * Loads jq from jq-wasm and returns a function that runs an expression on JSON texts. The package reads
 * and writes byte by byte (a minute per megabyte) and hides errors when there are results, so drv
 * replaces its read and write calls. It has no option for that, so its file runs as a function with its
 * own `WebAssembly` and `console`. `import` takes twice as long, because it scans 1.3 MB for exports.
 */
async function loadJq(
  layout: '-c' | '-M',
): Promise<(expression: string, input: string) => JqResult> {
  let input = Buffer.alloc(0)
  let module: Module | undefined
  const output: Record<number, Buffer[]> = {1: [], 2: []}

  /** The ranges of jq's memory in a call. */
  function* ranges({HEAPU8, HEAPU32}: Module, vectors: number, count: number) {
    for (let index = 0; index < count; index++) {
      const at = vectors / 4 + index * 2
      const start = HEAPU32[at]!
      yield HEAPU8.subarray(start, start + HEAPU32[at + 1]!)
    }
  }

  const read: Call = (_, vectors, count, done) => {
    let bytes = 0
    for (const range of ranges(module!, vectors, count)) {
      const part = input.subarray(0, range.length)
      range.set(part)
      input = input.subarray(part.length)
      bytes += part.length
    }
    module!.HEAPU32[done / 4] = bytes
    return 0
  }
  const write: Call = (file, vectors, count, done) => {
    let bytes = 0
    for (const range of ranges(module!, vectors, count)) {
      output[file]!.push(Buffer.from(range))
      bytes += range.length
    }
    module!.HEAPU32[done / 4] = bytes
    return 0
  }

  const own: Readonly<Record<string, Call>> = {_fd_read: read, _fd_write: write}
  const {WebAssembly: real} = globalThis as unknown as {readonly WebAssembly: Assembly}
  const create = await readModule({
    RuntimeError: real.RuntimeError,
    instantiate: (source, imports) => real.instantiate(source, withOwn(imports, own)),
  })
  const loaded = (module = await create())

  return (expression, text) => {
    input = Buffer.from(text)
    output[1] = []
    output[2] = []
    // Naming the file reopens it; otherwise jq remembers that it has ended.
    const code = loaded.callMain(['-r', '-M', layout, '--', expression, '/dev/stdin'])
    const written = (file: number) => Buffer.concat(output[file]!).toString()
    return {code, stdout: written(1), stderr: written(2)}
  }
}

/** Runs the file of jq-wasm. Output of jq arrives through `write`; console output is discarded. */
async function readModule(assembly: Assembly): Promise<Create> {
  const file = require.resolve('jq-wasm/dist/build/jq.js')
  const names = ['exports', 'module', 'require', '__dirname', 'WebAssembly', 'console']
  const text = await readFile(file, 'utf8')
  const define = compileFunction(text, names, {filename: file}) as Define
  const module = {exports: {} as unknown}
  const silent = {log: () => {}, error: () => {}}
  define(module.exports, module, createRequire(file), dirname(file), assembly, silent)
  return module.exports as Create
}

/** Replaces the imports of jq that have the same name as one of `own`. */
function withOwn(imports: Imports, own: Readonly<Record<string, Call>>): Imports {
  const replaced = (calls: Imports[string]) =>
    Object.entries(calls).map(([short, call]) => [short, own[call.name] ?? call] as const)
  return Object.fromEntries(
    Object.entries(imports).map(([room, calls]) => [room, Object.fromEntries(replaced(calls))]),
  )
}
