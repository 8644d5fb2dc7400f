import {describe, expect, test} from 'vitest'
import type {ForeignServer} from '../../support/auth-servers/foreign.js'
import {startGithubApp} from '../../support/auth-servers/github-app.js'
import {type Habit, startHostile} from '../../support/auth-servers/hostile.js'
import {freshMachine, type Machine, secretsIn} from '../../support/auth-servers/machine.js'
import {type OidcOptions, startOidc} from '../../support/auth-servers/oidc.js'
import {startPublicService} from '../../support/auth-servers/public-service.js'
import {serve} from '../../support/serve.js'

/** Sign-in at other authorization servers, found by their metadata. */

interface Status {
  readonly expiresAt?: string
}

interface SignedIn {
  readonly server: ForeignServer
  readonly machine: Machine
  /** All output. */
  readonly printed: string
}

async function signInAt(server: ForeignServer, ...flags: string[]): Promise<SignedIn> {
  const machine = freshMachine(server.env)
  const {code, stdout, stderr} = await machine.signIn(server, flags)
  expect(code, stderr).toBe(0)
  return {server, machine, printed: stdout + stderr}
}

/** Works with files, and searches for secrets in places where they must not be. */
async function expectAtWork({server, machine, printed}: SignedIn): Promise<void> {
  const made = await machine.drv('mkdir /Reports')
  expect(made.code, made.stderr).toBe(0)
  const listed = await machine.drv('ls /', '--json')
  expect(listed.json<{title: string}[]>()).toMatchObject([{title: 'Reports'}])
  const debug = await machine.drv('ls /', '--debug')
  const all = printed + debug.stdout + debug.stderr
  for (const secret of secretsIn(server.asked)) {
    expect(all).not.toContain(secret)
    for (const {path, mode} of machine.filesWith(secret)) {
      expect(path).toMatch(/\/tokens\//)
      expect(mode).toBe(0o600)
    }
  }
}

describe('a certified OpenID provider', () => {
  test.each<[string, OidcOptions, string[]]>([
    ['at the OpenID address', {}, ['--web']],
    ['at the OpenID address, below a path', {path: '/realms/main'}, ['--web']],
    ['at the OAuth address, below a path', {path: '/realms/main', metadata: 'oauth'}, ['--web']],
    ['by the name that the file service gives', {isNamed: true, path: '/o/drv'}, ['--web']],
    ['with a secret in the form', {secret: 'client_secret_post'}, ['--web']],
    ['with a secret by Basic authentication', {secret: 'client_secret_basic'}, ['--web']],
    ['in the device flow', {}, []],
    ['in the device flow, with a secret', {secret: 'client_secret_basic', isNamed: true}, []],
  ])('is discovered, and sign-in works %s', async (_, options, flags) => {
    const signedIn = await signInAt(await startOidc(options), ...flags)
    const {server, machine} = signedIn
    await expectAtWork(signedIn)
    const [status] = (await machine.drv('auth status', '--json')).json<Status[]>()
    expect(status).toMatchObject({issuer: server.issuer, renewable: true})
    expect(Date.parse(String(status!.expiresAt))).toBeGreaterThan(Date.now() + 3000_000)
  })

  test('is discovered by a URL with a trailing slash, or that of the metadata', async () => {
    const server = await startOidc({path: '/o/drv'})
    for (const address of [
      `${server.issuer}/`,
      `${server.issuer}/.well-known/openid-configuration`,
    ]) {
      const given = {...server, env: {...server.env, DRV_AUTH_URL: address}}
      const signedIn = await signInAt(given, '--web')
      await expectAtWork(signedIn)
      await signedIn.machine.drv('rm /Reports')
    }
  })

  test.each([['--web'], []])('a denied sign-in gets one clear error (%s)', async (...flags) => {
    const server = await startOidc()
    const machine = freshMachine(server.env)
    const {code, stderr} = await machine.signIn(server, flags, false)
    expect(code).toBe(4)
    expect(stderr).toRead()
  })

  test('sign-out revokes both tokens', async () => {
    const {server, machine} = await signInAt(await startOidc(), '--web')
    const {token} = (await machine.drv('auth token', '--json')).json<{token: string}>()
    expect(await server.accepts(token)).toBe(true)
    const left = await machine.drv('auth logout')
    expect(left.code).toBe(0)
    expect(left.stderr).toRead()
    expect(await server.accepts(token)).toBe(false)
    expect((await machine.drv('ls /')).code).toBe(4)
    expect(machine.filesWith(token)).toEqual([])
  })

  test('if unreachable at sign-out, the user is signed out anyway', async () => {
    const {server, machine} = await signInAt(await startOidc(), '--web')
    server.control.trouble = 'reset'
    const left = await machine.drv('auth logout')
    expect(left.stderr).toRead()
    expect((await machine.drv('ls /')).code).toBe(4)
  })

  test('the error for a wrong secret names its variable', async () => {
    const server = await startOidc({secret: 'client_secret_post'})
    const machine = freshMachine({...server.env, DRV_CLIENT_SECRET: 'wrong'})
    const {code, stderr} = await machine.signIn(server, ['--web'])
    expect(code).toBe(10)
    expect(stderr).toContain('DRV_CLIENT_SECRET')
  })
})

describe('the public service', () => {
  test('--web signs in, and the user is known', async () => {
    const signedIn = await signInAt(await startPublicService(), '--web')
    await expectAtWork(signedIn)
    const status = await signedIn.machine.drv('auth status', '--json')
    expect(status.json()).toMatchObject([{issuer: signedIn.server.issuer, renewable: true}])
  })

  test('the device flow is refused for all files, and the error names --web', async () => {
    const server = await startPublicService()
    const {code, stderr} = await freshMachine(server.env).signIn(server)
    expect(code).toBe(4)
    expect(stderr).toContain('--web')
    expect(stderr).toRead()
  })

  test('the device flow grants its only scope', async () => {
    await expectAtWork(await signInAt(await startPublicService(), '--scope', 'drive.file'))
  })

  test('the refresh token is kept if a refresh returns none', async () => {
    const {server, machine} = await signInAt(await startPublicService(), '--web')
    for (const count of [1, 2]) {
      server.control.expire()
      expect((await machine.drv('ls /')).code).toBe(0)
      expect(server.refreshes()).toBe(count)
    }
  })
})

test('a GitHub-like service is used as documented, without requests for metadata after sign-in', async () => {
  const signedIn = await signInAt(await startGithubApp())
  await expectAtWork(signedIn)
  const {server, machine} = signedIn
  server.control.expire()
  expect((await machine.drv('ls /')).code).toBe(0)
  expect(server.refreshes()).toBe(1)
})

test.each(['page', 'itself'] as const)(
  'a GitHub-like service that redirects unknown URLs (%s) has no metadata',
  async redirects => {
    await expectAtWork(await signInAt(await startGithubApp({redirects})))
  },
)

test.each([
  ['the file service', false, 1],
  ['an address of its own', true, 2],
])(
  'a GitHub-like service at %s is asked for metadata in one round trip, and never after sign-in',
  async (_, isGiven, count) => {
    const asked: string[] = []
    const waiting: Array<() => void> = []
    const answers: Readonly<Record<string, object>> = {
      '/login/device/code': {
        device_code: 'd'.repeat(40),
        user_code: 'ABCD-EFGH',
        verification_uri: 'https://files.example.com/login/device',
        expires_in: 900,
        interval: 1,
      },
      '/login/oauth/access_token': {
        access_token: 'gho_1',
        token_type: 'bearer',
        scope: 'drive,drive.appdata,drive.apps.readonly',
      },
      '/user': {login: 'ada', id: 1},
    }
    const {url} = await serve((message, reply) => {
      message.resume()
      const {pathname} = new URL(message.url ?? '/', 'http://stub.invalid')
      asked.push(pathname)
      const answer = (status: number, body: object) =>
        void reply.writeHead(status, {'content-type': 'application/json'}).end(JSON.stringify(body))
      if (!pathname.includes('/.well-known/')) return answer(200, answers[pathname] ?? {items: []})
      // Sequential requests would never get a response.
      waiting.push(() => answer(404, {}))
      if (waiting.length === count) for (const reply of waiting) reply()
    })
    const env = {DRV_BASE_URL: url, DRV_CLIENT_ID: 'app', ...(isGiven && {DRV_AUTH_URL: url})}
    const machine = freshMachine(env)
    const {code, stderr} = await machine.apart('auth login --insecure-storage --json')
    expect(code, stderr).toBe(0)
    const isMetadata = (path: string) => path.includes('/.well-known/')
    expect(asked.filter(isMetadata)).toHaveLength(count)
    expect(asked.filter(path => !isMetadata(path))).toEqual(Object.keys(answers))
    asked.length = 0
    for (const line of ['files list', 'auth status', 'auth login', 'auth token', 'auth logout']) {
      expect((await machine.drv(line)).code, line).toBe(0)
    }
    expect(asked.filter(path => !/^\/(drive\/|user$)/.test(path))).toEqual([])
  },
)

describe('untrustworthy metadata', () => {
  /** Tries to sign in with this metadata; returns the result. */
  async function tryWith(habit: Habit) {
    const {issuer, state} = await startHostile(habit)
    const server = await startOidc()
    const machine = freshMachine({...server.env, DRV_AUTH_URL: issuer})
    return {...(await machine.signIn(server, ['--web'])), state}
  }

  function expectRefused(
    {code, stderr, events, state}: Awaited<ReturnType<typeof tryWith>>,
    expected: {readonly code: number; readonly retryable: boolean},
  ) {
    expect(code, stderr).toBe(expected.code)
    expect(JSON.parse(stderr)).toMatchObject({error: {retryable: expected.retryable}})
    expect(events.map(({event}) => event)).toEqual(['failed'])
    expect(state.strangers).toEqual([])
    // The contents of two socket buffers, not the 200 MB of both responses.
    expect(state.sent).toBeLessThan(32 * 1024 * 1024)
    expect(stderr).toRead()
  }

  test.each<Habit>([
    'huge',
    'wrong-types',
    'list',
    'cut',
    'no-token-endpoint',
    'script-scheme',
    'file-scheme',
    'plain-http',
    'credentials',
    'redirect',
    'other-issuer',
  ])('%s ends the sign-in before any request', async habit => {
    expectRefused(await tryWith(habit), {code: 10, retryable: false})
  })

  test('endless or missing metadata ends it too', async () => {
    // Each wait ends at the time limit.
    for (const tried of await Promise.all([tryWith('endless'), tryWith('silent')])) {
      expectRefused(tried, {code: 8, retryable: true})
    }
  })

  test('of a file service with another name', async () => {
    const server = await startOidc({isNamed: true, named: () => ['http://files.example']})
    const {code, stderr, events} = await freshMachine(server.env).signIn(server, ['--web'])
    expect(code, stderr).not.toBe(0)
    expect(events.map(({event}) => event)).toEqual(['failed'])
    expect(stderr).toRead()
  })
})
