import {randomBytes} from 'node:crypto'
import {once} from 'node:events'
import {mkdtempSync, readFileSync, rmSync} from 'node:fs'
import {createServer, IncomingMessage, type ServerResponse} from 'node:http'
import {type AddressInfo, type Server, Socket} from 'node:net'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {createServer as createTlsServer, type TLSSocket} from 'node:tls'
import {afterEach, describe, expect, test, vi} from 'vitest'
import type {Download} from '../../../src/lib/client/client.js'
import {createDirectConnection, LEAST, type Room} from '../../../src/lib/client/direct.js'
import {NetworkError} from '../../../src/lib/client/errors.js'
import {createClient} from '../../../src/lib/client/index.js'
import {certificate, missingOpenssl} from '../../certificate.js'

/** Content that is read from the connection into given memory. */

const CONTENT = randomBytes(3_000_000)

const endings: Array<() => void> = []
afterEach(() => {
  vi.unstubAllEnvs()
  for (const end of endings.splice(0)) end()
})

const pause = (milliseconds: number) => new Promise(settle => setTimeout(settle, milliseconds))

/** The beginning of a large download from a service that answers so. */
async function begin(answer: (response: ServerResponse) => unknown): Promise<Download> {
  const server = createServer((_, response) => {
    response.setHeader('content-length', CONTENT.length)
    answer(response)
  })
  endings.push(() => {
    server.close()
    server.closeAllConnections()
  })
  return download(`http://127.0.0.1:${await portOf(server)}`)
}

async function portOf(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

function download(baseUrl: string): Promise<Download> {
  const client = createClient({baseUrl, token: async () => 'token', timeout: 500})
  return client.download('files.get', {params: {fileId: 'a'}}, {start: 0, isLarge: true})
}

/** Memories in turn, each given a moment after it was asked for. */
function memories(size: number, count = 3): {room: Room; given: Uint8Array[]} {
  const all = Array.from({length: count}, () => new Uint8Array(size))
  const given: Uint8Array[] = []
  const room = async () => {
    await new Promise(settle => setImmediate(settle))
    given.push(all[given.length % count]!)
    return given.at(-1)!
  }
  return {room, given}
}

/** Whoever uses pieces is slow now and then. */
async function gather(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const copies: Buffer[] = []
  for await (const piece of pieces) {
    copies.push(Buffer.from(piece))
    if (copies.length % 5 === 0) await pause(2)
  }
  return Buffer.concat(copies)
}

/** Writes in pieces of that size, a little time between them, and does not end. */
async function trickle(response: ServerResponse, content: Buffer, size: number): Promise<void> {
  for (let at = 0; at < content.length; at += size) {
    response.write(content.subarray(at, at + size))
    await new Promise(settle => setImmediate(settle))
  }
}

describe.each([LEAST, LEAST + 1, 1_000_000, 4_000_000])('into memories of %i bytes', size => {
  // Pieces wait to be used, so the memories together must hold more than those.
  const count = Math.ceil(4_000_000 / size) + 1
  test.each([1000, 70_000, CONTENT.length])(
    'content sent %i bytes at a time is whole',
    async at => {
      const {into} = await begin(response =>
        trickle(response, CONTENT, at).then(() => response.end()),
      )
      expect((await gather(into!(memories(size, count).room)!)).equals(CONTENT)).toBe(true)
    },
  )
})

test('every piece lies in the memory that was given last, one behind the other', async () => {
  const {into} = await begin(response => response.end(CONTENT))
  const {room, given} = memories(4_000_000)
  let at = 0
  for await (const piece of into!(room)!) {
    expect(piece.buffer).toBe(given[0]!.buffer)
    expect(piece.byteOffset).toBe(at)
    at += piece.length
  }
  expect(at).toBe(CONTENT.length)
})

test('what comes before anybody reads is not lost', async () => {
  const {into} = await begin(response => response.end(CONTENT))
  await pause(30)
  expect((await gather(into!(memories(4_000_000).room)!)).equals(CONTENT)).toBe(true)
})

test('bytes beyond the announced ones are none of the content', async () => {
  const {into} = await begin(response => {
    response.socket!.end(
      Buffer.concat([
        Buffer.from(`HTTP/1.1 200 OK\r\ncontent-length: ${CONTENT.length}\r\n\r\n`),
        CONTENT,
        Buffer.from('more'),
      ]),
    )
  })
  expect((await gather(into!(memories(4_000_000).room)!)).equals(CONTENT)).toBe(true)
})

test.each([0, 1000, 2_000_000])('a connection that breaks after %i bytes is told', async size => {
  const {into} = await begin(async response => {
    response.flushHeaders()
    await trickle(response, CONTENT.subarray(0, size), 50_000)
    response.socket!.destroySoon()
  })
  await expect(gather(into!(memories(4_000_000).room)!)).rejects.toThrow(NetworkError)
})

test.each([0, 100_000])('one that broke after %i bytes, before anybody reads, too', async size => {
  const {into, stream} = await begin(response => {
    response.write(CONTENT.subarray(0, size))
    response.flushHeaders()
    response.socket!.destroySoon()
  })
  await pause(50)
  const pieces = into!(memories(4_000_000).room) ?? stream
  await expect(gather(pieces)).rejects.toThrow(/broke|ended/)
})

test('content that has come whole before anybody reads is read otherwise', async () => {
  const {into, stream} = await begin(response => {
    response.setHeader('content-length', 5)
    response.end('hello')
  })
  await pause(30)
  expect(into!(memories(4_000_000).room)).toBeUndefined()
  expect((await gather(stream)).toString()).toBe('hello')
})

test('a service that stops sending is given up', async () => {
  const {into} = await begin(response => response.write(CONTENT.subarray(0, 200_000)))
  await expect(gather(into!(memories(4_000_000).room)!)).rejects.toThrow('stopped sending')
})

test('where there is no memory any more, nobody reads on', async () => {
  const closed: Array<Promise<unknown>> = []
  const {into} = await begin(response => {
    closed.push(once(response, 'close'))
    void trickle(response, CONTENT, 100_000)
  })
  const {room, given} = memories(1_000_000)
  const full = async () => {
    if (given.length > 0) throw new Error('The disk is full.')
    return room()
  }
  await expect(gather(into!(full)!)).rejects.toThrow('The disk is full.')
  await Promise.all(closed)
})

test('who stops halfway ends the connection', async () => {
  const closed: Array<Promise<unknown>> = []
  const {into} = await begin(response => {
    closed.push(once(response, 'close'))
    void trickle(response, CONTENT, 100_000)
  })
  for await (const piece of into!(memories(1_000_000).room)!) {
    expect(piece.length).toBeGreaterThan(0)
    break
  }
  await Promise.all(closed)
})

test('bytes that come without a connection are read as they come', () => {
  const response = new IncomingMessage(new Socket())
  const {read} = createDirectConnection()
  expect(read(response, 10, memories(4_000_000).room)).toBeUndefined()
})

describe.skipIf(missingOpenssl)(
  'over TLS, which delivers in small records and in spite of a pause',
  () => {
    async function beginTls(answer: (socket: TLSSocket) => unknown): Promise<Download> {
      const folder = mkdtempSync(join(tmpdir(), 'drv-'))
      const {cert, key} = certificate(folder, 'own')
      const server = createTlsServer(
        {cert: readFileSync(cert), key: readFileSync(key)},
        socket => void socket.on('error', () => undefined).once('data', () => answer(socket)),
      )
      endings.push(() => {
        server.close()
        rmSync(folder, {recursive: true})
      })
      // The certificate is nobody's business here.
      vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
      return download(`https://127.0.0.1:${await portOf(server)}`)
    }
    const head = Buffer.from(`HTTP/1.1 200 OK\r\ncontent-length: ${CONTENT.length}\r\n\r\n`)

    test.each([1000, 33_000, 50_000, 140_000])(
      '%i bytes that come with the head are the first of the content',
      async size => {
        const {into} = await beginTls(async socket => {
          socket.write(Buffer.concat([head, CONTENT.subarray(0, size)]))
          await pause(60)
          socket.end(CONTENT.subarray(size))
        })
        await pause(20)
        expect((await gather(into!(memories(4_000_000).room)!)).equals(CONTENT)).toBe(true)
      },
    )

    test('who is slow gets all, though the connection was closed behind it', async () => {
      const {into} = await beginTls(socket => socket.end(Buffer.concat([head, CONTENT])))
      const {room} = memories(1_000_000, 5)
      const slow = async () => {
        await pause(20)
        return room()
      }
      const copies: Buffer[] = []
      for await (const piece of into!(slow)!) {
        copies.push(Buffer.from(piece))
        await pause(1)
      }
      expect(Buffer.concat(copies).equals(CONTENT)).toBe(true)
    })
  },
)
