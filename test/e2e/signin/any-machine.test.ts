import {chmodSync, existsSync, readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {beforeEach, describe, expect, onTestFinished, test} from 'vitest'
import {createService} from '#lib/service/index.js'
import {createUser, suspendUser} from '#lib/service/store/users.js'
import {freshEnvironment, temporaryFolder} from '../../support/drv.js'
import {runHere} from '../../support/here.js'
import {missingTerminal, startAtTerminal} from '../../support/terminal.js'
import {localToken} from '../../support/world.js'

/** Sign-in without a keychain, a browser or a terminal: on servers, in containers, over SSH. */

let home: string
let env: Record<string, string>
beforeEach(() => {
  const {path, remove} = temporaryFolder()
  onTestFinished(remove)
  home = path
  env = freshEnvironment(home)
})

const drv = (command: string, ...args: string[]) =>
  runHere([...command.split(' '), ...args], {env, cwd: home})
const data = () => join(home, 'data', 'drv', 'local')
const config = () => {
  const file = join(home, 'config', 'drv', 'config.json')
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}
const login = async () =>
  (await drv('auth status', '--json')).json<{user?: {login: string}}[]>()[0]?.user?.login

/** The service in this home directory, at a URL. */
async function serve() {
  const service = await createService({data: data(), pollInterval: 1})
  onTestFinished(() => service.close())
  env.DRV_BASE_URL = service.url
  return service
}

/** A program that replaces a browser. */
function browser(script: string): void {
  env.BROWSER = join(home, 'browser')
  writeFileSync(env.BROWSER, `#!/bin/sh\n${script}\n`)
  chmodSync(env.BROWSER, 0o755)
}

describe('at a terminal', () => {
  beforeEach(({skip}) => skip(missingTerminal !== undefined, missingTerminal))

  const ENTER = '\r'
  const KEYCHAIN =
    /No keychain available \(.+\)\.\s+Store the\s+token in a file readable only by you\?/

  test('a missing keychain leads to one question per profile', async () => {
    const first = startAtTerminal(['auth', 'login'], {env, columns: 200})
    await first.shows(KEYCHAIN)
    first.type(ENTER)
    await first.shows(/Sign in as local \(local@example\.com\)\?/)
    first.type(ENTER)
    expect(await first.ended).toBe(0)
    expect(config()).toMatchObject({profiles: {local: {tokenStore: 'file'}}})
    expect(await login()).toBe('local')
    expect((await drv('mkdir /made')).code).toBe(0)

    await drv('auth logout')
    for (const flags of [[], ['--force']]) {
      const again = startAtTerminal(['auth', 'login', ...flags], {env})
      await again.shows(/Sign in as local/)
      again.type(ENTER)
      expect(await again.ended).toBe(0)
      expect(again.output()).not.toContain('keychain')
    }

    const back = await drv('auth login --no-insecure-storage')
    expect(back.code).toBe(10)
    expect(config()).toMatchObject({profiles: {local: {tokenStore: 'file'}}})
  })

  test('a token in a file stays in a file', async () => {
    const token = await localToken(data())
    const args = ['auth', 'login', '--with-token', '--insecure-storage']
    await runHere(args, {env, input: token})
    expect(config().profiles.local.tokenStore).toBeUndefined()
    const terminal = startAtTerminal(['auth', 'login', '--force'], {env})
    await terminal.shows(/Sign in as local/)
    terminal.type(ENTER)
    expect(await terminal.ended).toBe(0)
    expect((await drv('auth token')).stdout.trim()).not.toBe(token)
  })

  test('declining the file ends the sign-in', async () => {
    const terminal = startAtTerminal(['auth', 'login'], {env, columns: 200})
    await terminal.shows(KEYCHAIN)
    terminal.type(`n${ENTER}`)
    expect(await terminal.ended).toBe(130)
    expect(config()).toBeUndefined()
  })

  test('declining the user names other ways', async () => {
    const terminal = startAtTerminal(['auth', 'login', '--insecure-storage'], {env})
    await terminal.shows(/Sign in as local/)
    terminal.type(`n${ENTER}`)
    expect(await terminal.ended).toBe(130)
    expect(terminal.output()).toMatch(/drv local user create[^]*drv auth login --web/)
    expect(config()).toBeUndefined()
  })

  test('one of several users is chosen, without suspended ones', async () => {
    const service = await serve()
    createUser(service.store, {login: 'eve'}, Date.now())
    suspendUser(service.store, createUser(service.store, {login: 'mallory'}, 1), true, 1)
    delete env.DRV_BASE_URL
    const line = ['auth', 'login', '--insecure-storage', '--scope', 'drive.readonly']
    const terminal = startAtTerminal(line, {env})
    await terminal.shows(/Sign in as[\s\S]*local[\s\S]*eve \(eve@example\.com\)/)
    expect(terminal.output()).not.toContain('mallory')
    terminal.type(`\u001B[B${ENTER}`)
    expect(await terminal.ended).toBe(0)
    expect(await login()).toBe('eve')
    expect((await drv('mkdir /made')).code).toBe(6)
  })

  test('--web uses the browser', async () => {
    browser('exit 0')
    const terminal = startAtTerminal(['auth', 'login', '--web', '--insecure-storage'], {env})
    await terminal.shows(/\/login\/oauth\/authorize\?/)
    terminal.type('\u0003')
    expect(await terminal.ended).toBe(130)
  })

  test.each([
    ['is missing', 'exec /nowhere/browser'],
    ['finds none', 'exit 3'],
  ])('a browser that %s is reported', async (_, script) => {
    await serve()
    browser(script)
    const terminal = startAtTerminal(['auth', 'login', '--insecure-storage'], {env})
    await terminal.shows(/drv local approve [A-Z0-9]{4}-[A-Z0-9]{4}/)
    await terminal.shows(/Waiting for the browser/)
    terminal.type(ENTER)
    await terminal.shows(/Cannot open a browser\. Open the URL yourself\./)
    terminal.type('\u0003')
    expect(await terminal.ended).toBe(130)
  })

  test('in CI nothing prompts', async () => {
    for (const [line, code] of [
      [['auth', 'login'], 10],
      [['files', 'delete', 'x'], 2],
    ] as const) {
      const terminal = startAtTerminal(line, {env: {...env, CI: 'true'}})
      expect(await terminal.ended, line.join(' ')).toBe(code)
      expect(terminal.output()).not.toContain('?')
    }
  })

  test('without confirmation, the error names CI as the reason', async () => {
    await serve()
    env.DRV_TOKEN = await localToken(data())
    for (const line of [
      ['files', 'delete', '/old.txt'],
      ['pull', '/', join(home, 'copy'), '--delete'],
    ]) {
      const terminal = startAtTerminal(line, {env: {...env, CI: 'true'}, columns: 300})
      expect(await terminal.ended, line.join(' ')).toBe(2)
      expect(terminal.output()).toRead()
    }
    expect(existsSync(join(home, 'copy'))).toBe(false)
  })
})

test('without a terminal, sign-in names --insecure-storage', async () => {
  const {code, stderr} = await drv('auth login')
  expect(code).toBe(10)
  expect(stderr).toRead()
  expect(config()).toBeUndefined()
})

test('a browser that cannot be opened is an error of drv open', async () => {
  await serve()
  env.DRV_TOKEN = await localToken(data())
  browser('exit 3')
  const {code, stderr} = await drv('open /')
  expect(code).toBe(1)
  expect(stderr).toRead()
})

test('URLs of the local service are not printed if they end with the command', async () => {
  env.DRV_TOKEN = await localToken(data())
  for (const line of ['url /', 'url / /', 'open /', 'files url /', 'files open /', 'auth review']) {
    const {code, stdout, stderr} = await drv(line)
    expect([code, stdout], line).toEqual([1, ''])
    if (line === 'url /') expect(stderr).toRead()
  }
  expect((await drv('url / --dry-run')).code).toBe(0)
  const {url} = await serve()
  expect((await drv('url /')).stdout).toContain(url)
})

describe('a profile that becomes the default', () => {
  const keep = (profile: string, token: string) =>
    runHere(['auth', 'login', '--with-token', '--insecure-storage', '--profile', profile], {
      env,
      input: token,
    })

  test('is reported, and so is one that does not', async () => {
    await serve()
    const token = await localToken(data())
    const first = await keep('work', token)
    expect(first.stderr).toRead()
    expect(config().profile).toBe('work')
    const second = await keep('home', token)
    expect(second.stderr).toRead()
    expect(config().profile).toBe('work')
  })
})
