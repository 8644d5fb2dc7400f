import {existsSync, readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterEach, beforeEach, describe, expect, onTestFinished, test} from 'vitest'
import {createService} from '#lib/service/index.js'
import {freshEnvironment, runDrv, temporaryFolder} from '../../support/drv.js'
import {runHere} from '../../support/here.js'
import {missingKeyring, startKeyring, withPatience} from '../../support/keyring.js'
import {localToken} from '../../support/world.js'

/** Tokens in a real secret service, and the same commands without a working one. */

let home: string
let env: Record<string, string>
let token: string
beforeEach(async () => {
  const {path, remove} = temporaryFolder()
  onTestFinished(remove)
  home = path
  env = freshEnvironment(home)
  token = await localToken(join(home, 'data', 'drv', 'local'))
})
afterEach(() => {
  // Secrets of the keychain are never written to a file of drv.
  expect(filesBelow(join(home, 'config')).join()).not.toContain(token)
})

const drv = (command: string, input = '') => runHere(command.split(' '), {env, cwd: home, input})
const ACCOUNT = 'local@local'

/** The service in this home directory, for concurrent commands. */
async function startService() {
  const service = await createService({
    data: join(home, 'data', 'drv', 'local'),
    pollInterval: 1,
  })
  onTestFinished(() => service.close())
  return service
}

/** All text below a folder. */
function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, {recursive: true, withFileTypes: true})
    .filter(entry => entry.isFile())
    .map(entry => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
}

/** Runs a command that must not wait for a keychain; its error names the keychain. */
async function promptly(command: string, input?: string) {
  const result = await drv(command, input)
  expect(result.stderr).not.toMatch(/^\s+at |does not respond/m)
  return result
}

describe('a real keyring', () => {
  beforeEach(({skip}) => skip(missingKeyring !== undefined, missingKeyring))

  test('keeps a token from sign-in to sign-out', async () => {
    const keyring = await startKeyring(env)
    env = keyring.env
    const login = await promptly('auth login --with-token', token)
    expect(login.stderr).toRead()
    expect(login.code).toBe(0)
    expect(keyring.read(ACCOUNT)).toBe(token)
    expect((await drv('auth token')).stdout.trim()).toBe(token)
    expect((await drv('files list')).code).toBe(0)
    const [status] = (await drv('auth status --json')).json<Record<string, unknown>[]>()
    expect(status).toMatchObject({source: 'keychain', backend: 'Secret Service', works: true})
    expect((await drv('auth logout')).code).toBe(0)
    expect(keyring.read(ACCOUNT)).toBe('null')
    expect((await drv('files list')).code).toBe(4)
  })

  test('keeps the tokens of profiles that sign in concurrently', async () => {
    const keyring = await startKeyring(env)
    const {url} = await startService()
    env = {...keyring.env, DRV_BASE_URL: url}
    const names = ['one', 'two', 'three', 'four']
    const logins = names.map(name =>
      runDrv(['auth', 'login', '--with-token', '--profile', name], {env, input: token}),
    )
    expect((await Promise.all(logins)).map(({code}) => code)).toEqual([0, 0, 0, 0])
    for (const name of names) expect(keyring.read(`${name}@${url}`)).toBe(token)
    const listed = (await drv('auth list --json')).json<{profile: string; source?: string}[]>()
    expect(listed.filter(({source}) => source).map(({profile}) => profile)).toEqual(
      [...names].sort(),
    )
  })

  test('that is locked is reported, with a way out', async () => {
    const keyring = await startKeyring(env)
    env = keyring.env
    await drv('auth login --with-token', token)
    keyring.lock()
    for (const command of [
      'files list',
      'auth status',
      'auth login',
      'auth logout',
      'auth token',
    ]) {
      const result = await promptly(command)
      expect(result.code, command).toBe(10)
      expect(result.stderr, command).toRead()
    }
    const rescue = await promptly('auth login --with-token --insecure-storage', token)
    expect(rescue.code).toBe(0)
    expect(rescue.stderr).toRead()
    expect((await drv('files list')).code).toBe(0)
    expect((await drv('auth logout')).code).toBe(0)
    env = {...env, DRV_TOKEN: token}
    expect((await promptly('files list')).code).toBe(0)
  })

  test('with a damaged entry is reported, and the entry can be removed', async () => {
    const keyring = await startKeyring(env)
    env = keyring.env
    await drv('auth login --with-token', token)
    keyring.corrupt(ACCOUNT)
    const result = await promptly('files list')
    expect(result.code).toBe(10)
    expect(result.stderr).toRead()
    expect((await promptly('auth logout')).code).toBe(0)
    expect((await promptly('auth login --with-token', token)).code).toBe(0)
    expect((await drv('files list')).code).toBe(0)
  })

  test('that stops responding is not waited for', async () => {
    const keyring = await startKeyring(env)
    env = keyring.env
    await drv('auth login --with-token', token)
    keyring.freeze()
    env = withPatience(env, 0.01)
    const started = performance.now()
    const {code, stderr} = await drv('files list')
    // The bus itself waits for 25 seconds.
    expect(performance.now() - started).toBeLessThan(24_000)
    expect(code).toBe(10)
    expect(stderr).toRead()
    expect(stderr).not.toMatch(/^\s+at /m)
  })
})

describe('without a keyring', () => {
  test('sign-in fails at once, and never falls back to a file without consent', async () => {
    for (const command of ['auth login --with-token', 'auth login', 'auth login --web']) {
      const result = await promptly(command, token)
      expect(result.code, command).toBe(10)
      expect(result.stderr).toRead()
    }
    expect(filesBelow(join(home, 'config'))).toEqual([])
  })

  test('DRV_TOKEN works without a keychain and without a writable home', async () => {
    const data = env.XDG_DATA_HOME!
    env = {PATH: env.PATH!, HOME: '/dev/null', XDG_DATA_HOME: data, DRV_TOKEN: token}
    expect((await promptly('files list')).code).toBe(0)
    const [status] = (await drv('auth status --json')).json<Record<string, unknown>[]>()
    expect(status).toMatchObject({source: 'DRV_TOKEN', works: true})
    const login = await drv('auth login --with-token --insecure-storage', token)
    expect(login.code).toBe(10)
    expect(login.stderr).toRead()
  })

  test('a token file is announced', async () => {
    expect((await drv('auth login --with-token --insecure-storage', token)).code).toBe(0)
    const [status] = (await drv('auth status --json')).json<Record<string, string>[]>()
    expect(status).toMatchObject({source: 'file'})
    expect(status!.backend).toBe(`plain file in ${join(home, 'config', 'drv', 'tokens')}`)
    await drv('auth logout')
  })
})
