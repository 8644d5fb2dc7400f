import {Console} from 'node:console'
import {createRequire} from 'node:module'
import {Readable} from 'node:stream'
import {fileURLToPath} from 'node:url'
import {collector} from './collector.js'
import {BINARY, type Result, runDrv, type RunOptions} from './drv.js'

/**
 * The built file in this very process, with an environment, a working directory and standard
 * streams of its own. It does and says what it does and says as a process, at an eighth of the cost.
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
  // Other tests load the file as well, and oclif takes its commands from the last one that was.
  require.cache[FILE] = loaded.module
  return loaded.bundle
}

let last: Promise<unknown> = Promise.resolve()

/**
 * Runs `drv` to its end, as `runDrv` does, one after the other: they share the process. What is to
 * be ended by a signal gets a process of its own.
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
    // oclif ends the process with the first code; what it does after that would be done by nobody.
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

/** Gives an object other properties; answers what gives it its own back. */
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
