import {readFile} from 'node:fs/promises'
import {createRequire} from 'node:module'
import {dirname} from 'node:path'
import {compileFunction} from 'node:vm'
import {CommandError, UsageError} from '#lib/cli/terminal/errors.js'
import type {ListText, OutputFormat, Text} from './format.js'

/** Runs the expression over JSON texts, one after the other, and gives what is written. */
export type Jq = (input: string) => string

/**
 * The expression, ready to run; `isCompact` writes each value on one line. Throws `UsageError` with
 * jq's own words where it is none.
 */
export async function compileJq(expression: string, isCompact: boolean): Promise<Jq> {
  const run = await loadJq(isCompact ? '-c' : '-M')
  // Without a value nothing runs, but all is read.
  refuse(run(expression, ''))
  return input => {
    const ran = attempt(() => run(expression, input))
    refuse(ran)
    return ran.stdout
  }
}

/**
 * What jq makes of JSON: of a list as one document when the last page is there, of `ndjson` as the
 * records come, each by itself.
 */
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

function refuse({code, stderr}: Ran): void {
  // That a value in the middle was at fault, only its words say.
  const words = stderr.split('\n').filter(line => line.startsWith('jq: error'))
  if (code === 0 && words.length === 0) return
  const told = (words[0] === undefined ? stderr : stderr.slice(stderr.indexOf(words[0]))).trim()
  throw new UsageError(
    `--jq failed: ${told.replaceAll(/\s+/g, ' ') || `jq ended with code ${code}`}`,
    '`drv` runs jq 1.7 on what --json prints: look at that first.',
  )
}

/** Throws `CommandError` where jq's memory does not hold what it was given. */
function attempt(run: () => Ran): Ran {
  try {
    return run()
  } catch (error) {
    if (!isAbort(error)) throw error
    throw new CommandError(
      'failed',
      'That is more than jq can hold at once.',
      'With --format ndjson it sees each record by itself; --limit and --columns make less of it.',
    )
  }
}

/** How the machine of jq ends when it has no memory left. */
function isAbort(error: unknown): boolean {
  return error instanceof Error && error.constructor.name === 'RuntimeError'
}

/** What came of a run. */
interface Ran {
  /** 0, or jq's own: 3 where the expression is at fault, 5 where a value is. */
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
/** What Node makes of the file of a CommonJS module, with two of its globals. */
type Define = (
  exports: unknown,
  module: {exports: unknown},
  require: NodeJS.Require,
  __dirname: string,
  WebAssembly: Assembly,
  console: Readonly<Record<'log' | 'error', () => void>>,
) => void
/** A read or write as the system calls of WASI have it: places in memory, and where to say how much. */
type Call = (file: number, vectors: number, count: number, done: number) => number
type Imports = Readonly<Record<string, Readonly<Record<string, Call>>>>
/** The part of it that is used; the types of Node 20 leave it out. */
interface Assembly {
  instantiate(source: Uint8Array, imports: Imports): Promise<unknown>
  readonly RuntimeError: unknown
}

/**
 * Loads real jq, which jq-wasm brings: a function that runs an expression over JSON texts. The package
 * reads and writes byte by byte, a minute for a megabyte, and gives no errors where there are results:
 * so the two calls by which jq reads and writes are ours. It has no option for that, so its file runs as
 * a function whose `WebAssembly` and `console` are given to it. `import` takes twice as long, to search
 * 1.3 MB for exports.
 */
async function loadJq(layout: '-c' | '-M'): Promise<(expression: string, input: string) => Ran> {
  let input = Buffer.alloc(0)
  let module: Module | undefined
  const output: Record<number, Buffer[]> = {1: [], 2: []}

  /** The places in jq's memory that a call names. */
  function* places({HEAPU8, HEAPU32}: Module, vectors: number, count: number) {
    for (let index = 0; index < count; index++) {
      const at = vectors / 4 + index * 2
      const start = HEAPU32[at]!
      yield HEAPU8.subarray(start, start + HEAPU32[at + 1]!)
    }
  }

  const read: Call = (_, vectors, count, done) => {
    let bytes = 0
    for (const place of places(module!, vectors, count)) {
      const part = input.subarray(0, place.length)
      place.set(part)
      input = input.subarray(part.length)
      bytes += part.length
    }
    module!.HEAPU32[done / 4] = bytes
    return 0
  }
  const write: Call = (file, vectors, count, done) => {
    let bytes = 0
    for (const place of places(module!, vectors, count)) {
      output[file]!.push(Buffer.from(place))
      bytes += place.length
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
    // Named, so that it is opened anew: that it has ended would be remembered.
    const code = loaded.callMain(['-r', '-M', layout, '--', expression, '/dev/stdin'])
    const written = (file: number) => Buffer.concat(output[file]!).toString()
    return {code, stdout: written(1), stderr: written(2)}
  }
}

/** Runs the file of jq-wasm. What jq says comes by `write`; what its machine says is for nobody. */
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

/** The calls that jq is given, with our own in the place of those of the same name. */
function withOwn(imports: Imports, own: Readonly<Record<string, Call>>): Imports {
  const replaced = (calls: Imports[string]) =>
    Object.entries(calls).map(([short, call]) => [short, own[call.name] ?? call] as const)
  return Object.fromEntries(
    Object.entries(imports).map(([room, calls]) => [room, Object.fromEntries(replaced(calls))]),
  )
}
