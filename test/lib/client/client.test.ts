import nock from 'nock'
import {describe, expect, test} from 'vitest'
import {NetworkError, ProtocolError, ServiceError} from '#lib/client/errors.js'
import {createClient} from '#lib/client/index.js'
import {createSender} from '#lib/client/request.js'
import {fetchTokenOwner} from '#lib/client/token-owner.js'
import {SetupError} from '#lib/platform/setup-error.js'
import {guardNetwork} from '../nock.js'

const BASE = 'https://files.example.com'

function client(options: Partial<Parameters<typeof createClient>[0]> = {}) {
  return createClient({
    baseUrl: BASE,
    token: async () => 'secret-token',
    userAgent: 'drv/1.2.3',
    now: () => Date.UTC(2026, 10, 21),
    ...options,
  })
}

guardNetwork()

describe('call', () => {
  test('sends the token, the version and the user agent, and returns the JSON', async () => {
    nock(BASE, {
      reqheaders: {
        authorization: 'Bearer secret-token',
        accept: 'application/json',
        'user-agent': 'drv/1.2.3',
        'x-service-api-version': '2022-11-28',
      },
      badheaders: ['content-type'],
    })
      .get('/drive/v2/files/abc')
      .query({fields: 'id'})
      .reply(200, {id: 'abc'})
    const answer = await client().call('files.get', {params: {fileId: 'abc', fields: 'id'}})
    expect(answer).toEqual({id: 'abc'})
  })

  test('sends a body as JSON', async () => {
    nock(BASE, {reqheaders: {'content-type': /^application\/json/}})
      .post('/drive/v2/files', {title: 'Grüße'})
      .reply(200, {id: 'x'})
    await client().call('files.insert', {params: {}, body: {title: 'Grüße'}})
  })

  test.each(['files.delete', 'files.emptyTrash'] as const)('%s has no response body', async id => {
    nock(BASE)
      .delete(/^\/drive/)
      .reply(204)
    const params: Record<string, string> = id === 'files.delete' ? {fileId: 'a'} : {}
    expect(await client().call(id, {params})).toBeUndefined()
  })

  test.each(['', ' \n', '{}'])('a 200 with "%s" is accepted if no body is expected', async body => {
    nock(BASE).delete('/drive/v2/files/a').reply(200, body)
    await client().call('files.delete', {params: {fileId: 'a'}})
  })

  test('a web page is rejected', async () => {
    nock(BASE).delete('/drive/v2/files/a').reply(200, '<html>')
    const call = client().call('files.delete', {params: {fileId: 'a'}})
    await expect(call).rejects.toThrow(ProtocolError)
  })

  test('JSON may start with a byte order mark', async () => {
    nock(BASE).get('/drive/v2/about').reply(200, '\uFEFF{"name":"Ada"}')
    expect(await client().call('about.get', {params: {}})).toEqual({name: 'Ada'})
  })

  test('a POST without a body has the length 0', async () => {
    nock(BASE, {reqheaders: {'content-length': '0'}})
      .post('/drive/v2/files/a/trash')
      .reply(200, {})
    await client().call('files.trash', {params: {fileId: 'a'}})
  })

  test('sends no authorization without a token', async () => {
    nock(BASE, {badheaders: ['authorization']})
      .get('/drive/v2/about')
      .reply(200, {})
    await client({token: async () => undefined}).call('about.get', {params: {}})
  })

  test.each([
    [400, {error: {errors: [{reason: 'invalid', location: 'q'}], code: 400, message: 'Bad'}}],
    [401, {message: 'Bad credentials'}],
    [403, ''],
    [404, '<html>'],
    [412, {error: {errors: [{reason: 'conditionNotMet'}], code: 412, message: 'Changed'}}],
    [429, ''],
    [500, ''],
    [503, 'busy'],
  ])('a %i is a ServiceError', async (status, body) => {
    nock(BASE).get('/drive/v2/about').reply(status, body, {'Retry-After': '7'})
    const error: unknown = await client()
      .call('about.get', {params: {}})
      .catch((e: unknown) => e)
    expect(error).toBeInstanceOf(ServiceError)
    expect(error).toMatchObject({status, details: {retryAfter: 7}})
  })

  test('with a date in Retry-After, the wait uses the local clock', async () => {
    const date = 'Sat, 21 Nov 2026 12:01:30 GMT'
    nock(BASE).get('/drive/v2/about').reply(503, '', {'Retry-After': date})
    nock(BASE).get('/drive/v2/about').reply(200, {name: 'Ada'})
    const slept: number[] = []
    const now = () => Date.UTC(2026, 10, 21, 12, 1)
    const sleep = async (milliseconds: number) => void slept.push(milliseconds)
    const patient = createClient({
      baseUrl: BASE,
      token: async () => 'token',
      now,
      retrying: {now, sleep, random: () => 0},
    })
    expect(await patient.call('about.get', {params: {}})).toEqual({name: 'Ada'})
    expect(slept).toEqual([30_000])
  })

  test.each([
    [301, {Location: 'https://evil.example/steal'}, 'evil.example'],
    [302, {Location: 'http://files.example.com/'}, 'files.example.com'],
    [304, {}, 'status 304'],
    [308, {}, 'status 308'],
  ])('a %i is never followed', async (status, headers: Record<string, string>, words) => {
    nock(BASE).get('/drive/v2/about').reply(status, '', headers)
    const call = client().call('about.get', {params: {}})
    await expect(call).rejects.toThrow(ProtocolError)
    await expect(call).rejects.toThrow(words)
  })

  test.each(['<html>hello</html>', '', '[1,2]', '"text"', '{"a":'])(
    'a 200 with %s is a ProtocolError',
    async body => {
      nock(BASE).get('/drive/v2/about').reply(200, body)
      await expect(client().call('about.get', {params: {}})).rejects.toThrow(ProtocolError)
    },
  )

  test.each([
    'ECONNREFUSED',
    'ENOTFOUND',
    'EAI_AGAIN',
    'ETIMEDOUT',
    'ECONNRESET',
    'EHOSTUNREACH',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'CERT_HAS_EXPIRED',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'ERR_SSL_WRONG_VERSION_NUMBER',
    'HPE_INVALID_CONSTANT',
    'Z_DATA_ERROR',
    'ESTRANGE',
    'EADDRNOTAVAIL',
    'EACCES',
    'CERT_NOT_YET_VALID',
    'ERR_TOO_SLOW',
  ])('%s is a NetworkError with one sentence', async code => {
    nock(BASE)
      .get('/drive/v2/about')
      .replyWithError(Object.assign(new Error('low level'), {code}))
    const error: unknown = await client()
      .call('about.get', {params: {}})
      .catch((e: unknown) => e)
    expect(error).toBeInstanceOf(NetworkError)
    expect(error).toRead()
  })

  test('ends with the reason of its signal', async () => {
    const reason = new Error('stop')
    const call = client({signal: AbortSignal.abort(reason)}).call('about.get', {params: {}})
    await expect(call).rejects.toBe(reason)
  })
})

test.each(['http://files.example.com', 'http://10.0.0.1:8080', 'http://127.0.0.1.example.com'])(
  '%s would send the token unencrypted',
  baseUrl => {
    expect(() => client({baseUrl})).toThrow(SetupError)
  },
)

test.each(['http://127.0.0.1:8080', 'http://127.9.9.9', 'http://[::1]:1', 'http://localhost:2'])(
  '%s is this machine',
  baseUrl => {
    expect(() => client({baseUrl})).not.toThrow()
  },
)

describe('a response without the expected record', () => {
  const client = () => createClient({baseUrl: BASE, token: async () => 'secret-token'})

  test.each([
    [204, '', {}],
    [205, '', {}],
    [200, '', {}],
    [200, ' \n', {'content-type': 'text/html'}],
    [200, 'null', {'content-type': 'application/json'}],
  ])('of status %i with %j is an error', async (status, body, headers) => {
    nock(BASE).get('/drive/v2/about').reply(status, body, headers)
    const call = client().call('about.get', {params: {}})
    await expect(call).rejects.toThrow(ProtocolError)
    await expect(call).rejects.toRead()
  })

  test('may be empty if no record is expected', async () => {
    nock(BASE).delete('/drive/v2/files/a').reply(204)
    expect(await client().call('files.delete', {params: {fileId: 'a'}})).toBeUndefined()
  })

  test('keeps integers too large for a number, and does not change strings', async () => {
    const body =
      '{"a":12345678901234567890,"b":[-9007199254740993, 9007199254740993.5],"c":"1234567890123456789","d":"say \\": 12345678901234567890","e":9007199254740991}'
    nock(BASE).get('/drive/v2/about').reply(200, body)
    expect(await client().call('about.get', {params: {}})).toEqual({
      a: '12345678901234567890',
      b: ['-9007199254740993', 9007199254740993.5],
      c: '1234567890123456789',
      d: 'say ": 12345678901234567890',
      e: 9007199254740991,
    })
  })
})

describe('pages', () => {
  const list = async (params = {}) => {
    const pages = []
    for await (const page of client().pages('files.list', {params})) pages.push(page)
    return pages
  }

  test('continues over empty pages until there is no token', async () => {
    const page = (query: Record<string, string>, answer: object) =>
      nock(BASE).get('/drive/v2/files').query(query).reply(200, answer)
    page({q: 'x'}, {items: [1], nextPageToken: 'a'})
    page({q: 'x', pageToken: 'a'}, {items: [], nextPageToken: 'b'})
    page({q: 'x', pageToken: 'b'}, {items: [2]})
    expect(await list({q: 'x'})).toHaveLength(3)
  })

  test('a token may be a number', async () => {
    nock(BASE).get('/drive/v2/files').reply(200, {nextPageToken: 2})
    nock(BASE).get('/drive/v2/files').query({pageToken: '2'}).reply(200, {})
    expect(await list()).toHaveLength(2)
  })

  test('fetches a page only when requested', async () => {
    nock(BASE).get('/drive/v2/files').reply(200, {nextPageToken: 'a'})
    for await (const page of client().pages('files.list', {params: {}})) {
      expect(page.nextPageToken).toBe('a')
      break
    }
  })

  test.each([
    ['items(id)', 'items(id),nextPageToken'],
    ['items(id),nextPageToken', 'items(id),nextPageToken'],
    ['*', '*'],
    ['items(', 'items('],
  ])('fields %s are sent as %s', async (fields, sent) => {
    nock(BASE).get('/drive/v2/files').query({fields: sent}).reply(200, {})
    await list({fields})
  })

  test('a repeated token is an error, not a loop', async () => {
    nock(BASE).get('/drive/v2/files').query({pageToken: 'a'}).reply(200, {nextPageToken: 'b'})
    nock(BASE).get('/drive/v2/files').query({pageToken: 'b'}).reply(200, {nextPageToken: 'a'})
    await expect(list({pageToken: 'a'})).rejects.toRead()
  })
})

describe('whose token it is', () => {
  const whoAmI = () =>
    fetchTokenOwner(createSender({baseUrl: BASE, token: async () => 'secret-token'}))

  test.each([
    [
      {id: 7, login: 'ada', name: 'Ada', email: 'ada@example.com', extra: {}},
      {id: '7', login: 'ada', name: 'Ada', email: 'ada@example.com'},
    ],
    [{login: 'ada', name: null}, {login: 'ada'}],
    [
      {id: 'u1', email: 'ada@example.com'},
      {id: 'u1', login: 'ada@example.com', email: 'ada@example.com'},
    ],
    [{login: 'a\u001B[2Jda'}, {login: 'a [2Jda'}],
  ])('reads %j', async (body, expected) => {
    nock(BASE).get('/user').reply(200, body, {'X-OAuth-Scopes': 'drive, drive.file'})
    expect(await whoAmI()).toEqual({
      id: undefined,
      name: undefined,
      email: undefined,
      ...expected,
      scopes: ['drive', 'drive.file'],
    })
  })

  test('includes the app of the token', async () => {
    nock(BASE).get('/user').reply(200, {login: 'ada'}, {'X-OAuth-Client-Id': 'an-app'})
    expect(await whoAmI()).toMatchObject({login: 'ada', clientId: 'an-app'})
  })

  test('is an error at a service without users', async () => {
    nock(BASE).get('/user').reply(200, {})
    await expect(whoAmI()).rejects.toRead()
  })

  test('comes from about.get at a service without /user', async () => {
    nock(BASE).get('/user').reply(404, '<html>Not here</html>')
    const user = {permissionId: '42', displayName: 'Alice', emailAddress: 'alice@example.com'}
    nock(BASE).get('/drive/v2/about').query({fields: 'user'}).reply(200, {user})
    expect(await whoAmI()).toMatchObject({id: '42', login: 'alice@example.com', name: 'Alice'})
  })

  test('is an error at a service without either', async () => {
    nock(BASE).get('/user').reply(404, '<html>Not here</html>')
    nock(BASE).get('/drive/v2/about').query({fields: 'user'}).reply(404, '<html>Not here</html>')
    const error = await whoAmI().catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ProtocolError)
    expect(error).toRead()
  })
})

test('prepare shows a request without a token', () => {
  const request = client().prepare('files.update', {params: {fileId: 'a'}, body: {title: 'x'}})
  expect(request).toMatchObject({
    method: 'PUT',
    url: `${BASE}/drive/v2/files/a`,
    body: {title: 'x'},
  })
  expect(JSON.stringify(request)).not.toMatch(/secret|authorization/i)
})
