import type {IncomingMessage, ServerResponse} from 'node:http'
import {Readable} from 'node:stream'
import {buffer} from 'node:stream/consumers'
import {beforeEach, describe, expect, test} from 'vitest'
import {createPost} from '#lib/auth/server/form-post.js'
import {InputError, ProtocolError} from '#lib/client/errors.js'
import {createClient} from '#lib/client/index.js'
import {serve} from '../../support/serve.js'

/** Whatever a service returns, no request goes to another origin, with or without the token. */

/** Another server that records every connection. */
let other: string
let connections: number
beforeEach(async () => {
  connections = 0
  const {server, url} = await serve((_, response) => response.end('{}'))
  server.on('connection', () => connections++)
  other = url
})

const content = () => ({open: () => Readable.from([Buffer.alloc(1024)]), size: 1024})

/** A client of a service with these responses. */
async function clientOf(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const {url} = await serve((request, response) => {
    request.resume()
    answer(request, response)
  })
  return createClient({baseUrl: url, token: async () => 'token'})
}

type Client = Awaited<ReturnType<typeof clientOf>>
const params = {fileId: 'a'}
const requests: ReadonlyArray<readonly [what: string, work: (client: Client) => Promise<unknown>]> =
  [
    ['a record', client => client.call('files.get', {params})],
    ['a change', client => client.call('files.patch', {params, body: {title: 't'}})],
    ['a deletion', client => client.call('files.delete', {params})],
    [
      'a list',
      async client => {
        for await (const _ of client.pages('files.list', {params: {}}));
      },
    ],
    ['a download', client => client.download('files.get', {params})],
    ['a part of it', client => client.download('files.get', {params}, {start: 5, etag: '"e"'})],
    ['an export', client => client.download('files.export', {params})],
    ['an upload', client => client.call('files.insert', {params: {}, upload: content()})],
    [
      'an upload in parts',
      client => client.call('files.insert', {params: {}, body: {title: 't'}, upload: content()}),
    ],
    [
      'a new session',
      client => client.uploads.start('files.insert', {params: {}, upload: content()}),
    ],
    ['a session', client => client.uploads.status('/upload/drive/v2/files?upload_id=a', 1024)],
    [
      'a chunk',
      client =>
        client.uploads.send('/upload/drive/v2/files?upload_id=a', {
          start: 0,
          total: 1024,
          size: 1024,
          bytes: content().open(),
        }),
    ],
    ['the end of a session', client => client.uploads.cancel('/upload/drive/v2/files?upload_id=a')],
    ['a batch', client => client.batch([{id: 'files.get', input: {params}}])],
  ]

describe.each(requests)('%s', (_, work) => {
  test.each([301, 302, 303, 307])('that is redirected by %i', async status => {
    const client = await clientOf((_, response) => {
      response.writeHead(status, {location: `${other}/drive`}).end()
    })
    await expect(work(client)).rejects.toThrow(ProtocolError)
    await expect(work(client)).rejects.toRead()
    expect(connections).toBe(0)
  })
})

test('a chunk whose response has a URL continues in its own session', async () => {
  const urls: string[] = []
  const client = await clientOf(({url = ''}, response) => {
    urls.push(url)
    response.writeHead(308, {location: `${other}/drive`, range: 'bytes=0-9'}).end()
  })
  const session = '/upload/drive/v2/files?upload_id=a'
  expect(await client.uploads.status(session, 1024)).toEqual({isDone: false, received: 10})
  await client.uploads.status(session, 1024)
  expect([urls, connections]).toEqual([[session, session], 0])
})

test('URLs in records get no requests', async () => {
  const links = ['downloadUrl', 'webContentLink', 'selfLink', 'nextLink', 'thumbnailLink']
  const record = {
    ...Object.fromEntries(links.map(name => [name, `${other}/${name}`])),
    exportLinks: {'text/plain': `${other}/export`},
  }
  const urls: string[] = []
  const client = await clientOf(({url = ''}, response) => {
    urls.push(url)
    const isFirst = url === '/drive/v2/files'
    response.end(
      JSON.stringify({...record, items: [record], ...(isFirst && {nextPageToken: 'next'})}),
    )
  })
  await client.call('files.get', {params})
  await buffer((await client.download('files.get', {params})).stream)
  await buffer((await client.download('files.export', {params})).stream)
  for await (const _ of client.pages('files.list', {params: {}}));
  expect(urls).toEqual([
    '/drive/v2/files/a',
    '/drive/v2/files/a?alt=media',
    '/drive/v2/files/a/export',
    '/drive/v2/files',
    '/drive/v2/files?pageToken=next',
  ])
  expect(connections).toBe(0)
})

describe('the URL of a new session', () => {
  const start = async (location: (own: string) => string) => {
    const urls: string[] = []
    const client = await clientOf(({url = '', headers}, response) => {
      urls.push(url)
      const own = `http://${headers.host}`
      if (urls.length === 1) response.setHeader('location', location(own))
      response.end('{"id":"new"}')
    })
    const session = await client.uploads.start('files.insert', {params: {}, upload: content()})
    await client.uploads.send(session, {
      start: 0,
      size: 1024,
      total: 1024,
      bytes: content().open(),
    })
    return urls[1]
  }

  test('on another host is refused with an error', async () => {
    await expect(start(() => `${other}/upload?upload_id=a`)).rejects.toRead()
    await expect(start(() => `//${new URL(other).host}/upload`)).rejects.toThrow(ProtocolError)
    expect(connections).toBe(0)
  })

  test('whose path looks like another host is still a path', async () => {
    const path = `//${new URL(other).host}/upload?upload_id=a`
    expect(await start(own => own + path)).toBe(path)
    expect(connections).toBe(0)
  })

  test.each(['//', 'http://', 'https://'])(
    'that was stored, and starts with %s, leads nowhere else',
    async scheme => {
      const client = await clientOf((_, response) => response.end('{"id":"new"}'))
      const session = `${scheme}${new URL(other).host}/upload?upload_id=a`
      await client.uploads.status(session, 1024).catch((error: unknown) => {
        expect(error).toBeInstanceOf(ProtocolError)
      })
      expect(connections).toBe(0)
    },
  )
})

describe('a base URL with a path', () => {
  const below = async (answer: (request: IncomingMessage, response: ServerResponse) => void) => {
    const urls: string[] = []
    const {url} = await serve((request, response) => {
      request.resume()
      urls.push(request.url ?? '')
      answer(request, response)
    })
    const client = createClient({baseUrl: `${url}/tenant/a`, token: async () => 'token'})
    return {client, urls}
  }

  test('gets all requests', async () => {
    const {client, urls} = await below((_, response) => response.end('{}'))
    await client.call('files.get', {params})
    expect(urls).toEqual(['/tenant/a/drive/v2/files/a'])
  })

  test.each(['/tenant/b/upload', '/tenant/a/../b/upload', '/tenant/a/%2e%2e/b', '/upload'])(
    'has no session at %s',
    async location => {
      const {client, urls} = await below((_, response) => {
        response.setHeader('location', location).end('{}')
      })
      const session = await client.uploads.start('files.insert', {params: {}, upload: content()})
      await expect(client.uploads.status(session, 1024)).rejects.toRead()
      await expect(client.uploads.cancel(session)).rejects.toThrow(ProtocolError)
      expect(urls).toEqual(['/tenant/a/upload/drive/v2/files?uploadType=resumable'])
    },
  )
})

test.each([301, 302, 303, 307, 308])('a sign-in that is redirected by %i', async status => {
  const {url} = await serve((_, response) => {
    response.writeHead(status, {location: `${other}/login`}).end()
  })
  await expect(createPost({authUrl: url})('/login/device/code', {})).rejects.toRead()
  expect(connections).toBe(0)
})

describe('an early refusal of an upload', () => {
  /** More bytes than fit into any buffer on the way. */
  const LARGE = 32 * 1024 * 1024
  const refusing = () =>
    clientOf((request, response) => {
      request.pause()
      response.writeHead(403, {connection: 'close', 'content-type': 'application/json'})
      response.end('{"error":{"errors":[{"reason":"forbidden"}],"message":"Not here"}}')
    })
  const chunks = () =>
    Readable.from(Array.from({length: LARGE / 65_536}, () => Buffer.alloc(65_536)))
  const large = {open: chunks, size: LARGE}
  const refusal = {status: 403, reason: 'forbidden', message: 'Not here'}

  test('is reported, in one request', async () => {
    const client = await refusing()
    const call = client.call('files.insert', {params: {}, upload: large})
    await expect(call).rejects.toMatchObject(refusal)
  })

  test('is reported, in two parts', async () => {
    const client = await refusing()
    const call = client.call('files.update', {params, body: {title: 't'}, upload: large})
    await expect(call).rejects.toMatchObject(refusal)
  })

  test.each([
    ['a stream', chunks],
    ['a buffer', () => Buffer.alloc(LARGE)],
  ])('is reported, in a session, of %s', async (_, open) => {
    const client = await refusing()
    const chunk = {start: 0, size: LARGE, total: LARGE, bytes: open()}
    const call = client.uploads.send('/upload/drive/v2/files?upload_id=a', chunk)
    await expect(call).rejects.toMatchObject(refusal)
  })

  test('but not if the content cannot be read', async () => {
    const client = await clientOf((_, response) => response.end('{}'))
    const call = client.call('files.insert', {params: {}, upload: {...content(), size: 9}})
    await expect(call).rejects.toThrow(InputError)
  })
})
