import {once} from 'node:events'
import {chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterEach, beforeEach, describe, expect, onTestFinished, test} from 'vitest'
import {recordToken} from '#lib/auth/budget.js'
import {scopesToRequest} from '#lib/auth/scopes.js'
import {createService} from '#lib/service/index.js'
import {createApp} from '#lib/service/oauth/store/apps.js'
import {
  freshEnvironment,
  type Result,
  runDrv,
  startDrv,
  temporaryFolder,
} from '../../support/drv.js'
import {runHere} from '../../support/here.js'
import {notesOf} from '../../support/page-notes.js'
import {authorizeDevice, authorizeToken, authorizeWeb} from '../../support/person.js'
import {type Received, type Reply, startRecorder} from '../../support/recorder.js'
import {missingTerminal, startAtTerminal} from '../../support/terminal.js'
import {localToken} from '../../support/world.js'

/** Sign-in on a fresh machine: the built-in profile and the local service. */

let home: string
let remove: () => void
let env: Record<string, string>
beforeEach(() => {
  ;({path: home, remove} = temporaryFolder())
  env = freshEnvironment(home)
})
afterEach(() => remove())

const drv = (command: string, ...args: string[]) =>
  runHere([...command.split(' '), ...args], {env, cwd: home})

/** The same in a separate process. */
const drvApart = (command: string, ...args: string[]) =>
  runDrv([...command.split(' '), ...args], {env, cwd: home})

const CODES = {
  device_code: 'd',
  user_code: 'AAAA-0001',
  verification_uri: 'http://127.0.0.1/login/device',
}

interface SignIn extends Pick<Result, 'code' | 'stderr'> {
  readonly events: readonly Record<string, unknown>[]
}

/** Runs `auth login --json`; a user responds on the page that it names. */
async function signIn(decision: 'authorize' | 'cancel', ...flags: string[]): Promise<SignIn> {
  const line = ['auth', 'login', '--insecure-storage', '--json', ...flags]
  const child = startDrv(line, {env, cwd: home})
  let stdout = ''
  let stderr = ''
  let page: Promise<unknown> | undefined
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString()
    const first = stdout.includes('\n') ? JSON.parse(stdout.slice(0, stdout.indexOf('\n'))) : {}
    if (page || first.event !== 'authorization_required') return
    page = first.user_code
      ? authorizeDevice(first.verification_uri, first.user_code, decision)
      : authorizeWeb(first.authorization_uri, decision).catch(() => undefined)
  })
  const code = await new Promise<number | null>(settle => child.on('close', settle))
  await page
  const events = stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as Record<string, unknown>)
  return {code, stderr, events}
}

test('from a fresh machine to signed in, working, and signed out', async () => {
  const before = await drvApart('files list')
  expect(before.code).toBe(4)
  expect(before.stderr).toMatch(/drv auth login/)
  expect((await drvApart('auth status')).code).toBe(4)

  const {code, events, stderr} = await signIn('authorize')
  expect(stderr).not.toMatch(/at .*\.js/)
  expect(code).toBe(0)
  expect(events.map(({event}) => event)).toEqual(['authorization_required', 'authorized'])
  expect(events[1]).toMatchObject({user: {login: 'local'}})

  expect((await drvApart('auth status', '--json')).json()).toMatchObject([
    {profile: 'local', inUse: true, user: {login: 'local'}, source: 'file', works: true},
  ])
  const token = (await drvApart('auth token')).stdout.trim()
  expect(token).toMatch(/^\w+$/)
  expect(JSON.stringify(events)).not.toContain(token)

  const inserted = await drvApart('files insert', '--title', 'kept', '--json')
  const {id} = inserted.json<{id: string}>()
  expect((await drvApart('files get', id, '--json')).json()).toMatchObject({title: 'kept'})

  const apps = (await drvApart('apps list', '--json')).json<{items: {id: string}[]}>()
  expect(apps.items.length).toBeGreaterThan(0)
  const app = apps.items[0]!
  expect((await drvApart('apps get', app.id, '--json')).json()).toMatchObject({
    id: app.id,
    installed: true,
  })

  expect((await drvApart('auth logout')).code).toBe(0)
  expect((await drvApart('files list')).code).toBe(4)
})

test('canceling ends the sign-in, and nothing is stored', async () => {
  const {code, events} = await signIn('cancel')
  expect(code).toBe(4)
  expect(events.at(-1)).toMatchObject({event: 'failed', error: 'access_denied'})
  expect((await drv('auth status')).code).toBe(4)
})

test('a personal access token comes from standard input, and only its owner can read it', async () => {
  const token = (await drvApart('local token')).stdout.trim()
  const login = await runDrv(['auth', 'login', '--with-token', '--insecure-storage'], {
    env,
    input: `${token}\n`,
  })
  expect(login.code).toBe(0)
  expect(login.stderr + login.stdout).not.toContain(token)
  expect((await drvApart('auth token')).stdout.trim()).toBe(token)
  for (const path of filesBelow(join(home, 'config'))) {
    expect(statSync(path).mode & 0o077).toBe(0)
    if (path.endsWith('config.json')) expect(readFileSync(path, 'utf8')).not.toContain(token)
  }
})

test('a token that the service rejects is not stored', async () => {
  const login = await runHere(['auth', 'login', '--with-token', '--insecure-storage'], {
    env,
    input: 'nonsense',
  })
  expect(login.code).toBe(4)
  expect((await drv('auth token')).code).toBe(4)
})

test('the error for a rejected token names DRV_TOKEN if it comes from there', async () => {
  const {url} = await startService()
  env = {...env, DRV_BASE_URL: url, DRV_TOKEN: 'stale'}
  const args = ['auth', 'login', '--with-token', '--insecure-storage']
  const login = await runHere(args, {env, input: 'nonsense'})
  expect(login.code).toBe(4)
  expect(login.stderr).toRead()
  expect(login.stderr).not.toContain('DRV_TOKEN')
  const check = await drv('auth check')
  expect(check.code).toBe(4)
  expect(check.stderr).toRead()
})

test('an unknown scope is a usage error', async () => {
  const login = await drv('auth login', '--insecure-storage', '--scope', 'drive,drive.readonyl')
  expect(login.code).toBe(2)
  expect(login.stderr).toRead()
})

test('without a keychain, sign-in fails at once and names the alternatives', async () => {
  const token = await tokenOf('local')
  const login = await runHere(['auth', 'login', '--with-token'], {env, input: token})
  expect(login.code).toBe(10)
  expect(login.stderr).toMatch(/--insecure-storage/)
  expect(login.stderr).toMatch(/DRV_TOKEN/)
})

test('DRV_TOKEN takes precedence over the stored token', async () => {
  env.DRV_TOKEN = await tokenOf('ci')
  const status = await drv('auth status', '--json')
  expect(status.json()).toMatchObject([{user: {login: 'ci'}, source: 'DRV_TOKEN'}])
})

/** A service for concurrent commands, with its data in the home directory of the test. */
async function startService() {
  const service = await createService({
    data: join(home, 'data', 'drv', 'local'),
    pollInterval: 1,
  })
  onTestFinished(() => service.close())
  env = {...env, DRV_BASE_URL: service.url}
  return service
}

const tokenOf = (user: string, scopes?: readonly string[]) =>
  localToken(join(home, 'data', 'drv', 'local'), {user, scopes})
const keep = (token: string, ...flags: string[]) =>
  runHere(['auth', 'login', '--with-token', '--insecure-storage', ...flags], {env, input: token})
const keepApart = (token: string, ...flags: string[]) =>
  runDrv(['auth', 'login', '--with-token', '--insecure-storage', ...flags], {env, input: token})
const events = (stdout: string) =>
  stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as Record<string, any>)

describe('--web', () => {
  test('signs in with a browser that redirects back', async () => {
    const {code, events} = await signIn('authorize', '--web', '--scope', 'drive.file')
    expect(events.map(({event}) => event)).toEqual(['authorization_required', 'authorized'])
    expect(code).toBe(0)
    expect((await drv('files list')).code).toBe(0)
  })

  test('ends when it is canceled there', async () => {
    const {code, events} = await signIn('cancel', '--web')
    expect(events.at(-1)).toMatchObject({event: 'failed', error: 'access_denied'})
    expect(code).toBe(4)
  })

  test('takes the secret of another app from the environment, and does not store it', async () => {
    const {store} = await startService()
    const callbackUrl = 'http://127.0.0.1/callback'
    const {clientId, secret} = createApp(store, {name: 'Mine', callbackUrl}, Date.now())
    env.DRV_CLIENT_ID = clientId
    // Another app might have no secret: the service reports that this one does.
    const without = await signIn('authorize', '--web')
    expect(without.code).toBe(10)
    expect(without.events.at(-1)).toMatchObject({error: 'client_secret_missing'})
    expect(without.stderr).toRead()
    env.DRV_CLIENT_SECRET = 'wrong'
    const wrong = await signIn('authorize', '--web')
    expect(wrong.events.at(-1)).toMatchObject({error: 'incorrect_client_credentials'})
    expect(wrong.code).toBe(10)
    env.DRV_CLIENT_SECRET = secret!
    expect((await signIn('authorize', '--web')).code).toBe(0)
    // Only the app may check its own token.
    expect((await drv('auth check', '--json')).json()).toMatchObject({
      valid: true,
      app: {clientId, name: 'Mine'},
      user: {login: 'local'},
    })
    const token = (await drv('auth token')).stdout.trim()
    for (const path of filesBelow(join(home, 'config'))) {
      expect(readFileSync(path, 'utf8')).not.toContain(secret)
    }
    env.DRV_CLIENT_SECRET = 'wrong'
    expect((await drv('auth check')).code).toBe(10)
    env.DRV_CLIENT_SECRET = secret!
    env.DRV_TOKEN = await tokenOf('local')
    const foreign = await drv('auth check')
    expect(foreign.code).toBe(4)
    expect(foreign.stderr).toRead()
    expect(foreign.stdout + foreign.stderr).not.toContain(token)
  })
})

describe('a personal access token', () => {
  const check = async () => {
    const {code, stdout, stderr} = await drv('auth check')
    expect(stdout).toBe('')
    expect(code).toBe(4)
    return stderr
  }

  test.each([
    ['that is stored', false],
    ['in the environment', true],
  ])('%s is checked according to its kind', async (_, isInEnvironment) => {
    const {url} = await startService()
    const token = await tokenOf('alice')
    if (isInEnvironment) env.DRV_TOKEN = token
    else await keep(token)
    const told = await check()
    expect(told).toContain(
      `The token is a valid personal access token of alice, but this command supports only tokens of apps. To view or revoke it, open ${url}/settings/tokens.`,
    )
    expect(told).not.toContain('drv-cli')
  })

  test('needs no secret of an app to be checked', async () => {
    await startService()
    await keep(await tokenOf('alice'))
    env.DRV_CLIENT_ID = 'mine'
    expect(await check()).toRead()
  })

  test('that was revoked is still checked as a personal token', async () => {
    const {store, url} = await startService()
    await keep(await tokenOf('alice'))
    store.run('UPDATE tokens SET revoked_at = 1')
    const told = await check()
    expect(told).toContain(`${url}/settings/tokens`)
    expect(told).toRead()
    // A rejected token is not sent again.
    expect((await check()).replace(/just now|\d+ s ago/, 'just now')).toRead()
  })

  test('of the local service has its page at `drv local serve`', async () => {
    await keep(await tokenOf('alice'))
    expect(await check()).toMatch(
      /open \/settings\/tokens on the service that `drv local serve` starts\./,
    )
    const {stderr} = await drv('auth logout')
    expect(stderr).toRead()
  })

  test('stays valid after sign-out, as does the token of an app', async () => {
    const {url} = await startService()
    await keep(await tokenOf('local'))
    const {code, stderr} = await drv('auth logout')
    expect(code).toBe(0)
    expect(stderr).toContain(
      `The personal access token of local is still valid. To revoke it, open ${url}/settings/tokens.`,
    )
    expect(stderr).not.toContain('connections')
    // With `--web`, which does not poll.
    expect((await signIn('authorize', '--web')).code).toBe(0)
    const app = await drv('auth logout')
    expect(app.stderr).toContain(`${url}/settings/connections/applications/drv-cli`)
    expect(app.stderr).not.toContain('personal')
  })

  test('keeps its kind when it moves to another store', async () => {
    await startService()
    const token = await tokenOf('alice', ['drive', 'drive.appdata', 'drive.apps.readonly'])
    await keep(token)
    expect((await drv('auth login', '--insecure-storage')).stderr).toContain(
      'Already signed in as alice',
    )
    expect((await drv('auth logout')).stderr).toRead()
  })

  test('of another app is reported with that app', async () => {
    const {store} = await startService()
    expect((await signIn('authorize', '--web')).code).toBe(0)
    const callbackUrl = 'http://127.0.0.1/callback'
    const {clientId, secret} = createApp(store, {name: 'Mine', callbackUrl}, Date.now())
    env = {...env, DRV_CLIENT_ID: clientId, DRV_CLIENT_SECRET: secret!}
    const told = await check()
    expect(told).toRead()
    expect(told).not.toContain('personal')
  })
})

describe('an existing token', () => {
  test('is reused if it is sufficient', async () => {
    await keep(await tokenOf('local'))
    const token = (await drv('auth token')).stdout
    const again = await drv('auth login', '--json')
    expect(again.code).toBe(0)
    expect(events(again.stdout)).toMatchObject([{event: 'authorized', reused: true, kept: 'file'}])
    expect((await drv('auth token')).stdout).toBe(token)
  })

  test.each([
    ['does not cover what is asked for', '--scope', 'drive'],
    ['is not wanted', '--force'],
  ])('is replaced if it %s', async (_, ...flags) => {
    const narrow = await tokenOf('local', ['drive.readonly'])
    await keep(narrow)
    // With `--web`, which does not poll.
    const {code, events} = await signIn('authorize', '--web', ...flags)
    expect(events.map(({event}) => event)).toEqual(['authorization_required', 'authorized'])
    expect(code).toBe(0)
    expect((await drv('auth token')).stdout.trim()).not.toBe(narrow)
  })

  test('is replaced if others could read its file', async () => {
    const seen = await tokenOf('local')
    await keep(seen)
    const [file = ''] = filesBelow(join(home, 'config', 'drv', 'tokens'))
    chmodSync(file, 0o644)
    const {code, events} = await signIn('authorize', '--web')
    expect(events.map(({event}) => event)).toEqual(['authorization_required', 'authorized'])
    expect(code).toBe(0)
    expect((await drv('auth token')).stdout.trim()).not.toBe(seen)
    expect(statSync(file).mode & 0o077).toBe(0)
  })

  test('of another user stays if drv cannot prompt', async () => {
    const mine = await tokenOf('alice')
    await keep(mine)
    const other = await keep(await tokenOf('bob'), '--json')
    expect(other.code).toBe(4)
    expect(other.stderr).toRead()
    expect(events(other.stdout).at(-1)).toMatchObject({event: 'failed'})
    expect((await drv('auth token')).stdout.trim()).toBe(mine)
    await drv('auth logout')
    expect((await keep(await tokenOf('bob'))).code).toBe(0)
  })

  test('a warning is printed before the eleventh token', async () => {
    const scopes = scopesToRequest([])
    const kind = {profile: 'local', binding: 'local', clientId: 'drv-cli', scopes}
    for (let count = 0; count < 10; count++)
      await recordToken(join(home, 'state', 'drv'), kind, count)
    const child = startDrv(['auth', 'login', '--insecure-storage', '--format', 'ndjson'], {env})
    onTestFinished(() => void child.kill())
    let stderr = ''
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
    await new Promise(resolve => child.stdout.once('data', resolve))
    expect(stderr).toRead()
  })
})

describe('profiles', () => {
  test('that sign in concurrently are all stored', async () => {
    await startService()
    const token = await tokenOf('local')
    const names = ['a', 'b', 'c', 'd', 'e', 'f']
    const done = await Promise.all(names.map(name => keepApart(token, '--profile', name)))
    expect(done.map(({code}) => code)).toEqual(names.map(() => 0))
    await Promise.all(['a', 'b', 'c'].map(name => drvApart('auth logout', '--profile', name)))
    delete env.DRV_BASE_URL
    const listed = (await drv('auth list', '--json')).json<Record<string, unknown>[]>()
    expect(listed.map(({profile, source}) => [profile, source])).toEqual([
      ['a', undefined],
      ['b', undefined],
      ['c', undefined],
      ['d', 'file'],
      ['e', 'file'],
      ['f', 'file'],
      ['local', undefined],
    ])
  })

  test('can be switched, and the new default is printed', async () => {
    const {url} = await startService()
    await keep(await tokenOf('alice'), '--profile', 'work')
    delete env.DRV_BASE_URL
    await keep(await tokenOf('bob'), '--profile', 'local')
    const statuses = async () => (await drv('auth status', '--json')).json<Record<string, any>[]>()
    expect(await statuses()).toMatchObject([
      {profile: 'work', inUse: true, service: url, user: {login: 'alice'}, works: true},
      {profile: 'local', inUse: false, service: 'local', user: {login: 'bob'}, works: true},
    ])
    const switched = await drv('auth switch', 'local')
    expect(switched.stderr).toRead()
    expect(await statuses()).toMatchObject([{profile: 'local'}, {profile: 'work'}])
    const one = await drv('auth status', '--profile', 'work', '--json')
    expect(one.json()).toMatchObject([{profile: 'work'}])
    const wrong = await drv('auth switch', 'wor')
    expect(wrong.code).toBe(2)
    expect(wrong.stderr).toRead()
    expect((await drv('auth switch')).code).toBe(2)
  })

  test('are listed with their users, and the default is marked', async () => {
    const list = async () => {
      const rows = (await drv('auth list --json')).json<Record<string, any>[]>()
      return rows.map(({profile, inUse, service, user}) => [profile, inUse, service, user?.login])
    }
    const {url} = await startService()
    expect(await list()).toEqual([
      ['local', false, 'local', undefined],
      ['local', true, url, undefined],
    ])
    await keep(await tokenOf('alice'))
    await keep(await tokenOf('carol'), '--profile', 'work')
    await drv('auth switch local')
    const rows = [
      ['local', false, 'local', undefined],
      ['local', true, url, 'alice'],
      ['work', false, url, 'carol'],
    ]
    expect(await list()).toEqual(rows)
    delete env.DRV_BASE_URL
    rows[0]![1] = true
    rows[1]![1] = false
    expect(await list()).toEqual(rows)
    await keep(await tokenOf('bob'))
    expect((await list())[0]).toEqual(['local', true, 'local', 'bob'])
  })

  test('are removed with their tokens and their keychain entries', async () => {
    const {url} = await startService()
    await keep(await tokenOf('alice'), '--profile', 'work')
    await keep(await tokenOf('bob'), '--profile', 'home')
    const tokens = () => filesBelow(join(home, 'config', 'drv', 'tokens'))
    expect(tokens()).toHaveLength(2)
    expect((await drv('auth remove')).code).toBe(2)
    const wrong = await drv('auth remove wor --yes')
    expect(wrong.code).toBe(2)
    expect(wrong.stderr).toRead()
    env.DRV_PROFILE = 'work'
    const removed = await drv('auth remove work --yes')
    expect(removed.code).toBe(0)
    expect(removed.stderr).toRead()
    expect(tokens()).toHaveLength(1)
    delete env.DRV_PROFILE
    const other = await drv('auth remove home --yes --json')
    expect(other.json()).toEqual({
      profile: 'home',
      removed: true,
      signedOut: [{service: url, user: {login: 'bob', id: expect.any(String)}}],
      inUse: 'local',
    })
    expect(tokens()).toEqual([])
    const config = JSON.parse(readFileSync(join(home, 'config', 'drv', 'config.json'), 'utf8'))
    expect(config).toEqual({profiles: {}})
  })

  test('that are built in only lose their sign-ins', async () => {
    const {url} = await startService()
    await keep(await tokenOf('alice'))
    const removed = await drv('auth remove local')
    expect(removed.stderr).toContain(url)
    expect(removed.stderr).toRead()
    expect((await drv('auth token')).code).toBe(4)
    expect((await drv('auth remove local')).stderr).toRead()
  })

  test('the page for revoking access is printed', async () => {
    const {url} = await startService()
    const review = await drv('auth review')
    expect(review.stdout).toBe(`${url}/settings/connections/applications/drv-cli\n`)
    const page = await fetch(review.stdout.trim())
    expect(page.ok).toBe(true)
  })
})

test('without a terminal nothing starts a sign-in', async () => {
  for (const command of ['files list', 'about get', 'auth token', 'auth check', 'auth status']) {
    const result = await drv(command)
    expect(result.code, command).toBe(4)
    expect(result.stderr).toMatch(/drv auth login.*DRV_TOKEN/)
    expect(result.stderr).not.toMatch(/[A-Z0-9]{4}-[A-Z0-9]{4}/)
  }
})

describe('an authorization service', () => {
  const NAMED = /^Error: The authorization service at (http:\S+) \((.*?)\)[: ]/

  /** Not the file service, which is running but must not be used. */
  async function services(reply: (request: Received) => Reply) {
    const [auth, files] = [await startRecorder(reply), await startRecorder(() => ({status: 500}))]
    env = {...env, DRV_BASE_URL: files.url, DRV_AUTH_URL: auth.url}
    return {auth, files}
  }

  const page = {headers: {'content-type': 'text/html'}, body: '<html>Please sign in</html>'}
  test.each<[string, Reply]>([
    ['a page', page],
    ['a page that was not found', {status: 404, ...page}],
    ['an error of a file service', {status: 404, body: {error: {code: 404}}}],
    ['a redirect', {status: 302, headers: {location: 'https://a.example/'}}],
    ['a redirect to itself', {status: 307, headers: {location: '/login/device/code'}}],
    ['too slow a pace', {body: {...CODES, interval: 1e9}}],
    ['an expiry before the first poll', {body: {...CODES, expires_in: 1}}],
  ])('that responds with %s is reported with its URL', async (_, reply) => {
    const {auth, files} = await services(() => reply)
    const {code, stderr} = await drv('auth login', '--insecure-storage')
    expect(code).toBe(8)
    expect(stderr).toRead()
    expect(NAMED.exec(stderr)?.slice(1)).toEqual([auth.url, 'from DRV_AUTH_URL'])
    expect(stderr).not.toContain(files.url)
    expect(files.received).toEqual([])
  })

  test('that responds with broken JSON has invalid metadata', async () => {
    const {auth, files} = await services(() => ({body: '{"device_code": "d'}))
    const {code, stderr} = await drv('auth login', '--insecure-storage')
    expect(code).toBe(10)
    expect(stderr).toBe(
      `Error: Cannot sign in at ${auth.url}: its metadata is not a JSON object.\n`,
    )
    expect(files.received).toEqual([])
  })

  test('that is unreachable is reported, with the source of its URL', async () => {
    const {auth, files} = await services(() => ({}))
    env.DRV_AUTH_URL = 'http://127.0.0.1:1/oauth'
    const there = await drv('auth login', '--insecure-storage')
    expect(there.code).toBe(8)
    expect(there.stderr).toRead()
    delete env.DRV_AUTH_URL
    env.DRV_BASE_URL = 'http://127.0.0.1:1'
    const login = await drv('auth login', '--insecure-storage', '--json')
    expect(login.code).toBe(8)
    expect(login.stdout).toMatch(
      /at http:\/\/127\.0\.0\.1:1 \(default: the URL of the file service\)/,
    )
    expect([...auth.received, ...files.received]).toEqual([])
  })

  test('that responds with a page to the code of the browser is reported too', async () => {
    const {auth, files} = await services(() => page)
    const child = startDrv(['auth', 'login', '--insecure-storage', '--web', '--json'], {env})
    const [line] = (await once(child.stdout, 'data')) as [Buffer]
    const {searchParams} = new URL(
      (JSON.parse(String(line)) as {authorization_uri: string}).authorization_uri,
    )
    const back = new URL(searchParams.get('redirect_uri')!)
    back.search = String(new URLSearchParams({code: 'c', state: searchParams.get('state')!}))
    const [[failed], [code]] = await Promise.all([
      once(child.stdout, 'data'),
      once(child, 'close'),
      fetch(back),
    ])
    expect(code).toBe(8)
    expect(String(failed)).toContain(
      `The authorization service at ${auth.url} (from DRV_AUTH_URL) returned`,
    )
    expect(files.received).toEqual([])
  })

  test('auth status shows its URL and where it comes from', async () => {
    const {auth, files} = await services(() => ({}))
    const status = async () => (await drv('auth status', '--json')).json<object[]>()[0]
    expect(await status()).toMatchObject({
      service: files.url,
      serviceSource: 'environment',
      authService: auth.url,
      authServiceSource: 'environment',
    })
    const {stdout} = await drv('auth status', '--format', 'table')
    expect(stdout).toContain(auth.url)
    delete env.DRV_AUTH_URL
    expect(await status()).toMatchObject({
      serviceSource: 'environment',
      authService: files.url,
      authServiceSource: 'default',
    })
    delete env.DRV_BASE_URL
    expect(await status()).toMatchObject({
      service: 'local',
      serviceSource: 'default',
      authService: 'local',
      authServiceSource: 'default',
    })
    await startService()
    await keep(await tokenOf('alice'), '--profile', 'work')
    delete env.DRV_BASE_URL
    expect(await status()).toMatchObject({serviceSource: 'profile', authServiceSource: 'profile'})
  })
})

describe('errors of requests', () => {
  const AT_ONCE = {DRV_TOKEN: 'a-token'}
  const service = async (reply: (request: Received) => object) => {
    const recorder = await startRecorder(reply)
    env = {...env, ...AT_ONCE, DRV_BASE_URL: recorder.url}
    return recorder
  }

  test('a rejected token is sent once, by any number of commands', async () => {
    const {received} = await service(() => ({status: 401, body: {message: 'Bad credentials'}}))
    const first = await drv('files list', '--all')
    expect(first.code).toBe(4)
    expect(first.stderr).toRead()
    expect(received).toHaveLength(1)
    for (const command of ['files list', 'auth status', 'files trash x']) {
      const later = await drv(command)
      expect(later.code).toBe(4)
      expect(later.stderr).toRead()
    }
    const login = await keep('a-token')
    expect(login.code).toBe(4)
    expect(received).toHaveLength(1)
    // Only --force sends it again.
    await keep('a-token', '--force')
    expect(received).toHaveLength(2)
    // Another token is not affected.
    env.DRV_TOKEN = 'another-token'
    await drv('files list')
    expect(received).toHaveLength(3)
  })

  test('a list stops at a 401 in the middle', async () => {
    const {received} = await service(({url}) =>
      url.includes('pageToken') ? {status: 401} : {body: {items: [{id: '1'}], nextPageToken: 'n'}},
    )
    const list = await drv('files list', '--all')
    expect(list.code).toBe(4)
    expect(list.stdout).toContain('1')
    expect(received).toHaveLength(2)
  })

  test('a successful sign-in clears the record of rejections', async () => {
    let isGood = false
    const {received} = await service(() =>
      isGood ? {body: {login: 'alice', items: []}} : {status: 401},
    )
    await drv('files list')
    isGood = true
    expect((await drv('files list')).code).toBe(4)
    expect((await keep('a-token', '--force')).code).toBe(0)
    expect((await drv('files list')).code).toBe(0)
    expect(received).toHaveLength(3)
  })

  test('a new token is kept if its first use fails temporarily', async () => {
    let asked = 0
    const {received} = await service(({url: path, headers}) => {
      if (path === '/user') return ++asked < 3 ? {status: 503} : {body: {login: 'alice'}}
      if (path === '/login/oauth/access_token') return {body: {access_token: 'fresh', scope: ''}}
      const verification_uri = `http://${headers.host}/login/device`
      return {body: {device_code: 'd', user_code: 'AAAA-0001', verification_uri, interval: 1}}
    })
    delete env.DRV_TOKEN
    const login = await drv('auth login', '--insecure-storage')
    expect(login.stderr).toRead()
    expect(login.code).toBe(0)
    expect(received.map(request => request.url).slice(-3)).toEqual(['/user', '/user', '/user'])
  })

  /** A service that returns the scopes of a token only when it issues the token. */
  const granting = async (scope: string | undefined) => {
    const recorder = await service(({url, headers}) => {
      if (url === '/user') return {body: {login: 'alice'}}
      if (url === '/login/oauth/access_token')
        return {body: {access_token: 'fresh', token_type: 'bearer', scope}}
      const verification_uri = `http://${headers.host}/login/device`
      return {body: {device_code: 'd', user_code: 'AAAA-0001', verification_uri, interval: 1}}
    })
    delete env.DRV_TOKEN
    return {minted: () => recorder.received.filter(({url}) => /access_token/.test(url)).length}
  }
  const scopesNow = async () =>
    (await drv('auth status --json')).json<{scopes?: string[]}[]>()[0]?.scopes

  test.each([
    ['by their long names', scopesToRequest(['drive.file', 'drive.appdata']).join(',')],
    ['by their short names', 'drive.file,drive.appdata'],
    ['by nothing, where they are those asked for', undefined],
  ])('the scopes of a token are remembered, %s', async (_, scope) => {
    const {minted} = await granting(scope)
    const login = 'auth login --insecure-storage --scope drive.file,drive.appdata'
    const first = await drv(login)
    expect(first.stderr).toRead()
    expect(first.stderr).not.toContain('fewer')
    expect((await scopesNow())?.sort()).toEqual(['drive.appdata', 'drive.file'])
    expect((await drv(login)).stderr).toRead()
    expect((await drv('auth login --insecure-storage --scope drive.file')).code).toBe(0)
    expect(minted()).toBe(1)
    expect((await scopesNow())?.sort()).toEqual(['drive.appdata', 'drive.file'])
  })

  test('missing scopes are reported', async () => {
    const {minted} = await granting('drive.readonly')
    const login = 'auth login --insecure-storage --scope drive.file,drive.metadata.readonly'
    const {code, stderr} = await drv(login)
    expect(code).toBe(0)
    expect(stderr).toRead()
    expect(await scopesNow()).toEqual(['drive.readonly'])
    const again = await drv(`${login} --json`)
    expect(events(again.stdout).at(-1)).toMatchObject({
      event: 'authorized',
      scopes: scopesToRequest(['drive.readonly']),
      missing: scopesToRequest(['drive.file']),
    })
    // The service may grant it next time.
    expect(minted()).toBe(2)
  })

  test('a lockout is reported and not retried', async () => {
    const message = 'Maximum number of login attempts exceeded. Please try again later.'
    const {received} = await service(() => ({status: 403, body: {message}}))
    const {code, stderr} = await drv('files list', '--all')
    expect(code).toBe(4)
    expect(stderr).toRead()
    expect(received).toHaveLength(1)
  })

  test('a 404 is explained with one cheap request, unless --no-probe is given', async () => {
    const {received} = await service(({url}) =>
      url.includes('/drives')
        ? {headers: {'X-OAuth-Scopes': 'https://www.googleapis.com/auth/drive.scripts'}}
        : {status: 404, body: {message: 'Not Found'}},
    )
    const {code, stderr} = await drv('files get', 'x')
    expect(code).toBe(5)
    expect(stderr).toRead()
    expect(received).toHaveLength(2)
    const json = await drv('files get', 'x', '--json')
    expect(JSON.parse(json.stderr).error.causes).toHaveLength(1)
    const quiet = await drv('files get', 'x', '--no-probe')
    expect(quiet.code).toBe(5)
    expect(quiet.stderr).not.toContain('Probable')
    expect(received).toHaveLength(5)
  })

  test('single sign-on can be the cause of an error, or be required', async () => {
    const sso = 'partial-results; organizations=7,8'
    await service(({url}) =>
      url.includes('/drives')
        ? {
            headers: {
              'X-OAuth-Scopes': 'https://www.googleapis.com/auth/drive',
              'X-Service-SSO': sso,
            },
          }
        : {status: 404},
    )
    expect((await drv('files get', 'x')).stderr).toRead()
    const url = 'https://auth.example.com/orgs/x/sso?authorization_request=1'
    await service(() => ({status: 403, headers: {'X-Service-SSO': `required; url=${url}`}}))
    const {code, stderr} = await drv('files get', 'x')
    expect(code).toBe(6)
    expect(stderr).toRead()
  })

  test('the local service has ended with the command, so the hint starts it', async () => {
    const driveId = await closedDrive()
    const {code, stderr} = await drv('files get', driveId, '--supports-all-drives')
    expect(code).toBe(6)
    expect(stderr).not.toContain('http://')
    const [, path = ''] = /`drv local serve`.* (\/orgs\/acme\/sso\?\S+) /.exec(stderr) ?? []
    const {url} = await startService()
    delete env.DRV_BASE_URL
    expect(notesOf(await authorizeToken(url + path))).toRead()
    expect((await drv('files get', driveId, '--supports-all-drives')).code).toBe(0)
  })

  test('organizations that a list omits are named once, on standard error', async () => {
    await service(({url}) => ({
      headers: {'X-Service-SSO': 'partial-results; organizations=7'},
      body: {items: [{id: '1'}], ...(!url.includes('pageToken') && {nextPageToken: 'n'})},
    }))
    const {code, stderr, stdout} = await drv('files list', '--all')
    expect(code).toBe(0)
    expect(stderr.match(/Warning: results omit items of organizations.*\(7\)/g)).toHaveLength(1)
    expect(stdout).not.toContain('Warning')
  })
})

describe('at a terminal', () => {
  beforeEach(({skip}) => skip(missingTerminal !== undefined, missingTerminal))

  /** A browser that records the URLs it opens. */
  function browser(): {opened: () => string} {
    const log = join(home, 'opened')
    const script = join(home, 'browser')
    writeFileSync(log, '')
    writeFileSync(script, `#!/bin/sh\necho "$1" >> '${log}'\n`)
    chmodSync(script, 0o755)
    env.BROWSER = script
    return {opened: () => readFileSync(log, 'utf8')}
  }

  test('the code stands out, can be copied, and Enter opens the browser', async () => {
    const {url} = await startService()
    const {opened} = browser()
    const terminal = startAtTerminal(['auth', 'login', '--insecure-storage'], {env})
    const [, code = ''] = await terminal.shows(/\n +([A-Z0-9]{4}-[A-Z0-9]{4})\r?\n/)
    await terminal.shows(/Waiting for the browser \(1[45]:\d\d left\)/)
    expect(opened()).toBe('')
    terminal.type('c')
    const [, copied = ''] = await terminal.shows(/\u001B\]52;c;([\w+/=]+)\u0007/)
    expect(Buffer.from(copied, 'base64').toString()).toBe(code)
    terminal.type('\r')
    await expect.poll(opened).toBe(`${url}/login/device\n`)
    await authorizeDevice(`${url}/login/device`, code)
    await terminal.shows(/Signed in as local/)
    expect(await terminal.ended).toBe(0)
    // A phone cannot reach a URL of this machine.
    expect(terminal.output()).not.toMatch(/█/)
  })

  test.each([
    ['shows a code to scan', 100, true],
    ['shows none where it is narrow', 40, false],
  ])('one %s, and Ctrl-C ends it', async (_, columns, isShown) => {
    const verification_uri = 'https://auth.example.com/login/device'
    const {url} = await startRecorder(() => ({
      body: {device_code: 'd', user_code: 'AAAA-0001', verification_uri, expires_in: 900},
    }))
    env.DRV_BASE_URL = url
    const line = ['auth', 'login', '--insecure-storage']
    const terminal = startAtTerminal(line, {env, columns})
    await terminal.shows(/Waiting for/)
    terminal.type('\u0003')
    expect(await terminal.ended).toBe(130)
    expect(/█▀|▀█/.test(terminal.output())).toBe(isShown)
    expect(terminal.output()).toContain('Interrupted')
  })

  test('a code that expires is followed by a new one on request', async () => {
    let codes = 0
    const {url} = await startRecorder(({url, headers}) => {
      if (url === '/login/device/code') {
        codes++
        const user_code = `AAAA-000${codes}`
        const verification_uri = `http://${headers.host}/login/device`
        return {body: {device_code: 'd', user_code, verification_uri, expires_in: 900, interval: 1}}
      }
      return {body: {error: 'expired_token'}}
    })
    env.DRV_BASE_URL = url
    const terminal = startAtTerminal(['auth', 'login', '--insecure-storage'], {env})
    await terminal.shows(/AAAA-0001/)
    await terminal.shows(/Get a new one\?/)
    terminal.type('\r')
    await terminal.shows(/AAAA-0002[\s\S]*Get a new one\?/)
    terminal.type('n\r')
    expect(await terminal.ended).toBe(4)
    expect(terminal.output()).toContain('The code expired')
    expect(codes).toBe(2)
  })

  test('drv offers to open the single sign-on page', async () => {
    const {opened} = browser()
    const sso = 'https://auth.example.com/orgs/x/sso?authorization_request=1'
    const {url} = await startRecorder(() => ({
      status: 403,
      headers: {'X-Service-SSO': `required; url=${sso}`},
    }))
    env = {...env, DRV_BASE_URL: url, DRV_TOKEN: 'a-token'}
    const terminal = startAtTerminal(['files', 'get', 'x'], {env})
    await terminal.shows(/Open the page in your browser\?/)
    expect(opened()).toBe('')
    terminal.type('\r')
    expect(await terminal.ended).toBe(6)
    await expect.poll(opened).toBe(`${sso}\n`)
  })

  test('the local service keeps running while its page is open', async () => {
    const {opened} = browser()
    const driveId = await closedDrive()
    const terminal = startAtTerminal(['files', 'get', driveId, '--supports-all-drives'], {env})
    await terminal.shows(/Open the page in your browser\?/)
    terminal.type('\r')
    await expect.poll(opened).toMatch(/^http:\S+\n$/)
    await terminal.shows(/Finished in the browser\?/)
    expect(notesOf(await authorizeToken(opened().trim()))).toRead()
    terminal.type('\r')
    expect(await terminal.ended).toBe(6)
    expect((await drv('files get', driveId, '--supports-all-drives')).code).toBe(0)
  })

  test('a profile is removed after confirmation', async () => {
    await startService()
    await keep(await tokenOf('alice'), '--profile', 'work')
    for (const [answer, code, count] of [
      ['n', 130, 1],
      ['y', 0, 0],
    ] as const) {
      const terminal = startAtTerminal(['auth', 'remove', 'work'], {env})
      await terminal.shows(/Remove profile "work" and the token of alice\?/)
      terminal.type(`${answer}\r`)
      expect(await terminal.ended).toBe(code)
      expect(filesBelow(join(home, 'config', 'drv', 'tokens'))).toHaveLength(count)
    }
  })

  test('another user requires confirmation', async () => {
    await keep(await tokenOf('alice'))
    const bob = await tokenOf('bob')
    const line = ['auth', 'login', '--with-token', '--insecure-storage']
    const terminal = startAtTerminal(line, {env})
    await terminal.shows(/Token:/)
    terminal.type(`${bob}\r`)
    await terminal.shows(/belongs to alice.*bob's.*Use it/)
    terminal.type('y\r')
    expect(await terminal.ended).toBe(0)
    // The input is not echoed.
    expect(terminal.output()).not.toContain(bob)
    expect((await drv('auth token')).stdout.trim()).toBe(bob)
  })
})

/** Signs in with a personal token; returns the ID of a shared drive that requires single sign-on. */
async function closedDrive(): Promise<string> {
  await keep((await drv('local token')).stdout.trim())
  const drive = (
    await drv('drives insert', '--request-id', 'r', '--name', 'Closed', '--json')
  ).json()
  const id = drive.id as string
  expect((await drv('local org create', 'acme', '--sso', '--drive', id)).code).toBe(0)
  return id
}

function filesBelow(folder: string): string[] {
  mkdirSync(folder, {recursive: true})
  return readdirSync(folder, {recursive: true, withFileTypes: true})
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
}
