import {spawn} from 'node:child_process'
import {mkdirSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {fileStore} from '#lib/auth/store/file.js'
import {accountOf, SERVICE} from '#lib/auth/store/store.js'
import {directories} from '#lib/config/paths.js'
import {BINARY, freshEnvironment} from './drv.js'
import {authorizeDevice} from './person.js'
import {type Outcome, runPlain} from './run-lines.js'

/** Extracts the shell lines of a document, and runs them on a fresh machine, block by block. */

/** A block of shell lines. */
export interface Script {
  readonly line: number
  readonly text: string
}

/**
 * The shell lines in the fenced blocks of a document: all of `sh`, the `run:` lines of `yaml`, the commands of
 * `crontab` and of `ini`. Throws for any other block, so that none stays untested.
 */
export function shellOf(document: string): readonly Script[] {
  const blocks = [...document.matchAll(/^```(\S*)\n([\s\S]*?)^```$/gm)]
  return blocks.flatMap(({1: language = '', 2: text = '', index}): Script[] => {
    const line = document.slice(0, index).split('\n').length
    switch (language) {
      case 'sh':
        return [{line, text}]
      case 'yaml':
        return [...text.matchAll(/^\s*(?:- )?run: (.+)$/gm)].map(([, run]) => ({line, text: run!}))
      case 'crontab':
        return text
          .trim()
          .split('\n')
          .map(entry => ({line, text: entry.replace(/^(?:\S+ ){5}/, '')}))
      case 'ini':
        // A unit of systemd, until nothing is pending.
        return [...text.matchAll(/^ExecStart=(.+)$/gm)].map(([, run]) => ({
          line,
          text: `${run!} --once`,
        }))
      case 'console':
        // The two commands of the setup run before the tests.
        return []
      case 'python':
        // A file that the lines use.
        return []
      case 'ts':
        // Run by install/local-package.test.ts.
        return []
      case 'json':
        // Read by local/journal.test.ts.
        return []
      default:
        throw new Error(`Line ${line} begins a block of "${language}", which no test runs.`)
    }
  })
}

/** The first fenced block of a language in a document. */
export function blockOf(document: string, language: string): string {
  const blocks = [...document.matchAll(/^```(\S*)\n([\s\S]*?)^```$/gm)]
  return blocks.find(([, found]) => found === language)![2]!
}

/** The machine of a reader: a home with some files in it, and `drv` on the PATH. */
export async function readersMachine(home: string): Promise<Record<string, string>> {
  const env = freshEnvironment(home)
  const bin = join(home, 'bin')
  mkdirSync(bin, {recursive: true})
  const drv = `exec '${process.execPath}' '${BINARY}'`
  // This machine has no keychain.
  const script = `case "$1 $2" in
  'auth login') shift 2; ${drv} auth login --insecure-storage "$@" ;;
  *) ${drv} "$@" ;;
esac`
  writeFileSync(join(bin, 'drv'), `#!/bin/sh\n${script}\n`, {mode: 0o755})
  writeFileSync(join(home, 'report.pdf'), '%PDF-1.4\n')
  writeFileSync(join(home, 'notes.txt'), 'notes\n')
  mkdirSync(join(home, 'build'))
  writeFileSync(join(home, 'build', 'program.tar'), 'built\n')
  return {...env, PATH: `${bin}:${env.PATH}`}
}

/**
 * Signs a reader in: to the service at `url`, otherwise to the local service, with which each command takes
 * longer.
 */
export async function signInBefore(
  env: Readonly<Record<string, string>>,
  token: string,
  url?: string,
): Promise<void> {
  const directory = directories(env, () => env.HOME).config!
  mkdirSync(directory, {recursive: true, mode: 0o700})
  const binding = url ?? 'local'
  const profile = url === undefined ? 'local' : 'home'
  const tokens = {[binding]: {store: 'file', kind: 'app', user: {login: 'local'}}}
  const profiles = {[profile]: {tokens, ...(url !== undefined && {baseUrl: url, authUrl: url})}}
  const config = JSON.stringify({profile, profiles})
  writeFileSync(join(directory, 'config.json'), config, {mode: 0o600})
  const account = accountOf({profile, binding})
  await fileStore(join(directory, 'tokens')).setPassword(SERVICE, account, token)
}

/** Runs shell lines in the home of a reader, in this process if they need no shell, and completes sign-ins in the browser. */
export async function runShell(
  text: string,
  env: Readonly<Record<string, string>>,
): Promise<Outcome> {
  const outcome = runPlain(text, {env, cwd: env.HOME!})
  if (outcome) return outcome
  const child = spawn('sh', ['-euc', text], {env, cwd: env.HOME})
  let stdout = ''
  let stderr = ''
  const done = new Set<string>()
  const visits: Promise<unknown>[] = []
  child.stdin.end()
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString()
    const code = /\b[A-Z0-9]{4}-[A-Z0-9]{4}\b/.exec(chunk.toString())?.[0]
    const [address] = stderr.match(/http:\/\/[^\s?]+\/login\/device[^\s"]*/g)?.slice(-1) ?? []
    if (code === undefined || address === undefined || done.has(code)) return
    done.add(code)
    visits.push(authorizeDevice(address, code))
  })
  const code = await new Promise<number | null>((settle, fail) => {
    child.once('error', fail)
    child.once('close', settle)
  })
  await Promise.all(visits)
  return {code, stdout, stderr}
}
