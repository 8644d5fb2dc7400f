import nock from 'nock'
import {describe, expect, test} from 'vitest'
import {batchAnswers, batchBody, type BatchPart} from '#lib/client/batch/multipart.js'
import {createClient} from '#lib/client/index.js'
import {startTestService} from '../../../service/harness.js'
import {guardNetwork} from '../../nock.js'

describe('the text of a batch', () => {
  test('has a part for each call', () => {
    const parts: BatchPart[] = [
      {method: 'GET', path: '/drive/v2/about', headers: {}},
      {method: 'POST', path: '/drive/v2/files', headers: {'content-type': 'x'}, body: '{"ö":1}'},
    ]
    expect(batchBody(parts, 'B').split('\r\n')).toEqual([
      '--B',
      'Content-Type: application/http',
      'Content-ID: <B+0>',
      '',
      'GET /drive/v2/about HTTP/1.1',
      '',
      '',
      '--B',
      'Content-Type: application/http',
      'Content-ID: <B+1>',
      '',
      'POST /drive/v2/files HTTP/1.1',
      'content-type: x',
      'content-length: 8',
      '',
      '{"ö":1}',
      '--B--',
      '',
    ])
  })

  const answer = (eol: string) =>
    [
      '--x',
      'Content-Type: application/http',
      'Content-ID: <response-B+1>',
      '',
      'HTTP/1.1 404 Not Found',
      'Content-Type: application/json',
      '',
      '{"error":',
      '',
      '1}',
      '--x',
      'content-id: <response-B + 0>',
      '',
      'HTTP/1.1 204 No Content',
      '',
      '--x--',
      '',
    ].join(eol)

  test.each([
    ['\r\n', 'multipart/mixed; boundary=x'],
    ['\n', 'multipart/mixed; charset=UTF-8; boundary="x"'],
  ])('can be read with lines that end in %j', (eol, type) => {
    expect(batchAnswers(type, answer(eol), 2)).toEqual([
      {
        index: 1,
        status: 404,
        headers: {'content-type': 'application/json'},
        body: ['{"error":', '', '1}'].join(eol),
      },
      {index: 0, status: 204, headers: {}, body: ''},
    ])
  })

  test.each([
    ['another type', 'text/html', '<html>'],
    ['no boundary', 'multipart/mixed', answer('\r\n')],
    ['no status', 'multipart/mixed; boundary=x', answer('\r\n').replace('HTTP/1.1 204', 'OK')],
    ['no number', 'multipart/mixed; boundary=x', answer('\r\n').replace('B+1', 'B')],
    ['nothing', 'multipart/mixed; boundary=x', ''],
    [
      'more answers than calls',
      'multipart/mixed; boundary=x',
      answer('\r\n').replace('--x--', answer('\r\n')),
    ],
    ['a cut in its first answer', 'multipart/mixed; boundary=x', answer('\r\n').slice(0, 120)],
    [
      'endless headers',
      'multipart/mixed; boundary=x',
      answer('\n').replace('HTTP/1.1 204 No Content', `$&\n${'a:b\n'.repeat(5000)}`),
    ],
  ])('that has %s is malformed', (_, type, text) => {
    expect(() => batchAnswers(type, text, 2)).toRead()
  })

  test('that was cut off has the complete responses', () => {
    const text = answer('\r\n')
    const read = (length: number) =>
      batchAnswers('multipart/mixed; boundary=x', text.slice(0, length), 2).map(({index}) => index)
    expect(read(text.indexOf('--x--') - 2)).toEqual([1])
    expect(read(text.indexOf('--x--') + 3)).toEqual([1, 0])
  })
})

test('a batch against the local service: each call gets its own outcome', async () => {
  const service = await startTestService()
  try {
    const token = service.token()
    const client = createClient({baseUrl: service.url, token: async () => token})
    const insert = (title: string) => ({
      id: 'files.insert' as const,
      input: {params: {fields: 'title'}, body: {title}},
    })
    const outcomes = await client.batch([
      insert('one'),
      {id: 'files.get', input: {params: {fileId: 'nothing'}}},
      insert('zwö'),
      {id: 'files.emptyTrash', input: {params: {}}},
    ])
    expect(outcomes).toEqual([
      {record: {title: 'one'}},
      {error: expect.objectContaining({status: 404, reason: 'notFound'})},
      {record: {title: 'zwö'}},
      {record: undefined},
    ])
    const {body} = await service.json('GET', 'files', {query: {q: "title = 'zwö'"}})
    expect(body.items).toHaveLength(1)
  } finally {
    await service.close()
  }
})

describe('a service', () => {
  guardNetwork()
  const BASE = 'https://files.example.com'
  const calls = [{id: 'about.get', input: {params: {}}}] as const

  /** A client whose token the service has accepted once. */
  async function client() {
    const one = createClient({baseUrl: BASE, token: async () => 'very-secret'})
    nock(BASE).get('/drive/v2/about').reply(200, {})
    await one.call('about.get', {params: {}})
    return one
  }

  test.each([404, 405])('that responds with %i at both URLs has no batches', async status => {
    nock(BASE).post('/batch').reply(status)
    nock(BASE).post('/batch/drive/v2').reply(status)
    const one = await client()
    const both = [one.batch(calls), one.batch(calls)]
    expect(await Promise.all(both)).toEqual([undefined, undefined])
    // The service is not asked again.
    expect(await one.batch(calls)).toBeUndefined()
  })

  test.each([404, 405])('that responds with %i is tried at the older URL', async status => {
    const part = 'content-id: <response-x+0>\r\n\r\nHTTP/1.1 200 OK\r\n\r\n{}'
    nock(BASE).post('/batch').reply(status)
    nock(BASE)
      .post('/batch/drive/v2')
      .times(3)
      .reply(200, `--x\r\n${part}\r\n--x--`, {'content-type': 'multipart/mixed; boundary=x'})
    const one = await client()
    const done = [{record: {}}]
    const both = [one.batch(calls), one.batch(calls)]
    expect(await Promise.all(both)).toEqual([done, done])
    expect(await one.batch(calls)).toEqual(done)
  })

  test('that rejects the token in a part gets no further request', async () => {
    const part =
      '--x\r\ncontent-id: <response-x+0>\r\n\r\nHTTP/1.1 401 Unauthorized\r\n\r\n{"message":"Bad credentials"}\r\n--x--'
    nock(BASE)
      .post('/batch', body => !String(body).includes('very-secret'))
      .reply(200, part, {'content-type': 'multipart/mixed; boundary=x'})
    const one = await client()
    expect(await one.batch(calls)).toEqual([{error: expect.objectContaining({status: 401})}])
    await expect(one.call('about.get', {params: {}})).rejects.toMatchObject({status: 401})
  })

  test('that omits a response is not trusted', async () => {
    const none = '--x--'
    nock(BASE).post('/batch').reply(200, none, {'content-type': 'multipart/mixed; boundary=x'})
    expect(await (await client()).batch(calls)).toEqual([
      {error: expect.objectContaining({name: 'ProtocolError', isCutShort: true})},
    ])
  })
})
