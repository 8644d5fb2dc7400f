import {once} from 'node:events'
import {cpSync, mkdirSync, writeFileSync} from 'node:fs'
import {type AddressInfo, createServer} from 'node:net'
import {join} from 'node:path'
import {onTestFinished} from 'vitest'
import {BUILTIN_CLIENT_ID} from '#lib/api/wire.js'
import {fileStore} from '#lib/auth/store/file.js'
import {accountOf, SERVICE} from '#lib/auth/store/store.js'
import {createService} from '#lib/service/index.js'
import {createJournal, keyOf} from '#lib/transfer/journal/journal.js'
import {BINARY, freshEnvironment, temporaryFolder} from '../../support/drv.js'
import {startKeyring} from '../../support/keyring.js'
import {startRecorder} from '../../support/recorder.js'
import {heard, layOut} from './files.js'
import {type Seed, sow, type Variables} from './seed.js'

/** The environment of the examples of the help: each has its own home directory and its own service. */

/** The data directory that is copied for every scene. */
export interface Stage extends Seed {
  readonly data: string
  close(): void
}

export async function buildStage(): Promise<Stage> {
  const {path, remove} = temporaryFolder()
  const data = join(path, 'data')
  return {...(await sow(data)), data, close: remove}
}

/** The differences between the scene of a command and the others. */
export interface Wishes {
  /** Nobody is signed in, and there is a keychain for tokens. */
  readonly isSignedOut: boolean
  /** Something was interrupted. */
  readonly hasTransfer: boolean
}

/** The environment of one example. */
export interface Scene {
  readonly home: string
  /** The working directory below the home, with the files that examples name. */
  readonly folder: string
  /** The URL of the service. */
  readonly url: string
  readonly env: Readonly<Record<string, string>>
  /** The file with the process ID of the last started `drv`. */
  readonly pidFile: string
}

/** Creates a scene for a line; it is removed with the test. */
export async function setScene(stage: Stage, line: string, wishes: Wishes): Promise<Scene> {
  const {path: home, remove} = temporaryFolder()
  onTestFinished(remove)
  const folder = join(home, 'work')
  const env = freshEnvironment(home)
  const data = join(env.XDG_DATA_HOME!, 'drv', 'local')
  cpSync(stage.data, data, {recursive: true})
  const {url, close} = await createService({
    data,
    fetch: heard,
    pollInterval: 1,
    isControlled: true,
  })
  onTestFinished(close)
  const books = await startRecorder(() => ({body: {items: [{title: 'Emma'}]}}))
  layOut(folder, {service: url, books: `${books.url}/`, token: stage.personal})
  if (line.includes(' --data copy')) cpSync(stage.data, join(folder, 'copy'), {recursive: true})
  // fish creates this folder on its first start.
  mkdirSync(join(home, '.config', 'fish', 'completions'), {recursive: true})
  const bin = join(home, 'bin')
  const pidFile = join(home, 'pid')
  writeProgram(bin, 'drv', `echo $$ > '${pidFile}'\nexec '${process.execPath}' '${BINARY}' "$@"`)
  writeProgram(bin, 'pbcopy', `cat > '${join(home, 'copied')}'`)
  for (const name of ['viewer', 'firefox']) {
    // Written at once, because a test may read it at any time.
    const told = join(home, name)
    writeProgram(bin, name, `echo "$1" > '${told}.new' && mv '${told}.new' '${told}.opened'`)
  }
  await signIn(join(env.XDG_CONFIG_HOME!, 'drv'), url, wishes.isSignedOut ? undefined : stage.token)
  const variables: Variables = {
    ...stage.variables,
    PORT: await freePort(),
    ...(line.includes('$CODE') && {CODE: await newCode(url)}),
    ...(wishes.hasTransfer && {KEY: await interrupt(env, url, folder, stage.variables.FILE_ID!)}),
  }
  const whole = {
    ...env,
    ...variables,
    BROWSER: 'viewer',
    EDITOR: 'sed -i s/notes/noted/',
    PATH: `${bin}:${env.PATH}`,
  }
  const {env: inside} = wishes.isSignedOut ? await startKeyring(whole) : {env: whole}

  return {home, folder, url, env: inside, pidFile}
}

function writeProgram(bin: string, name: string, script: string): void {
  mkdirSync(bin, {recursive: true})
  writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, {mode: 0o755})
}

/** Two profiles for the service at `url`, with tokens unless `token` is missing. */
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

/** The code of a sign-in that waits for approval. */
async function newCode(url: string): Promise<string> {
  const body = new URLSearchParams({client_id: BUILTIN_CLIENT_ID, scope: 'drive'})
  const headers = {accept: 'application/json'}
  const answer = await fetch(`${url}/login/device/code`, {method: 'POST', body, headers})
  return ((await answer.json()) as {user_code: string}).user_code
}

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const {port} = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return String(port)
}

/** Leaves a download in the state after an interruption, and returns its key. */
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
