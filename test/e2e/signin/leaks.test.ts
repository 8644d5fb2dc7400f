import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import {join} from 'node:path'
import {beforeEach, describe, expect, onTestFinished, test} from 'vitest'
import {createService} from '#lib/service/index.js'
import {createApp} from '#lib/service/oauth/store/apps.js'
import {BINARY, freshEnvironment, runDrv, startDrv, temporaryFolder} from '../../support/drv.js'
import {runHere} from '../../support/here.js'
import {authorizeWeb} from '../../support/person.js'
import {type Received, type Reply, startRecorder} from '../../support/recorder.js'
import {serveSockets} from '../../support/serve.js'
import {missingTerminal, startAtTerminal} from '../../support/terminal.js'

/**
 * Every place where a token (or the secret of an app) could leak, and a test for each: - standard output and
 * standard error of successful commands, also with --verbose and --debug - errors: refusals, responses that repeat
 * the token, broken responses, no response, with stack traces - dry runs - the command line, which `ps` and shell
 * histories show - the environment and the command line of processes that drv starts: a browser; the process for
 * the keychain (trial.test.ts) - crashes, and their reports by Node - URLs, which logs of services and proxies
 * contain - redirects, and URLs in responses - other services than the profile's, and the authorization service -
 * unencrypted connections - the configuration, the state and the data on disk - the child process of `local run`,
 * which works with another service
 */

const TOKEN = 'drvp_CanaryTokenThatMustNotBeSeenAnywhere01'
const SECRET = 'canary-client-secret-that-must-not-be-seen'

let home: string
let env: Record<string, string>
beforeEach(() => {
  const {path, remove} = temporaryFolder()
  onTestFinished(remove)
  home = path
  env = {...freshEnvironment(home), DRV_TOKEN: TOKEN}
})

const drv = (command: string, input = '') => runHere(command.split(' '), {env, cwd: home, input})

/** The same in a process of its own. */
const drvApart = (command: string) => runDrv(command.split(' '), {env, cwd: home})

async function service(reply: (request: Received) => object = () => ({body: GOOD})) {
  const recorder = await startRecorder(reply)
  env.DRV_BASE_URL = recorder.url
  return recorder
}

/** The manifest of all commands, without loading them. */
const MANIFEST = join(BINARY, '../../oclif.manifest.json')
interface Manifest {
  readonly commands: Readonly<Record<string, {flags: Record<string, {name: string; type: string}>}>>
}

/** A response that is valid for every request of these commands. */
const GOOD = {login: 'alice', id: 1, items: [{id: 'x', title: 't'}], user: {}}

/** Whether the text contains a secret, as it is or in another encoding. */
function expectClean(text: string, secret = TOKEN): void {
  for (const spelling of [
    secret,
    encodeURIComponent(secret),
    Buffer.from(secret).toString('base64').replace(/=+$/, ''),
    Buffer.from(secret).toString('hex'),
  ]) {
    expect(text).not.toContain(spelling)
  }
}

describe('output', () => {
  test.each([
    'files list',
    'files get x',
    'about get',
    'auth status',
    'auth list',
    'files trash x',
  ])('%s never prints the token, in any format and with --debug', async command => {
    const {received} = await service()
    const formats = ['', ' --json', ' --verbose', ' --debug', ' --format ndjson --debug']
    const results = await Promise.all(formats.map(flags => drv(command + flags)))
    for (const {stdout, stderr} of results) expectClean(stdout + stderr)
    // The token was used throughout.
    if (command !== 'auth list') {
      expect(received[0]?.headers.authorization).toBe(`Bearer ${TOKEN}`)
    }
  })

  test('sign-in does not print the token that it stores', async () => {
    await service()
    delete env.DRV_TOKEN
    for (const flags of ['', ' --json', ' --debug']) {
      const line = `auth login --with-token --insecure-storage --force${flags}`
      const {code, stdout, stderr} = await drv(line, TOKEN)
      expect(code).toBe(0)
      expectClean(stdout + stderr)
    }
    const logout = await drv('auth logout --debug')
    expectClean(logout.stdout + logout.stderr)
  })

  test('only `auth token` prints it, to standard output', async () => {
    await service()
    const {stdout, stderr} = await drv('auth token --debug')
    expect(stdout).toBe(`${TOKEN}\n`)
    expectClean(stderr)
  })

  test.each(['files list', 'files trash x', 'files insert --title t', 'files copy x'])(
    '%s --dry-run shows a request without it',
    async command => {
      await service()
      const formats = [' --dry-run', ' --dry-run --json', ' --dry-run --debug']
      const results = await Promise.all(formats.map(flags => drv(command + flags)))
      for (const {code, stdout, stderr} of results) {
        expect(code).toBe(0)
        expectClean(stdout + stderr)
        expect(stdout.toLowerCase()).not.toContain('authorization')
      }
    },
  )
})

describe('errors', () => {
  const echo = `Token ${TOKEN} is not good`
  test.each<[what: string, reply: Reply]>([
    ['a refusal that repeats it', {status: 401, body: {message: echo}}],
    ['an error of the file service that repeats it', {status: 403, body: {error: {message: echo}}}],
    ['a refusal as text', {status: 404, body: echo}],
    ['a failure', {status: 500, body: {error: echo, error_description: echo}}],
    ['something that is no JSON', {body: `<html>${echo}</html>`}],
    ['a redirect', {status: 302, headers: {location: `https://evil.example/?t=${TOKEN}`}}],
  ])(
    '%s',
    async (_, reply) => {
      // A failure is retried; then the service asks for a longer delay than a command waits.
      const {received} = await service(() =>
        received.length > 6 ? {...reply, headers: {...reply.headers, 'retry-after': '600'}} : reply,
      )
      // Concurrent, because failures are retried; each with its own state directory, because drv does not resend a
      // rejected token.
      const results = await Promise.all(
        ['', ' --json', ' --debug'].map(flags =>
          runDrv(`files list${flags}`.split(' '), {
            env: {...env, XDG_STATE_HOME: join(home, `state${flags.trim()}`)},
            cwd: home,
          }),
        ),
      )
      for (const {code, stdout, stderr} of results) {
        expect(code).not.toBe(0)
        expectClean(stdout + stderr)
      }
    },
    90_000,
  )

  test.each(['', ' --json', ' --debug', ' --verbose'])(
    'parts of a batch that repeat it%s, with a token of the environment or a stored one',
    async flags => {
      await service(({url, body}) => {
        if (!url.includes('/batch')) return {body: GOOD}
        const part = (index: number) =>
          [
            '--x',
            'Content-Type: application/http',
            `Content-ID: <response-B+${index}>`,
            '',
            'HTTP/1.1 403 Forbidden',
            'Content-Type: application/json',
            `X-OAuth-Scopes: ${TOKEN}`,
            '',
            JSON.stringify({error: {message: echo, errors: [{reason: TOKEN}]}}),
            '',
          ].join('\r\n')
        const count = body.split('Content-ID:').length - 1
        const text = Array.from({length: count}, (_, index) => part(index)).join('')
        return {
          headers: {'content-type': 'multipart/mixed; boundary=x'},
          body: `${text}--x--\r\n`,
        }
      })
      const line = `files trash a b c d${flags}`
      const given = await drv(line)
      expect(given.stdout + given.stderr).toContain('(token)')
      expectClean(given.stdout + given.stderr)
      delete env.DRV_TOKEN
      expect((await drv('auth login --with-token --insecure-storage', TOKEN)).code).toBe(0)
      const stored = await drv(line)
      expect(stored.stdout + stored.stderr).toContain('(token)')
      expectClean(stored.stdout + stored.stderr)
    },
  )

  test('scopes and the app in headers that repeat it', async () => {
    const headers = {
      'x-oauth-scopes': `drive, ${TOKEN}`,
      'x-accepted-oauth-scopes': TOKEN,
      'x-oauth-client-id': TOKEN,
    }
    await service(({url}) =>
      url.includes('/files/') ? {status: 403, headers, body: {}} : {headers, body: GOOD},
    )
    for (const command of [
      'auth status',
      'auth status --json',
      'auth status --jq .',
      'auth doctor',
      'auth doctor --json',
      'files get x',
      'files get x --json',
    ]) {
      const {stdout, stderr} = await drv(command)
      expectClean(stdout + stderr)
    }
  })

  test('a URL that contains a secret', async () => {
    env.DRV_BASE_URL = `https://files.example.com/?access_token=${SECRET}`
    for (const command of ['files list', 'auth doctor', 'auth doctor --json', 'auth status']) {
      const {code, stdout, stderr} = await drv(command)
      expect(code).not.toBe(0)
      expect(stdout + stderr).toContain('DRV_BASE_URL')
      expectClean(stdout + stderr, SECRET)
    }
  })

  test('no response at all', async () => {
    env.DRV_BASE_URL = 'http://127.0.0.1:1'
    const {code, stdout, stderr} = await drv('files list --debug')
    expect(code).toBe(8)
    expectClean(stdout + stderr)
  })

  test('a recently rejected token', async () => {
    await service(() => ({status: 401}))
    await drv('files list')
    const {stderr} = await drv('files list --debug')
    expect(stderr).toContain('0 requests')
    expectClean(stderr)
  })

  test('an invalid token', async () => {
    env.DRV_TOKEN = `${TOKEN} and more`
    const {code, stdout, stderr} = await drv('files list --debug')
    expect(code).toBe(4)
    expectClean(stdout + stderr)
    const login = await drv('auth login --with-token --insecure-storage --debug', env.DRV_TOKEN)
    expectClean(login.stdout + login.stderr)
  })

  test('a stored token whose file is damaged', async () => {
    await service()
    delete env.DRV_TOKEN
    await drv('auth login --with-token --insecure-storage', TOKEN)
    const folder = join(home, 'config', 'drv', 'tokens')
    const [name = ''] = readdirSync(folder)
    const text = readFileSync(join(folder, name), 'utf8')
    writeFileSync(join(folder, name), text.slice(0, -4))
    const {code, stdout, stderr} = await drv('files list --debug')
    expect(code).toBe(10)
    expectClean(stdout + stderr)
  })

  test('a crash', async () => {
    await service()
    env.DRV_CLIENT_SECRET = SECRET
    const crash = join(home, 'crash.cjs')
    const sign = join(home, 'crash now')
    const look = `if (require('node:fs').existsSync(${JSON.stringify(sign)})) throw new Error('crash')`
    writeFileSync(crash, `if (process.argv.includes('list')) setInterval(() => { ${look} }, 20)`)
    const reports = join(home, 'reports')
    mkdirSync(reports)
    const report = `--report-uncaught-exception --report-directory=${reports}`
    env.NODE_OPTIONS = `--require ${crash} ${report}`
    const {received} = await startHanging(() => writeFileSync(sign, ''))
    const {code, stdout, stderr} = await drvApart('files list --debug')
    expect(code).not.toBe(0)
    expect(stderr).toContain('crash')
    expectClean(stdout + stderr)
    // The token was used throughout.
    expect(received.join('')).toContain(TOKEN)
    const [written = ''] = filesBelow(reports).map(path => readFileSync(path, 'utf8'))
    expect(JSON.parse(written).environmentVariables).toHaveProperty('DRV_BASE_URL')
    expectClean(written)
    expectClean(written, SECRET)
  })

  /** A service that never responds, so that the command is still running when it crashes. */
  async function startHanging(onData: () => void): Promise<{received: string[]}> {
    const received: string[] = []
    const {url} = await serveSockets(socket => {
      socket.on('data', chunk => {
        received.push(chunk.toString())
        onData()
      })
    })
    env.DRV_BASE_URL = url
    return {received}
  }
})

describe('processes', () => {
  test('no flag and no argument takes a token or a secret', async () => {
    const {commands} = JSON.parse(readFileSync(MANIFEST, 'utf8')) as Manifest
    const auth = Object.entries(commands).filter(([id]) => id.startsWith('auth:'))
    expect(auth.length).toBeGreaterThan(6)
    for (const [id, {flags}] of auth) {
      const taking = Object.values(flags).filter(({type}) => type === 'option')
      for (const {name} of taking) expect(name, id).not.toMatch(/token|secret|password/)
    }
    // Nor do errors about a command line repeat it.
    const {code, stdout, stderr} = await drv(`auth login ${TOKEN}`)
    expect(code).toBe(2)
    expect(stderr).toContain('argument')
    expectClean(stdout + stderr)
  })

  test.skipIf(process.platform !== 'linux')('`ps` does not show it', async () => {
    // The request with the token has been sent.
    let line = ''
    await service(() => {
      line = readFileSync(`/proc/${child.pid}/cmdline`, 'utf8')
      return {body: GOOD}
    })
    delete env.DRV_TOKEN
    const child = startDrv(['auth', 'login', '--with-token', '--insecure-storage'], {env})
    const ended = new Promise(resolve => child.once('close', resolve))
    child.stdin.end(TOKEN)
    expect(await ended).toBe(0)
    expect(line).toContain('--with-token')
    expectClean(line)
  })

  test('a browser gets neither token nor secret', async ({skip}) => {
    skip(missingTerminal !== undefined, missingTerminal)
    await service()
    const log = join(home, 'browser.log')
    const script = join(home, 'browser')
    writeFileSync(
      script,
      `#!/bin/sh\n(env; echo "ARGS $*") > '${log}.new'; mv '${log}.new' '${log}'\n`,
    )
    chmodSync(script, 0o755)
    env = {...env, BROWSER: script, DRV_CLIENT_SECRET: SECRET, DRV_CLIENT_ID: 'mine'}
    const terminal = startAtTerminal(['auth', 'review'], {env})
    await expect.poll(() => existsSync(log), {timeout: 10_000}).toBe(true)
    expect(await terminal.ended).toBe(0)
    const seen = readFileSync(log, 'utf8')
    expect(seen).toContain('/settings/connections/applications/mine')
    expect(seen).toContain('DRV_CLIENT_ID=mine')
    expectClean(seen)
    expectClean(seen, SECRET)
  })

  test('the child of `local run` works with another service, and its token', async () => {
    env.DRV_CLIENT_SECRET = SECRET
    const {code, stdout} = await drvApart('local run -- env')
    expect(code).toBe(0)
    expect(stdout).toContain('DRV_TOKEN=')
    expectClean(stdout)
    expectClean(stdout, SECRET)
  })
})

describe('the network', () => {
  test('no URL contains it', async () => {
    const {received} = await service()
    for (const command of ['files list', 'files get x', 'auth status', 'files insert --title t']) {
      await drv(command)
    }
    expect(received.length).toBeGreaterThan(3)
    for (const {url} of received) expectClean(url)
    for (const name of ['access-token', 'oauth-token']) {
      expect((await drv(`files list --${name} ${TOKEN}x`)).code).toBe(2)
    }
  })

  test.each([301, 302, 303, 307, 308])('a %i is not followed', async status => {
    const evil = await startRecorder(() => ({body: GOOD}))
    await service(({url}) => ({status, headers: {location: evil.url + url}}))
    const commands = ['files list', 'files get x --download out', 'auth status']
    const results = await Promise.all(commands.map(command => drv(command)))
    for (const {code} of results) expect(code).not.toBe(0)
    expect(evil.received).toEqual([])
  })

  test('URLs in responses get no token', async () => {
    const evil = await startRecorder(() => ({body: GOOD}))
    const named = {
      nextLink: `${evil.url}/drive/v2/files?pageToken=n`,
      selfLink: `${evil.url}/x`,
      downloadUrl: `${evil.url}/x`,
      webContentLink: `${evil.url}/x`,
      exportLinks: {'text/plain': `${evil.url}/x`},
    }
    const {received} = await service(({url}) => {
      const isLast = url.includes('pageToken')
      const next = isLast ? {} : {nextPageToken: 'n'}
      return {body: {...GOOD, ...(isLast ? {} : named), ...next, mimeType: 'text/plain'}}
    })
    await drv('files list --all')
    await drv('files get x --download out')
    await drv('files export x --mime-type text/plain')
    expect(received.length).toBeGreaterThan(2)
    for (const {headers} of evil.received) expect(headers.authorization).toBeUndefined()
  })

  test('a service of another profile gets no stored token', async () => {
    const {received} = await service()
    delete env.DRV_TOKEN
    const line = 'auth login --with-token --insecure-storage --profile work'
    expect((await drv(line, TOKEN)).code).toBe(0)
    expect(received).toHaveLength(1)
    const evil = await startRecorder(() => ({body: GOOD}))
    env.DRV_BASE_URL = evil.url
    const {code} = await drv('files list --profile work')
    expect(code).toBe(4)
    expect(evil.received).toEqual([])
  })

  test('the authorization service gets codes, not the token', async () => {
    const auth = await startRecorder(() => ({body: {error: 'device_flow_disabled'}}))
    await service()
    env.DRV_AUTH_URL = auth.url
    const {code} = await drv('auth login --insecure-storage --force')
    expect(code).toBe(10)
    // Metadata is requested twice.
    expect(auth.received.map(({method}) => method).sort()).toEqual(['GET', 'GET', 'POST'])
    expectClean(JSON.stringify(auth.received))
  })

  test.each(['http://files.example.com', 'http://10.0.0.1', 'http://127.0.0.1.example.com'])(
    'nothing is sent to %s, where others could read it',
    async url => {
      env.DRV_BASE_URL = url
      const {code, stderr} = await drv('files list')
      expect(code).toBe(10)
      expect(stderr).toContain('unencrypted')
    },
  )
})

describe('the disk', () => {
  test('has a token only in the requested file, readable by its owner only', async () => {
    await service()
    delete env.DRV_TOKEN
    await drv('auth login --with-token --insecure-storage --profile work', TOKEN)
    await drv('files list --profile work')
    const holding = filesBelow(home).filter(path => readFileSync(path, 'utf8').includes(TOKEN))
    expect(holding).toHaveLength(1)
    expect(holding[0]).toContain(join('config', 'drv', 'tokens'))
    expect(statSync(holding[0]!).mode & 0o077).toBe(0)
    await drv('auth logout --profile work')
    expect(filesBelow(home).filter(path => readFileSync(path, 'utf8').includes(TOKEN))).toEqual([])
  })

  test('never has DRV_TOKEN, whatever happens to it', async () => {
    let status = 200
    await service(() => ({status, body: GOOD}))
    await drv('files list')
    await drv('auth status')
    status = 401
    await drv('files list')
    for (const path of filesBelow(home)) expectClean(readFileSync(path, 'utf8') + path)
  })
})

test('the secret of an app is sent only to the token endpoint', async () => {
  const local = await createService({data: join(home, 'service'), pollInterval: 1})
  onTestFinished(() => local.close())
  const callbackUrl = 'http://127.0.0.1/callback'
  const {clientId, secret = ''} = createApp(local.store, {name: 'Mine', callbackUrl}, Date.now())
  env = {...env, DRV_BASE_URL: local.url, DRV_CLIENT_ID: clientId, DRV_CLIENT_SECRET: secret}
  delete env.DRV_TOKEN
  const line = ['auth', 'login', '--web', '--insecure-storage', '--json', '--debug']
  const child = startDrv(line, {env, cwd: home})
  let output = ''
  let address = ''
  let page: Promise<string> | undefined
  const take = (chunk: Buffer) => {
    output += chunk.toString()
    address = /"authorization_uri":"([^"]+)"/.exec(output)?.[1] ?? ''
    if (address && !page) page = authorizeWeb(address)
  }
  child.stdout.on('data', take)
  child.stderr.on('data', take)
  expect(await new Promise(resolve => child.once('close', resolve))).toBe(0)
  const token = (await drv('auth token')).stdout.trim()
  const check = await drv('auth check --json --debug')
  expect(check.code).toBe(0)
  const configuration = filesBelow(join(home, 'config')).map(path => readFileSync(path, 'utf8'))
  for (const text of [output, address, await page!, check.stdout, check.stderr, ...configuration]) {
    expectClean(text, secret)
  }
  for (const text of [output, address, await page!, check.stdout, check.stderr]) {
    expectClean(text, token)
  }
  expect(check.stderr).not.toContain(Buffer.from(`${clientId}:${secret}`).toString('base64'))
})

function filesBelow(folder: string): string[] {
  mkdirSync(folder, {recursive: true})
  return readdirSync(folder, {recursive: true, withFileTypes: true})
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
}
