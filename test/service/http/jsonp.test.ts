import {runInNewContext} from 'node:vm'
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {startTestService, type TestService} from '../harness.js'

/** The parameter `callback`: JSON as a script that calls a function of a web page. */

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

/** The argument that a script passes to the function `app.show`. */
function handed(script: string): any {
  const calls: unknown[] = []
  runInNewContext(script, {app: {show: (value: unknown) => calls.push(value)}})
  expect(calls).toHaveLength(1)
  return JSON.parse(JSON.stringify(calls[0]))
}

const get = (path: string, query: Record<string, string> = {}) =>
  service.send('GET', path, {query: {callback: 'app.show', ...query}})

test('a response is passed to the function', async () => {
  const response = await get('about', {fields: 'name,kind'})
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('text/javascript; charset=UTF-8')
  expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  const script = await response.text()
  expect(script).toMatch(/^\/\/ API callback\napp\.show\(\{\n "kind": .*\n.*\n\}\);$/)
  expect(handed(script)).toEqual({kind: 'drive#about', name: 'local'})
})

test('without indentation, too', async () => {
  const response = await get('about', {fields: 'kind', prettyPrint: 'false'})
  expect(await response.text()).toBe('// API callback\napp.show({"kind":"drive#about"});')
})

test.each([
  ['a file that is not there', 404, 'files/none', {}],
  ['a wrong parameter', 400, 'files', {maxResults: 'ten'}],
  ['content that is not there', 404, 'files/none', {alt: 'media'}],
  ['a path that is not there', 404, 'nowhere', {}],
])('an error is passed to the function: %s', async (_, status, path, query) => {
  const response = await get(path, query as Record<string, string>)
  expect([response.status, response.headers.get('content-type')]).toEqual([
    status,
    'text/javascript; charset=UTF-8',
  ])
  expect(handed(await response.text()).error.code).toBe(status)
})

test('and so is a 401 or 403', async () => {
  const response = await service.send('GET', 'about', {token: null, query: {callback: 'app.show'}})
  expect(response.status).toBe(403)
  expect(handed(await response.text()).error.errors[0].reason).toBe('required')
})

test('line separators of JavaScript are escaped', async () => {
  const title = 'a\u2028b\u2029c</script>'
  const {body} = await service.json('POST', 'files', {body: {title}})
  const script = await (await get(`files/${body.id}`, {fields: 'title'})).text()
  expect(script).not.toMatch(/[\u2028\u2029]/)
  expect(handed(script)).toEqual({title})
})

test('content is unchanged, and responses without a body get none', async () => {
  const json = '{"a": 1}'
  const upload = await service.json('POST', '/upload/drive/v2/files', {
    headers: {'content-type': 'application/json'},
    body: json,
  })
  const {id, etag} = upload.body
  const content = await get(`files/${id}`, {alt: 'media'})
  expect([content.headers.get('content-type'), await content.text()]).toEqual([
    'application/json',
    json,
  ])
  const query = {callback: 'app.show'}
  const same = await service.send('GET', `files/${id}`, {query, headers: {'if-none-match': etag}})
  expect([same.status, await same.text()]).toEqual([304, ''])
  const gone = await service.send('DELETE', `files/${id}`, {query})
  expect([gone.status, await gone.text()]).toEqual([204, ''])
})

test('an upload session remembers the function', async () => {
  const begun = await service.send('POST', '/upload/drive/v2/files', {
    query: {uploadType: 'resumable', callback: 'app.show', fields: 'fileSize'},
  })
  expect([begun.status, await begun.text()]).toEqual([200, ''])
  const ended = await service.send('PUT', begun.headers.get('location')!, {body: 'Hello'})
  expect(handed(await ended.text())).toEqual({fileSize: '5'})
})

test('a call of a batch has its own function', async () => {
  const response = await service.send('POST', '/batch', {
    headers: {'content-type': 'multipart/mixed; boundary=b'},
    body:
      '--b\r\nContent-Type: application/http\r\n\r\n' +
      'GET /drive/v2/about?fields=kind&callback=app.show HTTP/1.1\r\n\r\n--b--\r\n',
  })
  expect(await response.text()).toContain('\r\n// API callback\napp.show({\n "kind"')
})

describe('a function name consists of identifiers with dots between them', () => {
  test.each(['f', '_', '$', 'a.b.c', 'jQuery1124_1487071237494', '$.fn._x1'])('%s', async name => {
    const script = await (await get('about', {callback: name, fields: 'kind'})).text()
    expect(script.split('\n')[1]).toBe(`${name}({`)
  })

  test.each(['', '1a', 'a.', '.a', 'a..b', 'a b', 'alert(1);f', 'a[0]', 'a-b', 'f//', 'f\n', 'é'])(
    'not %j',
    async callback => {
      const {status, headers, body} = await service.json('GET', 'about', {query: {callback}})
      expect([status, headers.get('content-type')]).toEqual([
        400,
        'application/json; charset=UTF-8',
      ])
      expect(body.error.errors[0]).toMatchObject({
        reason: 'invalidParameter',
        locationType: 'parameter',
        location: 'callback',
      })
    },
  )
})

test('only the API passes responses to functions', async () => {
  const query = {callback: 'app.show'}
  for (const path of ['/user', '/discovery/v1/apis', '/rate_limit']) {
    const {headers} = await service.send('GET', path, {query})
    expect(headers.get('content-type')).toMatch(/^application\/json/)
  }
})
