import {describe, expect, test} from 'vitest'
import {
  headerScopes,
  jsonObject,
  retryAfter,
  serviceError,
  statusMeaning,
  unexpectedStatus,
} from '#lib/client/responses.js'

const NOW = Date.UTC(2026, 10, 21, 12, 0, 0)
const storage = {
  error: {
    errors: [
      {
        domain: 'global',
        reason: 'notFound',
        message: 'File not found: X',
        locationType: 'parameter',
        location: 'fileId',
      },
    ],
    code: 404,
    message: 'File not found: X',
  },
}

describe('serviceError', () => {
  test.each([
    [404, JSON.stringify(storage), 'notFound', 'File not found: X', 'fileId'],
    [401, '{"message":"Bad credentials","status":"401"}', '', 'Bad credentials', undefined],
    [
      400,
      '{"error":"device_flow_disabled","error_description":"Turned off."}',
      'device_flow_disabled',
      'Turned off.',
      undefined,
    ],
    [404, '{"error":"Not Found"}', 'Not Found', 'Not Found', undefined],
    [
      429,
      '{"error":{"code":429,"message":"Slow down","status":"RESOURCE_EXHAUSTED"}}',
      'RESOURCE_EXHAUSTED',
      'Slow down',
      undefined,
    ],
    [
      400,
      '{"error":{"errors":[{"reason":"invalid","message":"Invalid Value"}],"code":400}}',
      'invalid',
      'Invalid Value',
      undefined,
    ],
    [
      502,
      '<html><body>Oops</body></html>',
      '',
      'The service responded with status 502 (Bad Gateway) and gave no reason.',
      undefined,
    ],
    [
      503,
      '',
      '',
      'The service responded with status 503 (Service Unavailable) and gave no reason.',
      undefined,
    ],
    [599, '[1]', '', 'The service responded with status 599 and gave no reason.', undefined],
    [
      400,
      '{"error":{"errors":"x","message":7}}',
      '',
      'The service responded with status 400 (Bad Request) and gave no reason.',
      undefined,
    ],
    [
      422,
      '{"message":"Validation Failed","errors":[{"resource":"File","field":"title","code":"missing"}]}',
      '',
      'Validation Failed',
      'title',
    ],
    // The error takes precedence over its first detail, and the description over the name.
    [
      403,
      '{"error":{"errors":[{"reason":"one","message":"Part","location":"q"},{"reason":"two"}],"message":"Whole","status":"DENIED"}}',
      'one',
      'Whole',
      'q',
    ],
    [
      400,
      '{"error":"invalid_scope","error_description":"Described.","message":"Said."}',
      'invalid_scope',
      'Described.',
      undefined,
    ],
    [
      400,
      '{"error":{"errors":[{"reason":"","message":"","location":""}],"status":"S"}}',
      'S',
      'The service responded with status 400 (Bad Request) and gave no reason.',
      undefined,
    ],
    [400, '[{"error":{"code":400,"message":"In a list"}}]', '', 'In a list', undefined],
  ])('reads %i %s', (status, body, reason, message, location) => {
    const error = serviceError(status, {}, body, NOW)
    expect(error).toMatchObject({name: 'ServiceError', status, reason, message})
    expect(error.details.location).toBe(location)
  })

  test.each([
    ['text/plain; charset=utf-8', ' quota used up\n'],
    ['text/html', '<p>quota used up'],
    [undefined, 'quota used up'],
  ])('reads a text that is %s', (type, body) => {
    expect(serviceError(403, {'content-type': type}, body, NOW)).toRead()
  })

  test('reads the facts in the headers', () => {
    const headers = {
      'x-accepted-oauth-scopes': 'drive, drive.file',
      'x-oauth-scopes': '',
      'retry-after': '30',
      'x-service-sso': 'required; url=https://auth.example.com/orgs/x/sso?authorization_request=1',
    }
    expect(serviceError(403, headers, '', NOW).details).toMatchObject({
      acceptedScopes: ['drive', 'drive.file'],
      tokenScopes: [],
      retryAfter: 30,
      ssoUrl: 'https://auth.example.com/orgs/x/sso?authorization_request=1',
    })
  })

  // reference: oauth.md, section 8
  const message = 'API rate limit exceeded for user 7.'
  const spent = {'x-ratelimit-remaining': '0', 'x-ratelimit-reset': `${NOW / 1000 + 90}`}
  test.each<[what: string, status: number, headers: object, body: object, wait?: number]>([
    ['by its headers', 403, spent, {message}, 90],
    ['by its headers alone', 403, spent, {}, 90],
    ['with another status', 429, spent, {message}, 90],
    ['that names a time itself', 403, {...spent, 'retry-after': '5'}, {message}, 5],
    ['that is over by the clock here', 403, {...spent, 'x-ratelimit-reset': '1'}, {message}, 1],
    ['that tells no time', 403, {'x-ratelimit-remaining': '0'}, {message}, 60],
    ['of the second kind', 403, {}, {message: 'You have exceeded a secondary rate limit.'}, 60],
    ['of the second kind, with a time', 403, {'retry-after': '9'}, {message}, 9],
  ])('recognizes a rate limit %s', (_, status, headers, body, wait) => {
    const error = serviceError(status, {...headers}, JSON.stringify(body), NOW)
    expect(error.reason).toBe('rateLimitExceeded')
    expect(error.details.retryAfter).toBe(wait)
  })

  test('knows when a limit of the file service ends', () => {
    const body = JSON.stringify({error: {errors: [{reason: 'userRateLimitExceeded'}]}})
    const error = serviceError(403, spent, body, NOW)
    expect(error.reason).toBe('userRateLimitExceeded')
    expect(error.details.retryAfter).toBe(90)
  })

  test.each<[what: string, status: number, headers: object, body: object]>([
    ['a refusal with a reason', 403, spent, {error: {errors: [{reason: 'forbidden'}]}}],
    [
      'the lock-out',
      403,
      spent,
      {message: 'Maximum number of login attempts exceeded. Please try again later.'},
    ],
    ['single sign-on', 403, {...spent, 'x-service-sso': 'required; url=https://a.example/'}, {}],
    ['a refusal while something is left', 403, {'x-ratelimit-remaining': '1'}, {message: 'No'}],
    ['something that is not there', 404, spent, {message: 'Not Found'}],
    ['a refused token', 401, spent, {message: 'Bad credentials'}],
  ])('recognizes no rate limit in %s', (_, status, headers, body) => {
    const error = serviceError(status, {...headers}, JSON.stringify(body), NOW)
    expect(error.reason).not.toMatch(/rate/i)
    expect(error.details.retryAfter).toBeUndefined()
  })

  test.each([
    'ftp://a.example/',
    'javascript:alert(1)',
    'https://somebody@a.example/',
    'https://a.example/\u202E',
    `https://a.example/${'x'.repeat(2000)}`,
    '',
  ])('accepts no URL from %j', url => {
    const headers = {'x-service-sso': `required; url=${url}`}
    expect(serviceError(403, headers, '', NOW).details.ssoUrl).toBeUndefined()
  })

  test('removes control characters from the details, and shortens them', () => {
    const detail = {reason: `r\u001B${'r'.repeat(200)}`, location: `l\u001B${'l'.repeat(200)}`}
    const scope = `s\u001B${'s'.repeat(300)}`
    const headers = {'x-oauth-scopes': scope, 'x-accepted-oauth-scopes': scope}
    const body = JSON.stringify({error: {errors: [detail]}})
    const {reason, details} = serviceError(400, headers, body, NOW)
    expect(reason).toBe(`r ${'r'.repeat(97)}…`)
    expect(details).toMatchObject({
      location: `l ${'l'.repeat(97)}…`,
      tokenScopes: [`s ${'s'.repeat(197)}…`],
      acceptedScopes: [`s ${'s'.repeat(197)}…`],
    })
  })

  test('a delay may be a date, relative to the local clock', () => {
    const headers = {'retry-after': 'Sat, 21 Nov 2026 12:01:30 GMT'}
    expect(serviceError(503, headers, '', NOW).details.retryAfter).toBe(90)
    expect(serviceError(503, headers, '', NOW + 89_001).details.retryAfter).toBe(1)
    expect(serviceError(429, {...spent, ...headers}, '', NOW + 60_000).details.retryAfter).toBe(30)
  })

  test('removes control characters', () => {
    const body = JSON.stringify({message: 'a\u001B]0;x\u0007b\r\nc\u202Ed'})
    expect(serviceError(400, {}, body, NOW).message).toBe('a ]0;x b c d')
  })

  test('shortens an endless message', () => {
    const body = JSON.stringify({message: 'x'.repeat(10_000)})
    expect(serviceError(400, {}, body, NOW).message).toHaveLength(500)
  })
})

test.each([
  [undefined, undefined],
  ['0', 0],
  ['120', 120],
  ['Sat, 21 Nov 2026 12:01:30 GMT', 90],
  ['Sat, 21 Nov 2026 11:00:00 GMT', 0],
  ['soon', undefined],
])('retryAfter(%s) is %s', (header, expected) => {
  expect(retryAfter(header, NOW)).toBe(expected)
})

test.each([
  [undefined, undefined],
  ['', []],
  ['a, b', ['a', 'b']],
  ['a,b c', ['a', 'b', 'c']],
])('scopeList(%s)', (header, expected) => {
  expect(headerScopes(header)).toEqual(expected)
})

test.each([
  [200, 'result'],
  [206, 'result'],
  [204, 'empty'],
  [301, 'redirect'],
  [304, 'redirect'],
  [308, 'redirect'],
  [400, 'refusal'],
  [599, 'refusal'],
  [102, 'strange'],
  [999, 'strange'],
])('meaningOf(%i) is %s', (status, expected) => {
  expect(statusMeaning(status)).toBe(expected)
})

const URL_ASKED = 'https://files.example.com/drive/v2/about'

test.each([
  [302, 'https://evil.example/x'],
  [308, '/elsewhere'],
  [302, 'http://files.example.com/x'],
  [307, ''],
  [302, 'https://files.example.com/drive/v2/about?again=1'],

  [301, 'https://a\u001B[31mb.example/'],
  [308, undefined],
  [304, undefined],
])('strangeStatus(%i, %s)', (status, location) => {
  expect(unexpectedStatus(status, {location}, URL_ASKED)).toRead()
})

test.each([
  [
    '{"a":9007199254740993,"b":[-12345678901234567890]}',
    {a: '9007199254740993', b: ['-12345678901234567890']},
  ],
  ['{"a":123,"b":9007199254740991}', {a: 123, b: 9007199254740991}],
  [
    '{"a":9007199254740993,"b":"9007199254740993, \\"9007199254740993\\\\","c":9007199254740993}',
    {a: '9007199254740993', b: '9007199254740993, "9007199254740993\\', c: '9007199254740993'},
  ],
  ['{"a":"x 9007199254740993, \\"9007199254740993"}', {a: 'x 9007199254740993, "9007199254740993'}],
  [
    '{"a":0.12345678901234567,"b":12345678901234567e3}',
    {a: 0.12345678901234567, b: 12345678901234567e3},
  ],
])('jsonObject keeps all digits of %s', (body, value) => {
  expect(jsonObject(body, {}, URL_ASKED)).toEqual(value)
})

test('jsonObject keeps all digits beside a string with millions of escapes', () => {
  const body = `{"a":9007199254740993,"b":"${'\\u200e'.repeat(3_900_000)}"}`
  expect(jsonObject(body, {}, URL_ASKED).a).toBe('9007199254740993')
})

test.each([
  ['', {}],
  ['<html>', {'content-type': 'text/html'}],
  ['[]', {}],
  ['{"a":', {}],
])('jsonObject refuses %s', (body, headers: Record<string, string>) => {
  expect(() => jsonObject(body, headers, URL_ASKED)).toRead()
})
