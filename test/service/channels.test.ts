import {createServer, type IncomingHttpHeaders, type Server} from 'node:http'
import type {AddressInfo} from 'node:net'
import {afterEach, beforeEach, describe, expect, test} from 'vitest'
import {BUILTIN_CLIENT_ID} from '#lib/api/wire.js'
import {startDelivery} from '#lib/service/server/delivery.js'
import {takeMessages} from '#lib/service/store/channels.js'
import {openStore} from '#lib/service/store/index.js'
import {startTestService, type TestService} from './harness.js'

const HOUR = 3600_000
const FOLDER = 'application/vnd.google-apps.folder'

interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

let service: TestService
let server: Server
let address: string
let received: Received[]
/** The responses of the receiver, in order; 200 after the last one. */
let replies: number[]

beforeEach(async () => {
  received = []
  replies = []
  server = createServer((request, response) => {
    let body = ''
    request.on('data', chunk => (body += chunk))
    request.on('end', () => {
      received.push({path: request.url!, headers: request.headers, body})
      const status = replies.shift() ?? 200
      response.writeHead(status, status === 302 ? {location: '/elsewhere'} : {}).end()
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  service = await startTestService()
})
afterEach(async () => {
  await service.close()
  server.closeAllConnections()
  await new Promise(resolve => server.close(resolve))
})

const ERROR = (status: number, reason: string, location?: string) => ({
  status,
  body: {error: {errors: [{reason, ...(location && {location})}]}},
})

async function newItem(body: object = {title: 'a'}): Promise<string> {
  return (await service.json('POST', 'files', {body})).body.id
}

function channel(more: object = {}) {
  return {id: 'c1', type: 'web_hook', address, ...more}
}

function watchChanges(more: object = {}, query: Record<string, string> = {}, token?: string) {
  return service.json('POST', 'changes/watch', {body: channel(more), query, token})
}

function watchFile(id: string, more: object = {}, token?: string) {
  return service.json('POST', `files/${id}/watch`, {body: channel(more), token})
}

/** The messages in order of arrival, once this number has arrived. */
async function messages(count: number): Promise<Received[]> {
  await expect.poll(() => received, {interval: 5}).toHaveLength(count)
  return received
}

function states(): unknown[] {
  return received.map(({headers}) => headers['x-goog-resource-state'])
}

async function queueIsEmpty(): Promise<void> {
  await expect.poll(() => service.store.all('SELECT key FROM messages'), {interval: 5}).toEqual([])
}

describe('watch', () => {
  test('returns the channel and sends sync first', async () => {
    const {status, body} = await watchChanges({token: 'secret'}, {pageToken: '1', spaces: 'drive'})
    expect(status).toBe(200)
    expect(body).toEqual({
      kind: 'api#channel',
      id: 'c1',
      resourceId: expect.stringMatching(/^[\w-]{27}$/),
      resourceUri: `${service.url}/drive/v2/changes?spaces=drive&pageToken=1`,
      token: 'secret',
      expiration: String(service.clock.now + HOUR),
      payload: true,
    })
    const [sync] = await messages(1)
    expect(sync).toMatchObject({
      path: '/hook',
      body: '{"kind":"drive#changes"}',
      headers: {
        'x-goog-channel-id': 'c1',
        'x-goog-channel-token': 'secret',
        'x-goog-channel-expiration': 'Sat, 21 Nov 2026 10:30:00 GMT',
        'x-goog-resource-id': body.resourceId,
        'x-goog-resource-uri': body.resourceUri,
        'x-goog-resource-state': 'sync',
        'x-goog-message-number': '1',
      },
    })
    expect(sync!.headers['x-goog-changed']).toBeUndefined()
  })

  test('the resource ID is that of the watched resource', async () => {
    const [a, b] = [await newItem(), await newItem()]
    const ids = []
    for (const [n, file] of [a, a, b].entries()) {
      ids.push((await watchFile(file, {id: `c${n}`})).body.resourceId)
    }
    ids.push((await watchChanges({id: 'changes'})).body.resourceId)
    expect(ids[0]).toBe(ids[1])
    expect(new Set(ids).size).toBe(3)
  })

  test.each([
    ['no id', {id: undefined}, 'required', 'id'],
    ['a long id', {id: 'x'.repeat(65)}, 'invalid', 'id'],
    ['no type', {type: undefined}, 'required', 'type'],
    ['another type', {type: 'mail'}, 'push.channelTypeNotSupported', 'type'],
    ['no address', {address: undefined}, 'required', 'address'],
    [
      'plain HTTP elsewhere',
      {address: 'http://example.com/'},
      'push.webhookUrlNotHttps',
      'address',
    ],
    ['another scheme', {address: 'ftp://127.0.0.1/'}, 'push.webhookUrlNotHttps', 'address'],
    [
      'an address that looks local',
      {address: 'http://127.0.0.1.example.com/'},
      'push.webhookUrlNotHttps',
      'address',
    ],
    ['no URL', {address: 'hook'}, 'invalid', 'address'],
    ['a long token', {token: 'x'.repeat(257)}, 'invalid', 'token'],
    ['a token of two lines', {token: 'a\r\nb: c'}, 'invalid', 'token'],
    ['an end gone by', {expiration: '1000'}, 'invalid', 'expiration'],
    ['a life of nothing', {params: {ttl: '0'}}, 'invalid', 'params.ttl'],
    ['a life of no number', {params: {ttl: 'long'}}, 'invalid', 'params.ttl'],
  ])('refuses %s', async (_name, more, reason, location) => {
    expect(await watchChanges(more)).toMatchObject(ERROR(400, reason, location))
    expect(service.store.all('SELECT key FROM channels')).toEqual([])
  })

  test.each([
    ['https', {address: 'https://127.0.0.1:1/hook'}],
    ['the other spelling of the type', {type: 'webhook'}],
    ['the longest id and token', {id: 'x'.repeat(64), token: 'y'.repeat(256)}],
  ])('accepts %s', async (_name, more) => {
    const id = await newItem()
    const {status, body} = await service.json('POST', `files/${id}/watch`, {
      body: channel(more),
    })
    expect(status).toBe(200)
    await service.json('POST', 'channels/stop', {body})
  })

  test.each([
    ['changes', {expiration: String(Date.UTC(2030, 0, 1))}, 604_800],
    ['changes', {params: {ttl: '60'}}, 60],
    ['files', {expiration: String(Date.UTC(2030, 0, 1))}, 86_400],
    ['files', {params: {ttl: '99999999'}}, 86_400],
    ['files', {}, 3600],
  ])('%s.watch %j lives %i s', async (what, more, seconds) => {
    const {body} =
      what === 'files' ? await watchFile(await newItem(), more) : await watchChanges(more)
    expect(body.expiration).toBe(String(service.clock.now + seconds * 1000))
  })

  test('an ID can be used again only after its channel has ended', async () => {
    await watchChanges()
    expect(await watchChanges()).toMatchObject(ERROR(400, 'channelIdNotUnique'))
    service.clock.now += HOUR
    expect((await watchChanges()).status).toBe(200)
  })

  test('a file that the caller cannot see is not found', async () => {
    const bob = service.token('bob')
    expect(await watchFile(await newItem(), {}, bob)).toMatchObject(
      ERROR(404, 'notFound', 'fileId'),
    )
  })
})

describe('stop', () => {
  test('ends the channel for its creator', async () => {
    const {body} = await watchChanges()
    await messages(1)
    const stop = (more: object = {}, token?: string) =>
      service.json('POST', 'channels/stop', {token, body: {...body, ...more}})
    expect(await stop({resourceId: 'x'})).toMatchObject(ERROR(404, 'notFound'))
    expect(await stop({}, service.token('bob'))).toMatchObject(ERROR(404, 'notFound'))
    expect((await stop()).status).toBe(204)
    expect(await stop()).toMatchObject(ERROR(404, 'notFound'))
    await newItem()
    await queueIsEmpty()
    expect(received).toHaveLength(1)
  })

  test.each([['id'], ['resourceId']])('requires %s', async name => {
    const {body} = await watchChanges()
    expect(
      await service.json('POST', 'channels/stop', {body: {...body, [name]: undefined}}),
    ).toMatchObject(ERROR(400, 'required', name))
  })
})

describe('messages of files.watch', () => {
  test('name the event, without a body, with increasing numbers', async () => {
    const id = await newItem()
    await watchFile(id)
    await messages(1)
    await service.json('PATCH', `files/${id}`, {body: {title: 'b'}})
    await service.json('POST', `files/${id}/permissions`, {body: {type: 'anyone', role: 'reader'}})
    await service.json('POST', `files/${id}/trash`)
    await service.json('POST', `files/${id}/untrash`)
    await service.json('DELETE', `files/${id}`)
    await messages(6)
    expect(states()).toEqual(['sync', 'update', 'update', 'trash', 'untrash', 'remove'])
    expect(received.map(({headers}) => headers['x-goog-message-number'])).toEqual([
      '1',
      '2',
      '3',
      '4',
      '5',
      '6',
    ])
    expect(received.map(({headers}) => headers['x-goog-changed'])[2]).toBe('permissions')
    expect(received.map(({body}) => body).join('')).toBe('')
  })

  test.each<[object, Record<string, string>, string[]]>([
    [{}, {addParents: 'folder', removeParents: 'root'}, ['update parents']],
    [
      {title: 'b'},
      {addParents: 'folder', removeParents: 'root'},
      ['update parents', 'update properties'],
    ],
    [{labels: {trashed: true}}, {}, ['trash ']],
    [{title: 'b', labels: {trashed: true}}, {}, ['update properties', 'trash ']],
    [{labels: {starred: true}}, {}, ['update properties']],
  ])('an update with %j and %j names the changed parts only', async (body, query, said) => {
    const id = await newItem()
    const folder = await newItem({title: 'f', mimeType: FOLDER})
    await watchFile(id)
    if (query.addParents) query = {...query, addParents: folder}
    expect((await service.json('PATCH', `files/${id}`, {body, query})).status).toBe(200)
    await queueIsEmpty()
    const words = received.map(
      ({headers}) => `${headers['x-goog-resource-state']} ${headers['x-goog-changed'] ?? ''}`,
    )
    expect(words).toEqual(['sync ', ...said])
  })

  test('are sent to a folder for its children', async () => {
    const folder = await newItem({title: 'f', mimeType: FOLDER})
    await watchFile(folder)
    await newItem({title: 'a', parents: [{id: folder}]})
    await messages(2)
    expect(received[1]!.headers).toMatchObject({
      'x-goog-resource-state': 'update',
      'x-goog-changed': 'children',
    })
  })

  test('are sent to a folder for items that leave it, and for nothing else', async () => {
    const folder = await newItem({title: 'f', mimeType: FOLDER})
    const id = await newItem({title: 'a', parents: [{id: folder}]})
    await watchFile(folder)
    await messages(1)
    await service.json('DELETE', `files/${id}/parents/${folder}`)
    await service.json('PATCH', `files/${id}`, {body: {title: 'b'}})
    await queueIsEmpty()
    expect(states()).toEqual(['sync', 'update'])
    expect(received[1]!.headers['x-goog-changed']).toBe('children')
  })

  test('a user who loses access gets one last message', async () => {
    const bob = service.token('bob')
    const id = await newItem()
    const share = {type: 'user', role: 'reader', value: 'bob@example.com'}
    const {body: permission} = await service.json('POST', `files/${id}/permissions`, {body: share})
    await watchFile(id, {}, bob)
    await messages(1)
    await service.json('DELETE', `files/${id}/permissions/${permission.id}`)
    await messages(2)
    await service.json('PATCH', `files/${id}`, {body: {title: 'secret'}})
    await queueIsEmpty()
    expect(states()).toEqual(['sync', 'remove'])
  })
})

describe('messages of changes.watch', () => {
  test('report a change; payload=false omits the body', async () => {
    await watchChanges({payload: false})
    await messages(1)
    await newItem()
    await messages(2)
    expect(states()).toEqual(['sync', 'change'])
    expect(received.map(({body}) => body)).toEqual(['', ''])
  })

  test('are sent for the changes that changes.list would show', async () => {
    await watchChanges()
    await messages(1)
    const {body: drive} = await service.json('POST', 'drives', {
      query: {requestId: 'one'},
      body: {name: 'Plans'},
    })
    await service.json('POST', 'files', {token: service.token('bob'), body: {title: 'b'}})
    await queueIsEmpty()
    expect(received).toHaveLength(1)
    const query = {supportsAllDrives: 'true', includeItemsFromAllDrives: 'true'}
    await watchChanges({id: 'all'}, query)
    await watchChanges({id: 'drive'}, {...query, driveId: drive.id})
    await messages(3)
    await service.json('PUT', `drives/${drive.id}`, {body: {colorRgb: '#123456'}})
    await messages(5)
    expect(
      received
        .slice(3)
        .map(({headers}) => headers['x-goog-channel-id'])
        .sort(),
    ).toEqual(['all', 'drive'])
  })

  test('are sent to users who lose access to an item, but not for later changes of it', async () => {
    const query = {supportsAllDrives: 'true', includeItemsFromAllDrives: 'true'}
    const {body: drive} = await service.json('POST', 'drives', {
      query: {requestId: 'one'},
      body: {name: 'Plans'},
    })
    const id = await newItem()
    const channels: Record<string, Record<string, string>> = {
      own: {includeSubscribed: 'false'},
      mine: {},
      present: {includeDeleted: 'false'},
      all: query,
      drive: {...query, driveId: drive.id},
    }
    for (const [name, what] of Object.entries(channels)) await watchChanges({id: name}, what)
    await queueIsEmpty()
    const heard = async (change: Record<string, string>, body: object = {}) => {
      const before = received.length
      const update = {query: {supportsAllDrives: 'true', ...change}, body}
      expect((await service.json('PATCH', `files/${id}`, update)).status).toBe(200)
      await queueIsEmpty()
      return received.slice(before).map(({headers}) => headers['x-goog-channel-id'])
    }
    const into = await heard({addParents: drive.id, removeParents: 'root'})
    expect(into.sort()).toEqual(['all', 'drive', 'mine', 'own'])
    expect((await heard({}, {title: 'b'})).sort()).toEqual(['all', 'drive'])
    const back = await heard({addParents: 'root', removeParents: drive.id})
    expect(back.sort()).toEqual(['all', 'drive', 'mine', 'own', 'present'])
    expect((await heard({}, {title: 'c'})).sort()).toEqual(['all', 'mine', 'own', 'present'])
  })

  test('a pending message stands for all changes until then', async () => {
    replies = [200, 503]
    await watchChanges()
    await messages(1)
    await newItem()
    await messages(2)
    await expect
      .poll(() => service.store.get('SELECT attempts FROM messages'))
      .toMatchObject({attempts: 1})
    for (let n = 0; n < 6; n++) await newItem()
    service.clock.now += 2000
    // Changes nothing, but makes the service check for messages.
    await service.send('POST', 'files/nothing/trash')
    await messages(3)
    await queueIsEmpty()
    expect(received).toHaveLength(3)
  })
})

describe('delivery', () => {
  test('retries in order, at the scheduled times', async () => {
    replies = [503, 500]
    const id = await newItem()
    await watchFile(id)
    await messages(1)
    await service.json('PATCH', `files/${id}`, {body: {title: 'b'}})
    await expect
      .poll(() =>
        service.store.get('SELECT due_at FROM messages WHERE number = 1 AND attempts = 1'),
      )
      .toBeDefined()
    expect(states()).toEqual(['sync'])
    service.clock.now += 1250
    await newItem()
    await messages(2)
    service.clock.now += 2500
    await messages(4)
    expect(states()).toEqual(['sync', 'sync', 'sync', 'update'])
    expect(new Set(received.map(({headers}) => headers['x-goog-message-number']))).toEqual(
      new Set(['1', '2']),
    )
  })

  test('other responses and redirects end it', async () => {
    replies = [302, 404]
    const id = await newItem()
    await watchFile(id)
    await service.json('PATCH', `files/${id}`, {body: {title: 'b'}})
    await messages(2)
    await queueIsEmpty()
    expect(received.map(({path}) => path)).toEqual(['/hook', '/hook'])
  })

  test('an unreachable receiver is retried; an ended channel is silent', async () => {
    const id = await newItem()
    const {body} = await watchFile(id, {address: 'http://127.0.0.1:1/'})
    await expect
      .poll(() => service.store.get('SELECT attempts FROM messages'))
      .toMatchObject({attempts: 1})
    service.clock.now = Number(body.expiration)
    await service.json('PATCH', `files/${id}`, {body: {title: 'b'}})
    await queueIsEmpty()
    expect(service.store.all('SELECT key FROM channels')).toEqual([])
  })

  test('several processes send each message once', async () => {
    const others = [openStore(service.directory), openStore(service.directory)]
    const deliveries = others.map(store => startDelivery(store, {clock: () => service.clock.now}))
    const ids = await Promise.all(Array.from({length: 10}, () => newItem()))
    for (const [n, id] of ids.entries()) await watchFile(id, {id: `c${n}`})
    for (const id of ids) {
      await service.json('PATCH', `files/${id}`, {body: {title: 'b'}})
      for (const delivery of deliveries) delivery.wake()
    }
    await messages(20)
    await queueIsEmpty()
    await Promise.all(deliveries.map(delivery => delivery.close()))
    for (const store of others) store.close()
    const sent = received.map(
      ({headers}) => `${headers['x-goog-channel-id']}/${headers['x-goog-message-number']}`,
    )
    expect(sent).toHaveLength(20)
    expect(new Set(sent).size).toBe(20)
  })

  test('messages taken by a killed process are sent once its lease expires', async () => {
    const directory = service.directory
    const store = openStore(directory)
    const now = service.clock.now
    const id = await newItem()
    store.run(
      `INSERT INTO channels (id, user_id, client_id, resource_id, resource_uri, file_id, address, expires_at, last_number)
       VALUES ('k', 1, '', 'r', 'u', :id, :address, :end, 1)`,
      {id, address, end: now + HOUR},
    )
    store.run(
      `INSERT INTO messages (channel_key, number, state, due_at) SELECT key, 1, 'sync', :later FROM channels WHERE id = 'k'`,
      {later: now + 1000},
    )
    expect(takeMessages(store, now + 1000, 16, 20_000)).toHaveLength(1)
    expect(takeMessages(store, now + 1000, 16, 20_000)).toEqual([])
    expect(takeMessages(store, now + 20_999, 16, 20_000)).toEqual([])
    store.close()
    service.clock.now = now + 21_000
    await newItem()
    expect((await messages(1))[0]!.headers['x-goog-channel-id']).toBe('k')
  })

  test('an app whose access was revoked gets no more messages', async () => {
    const client = BUILTIN_CLIENT_ID
    const token = service.token('local', ['drive'], client)
    await watchChanges({}, {}, token)
    await messages(1)
    service.store.run('UPDATE tokens SET revoked_at = :now WHERE client_id = :client', {
      now: service.clock.now,
      client,
    })
    await newItem()
    await queueIsEmpty()
    expect(received).toHaveLength(1)
    expect(service.store.all('SELECT key FROM channels')).toEqual([])
  })

  test('close waits for messages in transit', async () => {
    const store = openStore(service.directory)
    let answer: (() => void) | undefined
    const sent = new Promise<void>(resolve => {
      answer = resolve
    })
    const id = await newItem()
    let asked = 0
    store.run(
      `INSERT INTO channels (id, user_id, client_id, resource_id, resource_uri, file_id, address, expires_at, last_number)
       VALUES ('k', 1, '', 'r', 'u', :id, 'https://example.test/', :end, 1)`,
      {id, end: service.clock.now + 10 * HOUR},
    )
    // Due only for this delivery, whose clock is ahead.
    const ahead = service.clock.now + HOUR
    store.run(
      `INSERT INTO messages (channel_key, number, state, due_at) SELECT key, 1, 'sync', :ahead FROM channels`,
      {ahead},
    )
    const delivery = startDelivery(store, {
      clock: () => ahead,
      fetch: async () => {
        asked++
        await sent
        return new Response(null, {status: 204})
      },
    })
    await expect.poll(() => asked).toBe(1)
    const closed = delivery.close()
    answer!()
    await closed
    expect(store.all('SELECT key FROM messages')).toEqual([])
    store.close()
  })
})
