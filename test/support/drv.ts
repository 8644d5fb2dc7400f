import {type ChildProcess, spawn} from 'node:child_process'
import {mkdirSync, mkdtempSync, rmSync} from 'node:fs'
import {tmpdir, userInfo} from 'node:os'
import {join} from 'node:path'
import {setTimeout} from 'node:timers/promises'
import {fileURLToPath} from 'node:url'
import {requireFreshBundle} from './fresh-bundle.js'

// Every test that imports this file runs the bundle.
requireFreshBundle()

/** The built binary as users start it: as a child process. */

export const BINARY = fileURLToPath(new URL('../../bin/run.js', import.meta.url))

export interface Result {
  readonly code: number | null
  /** The signal that ended the process, if any. */
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
  /** Standard output as JSON. */
  json<T = Record<string, any>>(): T
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly input?: string | Buffer
  readonly cwd?: string
  readonly ending?: Ending
}

/** A signal, and the condition under which it is sent. */
export interface Ending {
  readonly signal: NodeJS.Signals
  /** Polled with standard error so far until it returns true or the command has ended. */
  readonly when: (stderr: string) => boolean
}

/** Compiled code is shared, because without it each command in a new home takes half as long again. */
const CACHE = join(tmpdir(), `drv-e2e-cache-${userInfo().uid}`)
mkdirSync(CACHE, {recursive: true, mode: 0o700})

/** An environment that shares only PATH and compiled code with the machine; its home is below `home`. */
export function freshEnvironment(home: string): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    HOME: home,
    XDG_CONFIG_HOME: join(home, 'config'),
    XDG_DATA_HOME: join(home, 'data'),
    XDG_STATE_HOME: join(home, 'state'),
    XDG_CACHE_HOME: CACHE,
    NO_COLOR: '1',
  }
}

/** An empty folder, and a function that removes it. */
export function temporaryFolder(): {path: string; remove(): void} {
  const path = mkdtempSync(join(tmpdir(), 'drv-e2e-'))
  return {path, remove: () => rmSync(path, {recursive: true, force: true})}
}

/** Starts `drv` and leaves it running. */
export function startDrv(args: readonly string[], {env, cwd}: RunOptions = {}) {
  return spawn(process.execPath, [BINARY, ...args], {env: env as NodeJS.ProcessEnv, cwd})
}

/** Sends a child process the signal when the condition is true. */
async function endWhen(
  child: ChildProcess,
  {signal, when}: Ending,
  stderr: () => string,
): Promise<void> {
  while (child.exitCode === null && child.signalCode === null && !when(stderr()))
    await setTimeout(2)
  child.kill(signal)
}

/** Runs `drv` to its end. */
export function runDrv(args: readonly string[], options: RunOptions = {}): Promise<Result> {
  return new Promise((settle, fail) => {
    const child = startDrv(args, options)
    const stdout: Buffer[] = []
    const stderr: Buffer[] = []
    const errorText = () => Buffer.concat(stderr).toString()
    child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk))
    child.on('error', fail)
    if (options.ending) endWhen(child, options.ending, errorText).catch(fail)
    child.on('close', (code, signal) => {
      const out = Buffer.concat(stdout).toString()
      settle({
        code,
        signal,
        stdout: out,
        stderr: errorText(),
        json: <T>() => JSON.parse(out) as T,
      })
    })
    // A command that ends without reading its input closes the pipe; that is not an error.
    child.stdin.on('error', () => undefined)
    child.stdin.end(options.input ?? '')
  })
}
