import {type ChildProcess, spawn} from 'node:child_process'
import {cpSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs'
import {createServer, type AddressInfo} from 'node:net'
import {once} from 'node:events'
import {join} from 'node:path'
import {onTestFinished} from 'vitest'
import {fileStore} from '../../../src/lib/auth/store/file.js'
import {accountOf, SERVICE} from '../../../src/lib/auth/store/store.js'
import {createService} from '../../../src/lib/service/index.js'
import {createJournal, keyOf} from '../../../src/lib/transfer/journal/journal.js'
import {BINARY, freshEnvironment, temporaryFolder} from '../drv.js'
import {missingKeyring, startKeyring} from '../keyring.js'
import {authorizeDevice, authorizeWeb} from '../person.js'
import {startRecorder} from '../recorder.js'
import {heard, layOut} from './files.js'
import {type Seed, sow, type Variables} from './seed.js'

/** Where the examples of the help are run: each in a home of its own, before a service of its own. */

/** The data directory that all scenes are copies of. */
export interface Stage extends Seed {
  readonly data: string
  close(): void
}

export async function buildStage(): Promise<Stage> {
  const {path, remove} = temporaryFolder()
  const data = join(path, 'data')
  return {...(await sow(data)), data, close: remove}
}

/** What an example left. */
export interface Played {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  /** A file below the home: what it holds. */
  read(name: string): string
  /** What the service answers `me` to a GET; the path is below `/drive/v2/`, `FILE_ID` in it as in examples. */
  ask(path: string): Promise<any>
  /** The titles of the files that a search of `me` finds, in order. */
  titles(q: string): Promise<string[]>
}

/** How the scene of a command differs from that of the others. */
interface Wishes {
  /** Nobody is signed in yet, and there is a keychain to keep tokens in. */
  readonly isSignedOut: boolean
  /** Something was interrupted. */
  readonly hasTransfer: boolean
}

/** Runs one line with `sh` in a new scene, to its end; all of it goes with the test. */
export async function play(stage: Stage, line: string, wishes: Wishes): Promise<Played> {
  const {path: home, remove} = temporaryFolder()
  onTestFinished(remove)
  const folder = join(home, 'work')
  const env = freshEnvironment(home)
  const data = join(env.XDG_DATA_HOME!, 'drv', 'local')
  cpSync(stage.data, data, {recursive: true})
  const {url, close} = await createService({data, fetch: heard})
  onTestFinished(close)
  const books = await startRecorder(() => ({body: {items: [{title: 'Emma'}]}}))
  layOut(folder, {books: `${books.url}/`, token: stage.personal})
  if (line.includes(' --data copy')) cpSync(stage.data, join(folder, 'copy'), {recursive: true})
  // fish has this folder from its first start on.
  mkdirSync(join(home, '.config', 'fish', 'completions'), {recursive: true})
  const bin = join(home, 'bin')
  const pid = join(home, 'pid')
  writeProgram(bin, 'drv', `echo $$ > '${pid}'\nexec '${process.execPath}' '${BINARY}' "$@"`)
  writeProgram(bin, 'pbcopy', `cat > '${join(home, 'copied')}'`)
  for (const name of ['viewer', 'firefox']) {
    writeProgram(
      bin,
      name,
      `echo "$1" > '${join(home, name)}.new' && mv '${join(home, name)}.new' '${join(home, name)}.opened'`,
    )
  }
  await signIn(join(env.XDG_CONFIG_HOME!, 'drv'), url, wishes.isSignedOut ? undefined : stage.token)
  const variables: Variables = {
    ...stage.variables,
    PORT: await freePort(),
    ...(wishes.hasTransfer && {KEY: await interrupt(env, url, folder, stage.variables.FILE_ID!)}),
  }
  const whole = {...env, ...variables, BROWSER: 'viewer', PATH: `${bin}:${env.PATH}`}
  const {env: inside} = wishes.isSignedOut ? await startKeyring(whole) : {env: whole}

  const child = spawn('sh', ['-euc', line], {cwd: folder, env: inside})
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  child.stdin.end()
  const person = attend(child, () => Number(readFileSync(pid, 'utf8')))
  const [code] = (await once(child, 'close')) as [number | null]
  await person()
  const ask: Played['ask'] = async path => {
    const headers = {authorization: `Bearer ${stage.token}`}
    const named = path.replace('FILE_ID', stage.variables.FILE_ID!)
    const answer = await fetch(`${url}/drive/v2/${named}`, {headers})
    return answer.json()
  }
  return {
    code,
    stdout,
    stderr,
    read: name => readFileSync(join(home, name), 'utf8'),
    ask,
    async titles(q) {
      const {items} = await ask(`files?${new URLSearchParams({q})}`)
      return (items as {title: string}[]).map(({title}) => title).sort()
    },
  }
}

export {missingKeyring}

function writeProgram(bin: string, name: string, script: string): void {
  mkdirSync(bin, {recursive: true})
  writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, {mode: 0o755})
}

/** Two profiles for the service at `url`, with their tokens unless there is none. */
async function signIn(directory: string, url: string, token?: string): Promise<void> {
  const profile = {
    baseUrl: url,
    authUrl: url,
    ...(token && {tokens: {[url]: {store: 'file', kind: 'app', user: {login: 'me'}}}}),
  }
  const config = {profile: 'home', profiles: {home: profile, work: profile}}
  mkdirSync(directory, {recursive: true, mode: 0o700})
  writeFileSync(join(directory, 'config.json'), JSON.stringify(config), {mode: 0o600})
  const store = fileStore(join(directory, 'tokens'))
  for (const name of token ? Object.keys(config.profiles) : []) {
    await store.setPassword(SERVICE, accountOf({profile: name, binding: url}), token!)
  }
}

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const {port} = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return String(port)
}

/** Leaves a download as an interrupted command does, and gives its key. */
async function interrupt(
  env: Readonly<Record<string, string>>,
  baseUrl: string,
  folder: string,
  fileId: string,
): Promise<string> {
  const directory = join(env.XDG_STATE_HOME!, 'drv', 'transfers')
  const journal = createJournal({directory, profile: 'home', baseUrl, now: Date.now})
  const path = join(folder, 'q3.pdf')
  const entry = {
    kind: 'download',
    profile: 'home',
    baseUrl,
    operation: 'files.get',
    params: {fileId},
    path,
    overwrite: false,
    part: `${path}.part`,
  } as const
  const claim = await journal.claim(entry)
  await claim!.save(entry)
  await claim!.release()
  return keyOf(entry)
}

/**
 * Does what a person does while a command runs: authorizes a sign-in in the browser, and ends a
 * service once it has told its address. Answers a function that waits until that is done.
 */
function attend(child: ChildProcess, pidOfDrv: () => number): () => Promise<unknown> {
  let shown = ''
  let deed: Promise<unknown> | undefined
  const look = (chunk: Buffer) => {
    shown += chunk.toString()
    if (deed) return
    const code = /\b[A-Z0-9]{4}-[A-Z0-9]{4}\b/.exec(shown)?.[0]
    const device = /http:\S+\/login\/device/.exec(shown)?.[0]
    const web = /http:\S+\/login\/oauth\/authorize\?\S+(?=\s)/.exec(shown)?.[0]
    if (code && device) deed = authorizeDevice(device, code, 'authorize', 'me')
    else if (web) deed = authorizeWeb(web, 'authorize', 'me')
    else if (/^\{"base_url":/m.test(shown)) {
      deed = Promise.resolve(process.kill(pidOfDrv(), 'SIGINT'))
    }
    // Nobody would ever do what the command waits for.
    deed?.catch(() => process.kill(pidOfDrv()))
  }
  child.stdout!.on('data', look)
  child.stderr!.on('data', look)
  return async () => deed
}
