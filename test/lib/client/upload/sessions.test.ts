import nock from 'nock'
import {describe, expect, test} from 'vitest'
import {createClient} from '#lib/client/index.js'
import {rangeHeader, receivedFromRange} from '#lib/client/upload/sessions.js'
import {guardNetwork} from '../../nock.js'

const BASE = 'https://files.example.com'
const client = createClient({baseUrl: BASE, token: async () => 'secret-token'})

guardNetwork()

test.each([
  ['bytes=0-99', 100],
  ['0-99', 100],
  ['bytes=0-0', 1],
  [undefined, 0],
  ['', 0],
  ['bytes=5-99', 0],
  ['nonsense', 0],
])('a Range of %j means that %i bytes are stored', (range, received) => {
  expect(receivedFromRange(range)).toBe(received)
})

test.each([
  [0, 10, 100, 'bytes 0-9/100'],
  [90, 10, 100, 'bytes 90-99/100'],
  [90, 10, undefined, 'bytes 90-99/*'],
  [100, 0, 100, 'bytes */100'],
  [0, 0, 0, undefined],
])('bytes %i+%i of %s are announced as %s', (start, size, total, header) => {
  expect(rangeHeader({start, size, total})['content-range']).toBe(header)
})

describe('the URL of a session', () => {
  const start = () =>
    client.uploads.start('files.insert', {
      params: {},
      body: {title: 't'},
      upload: {open: () => Buffer.alloc(0), size: 9, mimeType: 'text/plain'},
    })
  const begin = (location?: string) =>
    nock(BASE, {
      reqheaders: {'x-upload-content-type': 'text/plain', 'x-upload-content-length': '9'},
    })
      .post('/upload/drive/v2/files', {title: 't'})
      .query({uploadType: 'resumable'})
      .reply(200, '', location === undefined ? {} : {location})

  test.each([`${BASE}/upload/drive/v2/files?upload_id=a`, '/upload/drive/v2/files?upload_id=a'])(
    '%s is stored relative to the root',
    async location => {
      begin(location)
      expect(await start()).toBe('/upload/drive/v2/files?upload_id=a')
    },
  )

  test.each([
    ['https://evil.example/?upload_id=a', 'directs the upload to https://evil.example'],
    ['http://files.example.com/?upload_id=a', 'directs the upload to http://files.example.com'],
    [undefined, 'did not return an upload session'],
  ])('%s is invalid', async (location, words) => {
    begin(location)
    await expect(start()).rejects.toThrow(words)
  })
})

describe('a session', () => {
  const SESSION = '/upload/drive/v2/files?upload_id=a'
  const put = (range: string, body = '') =>
    nock(BASE, {reqheaders: {'content-range': range}})
      .put('/upload/drive/v2/files', body)
      .query({upload_id: 'a'})

  test('reports its progress, and a 308 is not a redirect', async () => {
    put('bytes */9').reply(308, '', {range: 'bytes=0-4'})
    expect(await client.uploads.status(SESSION, 9)).toEqual({isDone: false, received: 5})
    put('bytes */*').reply(308)
    expect(await client.uploads.status(SESSION)).toEqual({isDone: false, received: 0})
  })

  test.each([200, 201])('is complete after a %i', async status => {
    put('bytes 5-8/9', 'rest').reply(status, {id: 'new'})
    const chunk = {start: 5, size: 4, total: 9, bytes: Buffer.from('rest')}
    expect(await client.uploads.send(SESSION, chunk)).toEqual({isDone: true, record: {id: 'new'}})
  })

  test.each([499, 404, 410])('that is canceled is gone (%i)', async status => {
    nock(BASE).delete('/upload/drive/v2/files').query({upload_id: 'a'}).reply(status)
    await client.uploads.cancel(SESSION)
  })
})
