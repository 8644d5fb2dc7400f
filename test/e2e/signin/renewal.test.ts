import {mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {expect, onTestFinished, test} from 'vitest'
import {readFaultPlan} from '#lib/service/faults/read.js'
import {createService, type Service, type ServiceOptions} from '#lib/service/index.js'
import {createApp} from '#lib/service/oauth/store/apps.js'
import {freshEnvironment, runDrv, startDrv, temporaryFolder} from '../../support/drv.js'
import {runHere} from '../../support/here.js'
import {authorizeWeb} from '../../support/person.js'
import {rounds} from '../../support/size.js'

/** Tokens that expire and are renewed, at a GitHub-like service. */

const HOUR = 3_600_000

interface World {
  readonly service: Service
  readonly home: string
  readonly env: Record<string, string>
  drv(...args: string[]): ReturnType<typeof runHere>
  /** The content of the token file whose account starts with these words. */
  entry(account: string): Entry | undefined
  /** Makes the stored token expire for drv, for the service, or for both. */
  expire(...for_: Array<'drv' | 'service'>): void
  /** The number of refresh tokens used so far. */
  refreshes(): number
}

interface Entry {
  readonly path: string
  readonly account: string
  readonly password: string
}

/** A service whose app has expiring tokens, and a user who is signed in. */
async function startWorld(
  options: Partial<ServiceOptions> & {readonly reuseInterval?: number} = {},
): Promise<World> {
  const {reuseInterval, ...rest} = options
  const {path: home, remove} = temporaryFolder()
  const service = await createService({data: join(home, 'service'), ...rest})
  onTestFinished(async () => {
    await service.close()
    remove()
  })
  const {clientId, secret} = createApp(
    service.store,
    {
      name: 'Sync',
      callbackUrl: 'http://127.0.0.1/callback',
      tokenLifetime: 8 * HOUR,
      reuseInterval,
    },
    Date.now(),
  )
  const env = {
    ...freshEnvironment(home),
    DRV_BASE_URL: service.url,
    DRV_CLIENT_ID: clientId,
    DRV_CLIENT_SECRET: secret!,
  }
  // With `--web`, which does not poll.
  const line = ['auth', 'login', '--web', '--json', '--insecure-storage', '--profile', 'work']
  await signIn(line, env, home)
  const paths = readdirSync(home, {recursive: true, encoding: 'utf8'})
  const directory = join(
    home,
    paths.find(path => path.endsWith('tokens'))!,
  )
  const entry = (account: string) =>
    readdirSync(directory)
      .filter(name => name.endsWith('.json'))
      .map(name => {
        const path = join(directory, name)
        return {path, ...(JSON.parse(readFileSync(path, 'utf8')) as Omit<Entry, 'path'>)}
      })
      .find(found => found.account.startsWith(account))
  return {
    service,
    home,
    env: {...env, DRV_PROFILE: 'work'},
    drv: (...args) => runHere(args, {env: {...env, DRV_PROFILE: 'work'}, cwd: home}),
    entry,
    expire(...whom) {
      if (whom.includes('service')) service.store.run('UPDATE tokens SET expires_at = 1', {})
      const {path, ...stored} = entry('work@')!
      if (!whom.includes('drv')) return
      const token = {...(JSON.parse(stored.password) as object), expiresAt: Date.now() - 1000}
      writeFileSync(path, JSON.stringify({...stored, password: JSON.stringify(token)}))
    },
    refreshes: () =>
      service.store.get<{count: number}>(
        'SELECT count(*) AS count FROM refresh_tokens WHERE used_at IS NOT NULL',
        {},
      )!.count,
  }
}

/** Runs `auth login --json`; a user authorizes it. */
async function signIn(line: string[], env: Record<string, string>, cwd: string): Promise<void> {
  mkdirSync(cwd, {recursive: true})
  const child = startDrv(line, {env, cwd})
  let stdout = ''
  let isAnswered = false
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString()
    if (isAnswered || !stdout.includes('\n')) return
    isAnswered = true
    const event = JSON.parse(stdout.slice(0, stdout.indexOf('\n'))) as Record<string, string>
    void authorizeWeb(event.authorization_uri!).catch(() => undefined)
  })
  const code = await new Promise(settle => child.on('close', settle))
  expect([code, stdout]).toEqual([0, expect.stringContaining('"authorized"')])
}

const tokenOf = ({entry}: World) =>
  (JSON.parse(entry('work@')!.password) as {token: string; expiresAt: number}).token
const refreshTokenOf = ({entry}: World) =>
  (JSON.parse(entry('refresh token of work@')!.password) as {refreshToken: string}).refreshToken

test('an expired token is renewed, stored, and used from then on', async () => {
  const world = await startWorld()
  const [token, refreshToken] = [tokenOf(world), refreshTokenOf(world)]
  const status = await world.drv('auth', 'status', '--json')
  expect(status.json()).toMatchObject([
    {works: true, renewable: true, expiresAt: expect.stringMatching(/^\d{4}-.*:\d\dZ$/) as string},
  ])
  world.expire('drv', 'service')
  const listed = await world.drv('ls', '/', '--debug')
  expect(listed.code).toBe(0)
  expect(tokenOf(world)).not.toBe(token)
  expect(refreshTokenOf(world)).not.toBe(refreshToken)
  expect((await world.drv('ls', '/')).code).toBe(0)
  expect(world.refreshes()).toBe(1)
  for (const secret of [token, refreshToken, tokenOf(world), refreshTokenOf(world)]) {
    expect(listed.stdout + listed.stderr).not.toContain(secret)
  }
  const printed = await world.drv('auth', 'token', '--json')
  expect(printed.json()).toEqual({
    token: tokenOf(world),
    expiresAt: expect.stringMatching(/Z$/) as string,
  })
})

test('a token that the service rejects is renewed even if its expiry is unknown', async () => {
  const world = await startWorld()
  world.expire('service')
  expect((await world.drv('ls', '/')).code).toBe(0)
  expect(world.refreshes()).toBe(1)
})

test('many processes with an expired token renew it once', async () => {
  const world = await startWorld()
  world.expire('drv', 'service')
  const runs = Array.from({length: rounds(6, 20)}, () =>
    runDrv(['about', 'get', '--json'], {env: world.env, cwd: world.home}),
  )
  const results = await Promise.all(runs)
  expect(results.map(({code}) => code)).toEqual(runs.map(() => 0))
  expect(world.refreshes()).toBe(1)
})

test('a list, a push of many files and an upload from standard input continue with the new token', async () => {
  const strikes = [
    {operations: 'files.list', fault: 'token-expire', calls: [3]},
    {operations: 'files.insert', fault: 'token-expire', calls: [20]},
    {operations: 'files.insert', via: 'chunk', fault: 'token-expire', calls: [1]},
  ]
  const world = await startWorld({faults: parseFaults(strikes)})
  const folder = join(world.home, 'sixty')
  mkdirSync(folder)
  for (let index = 0; index < 60; index++) writeFileSync(join(folder, `f${index}`), `${index}`)
  const pushed = await world.drv('push', folder, '/')
  expect([pushed.code, pushed.stderr]).toEqual([0, expect.stringContaining('60')])
  const listed = await world.drv('files', 'list', '--all', '--max-results', '10', '--format', 'ids')
  expect(listed.stdout.trim().split('\n').length).toBeGreaterThanOrEqual(61)
  const content = 'x'.repeat(9 * 1024 * 1024)
  const input = await runHere(['files', 'insert', '-', '--title', 'big', '--json'], {
    env: world.env,
    cwd: world.home,
    input: content,
  })
  expect([input.code, input.stderr]).toEqual([0, ''])
  expect(input.json()).toMatchObject({fileSize: String(content.length)})
  expect(world.refreshes()).toBe(3)
})

test('a sign-in that the service has ended is reported once, and deleted', async () => {
  const world = await startWorld()
  world.expire('drv', 'service')
  world.service.store.run('DELETE FROM token_families', {})
  const ended = await world.drv('ls', '/')
  expect(ended.code).toBe(4)
  expect(ended.stderr).toRead()
  expect(world.entry('refresh token of work@')).toBeUndefined()
  expect((await world.drv('auth', 'status', '--json')).json()).toMatchObject([
    {works: false, renewable: false},
  ])
})

test('nothing is deleted while the service is unavailable', async () => {
  const world = await startWorld()
  world.expire('drv')
  const before = refreshTokenOf(world)
  await world.service.close()
  const away = await world.drv('ls', '/')
  expect(away.code).toBe(8)
  expect(away.stderr).toRead()
  expect(refreshTokenOf(world)).toBe(before)
})

test('a lost response is requested again', async () => {
  const faults = parseFaults([{fault: 'refresh-lost', first: 1}])
  const world = await startWorld({faults, reuseInterval: 60_000})
  world.expire('drv', 'service')
  expect((await world.drv('ls', '/')).code).toBe(0)
  world.expire('drv', 'service')
  expect((await world.drv('ls', '/')).code).toBe(0)
})

test('the client secret for renewals is stored, and a wrong one is reported', async () => {
  const world = await startWorld()
  const {DRV_CLIENT_SECRET: secret, ...env} = world.env
  world.expire('drv', 'service')
  expect((await runHere(['ls', '/'], {env})).code).toBe(0)
  world.expire('drv', 'service')
  const wrong = await runHere(['ls', '/'], {env: {...env, DRV_CLIENT_SECRET: 'wrong'}})
  expect(wrong.code).toBe(10)
  // A random ID that consists of letters looks like a word.
  expect(wrong.stderr.replace(env.DRV_CLIENT_ID!, '$ID')).toRead()
  expect(wrong.stderr).not.toContain(secret)
  expect((await runHere(['ls', '/'], {env})).code).toBe(0)
})

test('signing in again renews, and signing out removes everything', async () => {
  const world = await startWorld()
  world.expire('drv', 'service')
  const again = await world.drv('auth', 'login')
  expect([again.code, again.stderr.replace(/\n.*$/s, '')]).toEqual([
    0,
    'Already signed in as local: renewed the token stored in a file. Pass --force to sign in again.',
  ])
  expect((await world.drv('auth', 'logout')).code).toBe(0)
  expect(world.entry('work@') ?? world.entry('refresh')).toBeUndefined()
})

test('the doctor renews nothing', async () => {
  const world = await startWorld()
  world.expire('drv', 'service')
  const {stdout} = await world.drv('auth', 'doctor', '--json')
  expect(JSON.parse(stdout)).toContainEqual(
    expect.objectContaining({name: 'token', found: expect.stringContaining('renew') as string}),
  )
  expect(world.refreshes()).toBe(0)
})

function parseFaults(rules: readonly object[]): ServiceOptions['faults'] {
  return readFaultPlan(JSON.stringify({seed: 1, rules}))
}
