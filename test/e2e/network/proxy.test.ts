import {once} from 'node:events'
import {mkdirSync, readFileSync} from 'node:fs'
import {createServer, type IncomingMessage, type Server} from 'node:http'
import {type AddressInfo, connect, type Socket} from 'node:net'
import {join} from 'node:path'
import {afterAll, afterEach, beforeAll, beforeEach, describe, expect, test} from 'vitest'
import {certificate, missingOpenssl} from '../../support/certificate.js'
import {startTls} from '../../support/tls.js'
import {startWorld, type World} from '../../support/world.js'

/** A service that is reachable only through a proxy, as in a company. */

const HOST = 'files.example.test'

let world: World
let service: Server
let cert: string
beforeAll(async () => {
  if (missingOpenssl) return
  world = await startWorld()
  const own = certificate(world.folder, 'own', HOST)
  cert = own.cert
  service = await startTls(world.url, own)
})
afterAll(async () => {
  service?.closeAllConnections()
  service?.close()
  await world?.close()
})

const endings: Array<() => void> = []
afterEach(() => {
  for (const end of endings.splice(0)) end()
})

interface Proxy {
  readonly port: number
  /** The target and credentials of each CONNECT. */
  readonly asked: Array<{target?: string; authorization?: string}>
}

/** A proxy; `answer` returns the status for each CONNECT. */
async function startProxy(
  answer: (count: number) => number | undefined = () => 200,
): Promise<Proxy> {
  const asked: Proxy['asked'] = []
  const sockets = new Set<Socket>()
  const server = createServer((_, response) => void response.writeHead(400).end())
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    sockets.add(socket.on('error', () => undefined))
    asked.push({target: request.url, authorization: request.headers['proxy-authorization']})
    const status = answer(asked.length)
    if (status !== 200) return socket.end(`HTTP/1.1 ${status} No\r\n\r\n`)
    const onward = connect((service.address() as AddressInfo).port, '127.0.0.1')
    onward
      .on('error', () => socket.destroy())
      .on('connect', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n')
        socket.pipe(onward).pipe(socket)
      })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  endings.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return {port: (server.address() as AddressInfo).port, asked}
}

const through = (proxy: string, more: Readonly<Record<string, string>> = {}) => ({
  env: {
    DRV_BASE_URL: `https://${HOST}`,
    DRV_AUTH_URL: `https://${HOST}`,
    NODE_EXTRA_CA_CERTS: cert,
    HTTPS_PROXY: proxy,
    ...more,
  },
})

describe('through a proxy', () => {
  beforeEach(({skip}) => skip(missingOpenssl !== undefined, missingOpenssl))

  test('all requests use it, over reused connections', async () => {
    const {port, asked} = await startProxy()
    const options = through(`127.0.0.1:${port}`)
    const made = await world.run('files insert', [world.file('a.txt', 'hello'), '--json'], options)
    expect(made.code, made.stderr).toBe(0)
    const target = join(world.folder, 'b.txt')
    const got = await world.run('files get', [made.json().id, '--download', target], options)
    expect(got.code, got.stderr).toBe(0)
    expect(readFileSync(target, 'utf8')).toBe('hello')
    expect(new Set(asked.map(({target}) => target))).toEqual(new Set([`${HOST}:443`]))
    const before = asked.length
    const folder = join(world.folder, 'many')
    mkdirSync(folder)
    for (let n = 0; n < 120; n++) world.file(`many/${n}.txt`, `content ${n}`)
    const pushed = await world.run('push', [folder, '/'], options)
    expect(pushed.code, pushed.stderr).toBe(0)
    // At most as many connections as concurrent requests.
    expect(asked.length - before).toBeLessThanOrEqual(64)
  })

  test('a password is sent, and never shown', async () => {
    const {port, asked} = await startProxy()
    const options = through(`http://ada:p%40ss-word@127.0.0.1:${port}`)
    const {code, stdout, stderr} = await world.run('about get', ['--json', '--debug'], options)
    expect(code, stderr).toBe(0)
    const sent = Buffer.from(asked[0]!.authorization!.replace('Basic ', ''), 'base64').toString()
    expect(sent).toBe('ada:p@ss-word')
    expect(stdout + stderr).not.toMatch(/p@ss-word|p%40ss-word/)
  })

  test.each([[407], [403], [404]])(
    'one that responds with %i is named, without a retry',
    async status => {
      const {port, asked} = await startProxy(() => status)
      const options = through(`http://ada:secret@127.0.0.1:${port}`)
      const {code, stderr} = await world.run('about get', [], options)
      expect(code).toBe(8)
      expect(stderr).toContain(`http://127.0.0.1:${port} `)
      expect(stderr).toRead()
      expect(stderr).toContain('HTTPS_PROXY')
      expect(stderr).not.toMatch(new RegExp(`${HOST}|auth login|secret|Internal error`))
      expect(asked).toHaveLength(1)
    },
  )

  test.each([
    ['auth status', [], 1],
    ['auth check', [], 1],
    ['auth login', ['--with-token', '--insecure-storage'], 1],
    // Sign-in requests metadata at both URLs at once.
    ['auth login', ['--insecure-storage'], 2],
  ])('%s %j uses it too, and does not blame the service', async (command, args, requests) => {
    const {port, asked} = await startProxy(() => 407)
    const {env} = through(`http://127.0.0.1:${port}`)
    const {code, stdout, stderr} = await world.run(command, args, {
      env: {...env, DRV_CLIENT_SECRET: 'secret'},
      input: world.env.DRV_TOKEN,
    })
    expect([code, asked.length]).toEqual([8, requests])
    expect(stdout + stderr).toRead()
  })

  test('one that is down is named', async () => {
    const {code, stderr} = await world.run('about get', [], through('http://127.0.0.1:9'))
    expect(code).toBe(8)
    expect(stderr).toRead()
  })

  test('requests are retried if it fails itself', async () => {
    const {port, asked} = await startProxy(count => (count === 1 ? 502 : 200))
    const options = through(`http://127.0.0.1:${port}`)
    const {code, stderr} = await world.run('about get', [], options)
    expect(code, stderr).toBe(0)
    expect(asked).toHaveLength(2)
  })

  test('hosts in NO_PROXY are reached directly', async () => {
    const {port, asked} = await startProxy()
    const options = through(`http://127.0.0.1:${port}`, {NO_PROXY: 'example.test'})
    const {code, stderr} = await world.run('about get', [], options)
    expect(code).toBe(8)
    expect(stderr).toContain(HOST)
    expect(asked).toEqual([])
  })

  test('this machine is reached directly', async () => {
    const {port, asked} = await startProxy()
    const env = {HTTPS_PROXY: `http://127.0.0.1:${port}`}
    const {code, stderr} = await world.run('about get', [], {env})
    expect(code, stderr).toBe(0)
    expect(asked).toEqual([])
  })

  test('an invalid variable is reported before anything is sent', async () => {
    const {code, stderr} = await world.run('about get', [], through('socks5://127.0.0.1:1080'))
    expect(code).toBe(2)
    expect(stderr).toRead()
  })
})
