import {describe, expect, test} from 'vitest'
import {
  keptFor,
  mayBeHead,
  mayFollow,
  parseHead,
  requestHead,
} from '../../../src/lib/client/head.js'

const lines = (...all: string[]) => all.join('\r\n')

describe('the head of an answer', () => {
  test('gives status, headers and size', () => {
    const text = lines(
      'HTTP/1.1 206 Partial Content',
      'Content-Length:  42 ',
      'ETag:"a:b"',
      'Vary: Origin',
      'vary: X-Origin',
      'X-Empty:',
      'X-Name: \xe9t\xe9\tx',
    )
    expect(parseHead(text)).toEqual({
      status: 206,
      size: 42,
      headers: {
        'content-length': '42',
        etag: '"a:b"',
        vary: 'Origin, X-Origin',
        'x-empty': '',
        'x-name': '\xe9t\xe9\tx',
      },
    })
  })

  test('may be without words', () => {
    for (const first of ['HTTP/1.1 200', 'HTTP/1.1 200 ']) {
      expect(parseHead(lines(first, 'content-length: 0'))).toMatchObject({status: 200, size: 0})
    }
  })

  test('has names that mean nothing else', () => {
    const {headers} = parseHead(lines('HTTP/1.1 200 OK', 'content-length: 1', '__proto__: x'))!
    expect(Object.getPrototypeOf(headers)).toBeNull()
    expect(headers['__proto__']).toBe('x')
    expect(headers.constructor).toBeUndefined()
  })

  test.each([
    ['of an older version', 'HTTP/1.0 200 OK', 'content-length: 1'],
    ['of a newer one', 'HTTP/2 200', 'content-length: 1'],
    ['of something else', 'ICY 200 OK', 'content-length: 1'],
    ['with a status that is none', 'HTTP/1.1 20 OK', 'content-length: 1'],
    ['with a status that is too long', 'HTTP/1.1 2000', 'content-length: 1'],
    ['before the real one', 'HTTP/1.1 100 Continue', 'content-length: 1'],
    ['without a body', 'HTTP/1.1 204 No Content', 'content-length: 1'],
    ['without a body, not modified', 'HTTP/1.1 304 Not Modified', 'content-length: 1'],
    ['without a length', 'HTTP/1.1 200 OK', 'x: y'],
    ['with a length that is none', 'HTTP/1.1 200 OK', 'content-length: +1'],
    ['with a length below nothing', 'HTTP/1.1 200 OK', 'content-length: -1'],
    ['with a length in another base', 'HTTP/1.1 200 OK', 'content-length: 0x10'],
    ['with two lengths', 'HTTP/1.1 200 OK', 'content-length: 1', 'content-length: 2'],
    ['with one length twice', 'HTTP/1.1 200 OK', 'content-length: 1', 'Content-Length: 1'],
    ['with two tags', 'HTTP/1.1 200 OK', 'content-length: 1', 'etag: "a"', 'ETag: "b"'],
    ['with a large body', 'HTTP/1.1 200 OK', 'content-length: 1048577'],
    ['in chunks', 'HTTP/1.1 200 OK', 'Transfer-Encoding: chunked', 'content-length: 1'],
    ['packed', 'HTTP/1.1 200 OK', 'content-encoding: gzip', 'content-length: 1'],
    ['with a folded line', 'HTTP/1.1 200 OK', 'content-length: 1', ' transfer-encoding: chunked'],
    ['with a name that is none', 'HTTP/1.1 200 OK', 'content-length : 1'],
    ['with a line that is no header', 'HTTP/1.1 200 OK', 'content-length: 1', 'hello'],
    ['with a lone line feed', 'HTTP/1.1 200 OK', 'x: y\ncontent-length: 1'],
    ['with a lone return', 'HTTP/1.1 200 OK', 'content-length: 1', 'x: y\rz'],
    ['with a NUL', 'HTTP/1.1 200 OK', 'content-length: 1', 'x: \0'],
    ['with endless blanks', 'HTTP/1.1 200 OK', 'content-length: 1', `x:${' '.repeat(300_000)}\0`],
    ['of nothing'],
  ])('is not a plain one %s', (_, ...all) => {
    expect(parseHead(lines(...all))).toBeUndefined()
  })
})

test.each<[boolean, string]>([
  [true, ''],
  [true, 'HTT'],
  [true, 'HTTP/1.1 '],
  [true, 'HTTP/1.1 200 OK\r'],
  [true, 'HTTP/1.1 200 OK\r\nx: y\r\n\r'],
  [false, 'SSH-'],
  [false, '\r\n'],
  [false, 'HTTP/1.0'],
  [false, 'HTTP/1.1 200 OK\n'],
  [false, 'HTTP/1.1 200 OK\r\n\n'],
])('a head may begin: %s for %j', (expected, text) => {
  expect(mayBeHead(text)).toBe(expected)
})

describe('a connection', () => {
  const head = (...more: string[]) =>
    parseHead(lines('HTTP/1.1 200 OK', 'content-length: 0', ...more))!

  test.each<[boolean, string[]]>([
    [true, []],
    [true, ['connection: keep-alive']],
    [false, ['connection: close']],
    [false, ['Connection: Keep-Alive, Close']],
    [false, ['connection: upgrade']],
  ])('may carry more: %s with %j', (expected, more) => {
    expect(mayFollow(head(...more))).toBe(expected)
  })

  test.each<[number | undefined, string[]]>([
    [undefined, []],
    [5000, ['keep-alive: timeout=5']],
    [5000, ['Keep-Alive: max=100, timeout=5']],
    [0, ['keep-alive: timeout=0']],
    [undefined, ['keep-alive: xtimeout=5']],
    [undefined, ['keep-alive: timeout=99999999999']],
  ])('is kept for %s ms with %j', (expected, more) => {
    expect(keptFor(head(...more))).toBe(expected)
  })
})

describe('the head of a request', () => {
  test('names the host, and what is asked for as an address writes it', () => {
    const url = new URL('https://user:secret@[::1]:8443/a b/%2F?q=a%26b c#part')
    expect(requestHead('GET', url, {accept: '*/*'})).toBe(
      'GET /a%20b/%2F?q=a%26b%20c HTTP/1.1\r\nhost: [::1]:8443\r\naccept: */*\r\n\r\n',
    )
  })

  test.each(['a\r\nb', 'a\nb', 'a\0'])('takes no value with a break (%j)', value => {
    expect(() => requestHead('GET', new URL('http://a'), {x: value})).toThrow(/[Ii]nvalid/)
  })
})
