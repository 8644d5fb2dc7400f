import {describe, expect, test} from 'vitest'
import {SignInError, signInError} from '#lib/auth/errors.js'
import {readFields} from '#lib/auth/server/form-post.js'
import {checkVerificationUri, deviceCodeOf, grantOf, pollOf} from '#lib/auth/server/responses.js'
import {explain} from '#lib/cli/explain/explain.js'
import {ProtocolError} from '#lib/client/errors.js'

type Answer = Readonly<Record<string, string | number>>

/** A response in each of the formats a service may choose, with and without its content type. */
const formats: Array<[string, (answer: Answer) => {contentType?: string; body: string}]> = [
  [
    'JSON',
    answer => ({contentType: 'application/json; charset=utf-8', body: JSON.stringify(answer)}),
  ],
  ['bare JSON', answer => ({body: ` ${JSON.stringify(answer)}`})],
  ['form', answer => ({contentType: 'application/x-www-form-urlencoded', body: form(answer)})],
  ['bare form', answer => ({contentType: 'text/plain', body: `${form(answer)}\n`})],
  ['XML', answer => ({contentType: 'application/xml', body: xml(answer)})],
  ['bare XML', answer => ({body: xml(answer)})],
]

function form(answer: Answer): string {
  const pairs = Object.entries(answer).map(([name, value]): [string, string] => [
    name,
    String(value),
  ])
  return new URLSearchParams(pairs).toString()
}

function xml(answer: Answer): string {
  const children = Object.entries(answer).map(
    ([name, value]) =>
      `<${name}>${String(value).replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</${name}>`,
  )
  return `<?xml version="1.0" encoding="UTF-8"?>\n<OAuth>${children.join('')}</OAuth>`
}

const read = async (status: number, answer: {contentType?: string; body: string}) =>
  readFields({status, ...answer})

describe.each(formats)('in %s', (_, encode) => {
  const poll = async (answer: Answer, status = 200, interval = 5) =>
    pollOf(status, await read(status, encode(answer)), interval)

  test('device codes', async () => {
    const answer = encode({
      device_code: '0123456789'.repeat(4),
      user_code: 'WDJB-MJHT',
      verification_uri: 'https://auth.example.com/login/device?a=1&b=2',
      expires_in: 900,
      interval: 7,
    })
    expect(deviceCodeOf(200, await read(200, answer))).toEqual({
      deviceCode: '0123456789'.repeat(4),
      userCode: 'WDJB-MJHT',
      verificationUri: 'https://auth.example.com/login/device?a=1&b=2',
      expiresIn: 900,
      interval: 7,
    })
  })

  test('a token', async () => {
    const answer = {access_token: '0123', scope: 'drive,drive.file', token_type: 'bearer'}
    expect(await poll(answer)).toEqual({
      kind: 'authorized',
      grant: {token: '0123', scopes: ['drive', 'drive.file']},
    })
  })

  test.each(['Bearer', 'BEARER'])('a token of type %s', async token_type => {
    expect(await poll({access_token: 't', token_type})).toMatchObject({kind: 'authorized'})
  })

  test.each(['mac', 'pop', 'bearer2', 'bear\u001B[31mer', ''])(
    'no token of the type %j',
    async type => {
      const answer = {access_token: 'the-token', scope: 'drive', token_type: type}
      const result = await poll(answer)
      if (result.kind !== 'refused') throw new Error(result.kind)
      expect(result.error).toBeInstanceOf(ProtocolError)
      const fields = await read(200, encode(answer))
      for (const {message} of [result.error, errorOf(() => grantOf(200, fields)) as Error]) {
        expect(message).toRead()
        expect(message).not.toMatch(/the-token|\u001B/)
      }
    },
  )

  test('a token without scopes', async () => {
    const answer = {access_token: 't', scope: '', token_type: 'bearer'}
    expect(await poll(answer)).toMatchObject({grant: {scopes: []}})
  })

  test('a token without further fields', async () => {
    const answer = {access_token: 't', token_type: 'bearer'}
    expect(await poll(answer)).toEqual({kind: 'authorized', grant: {token: 't'}})
  })

  test('authorization_pending', async () => {
    expect(await poll({error: 'authorization_pending'})).toEqual({kind: 'pending'})
  })

  test.each([
    [{error: 'slow_down', interval: 12}, 12],
    [{error: 'slow_down'}, 10],
    [{error: 'slow_down', interval: 3}, 10],
    [{error: 'slow_down', interval: 'soon'}, 10],
  ])('%j', async (answer, interval) => {
    expect(await poll(answer)).toEqual({kind: 'slow_down', interval})
  })

  test.each([
    ['expired_token', 'sign-in'],
    ['token_expired', 'sign-in'],
    ['access_denied', 'sign-in'],
    ['incorrect_device_code', 'sign-in'],
    ['incorrect_client_credentials', 'configuration'],
    ['Not Found', 'configuration'],
    ['device_flow_disabled', 'configuration'],
    ['unsupported_grant_type', 'configuration'],
    ['quite_new', 'sign-in'],
    ['', 'sign-in'],
  ])('error %s', async (code, kind) => {
    const {message} = signInError(code, 'Words & <more>.')
    for (const status of [200, 400, 404]) {
      const answer = {error: code, error_description: 'Words & <more>.', error_uri: 'x:y'}
      const result = await poll(answer, status)
      if (result.kind !== 'refused') throw new Error(result.kind)
      expect(result.error).toBeInstanceOf(SignInError)
      expect(result.error).toMatchObject({code, kind})
      expect(result.error.message).toBe(message)
      const fields = await read(status, encode(answer))
      expect(() => deviceCodeOf(status, fields)).toThrow(message)
    }
  })
})

test('an error without a description has a message', async () => {
  const fields = await readFields({status: 400, body: '{"error":""}'})
  expect(() => deviceCodeOf(400, fields)).toRead()
})

test.each([
  [500, '', 'unavailable'],
  [502, '<html><body>Bad gateway</body></html>', 'unavailable'],
  [429, 'slow', 'unavailable'],
  [503, '{"error":"temporarily_unavailable"}', 'unavailable'],
  [500, '{"error":"server_error","error_description":"Try later"}', 'unavailable'],
  [429, '{"error":"rate_limited"}', 'unavailable'],
  [408, 'error=timeout', 'unavailable'],
  [403, '{"message":"API rate limit exceeded"}', 'unavailable'],
  [403, '{"message":"Forbidden"}', 'refused'],
  [200, '', 'refused'],
  [200, '{"access_token":""}', 'refused'],
  [200, '{"access_token":"a\\nb"}', 'refused'],
  [200, '{"access', 'refused'],
  [200, '<OAuth><access_token>', 'refused'],
  [404, '<html>Not found</html>', 'refused'],
  [400, '{"access_token":"t"}', 'refused'],
])('a poll with the response %i %s is %s', async (status, body, kind) => {
  const poll = pollOf(status, await readFields({status, body}), 5)
  expect(poll.kind).toBe(kind)
  if (poll.kind === 'refused') expect(poll.error).toBeInstanceOf(ProtocolError)
})

test('a code that ends a sign-in does so with any status', async () => {
  for (const error of ['access_denied', 'expired_token', 'incorrect_client_credentials']) {
    const fields = await readFields({status: 500, body: JSON.stringify({error})})
    expect(pollOf(500, fields, 5)).toMatchObject({kind: 'refused', error: {code: error}})
  }
})

test.each([
  '{"access_token":"t","token_type":["bearer"]}',
  '{"access_token":"t","token_type":{"bearer":true}}',
  '{"access_token":"t","token_type":false}',
  '<OAuth><access_token>t</access_token><token_type><a>bearer</a></token_type></OAuth>',
  '<OAuth><access_token>t</access_token><token_type>mac</token_type><token_type>bearer</token_type></OAuth>',
])('a token whose type is not a string is rejected: %s', async body => {
  const fields = await readFields({status: 200, body})
  expect(() => grantOf(200, fields)).toRead()
})

test('a token without a type is a bearer token', async () => {
  const body = '{"access_token":"t","token_type":null}'
  expect(grantOf(200, await readFields({status: 200, body}))).toMatchObject({token: 't'})
})

test('an error of another kind of service is not a sign-in error', async () => {
  const body = '{"error":{"code":404,"message":"Not Found"}}'
  const fields = await readFields({status: 404, body})
  expect(() => deviceCodeOf(404, fields)).toThrow(ProtocolError)
})

test.each([
  [403, '{"message":"API rate limit exceeded"}', 7],
  [429, '', 7],
  [503, '<html>Away</html>', 8],
  [503, '{"error":"temporarily_unavailable","error_description":"Back soon"}', 8],
  [429, '{"error":"rate_limited"}', 7],
])('codes and tokens without a valid response: %i %j', async (status, body, exit) => {
  const fields = await readFields({status, body})
  for (const read of [deviceCodeOf, grantOf]) {
    const error = errorOf(() => read(status, fields))
    const failure = explain(error, {flags: [], environmentToken: false})
    expect(failure.exit).toBe(exit)
    expect(`${failure.message}\n${failure.hint}`).toRead()
  }
})

test.each([
  ['storageQuotaExceeded', 7],
  ['storageNotWritable', 1],
])('a disk error of the service, in the format of file services: %s', async (reason, exit) => {
  const message = 'Cannot write to /srv/data: the disk is full.'
  const body = JSON.stringify({error: {errors: [{reason, message}], code: 507, message}})
  const fields = await readFields({status: 507, contentType: 'application/json', body})
  for (const read of [deviceCodeOf, grantOf]) {
    const failure = explain(
      errorOf(() => read(507, fields)),
      {flags: [], environmentToken: false},
    )
    expect(failure).toMatchObject({exit, message})
    expect(failure.hint).toRead()
  }
})

function errorOf(work: () => unknown): unknown {
  try {
    work()
  } catch (error) {
    return error
  }
  throw new Error('It did not fail.')
}

const CODES = {device_code: 'd', user_code: 'ABCD-EFGH', verification_uri: 'https://a.example/d'}

test.each([
  [{}, {expiresIn: 900, interval: 5}],
  [
    {expires_in: 60, interval: 0},
    {expiresIn: 60, interval: 1},
  ],
  [
    {expires_in: '60', interval: '2.5'},
    {expiresIn: 60, interval: 3},
  ],
  [
    {expires_in: 1e11, interval: 60},
    {expiresIn: 86_400, interval: 60},
  ],
  [
    {expires_in: -5, interval: 'x'},
    {expiresIn: 900, interval: 5},
  ],
])('times %j', async (times, expected) => {
  const body = JSON.stringify({...CODES, ...times})
  expect(deviceCodeOf(200, await readFields({status: 200, body}))).toMatchObject(expected)
})

test.each([
  [{interval: 1e9}],
  [{interval: 1e9, expires_in: 1e9}],
  [{expires_in: 1}],
  [{expires_in: 0, interval: 1}],
  [{expires_in: 5, interval: 5}],
])('codes that expire before the first poll are reported: %j', async times => {
  const body = JSON.stringify({...CODES, ...times})
  const fields = await readFields({status: 200, body})
  const read = () => deviceCodeOf(200, fields)
  expect(read).toThrow(ProtocolError)
  expect(read).toRead()
})

test('intervals longer than a day are rejected', async () => {
  const body = JSON.stringify({...CODES, expires_in: 2e9, interval: 1e9})
  const fields = await readFields({status: 200, body})
  expect(() => deviceCodeOf(200, fields)).toRead()
})

test.each([
  [{device_code: ''}],
  [{user_code: undefined}],
  [{user_code: 'A\u001B[31m'}],
  [{user_code: 'x'.repeat(41)}],
  [{verification_uri: ''}],
  [{verification_uri: 'javascript:alert(1)'}],
])('no device codes: %j', async change => {
  const body = JSON.stringify({...CODES, ...change})
  const fields = await readFields({status: 200, body})
  expect(() => deviceCodeOf(200, fields)).toThrow(ProtocolError)
})

test.each([
  'file:///etc/passwd',
  'ftp://auth.example.com',
  'https://user@auth.example.com',
  'https://auth.example.com/\u001B[2J',
  'https://auth.example.com/\u202Etxt',
  'auth.example.com',
  '--help',
  '',
])('%j is not a URL for a browser', address => {
  expect(() => checkVerificationUri(address)).toThrow(ProtocolError)
})
