import {Console} from 'node:console'
import {createRequire} from 'node:module'
import {Readable} from 'node:stream'
import {fileURLToPath} from 'node:url'
import {collector} from './collector.js'
import {BINARY, type Result, runDrv, type RunOptions} from './drv.js'

/**
 * Runs the bundle in this process, with its own environment, working directory and standard streams. It behaves
 * like a process at an eighth of the cost.
 */

const dist = (name: string) => fileURLToPath(new URL(`../../dist/${name}`, import.meta.url))

interface Bundle {
  start(): Promise<void>
}
const require = createRequire(import.meta.url)
const FILE = dist('drv.cjs')

let loaded: {readonly bundle: Bundle; readonly module: NodeModule} | undefined
function bundle(): Bundle {
  const {load} = require(dist('start.cjs')) as {load(file: string): {bundle: Bundle}}
  if (!loaded) {
    const {bundle} = load(FILE)
    loaded = {bundle, module: require.cache[FILE]!}
  }
  // Other tests load the file too, and oclif takes its commands from the last loaded one.
  require.cache[FILE] = loaded.module
  return loaded.bundle
}

let last: Promise<unknown> = Promise.resolve()

/**
 * Runs `drv` to its end, like `runDrv`, one run after the other, because they share the process. A run that is to
 * be ended by a signal gets its own process.
 */
export function runHere(args: readonly string[], options: RunOptions = {}): Promise<Result> {
  if (options.ending) return runDrv(args, options)
  const result = last.then(() => run(args, options))
  last = result.catch(() => undefined)
  return result
}

async function run(
  args: readonly string[],
  {env = {}, cwd = process.cwd(), input = ''}: RunOptions,
): Promise<Result> {
  const {start} = bundle()
  const stdout = collector()
  const stderr = collector()
  let code: number | undefined
  const restoreConsole = replace(globalThis, {console: new Console(stdout.stream, stderr.stream)})
  const restore = replace(process, {
    argv: [process.execPath, BINARY, ...args],
    env: {...env},
    stdin: Readable.from([Buffer.from(input)]),
    stdout: stdout.stream,
    stderr: stderr.stream,
    // oclif ends the process with the first code, so later code must not run.
    exit: (given?: number) => void (code ??= given ?? 0),
  })
  const before = process.cwd()
  process.chdir(cwd)
  try {
    await start()
  } finally {
    process.chdir(before)
    restore()
    restoreConsole()
  }
  const out = stdout.text()
  return {
    code: code ?? 0,
    signal: null,
    stdout: out,
    stderr: stderr.text(),
    json: <T>() => JSON.parse(out) as T,
  }
}

/** Replaces properties of an object; returns a function that restores them. */
function replace(of: object, properties: Readonly<Record<string, unknown>>): () => void {
  const own = Object.keys(properties).map(
    name => [name, Object.getOwnPropertyDescriptor(of, name)!] as const,
  )
  for (const [name, value] of Object.entries(properties)) {
    Object.defineProperty(of, name, {value, configurable: true, writable: true})
  }
  return () => {
    for (const [name, descriptor] of own) Object.defineProperty(of, name, descriptor)
  }
}
