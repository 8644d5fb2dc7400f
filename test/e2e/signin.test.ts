import {mkdirSync, readdirSync, readFileSync, statSync} from 'node:fs'
import {join} from 'node:path'
import {afterEach, beforeEach, expect, test} from 'vitest'
import {freshEnvironment, type Result, runDrv, startDrv, temporaryFolder} from './drv.js'
import {authorizeDevice} from './person.js'

/** Sign-in on a fresh machine: the built-in profile, the service inside each command. */

let home: string
let remove: () => void
let env: Record<string, string>
beforeEach(() => {
  ;({path: home, remove} = temporaryFolder())
  env = freshEnvironment(home)
})
afterEach(() => remove())

const drv = (command: string, ...args: string[]) =>
  runDrv([...command.split(' '), ...args], {env, cwd: home})

interface SignIn extends Pick<Result, 'code' | 'stderr'> {
  readonly events: readonly Record<string, unknown>[]
}

/** Runs `auth login --json` and has a person answer the page it names. */
async function signIn(decision: 'authorize' | 'cancel'): Promise<SignIn> {
  const child = startDrv(['auth', 'login', '--insecure-storage', '--json'], {env, cwd: home})
  let stdout = ''
  let stderr = ''
  let page: Promise<unknown> | undefined
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString()
    const first = stdout.includes('\n') ? JSON.parse(stdout.slice(0, stdout.indexOf('\n'))) : {}
    if (page || first.event !== 'authorization_required') return
    page = authorizeDevice(first.verification_uri, first.user_code, decision)
  })
  const code = await new Promise<number | null>(settle => child.on('close', settle))
  await page
  const events = stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as Record<string, unknown>)
  return {code, stderr, events}
}

test('from a fresh machine to signed in, at work, and signed out', async () => {
  const before = await drv('files list')
  expect(before.code).toBe(4)
  expect(before.stderr).toMatch(/drv auth login/)
  expect((await drv('auth status')).code).toBe(4)

  const {code, events, stderr} = await signIn('authorize')
  expect(stderr).not.toMatch(/at .*\.js/)
  expect(code).toBe(0)
  expect(events.map(({event}) => event)).toEqual(['authorization_required', 'authorized'])
  expect(events[1]).toMatchObject({user: {login: 'local'}})

  expect((await drv('auth status', '--json')).json()).toMatchObject({
    profile: 'local',
    user: {login: 'local'},
  })
  const token = (await drv('auth token')).stdout.trim()
  expect(token).toMatch(/^\w+$/)
  expect(JSON.stringify(events)).not.toContain(token)

  const inserted = await drv('files insert', '--title', 'kept', '--json')
  const {id} = inserted.json<{id: string}>()
  expect((await drv('files get', id, '--json')).json()).toMatchObject({title: 'kept'})

  const apps = (await drv('apps list', '--json')).json<{items: {id: string}[]}>()
  expect(apps.items.length).toBeGreaterThan(0)
  const app = apps.items[0]!
  expect((await drv('apps get', app.id, '--json')).json()).toMatchObject({
    id: app.id,
    installed: true,
  })

  expect((await drv('auth logout')).code).toBe(0)
  expect((await drv('files list')).code).toBe(4)
})

test('a person who cancels ends the sign-in, and nothing is kept', async () => {
  const {code, events} = await signIn('cancel')
  expect(code).toBe(4)
  expect(events.at(-1)).toMatchObject({event: 'failed', error: 'access_denied'})
  expect((await drv('auth status')).code).toBe(4)
})

test('a personal access token comes from standard input, and is kept for its owner alone', async () => {
  const token = (await drv('local token')).stdout.trim()
  const login = await runDrv(['auth', 'login', '--with-token', '--insecure-storage'], {
    env,
    input: `${token}\n`,
  })
  expect(login.code).toBe(0)
  expect(login.stderr + login.stdout).not.toContain(token)
  expect((await drv('auth token')).stdout.trim()).toBe(token)
  for (const path of filesBelow(join(home, 'config'))) {
    expect(statSync(path).mode & 0o077).toBe(0)
    if (path.endsWith('config.json')) expect(readFileSync(path, 'utf8')).not.toContain(token)
  }
})

test('a token that the service refuses is not kept', async () => {
  const login = await runDrv(['auth', 'login', '--with-token', '--insecure-storage'], {
    env,
    input: 'nonsense',
  })
  expect(login.code).toBe(4)
  expect((await drv('auth token')).code).toBe(4)
})

test('without a keychain, sign-in says so at once and names the ways out', async () => {
  const token = (await drv('local token')).stdout.trim()
  const login = await runDrv(['auth', 'login', '--with-token'], {env, input: token})
  expect(login.code).toBe(10)
  expect(login.stderr).toMatch(/--insecure-storage/)
  expect(login.stderr).toMatch(/DRV_TOKEN/)
})

test('DRV_TOKEN beats what is stored', async () => {
  env.DRV_TOKEN = (await drv('local token', '--user', 'ci')).stdout.trim()
  const status = await drv('auth status', '--json')
  expect(status.json()).toMatchObject({user: {login: 'ci'}, source: 'DRV_TOKEN'})
})

function filesBelow(folder: string): string[] {
  mkdirSync(folder, {recursive: true})
  return readdirSync(folder, {recursive: true, withFileTypes: true})
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
}
