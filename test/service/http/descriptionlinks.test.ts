import {crc32, inflateSync} from 'node:zlib'
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest'
import {description} from '#lib/api/description/index.js'
import {docsPage} from '#lib/service/server/documents.js'
import {startTestService, type TestService} from '../harness.js'

/** The links and URLs in the document. All of them are public. */

const DOCUMENT = '/discovery/v1/apis/drive/v2/rest'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

const get = (path: string, headers?: Record<string, string>) =>
  service.send('GET', path, {token: null, headers})

/** The JSON at a URL or a path. */
const read = async (path: string) => (await service.json('GET', path, {token: null})).body

describe('the icons', () => {
  test.each([
    ['x16', 16],
    ['x32', 32],
  ] as const)('%s is a PNG of its size', async (name, size) => {
    const document = await read(DOCUMENT)
    const response = await get(document.icons[name])
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('image/png')
    expect(response.headers.get('cache-control')).toBe('public, max-age=86400')
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    const bytes = Buffer.from(await response.arrayBuffer())
    expect(bytes.subarray(0, 8)).toEqual(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'))
    const chunks = chunksOf(bytes.subarray(8))
    expect(chunks.map(({type}) => type)).toEqual(['IHDR', 'IDAT', 'IEND'])
    const [header, data] = chunks.map(chunk => chunk.data)
    expect([header!.readUInt32BE(0), header!.readUInt32BE(4)]).toEqual([size, size])
    // Eight bits for each of four channels, plus one byte per line.
    expect([...header!.subarray(8)]).toEqual([8, 6, 0, 0, 0])
    const pixels = inflateSync(data!)
    expect(pixels).toHaveLength(size * (4 * size + 1))
    expect(pixels.includes(0xc9)).toBe(true)
  })
})

/** The chunks of a PNG after its signature (PNG, section 5), each with a valid checksum. */
function chunksOf(bytes: Buffer): Array<{type: string; data: Buffer}> {
  if (bytes.length === 0) return []
  const end = 8 + bytes.readUInt32BE(0)
  expect(crc32(bytes.subarray(4, end))).toBe(bytes.readUInt32BE(end))
  const chunk = {type: bytes.toString('latin1', 4, 8), data: bytes.subarray(8, end)}
  return [chunk, ...chunksOf(bytes.subarray(end + 4))]
}

describe('the documentation', () => {
  test('names every operation, by resource, with method and path', async () => {
    const response = await get('/docs')
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const text = await response.text()
    expect(text).toContain(`<dt>${service.url}/drive/v2/</dt>`)
    expect(text).toContain(`<dt>POST ${service.url}/batch</dt>`)
    const unescaped = text.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
    for (const [group, {methods}] of Object.entries(description.resources)) {
      expect(text).toContain(`<a href="#${group}">`)
      expect(text).toContain(`<h2 id="${group}">`)
      for (const [name, method] of Object.entries(methods)) {
        const call = `${method.httpMethod} ${method.path}`
        expect(text).toContain(`<dt id="drive.${group}.${name}">${group}.${name}</dt>`)
        expect(text).toContain(`<code>${call}</code>`)
        expect(unescaped).toContain(method.description)
      }
    }
    expect(text).toContain('<code>POST /upload/drive/v2/files</code>')
    expect(text.match(/class="tag warn"/g)).toHaveLength(1)
  })

  test('its links work, and no resource is external', async () => {
    const text = await (await get('/docs')).text()
    const links = [...text.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, link = '']) => link)
    expect(links).toContain(DOCUMENT)
    expect(links.filter(link => !/^[#/]/.test(link))).toEqual([])
    for (const link of links.filter(link => link.startsWith('/'))) {
      expect([link, (await get(link)).status]).toEqual([link, 200])
    }
    for (const link of links.filter(link => link.startsWith('#'))) {
      expect(text).toContain(`id="${link.slice(1)}"`)
    }
  })

  test('scripts and frames are blocked, as on other pages', async () => {
    const ours = (await get('/docs')).headers
    const theirs = (await get('/login')).headers
    expect(ours.get('content-security-policy')).toContain("default-src 'none'")
    for (const name of [
      'content-security-policy',
      'x-frame-options',
      'x-content-type-options',
      'referrer-policy',
    ]) {
      expect(ours.get(name)).toBe(theirs.get(name))
    }
  })

  test('texts of a description are escaped', () => {
    const hostile = `"><script>alert(1)</script>`
    const {body} = docsPage({
      ...description,
      name: hostile,
      version: hostile,
      title: hostile,
      description: hostile,
      rootUrl: hostile,
      baseUrl: hostile,
      servicePath: hostile,
      resources: {
        [hostile]: {
          methods: {
            get: {
              id: hostile,
              path: hostile,
              flatPath: hostile,
              httpMethod: 'GET',
              description: hostile,
              scopes: [],
              mediaUpload: {
                accept: [],
                protocols: {
                  simple: {multipart: true, path: hostile},
                  resumable: {multipart: true, path: hostile},
                },
              },
            },
          },
        },
      },
    })
    expect(body).toContain('&#34;&#62;&#60;script')
    expect(body).not.toContain('<script')
  })
})

describe('a request to a public URL', () => {
  test.each(['/docs', '/icons/api-16.png', DOCUMENT, '/discovery/v1/apis'])(
    '%s is read only',
    async path => {
      const head = await service.send('HEAD', path, {token: null})
      expect([head.status, await head.text()]).toEqual([200, ''])
      for (const method of ['POST', 'PUT', 'DELETE']) {
        const response = await service.send(method, path)
        expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET'])
      }
      // The document needs no sign-in, so an invalid token is not refused.
      expect((await service.send('GET', path, {token: 'drvp_wrong'})).status).toBe(200)
    },
  )
})

describe('the list of documents', () => {
  test('has the entries of the reference, and its links work', async () => {
    const {items} = await read('/discovery/v1/apis')
    expect(items).toEqual([
      {
        kind: 'discovery#directoryItem',
        id: 'drive:v2',
        name: 'drive',
        version: 'v2',
        title: description.title,
        description: description.description,
        discoveryRestUrl: `${service.url}${DOCUMENT}`,
        discoveryLink: './apis/drive/v2/rest',
        icons: {
          x16: `${service.url}/icons/api-16.png`,
          x32: `${service.url}/icons/api-32.png`,
        },
        documentationLink: `${service.url}/docs`,
        labels: [],
        preferred: true,
      },
    ])
    const [{discoveryRestUrl, discoveryLink, icons, documentationLink}] = items
    const relative = new URL(discoveryLink, `${service.url}/discovery/v1/apis`).href
    expect(relative).toBe(discoveryRestUrl)
    for (const link of [discoveryRestUrl, documentationLink, ...Object.values<string>(icons)]) {
      expect((await fetch(link)).status).toBe(200)
    }
  })
})

describe.each(['127.0.0.1', 'localhost', '::1'])('a service at %s', host => {
  test('uses the requested address in all its links', async () => {
    const other = await startTestService({host})
    onTestFinished(() => other.close())
    const root = `${other.url}/`
    expect(await read(root.slice(0, -1) + DOCUMENT)).toMatchObject({
      rootUrl: root,
      baseUrl: `${root}drive/v2/`,
      servicePath: 'drive/v2/',
      documentationLink: `${root}docs`,
      icons: {x16: `${root}icons/api-16.png`, x32: `${root}icons/api-32.png`},
    })
    const {items} = await read(`${root}discovery/v1/apis`)
    expect(items[0].discoveryRestUrl).toBe(root.slice(0, -1) + DOCUMENT)
    expect((await get(items[0].documentationLink)).status).toBe(200)
  })
})

test('has another document with another ETag under another name', async () => {
  const {port} = new URL(service.url)
  const first = await get(DOCUMENT)
  const tag = first.headers.get('etag')!
  const elsewhere = `http://localhost:${port}${DOCUMENT}`
  expect((await read(elsewhere)).rootUrl).toBe(`http://localhost:${port}/`)
  const other = await get(elsewhere, {'if-none-match': tag})
  expect(other.status).toBe(200)
  expect(other.headers.get('etag')).not.toBe(tag)
  const again = await get(elsewhere, {'if-none-match': other.headers.get('etag')!})
  expect([again.status, await again.text()]).toEqual([304, ''])
  expect((await get(DOCUMENT, {'if-none-match': tag})).status).toBe(304)
})
