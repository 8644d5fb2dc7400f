import {once} from 'node:events'
import {request} from 'node:http'
import {connect} from 'node:net'
import {afterEach, beforeEach, describe, expect, test} from 'vitest'
import {
  type ChannelNotification,
  type NotificationReceiver,
  openReceiver,
  readNotification,
} from '#lib/follow/receiver.js'

const CHANNEL = {id: 'c', token: 'secret', resourceId: 'r'}
const HEADERS = {
  'x-goog-channel-id': 'c',
  'x-goog-channel-token': 'secret',
  'x-goog-resource-id': 'r',
  'x-goog-resource-state': 'change',
  'x-goog-message-number': '7',
}

describe('a notification', () => {
  const read = (headers: object, channel: object = CHANNEL) =>
    readNotification({...HEADERS, ...headers}, new Map([['c', {...CHANNEL, ...channel}]]))

  test('is one with the ID, the token and the resource of an expected channel', () => {
    const found = {channel: 'c', resourceId: 'r', state: 'change', changed: [], number: 7}
    expect(read({})).toEqual(found)
    expect(read({'x-goog-changed': 'content,properties'})).toEqual({
      ...found,
      changed: ['content', 'properties'],
    })
    expect(read({'x-goog-message-number': 'x'})).toEqual({...found, number: undefined})
    // The first one can come before the service has told the resource.
    expect(read({'x-goog-resource-id': 'other'}, {resourceId: undefined})).toMatchObject({
      resourceId: 'other',
    })
  })

  test.each([
    [{'x-goog-channel-id': 'd'}],
    [{'x-goog-channel-id': undefined}],
    [{'x-goog-channel-token': 'Secret'}],
    [{'x-goog-channel-token': 'secret '}],
    [{'x-goog-channel-token': ''}],
    [{'x-goog-channel-token': undefined}],
    [{'x-goog-channel-id': 'd', 'x-goog-channel-token': ''}],
    [{'x-goog-resource-id': 's'}],
    [{'x-goog-resource-id': undefined}],
    [{'x-goog-resource-state': undefined}],
    [{'x-goog-channel-id': '__proto__'}],
  ])('%j is none', headers => {
    expect(read(headers)).toBeUndefined()
  })
})

describe('the receiver', () => {
  let receiver: NotificationReceiver
  let received: ChannelNotification[]
  beforeEach(async () => {
    received = []
    receiver = await openReceiver({host: '127.0.0.1', port: 0})
    receiver.expect({...CHANNEL, onNotification: one => void received.push(one)})
  })
  afterEach(() => receiver.close())

  const post = (headers: object, body = '', method = 'POST') =>
    fetch(`${receiver.url}any/path?x`, {
      method,
      headers: {...HEADERS, ...headers},
      ...(body !== '' && {body}),
    })

  test('passes on notifications of expected channels and counts all other requests', async () => {
    expect((await post({}, '{"kind":"drive#changes"}')).status).toBe(204)
    expect((await post({'x-goog-channel-token': 'guess'})).status).toBe(404)
    expect((await post({}, '', 'GET')).status).toBe(404)
    expect((await fetch(receiver.url)).status).toBe(404)
    receiver.forget('c')
    expect((await post({})).status).toBe(404)
    expect(received).toHaveLength(1)
    expect(receiver.refused()).toBe(4)
  })

  test('does not read large bodies', async () => {
    const response = await post({}, 'x'.repeat(16 * 1024 + 1)).catch(() => undefined)
    expect(response?.status ?? 413).toBe(413)
    expect(received).toEqual([])
    expect(receiver.refused()).toBe(1)
  })

  test('does not act on a notification that breaks off', async () => {
    const {port} = new URL(receiver.url)
    const broken = request({
      port,
      host: '127.0.0.1',
      method: 'POST',
      headers: {...HEADERS, 'content-length': 9},
    })
    broken.on('error', () => undefined)
    broken.write('half')
    await new Promise(resolve => broken.once('socket', socket => socket.once('connect', resolve)))
    broken.destroy()
    expect((await post({})).status).toBe(204)
    expect(received).toHaveLength(1)
  })

  test('limits the number of connections', async () => {
    const {port} = new URL(receiver.url)
    const open = () => connect(Number(port), '127.0.0.1').on('error', () => undefined)
    const sockets = Array.from({length: 40}, open)
    const closed = sockets.map(socket => once(socket, 'close'))
    await Promise.race(closed)
    for (const socket of sockets) socket.destroy()
    await Promise.all(closed)
    expect((await post({})).status).toBe(204)
  })

  test.each([
    ['no HTTP', 'garbage\r\n\r\n'],
    ['a long header', `POST / HTTP/1.1\r\nx: ${'x'.repeat(40_000)}\r\n\r\n`],
    ['many headers', `POST / HTTP/1.1\r\n${'a: b\r\n'.repeat(5000)}\r\n`],
    ['a broken body', 'POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n'],
    ['an upgrade', 'GET / HTTP/1.1\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n'],
    ['a tunnel', 'CONNECT a.example:443 HTTP/1.1\r\nhost: a.example\r\n\r\n'],
    ['an expectation', 'POST / HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\n\r\n'],
  ])('survives %s', async (_, text) => {
    const {port} = new URL(receiver.url)
    const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined)
    socket.on('connect', () => socket.write(text)).resume()
    await Promise.race([once(socket, 'close'), once(socket, 'data')])
    socket.destroy()
    expect((await post({})).status).toBe(204)
    expect(received).toHaveLength(1)
  })

  test('says if the address is taken', async () => {
    const {port} = new URL(receiver.url)
    await expect(openReceiver({host: '127.0.0.1', port: Number(port)})).rejects.toMatchObject({
      code: 'EADDRINUSE',
    })
  })
})
