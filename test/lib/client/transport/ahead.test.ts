import {once} from 'node:events'
import {readFileSync} from 'node:fs'
import {createServer} from 'node:http'
import {Agent as TlsAgent, createServer as createTlsServer, get} from 'node:https'
import {type AddressInfo, connect, type LookupFunction, type Server, type Socket} from 'node:net'
import {text} from 'node:stream/consumers'
import {HttpsProxyAgent} from 'hpagent'
import {afterEach, expect, test} from 'vitest'
import {createAgents, openingAhead} from '#lib/client/transport/agents.js'
import {createTransport} from '#lib/client/transport/transport.js'
import {certificate, missingOpenssl} from '../../../support/certificate.js'
import {temporaryFolder} from '../../../support/drv.js'

/** Connections that are opened before requests need them. */

const endings: Array<() => void> = []
afterEach(() => {
  for (const end of endings.splice(0)) end()
})

/** Listens, and records connections in order. */
async function listening(server: Server): Promise<{url: URL; connections: Socket[]}> {
  const connections: Socket[] = []
  server.on('connection', (socket: Socket) => connections.push(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  endings.push(() => {
    server.close()
    for (const socket of connections) socket.destroy()
  })
  const {port} = server.address() as AddressInfo
  return {url: new URL(`http://127.0.0.1:${port}`), connections}
}

/** A service that responds with the connection's number once `together` requests are waiting. */
async function startService(together = () => 1) {
  let waiting: Array<() => void> = []
  const service = await listening(
    createServer((message, reply) => {
      const number = service.connections.indexOf(message.socket)
      waiting.push(() => reply.end(String(number)))
      if (waiting.length < together()) return
      for (const answer of waiting) answer()
      waiting = []
    }),
  )
  return service
}

function clientOf(environment = {}) {
  const agents = createAgents(environment)
  const send = createTransport(agents)
  return {
    openAhead: agents.openAhead,
    async ask({href: url}: URL) {
      const request = {method: 'GET', url, headers: {}, timeout: 5000, decompress: true}
      return text((await send(request)).body)
    },
  }
}

test('are ready for requests, as many as requested', async () => {
  let together = 1
  const {url, connections} = await startService(() => together)
  const {ask, openAhead} = clientOf()
  await ask(url)
  await openAhead(url, 4)
  await openAhead(url, 4)
  await expect.poll(() => connections).toHaveLength(4)
  together = 4
  const numbers = await Promise.all([ask(url), ask(url), ask(url), ask(url)])
  expect(numbers.sort()).toEqual(['0', '1', '2', '3'])
  await openAhead(url, 3)
  together = 5
  const more = await Promise.all([ask(url), ask(url), ask(url), ask(url), ask(url)])
  expect(more.sort()).toEqual(['0', '1', '2', '3', '4'])
})

test('are not opened if none was needed yet, nor to another host', async () => {
  const [one, other] = [await startService(), await startService()]
  const {ask, openAhead} = clientOf()
  await openAhead(one.url, 3)
  await ask(other.url)
  await openAhead(one.url, 3)
  await ask(one.url)
  expect([one.connections.length, other.connections.length]).toEqual([1, 1])
})

test.each<[string, (socket: Socket) => void]>([
  ['was ended', socket => socket.end()],
  ['was reset', socket => socket.resetAndDestroy()],
  ['said something unasked', socket => socket.write('HTTP/1.1 408 Request Timeout\r\n\r\n')],
])('that %s meanwhile is not used', async (_, spoil) => {
  let together = 1
  const {url, connections} = await startService(() => together)
  const {ask, openAhead} = clientOf()
  await ask(url)
  await openAhead(url, 2)
  await expect.poll(() => connections).toHaveLength(2)
  const gone = once(connections[1]!, 'close')
  spoil(connections[1]!)
  await gone
  together = 2
  expect((await Promise.all([ask(url), ask(url)])).sort()).toEqual(['0', '2'])
})

test('that cannot be opened cause no error', async () => {
  const server = createServer((_, reply) => void reply.setHeader('connection', 'close').end('last'))
  const {url} = await listening(server)
  const {ask, openAhead} = clientOf()
  expect(await ask(url)).toBe('last')
  await new Promise(resolve => server.close(resolve))
  await openAhead(url, 3)
  await expect(ask(url)).rejects.toMatchObject({name: 'NetworkError'})
})

test.skipIf(missingOpenssl).each(['straight', 'through a proxy'])(
  'are encrypted if requests are: %s',
  async way => {
    const {path, remove} = temporaryFolder()
    endings.push(remove)
    const {cert, key} = certificate(path, 'own', 'files.example.test')
    const files = {cert: readFileSync(cert), key: readFileSync(key)}
    const {url, connections} = await listening(
      createTlsServer(files, (message, reply) => reply.end(message.headers.host)),
    )
    const proxy = await startProxy(url)
    const options = {keepAlive: true, ca: files.cert, lookup: toLoopback}
    const agent =
      way === 'straight'
        ? new TlsAgent(options)
        : new HttpsProxyAgent({...options, proxy: proxy.url.origin})
    endings.push(() => agent.destroy())
    const openAhead = openingAhead(agent)
    const host = 'files.example.test'
    const ask = () =>
      new Promise<string>((resolve, reject) => {
        get({agent, host, port: url.port}, reply => resolve(text(reply))).on('error', reject)
      })
    await ask()
    // The response arrives before its connection is free.
    await expect.poll(() => Object.values(agent.freeSockets).flat()).toHaveLength(1)
    // A connection being opened already counts, and serves later requests.
    openAhead(host, url.port, 3)
    openAhead(host, url.port, 3)
    const answers = await Promise.all([ask(), ask(), ask()])
    expect(answers).toEqual(answers.map(() => `${host}:${url.port}`))
    expect(connections).toHaveLength(3)
    expect(proxy.connections).toHaveLength(way === 'straight' ? 0 : 3)
  },
)

/** A proxy that connects everything to one server. */
async function startProxy({port}: URL) {
  const proxy = createServer()
  proxy.on('connect', (_, socket: Socket) => {
    const onward = connect(Number(port), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      socket.pipe(onward).pipe(socket)
    })
    for (const end of [onward, socket]) end.on('error', () => undefined)
    endings.push(() => onward.destroy())
  })
  return listening(proxy)
}

const toLoopback: LookupFunction = (_, {all}, done) =>
  all ? done(null, [{address: '127.0.0.1', family: 4}]) : done(null, '127.0.0.1', 4)
