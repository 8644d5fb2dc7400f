import {mkdtempSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {expect, onTestFinished, test} from 'vitest'
import {certificatesText, routeText} from '#lib/cli/explain/network.js'

const SERVICE = 'https://files.example.com'
const PROXY = 'http://ada:secret@proxy.test:3128'
const THROUGH = 'through the proxy http://proxy.test:3128'

test.each([
  [SERVICE, {HTTPS_PROXY: PROXY}, `${THROUGH} (HTTPS_PROXY)`],
  [SERVICE, {https_proxy: PROXY, HTTPS_PROXY: 'x'}, `${THROUGH} (https_proxy)`],
  [SERVICE, {}, 'directly: HTTPS_PROXY is not set'],
  [SERVICE, {HTTPS_PROXY: ''}, 'directly: HTTPS_PROXY is not set'],
  [SERVICE, {HTTPS_PROXY: PROXY, NO_PROXY: 'example.com'}, 'directly: NO_PROXY lists it'],
  [SERVICE, {HTTPS_PROXY: PROXY, no_proxy: '*'}, 'directly: no_proxy lists it'],
  [SERVICE, {HTTPS_PROXY: PROXY, NO_PROXY: 'example.org'}, `${THROUGH} (HTTPS_PROXY)`],
  ['http://127.0.0.1:8080', {HTTPS_PROXY: PROXY}, 'directly: this machine'],
  ['https://localhost:8443', {HTTPS_PROXY: PROXY}, 'directly: this machine'],
  [SERVICE, {HTTPS_PROXY: 'a:b:c'}, /^HTTPS_PROXY is not a valid proxy URL\./],
])('the route to %s with %j is %s', (address, environment, expected) => {
  const shown = routeText(address, environment)
  expect(shown).toMatch(expected)
  expect(shown).not.toMatch(/ada|secret/)
})

test('certificates are those of Node, and those of the file in NODE_EXTRA_CA_CERTS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'drv-'))
  onTestFinished(() => rmSync(folder, {recursive: true}))
  const file = (text: string) => {
    const path = join(folder, 'ca.pem')
    writeFileSync(path, text)
    return path
  }
  expect(certificatesText({})).toRead()
  expect(certificatesText({NODE_EXTRA_CA_CERTS: ''})).toBe(certificatesText({}))
  const one = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n'
  const two = file(one + one)
  expect(certificatesText({NODE_EXTRA_CA_CERTS: two})).toRead()
  const none = file('hello')
  expect(certificatesText({NODE_EXTRA_CA_CERTS: none})).toRead()
  const missing = join(folder, 'missing.pem')
  expect(certificatesText({NODE_EXTRA_CA_CERTS: missing})).toRead()
  expect(certificatesText({NODE_EXTRA_CA_CERTS: two, NODE_TLS_REJECT_UNAUTHORIZED: '0'})).toRead()
})
