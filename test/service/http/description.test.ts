import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {checkDocument} from '#lib/api/document/check/check.js'
import {startTestService, type TestService} from '../harness.js'

/** The served document, property by property (spec: description-format.md). */

let service: TestService
let document: any
beforeAll(async () => {
  service = await startTestService()
  const path = '/discovery/v1/apis/drive/v2/rest'
  document = (await service.json('GET', path, {token: null})).body
})
afterAll(() => service.close())

test('it has no errors or warnings', () => {
  expect(checkDocument(document)).toEqual([])
})

test('has every property of the format that applies', () => {
  expect(Object.keys(document).sort()).toEqual(
    [
      ...['kind', 'discoveryVersion', 'id', 'name', 'canonicalName', 'version', 'revision'],
      ...['title', 'description', 'icons', 'documentationLink', 'labels', 'protocol', 'rootUrl'],
      ...['servicePath', 'baseUrl', 'basePath', 'batchPath', 'parameters', 'auth', 'features'],
      ...['schemas', 'resources'],
    ].sort(),
  )
  expect(document).toMatchObject({
    batchPath: 'batch',
    labels: [],
    features: [],
    rootUrl: `${service.url}/`,
    baseUrl: `${service.url}/drive/v2/`,
    basePath: '/drive/v2/',
  })
  const methods = Object.values<any>(document.resources).flatMap(({methods}) =>
    Object.values<any>(methods),
  )
  expect(methods).toHaveLength(57)
  for (const method of methods) {
    const needed = ['id', 'path', 'flatPath', 'httpMethod', 'description', 'scopes']
    expect(Object.keys(method), method.id).toEqual(expect.arrayContaining(needed))
  }
  const uploads = methods.filter(({supportsMediaUpload}) => supportsMediaUpload)
  expect(uploads.map(({mediaUpload}) => mediaUpload.maxSize)).toEqual(['5TB', '5TB'])
})

describe('its links', () => {
  test.each([16, 32])('an icon of %i pixels, without sign-in', async size => {
    const address = new URL(document.icons[`x${size}`])
    expect(address.origin).toBe(service.url)
    const answer = await fetch(address)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('image/png')
    const bytes = Buffer.from(await answer.arrayBuffer())
    expect(bytes.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n')
    expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([size, size])
  })

  test('a page for people, with every method and no external resources', async () => {
    const answer = await fetch(document.documentationLink)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
    const text = await answer.text()
    expect(text.match(/<dt id="drive\./g)).toHaveLength(57)
    expect(text).not.toMatch(/(?:src|href)="(?!\/|#)/)
  })
})

test('the list of documents tells as much of it', async () => {
  const {body} = await service.json('GET', '/discovery/v1/apis', {token: null})
  const {icons, documentationLink, labels, title, description, version} = document
  expect(body.items).toMatchObject([
    {icons, documentationLink, labels, title, description, version},
  ])
})

test('content has the declared limit, in bytes', async () => {
  const {body} = await service.json('GET', 'about')
  expect(body.maxUploadSizes).toEqual([{type: '*', size: '5497558138880'}])
})

test.each(['batch', 'batch/drive/v2'])('batches are sent to %s', async path => {
  const part = ['--x', 'Content-Type: application/http', '', 'GET /drive/v2/about', '', '--x--', '']
  const answer = await service.send('POST', `/${path}`, {
    body: part.join('\r\n'),
    headers: {'content-type': 'multipart/mixed; boundary=x'},
  })
  expect(answer.status).toBe(200)
  expect(await answer.text()).toContain('drive#about')
})
