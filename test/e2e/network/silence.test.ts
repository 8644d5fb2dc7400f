import {once} from 'node:events'
import type {RequestListener} from 'node:http'
import {join} from 'node:path'
import {text} from 'node:stream/consumers'
import {beforeEach, describe, expect, onTestFinished, test, vi} from 'vitest'
import {freshEnvironment, startDrv, temporaryFolder} from '../../support/drv.js'
import {runHere} from '../../support/here.js'
import {serve, serveSockets} from '../../support/serve.js'

/** Services and proxies that are silent or never finish. */

const TOKEN = 'drv-test-0123456789abcdef'

/** Seconds, more than any test takes: `expire` says when they are over. */
const PATIENCE = 600

/** Lets the test decide when `--timeout` expires, because on a busy machine drv takes long to send its request. */
function holdTimeout(): {expire(): void} {
  const {setTimeout} = globalThis
  let end: (() => void) | undefined
  const held = <Args extends unknown[]>(
    work: (...args: Args) => void,
    milliseconds?: number,
    ...args: Args
  ) => {
    if (milliseconds === PATIENCE * 1000) end = () => work(...args)
    return setTimeout(work, milliseconds, ...args)
  }
  const spy = vi.spyOn(globalThis, 'setTimeout').mockImplementation(held as typeof setTimeout)
  onTestFinished(() => spy.mockRestore())
  return {expire: () => end!()}
}

let env: Record<string, string>
let folder: string
beforeEach(() => {
  const {path, remove} = temporaryFolder()
  onTestFinished(remove)
  folder = path
  env = {...freshEnvironment(path), DRV_TOKEN: TOKEN}
})

const drv = (line: string, ...args: string[]) =>
  runHere([...line.split(' '), ...args], {env, cwd: folder})

async function serveDrv(answer: RequestListener): Promise<string> {
  const {host, url} = await serve(answer)
  Object.assign(env, {DRV_BASE_URL: url, DRV_AUTH_URL: url})
  return host
}

const COMMANDS = [
  'files list',
  'files insert --title t',
  'files get a --download target',
  'push . /',
  'pull / back',
  'auth login --insecure-storage',
]

describe('--timeout ends, and names the pending wait:', () => {
  const timeout = ['--timeout', String(PATIENCE)]

  test.each(COMMANDS)('%s with a silent service', async line => {
    const {expire} = holdTimeout()
    const {host, url} = await serveSockets(socket => socket.once('data', expire))
    Object.assign(env, {DRV_BASE_URL: url, DRV_AUTH_URL: url})
    const {code, stdout, stderr} = await drv(line, ...timeout)
    expect([code, stdout]).toEqual([8, ''])
    expect(stderr).toMatch(
      `Error: Timed out after ${PATIENCE} s while waiting for ${host}.\nTry again`,
    )
  })

  test.each(COMMANDS)('%s with a service that sends a byte at a time', async line => {
    const {expire} = holdTimeout()
    const host = await serveDrv((request, response) => {
      request.resume()
      response.writeHead(200, {'content-type': 'application/json'}).write('{')
      let bytes = 1
      const timer = setInterval(() => {
        response.write(' ')
        bytes += 1
        if (bytes === 5) expire()
      }, 20)
      response.on('close', () => clearInterval(timer))
    })
    const {code, stderr} = await drv(line, ...timeout)
    expect(code).toBe(8)
    expect(stderr).toMatch(
      `Error: Timed out after ${PATIENCE} s while waiting for the rest of the response from ${host}.\n`,
    )
  })

  test.each(COMMANDS)('%s with a silent proxy', async line => {
    const {expire} = holdTimeout()
    const {host: proxy} = await serveSockets(socket => socket.once('data', expire))
    Object.assign(env, {
      DRV_BASE_URL: 'https://files.example.test',
      DRV_AUTH_URL: 'https://files.example.test',
      HTTPS_PROXY: `http://ada:very-secret@${proxy}`,
    })
    const {code, stderr} = await drv(line, ...timeout)
    expect(code).toBe(8)
    expect(stderr).toRead()
    expect(stderr).not.toMatch(/very-secret|files\.example/)
  })
})

test.each([
  'files insert -',
  'files insert --body -',
  'auth login --with-token --insecure-storage',
])('--timeout ends %s, and names standard input, which does not end', async line => {
  await serveDrv((_, response) => response.end('{}'))
  const child = startDrv([...line.split(' '), '--timeout', '1.5'], {env, cwd: folder})
  onTestFinished(() => void child.stdin.destroy())
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
  expect(code).toBe(8)
  expect(stderr).toRead()
})

describe('--verbose', () => {
  test.each([
    ['files list --all', /^GET \S+\/drive\/v2\/files\?\S* 200 \(\d+ ms\)$/m],
    ['auth status', /^GET \S+\/user 200 \(\d+ ms\)$/m],
    ['auth check', /^POST \S+\/applications\/an-app\/token 200 \(\d+ ms\)$/m],
    ['auth login --with-token --insecure-storage', /^GET \S+\/user 200 \(\d+ ms\)$/m],
  ])('prints a line per request for %s, without secrets', async (line, words) => {
    await serveDrv((request, response) => {
      request.resume()
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({login: 'alice', id: 1, items: [], app: {}}))
    })
    Object.assign(env, {DRV_CLIENT_ID: 'an-app', DRV_CLIENT_SECRET: 'very-secret'})
    const {code, stdout, stderr} = await runHere([...line.split(' '), '--verbose'], {
      env,
      cwd: folder,
      input: TOKEN,
    })
    expect(code, stderr).toBe(0)
    expect(stderr).toMatch(words)
    expect(stdout + stderr).not.toMatch(new RegExp(`${TOKEN}|very-secret`))
  })

  test('shows requests without a response', async () => {
    env.DRV_BASE_URL = 'http://127.0.0.1:9'
    const {code, stderr} = await drv('about get --verbose')
    expect(code).toBe(8)
    expect(stderr).toRead()
  })

  test('is off by default', async () => {
    await serveDrv((_, response) => response.end('{"items": []}'))
    expect(await drv('files list')).toMatchObject({code: 0, stderr: ''})
  })
})

describe('auth status --verbose', () => {
  const status = async (more: Record<string, string>) => {
    Object.assign(env, {
      // Nobody is signed in, so the output shows the settings for the first request.
      DRV_BASE_URL: 'https://files.example.test',
      DRV_AUTH_URL: 'https://auth.example.test',
      ...more,
    })
    const {stdout} = await drv('auth status --verbose --json --timeout 20')
    return (JSON.parse(stdout) as Array<Record<string, string>>)[0]!
  }
  const routesOf = ({serviceRoute, authServiceRoute}: Record<string, string>) =>
    `${serviceRoute}\n${authServiceRoute}`
  const PROXY = {HTTPS_PROXY: 'http://ada:very-secret@127.0.0.1:9'}

  test('shows the proxy, and the certificates of Node', async () => {
    const record = await status(PROXY)
    expect(routesOf(record)).toRead()
    expect(record.certificates).toRead()
    expect(JSON.stringify(record)).not.toMatch(/very-secret|ada/)
  })

  test('shows which of the two services is reached directly, and why', async () => {
    const direct = {no_proxy: 'auth.example.test', DRV_BASE_URL: 'http://127.0.0.1:9'}
    expect(routesOf(await status({...PROXY, ...direct}))).toRead()
  })

  test('shows that there is no proxy', async () => {
    expect(routesOf(await status({}))).toRead()
  })

  test('shows that a variable has an invalid value', async () => {
    expect(routesOf(await status({HTTPS_PROXY: 'socks5://127.0.0.1'}))).toRead()
  })

  test('counts additional certificates', async () => {
    const file = join(folder, 'none.pem')
    const {certificates} = await status({NODE_EXTRA_CA_CERTS: file})
    expect(certificates).toContain(file)
    expect(certificates).toRead()
  })

  test('the output without it has none of that', async () => {
    Object.assign(env, PROXY, {DRV_BASE_URL: 'https://files.example.test'})
    const {stdout} = await drv('auth status --json')
    expect(stdout).not.toMatch(/Route|certificates/)
  })
})
