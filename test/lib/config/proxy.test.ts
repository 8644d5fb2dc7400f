import {describe, expect, test} from 'vitest'
import {proxyFor, shownProxy} from '#lib/config/address.js'
import {SetupError} from '#lib/platform/setup-error.js'

const SERVICE = new URL('https://files.example.com/drive/v2/files')
const PROXY = 'http://proxy.test:3128'

describe('the proxy', () => {
  test.each([
    [{HTTPS_PROXY: PROXY}, PROXY],
    [{https_proxy: PROXY}, PROXY],
    [{https_proxy: PROXY, HTTPS_PROXY: 'http://other.test:1'}, PROXY],
    [{https_proxy: '', HTTPS_PROXY: PROXY}, PROXY],
    [{https_proxy: ' ', HTTPS_PROXY: ''}, undefined],
    [{HTTPS_PROXY: 'proxy.test:3128'}, PROXY],
    [{HTTPS_PROXY: 'proxy.test'}, 'http://proxy.test:80'],
    [{HTTPS_PROXY: 'https://proxy.test'}, 'https://proxy.test:443'],
    [{HTTPS_PROXY: 'ada:pass@proxy.test:3128'}, PROXY],
    [{HTTP_PROXY: PROXY, http_proxy: PROXY}, undefined],
    [{}, undefined],
  ])('%j', (environment, shown) => {
    const proxy = proxyFor(SERVICE, environment)
    expect(proxy && shownProxy(proxy)).toBe(shown)
  })

  test('keeps the user name and password for the request', () => {
    const {url} = proxyFor(SERVICE, {HTTPS_PROXY: 'ada:p%40ss@proxy.test:3128'})!
    expect([url.username, url.password]).toEqual(['ada', 'p%40ss'])
  })

  test.each(['socks5://proxy.test:1080', 'ftp://proxy.test', 'http://', 'not an address', 'a:b:c'])(
    '%s is not a proxy, and the error names the variable',
    text => {
      const call = () => proxyFor(SERVICE, {https_proxy: text})
      expect(call).toThrow(SetupError)
      expect(call).toRead()
    },
  )

  test('a password in an invalid URL is not shown', () => {
    expect(() => proxyFor(SERVICE, {HTTPS_PROXY: 'http://ada:secret@:x'})).not.toThrow(/secret/)
  })
})

test.each([
  ['http://127.0.0.1:8080/'],
  ['https://127.0.0.1/'],
  ['https://127.9.9.9/'],
  ['https://localhost/'],
  ['https://[::1]:8443/'],
])('%s is never reached through a proxy', address => {
  expect(proxyFor(new URL(address), {HTTPS_PROXY: PROXY})).toBeUndefined()
})

describe('NO_PROXY', () => {
  const isExcepted = (list: string, address = SERVICE.href) =>
    proxyFor(new URL(address), {HTTPS_PROXY: PROXY, NO_PROXY: list}) === undefined

  test.each([
    'files.example.com',
    'example.com',
    '.example.com',
    'com',
    'FILES.Example.COM',
    'example.com.',
    '*',
    'other.test, example.com',
    'other.test example.com',
    ' ,other.test,,example.com ',
  ])('%j covers files.example.com', list => expect(isExcepted(list)).toBe(true))

  test.each([
    'ample.com',
    'les.example.com',
    'sub.files.example.com',
    '*.example.org',
    '.',
    '',
    ',',
  ])('%j does not', list => expect(isExcepted(list)).toBe(false))

  test('covers IP addresses too', () => {
    expect(isExcepted('10.1.2.3', 'https://10.1.2.3/')).toBe(true)
    expect(isExcepted('10.1.2.3', 'https://210.1.2.3/')).toBe(false)
    expect(isExcepted('[2001:db8::1]', 'https://[2001:db8::1]/')).toBe(true)
    expect(isExcepted('2001:db8::1', 'https://[2001:db8::1]/')).toBe(true)
  })

  test('in lowercase takes precedence', () => {
    const environment = {HTTPS_PROXY: PROXY, no_proxy: 'other.test', NO_PROXY: 'example.com'}
    expect(proxyFor(SERVICE, environment)).toBeDefined()
  })
})
