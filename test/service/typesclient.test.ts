import {mkdtempSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {pathToFileURL} from 'node:url'
import {transform} from 'esbuild'
import {afterAll, beforeAll, expect, test} from 'vitest'
import {description} from '#lib/api/description/index.js'
import {readDocument} from '#lib/api/document/read.js'
import {typesModule} from '#lib/api/document/types/index.js'
import type {RestDescription} from '#lib/api/types.js'
import {hostile, nested} from '../lib/api/types/documents.js'
import {serve} from '../support/serve.js'
import {startTestService, type TestService} from './harness.js'

/** Runs the modules of `drv api types` against the service. */

let service: TestService
const folder = mkdtempSync(join(tmpdir(), 'drv-'))
beforeAll(async () => {
  service = await startTestService()
})
afterAll(async () => {
  await service.close()
  rmSync(folder, {recursive: true})
})

/** Loads the module of a document. */
async function loaded(document: RestDescription) {
  const {code} = await transform(typesModule(document), {loader: 'ts'})
  const file = join(folder, `${document.name || 'unnamed'}-${document.rootUrl.length}.mjs`)
  writeFileSync(file, code)
  return (await import(pathToFileURL(file).href)) as {
    createClient(options?: object): any
    ApiError: new () => Error
  }
}

/** The requests through the module's own `fetch`. */
function recorder() {
  const requests: Array<{url: string; method?: string; headers: Headers}> = []
  const record: typeof fetch = (url, options) => {
    requests.push({url: String(url), ...options, headers: new Headers(options?.headers)} as never)
    return fetch(url, options)
  }
  return {requests, fetch: record}
}

async function driveClient(options: object = {}) {
  const {createClient, ApiError} = await loaded(readDocument(description))
  const client = createClient({baseUrl: service.url, token: service.token(), ...options})
  return {client, ApiError}
}

test('a file is created with content, found, downloaded, changed, shared, trashed and deleted', async () => {
  const {client} = await driveClient()
  const media = new Blob(['first ', 'text'], {type: 'text/plain'})
  const made = await client.files.insert({}, {title: 'Grüße (1).txt'}, {media})
  expect(made).toMatchObject({title: 'Grüße (1).txt', mimeType: 'text/plain', fileSize: '10'})
  const at = {fileId: made.id}
  expect(await client.files.get({...at, fields: 'id'})).toEqual({id: made.id})
  expect(await (await client.files.getMedia(at)).text()).toBe('first text')

  const bare = new Blob(['second'], {type: 'text/markdown'})
  const changed = await client.files.update({...at, newRevision: false}, undefined, {media: bare})
  expect(changed).toMatchObject({mimeType: 'text/markdown', fileSize: '6'})
  expect(await (await client.files.getMedia(at)).text()).toBe('second')
  expect(await client.files.patch(at, {description: 'new'})).toMatchObject({description: 'new'})

  const shared = await client.permissions.insert(
    {...at, sendNotificationEmails: false},
    {role: 'reader', type: 'anyone'},
  )
  expect(shared).toMatchObject({role: 'reader', type: 'anyone'})
  expect((await client.files.trash(at)).labels.trashed).toBe(true)
  expect(await client.files.delete(at)).toBeUndefined()
  await expect(client.files.get(at)).rejects.toMatchObject({status: 404})
})

test('pages are returned one after the other until there are no more', async () => {
  const {client} = await driveClient()
  const parent = await client.files.insert(
    {},
    {title: 'many', mimeType: 'application/vnd.google-apps.folder'},
  )
  for (const title of ['a', 'b', 'c', 'd', 'e']) {
    await client.files.insert({}, {title, parents: [{id: parent.id}]})
  }
  const pages: string[][] = []
  const q = `'${parent.id}' in parents`
  for await (const {items} of client.files.listPages({q, orderBy: 'title', maxResults: 2})) {
    pages.push(items.map(({title}: {title: string}) => title))
  }
  expect(pages).toEqual([['a', 'b'], ['c', 'd'], ['e']])
})

test('an error has the message of the service', async () => {
  const {client, ApiError} = await driveClient()
  const refusal = await client.files.get({fileId: 'nowhere'}).catch((error: unknown) => error)
  expect(refusal).toBeInstanceOf(ApiError)
  expect(refusal).toMatchObject({
    name: 'ApiError',
    status: 404,
    reason: 'notFound',
    message: expect.stringContaining('nowhere'),
    body: {error: {code: 404}},
  })
  const stranger = (await driveClient({token: () => 'wrong'})).client
  await expect(stranger.about.get()).rejects.toMatchObject({status: 401})
})

test('no value leads to another method', async () => {
  const {requests, fetch} = recorder()
  const {client} = await driveClient({fetch})
  const ids = ['', '.', '..', 'trash', 'generateIds', undefined]
  for (const fileId of ids) await expect(client.files.delete({fileId})).rejects.toThrow('fileId')
  expect(requests).toEqual([])
  for (const fileId of ['../about', 'a/b', '%2e%2e', 'a?b#c', '(*)']) {
    await expect(client.files.get({fileId})).rejects.toMatchObject({status: 404})
  }
  expect(requests.map(({url}) => url.slice(`${service.url}/drive/v2/`.length))).toEqual([
    'files/..%2Fabout',
    'files/a%2Fb',
    'files/%252e%252e',
    'files/a%3Fb%23c',
    'files/%28%2A%29',
  ])
})

test('paths and queries equal those of the document', async () => {
  const {requests, fetch} = recorder()
  const {url} = await serve((_, response) => response.end('{}'))
  const {createClient} = await loaded(nested)
  const client = createClient({baseUrl: `${url}/below`, fetch})
  await client.shelves.get({name: 'shelves/a b%20[1]', view: ['BASIC', 'FULL']})
  await client.shelves.books.get({'shelf-id': 'a/b', book: 7, other: undefined})
  await client.ping()
  expect(requests.map(request => request.url.slice(url.length))).toEqual([
    '/below/v1/shelves/a%20b%20[1]?view=BASIC&view=FULL',
    '/below/v1/shelves/a%2Fb/books/7',
    '/below/v1/ping',
  ])
  for (const name of ['a/../b', 'a/%2E%2e', '..']) {
    await expect(client.shelves.get({name})).rejects.toRead()
  }
})

test('the token is sent to its origin, in a header, and nowhere else', async () => {
  const token = 'a-secret'
  const elsewhere: Array<string | undefined> = []
  const other = await serve((request, response) => {
    elsewhere.push(request.headers.authorization)
    response.end('{}')
  })
  const here: Array<string | undefined> = []
  const own = await serve((request, response) => {
    here.push(request.headers.authorization)
    response.writeHead(302, {location: `${other.url}/content`}).end()
  })
  const {requests, fetch} = recorder()
  const {client} = await driveClient({baseUrl: own.url, token, fetch})
  await client.files.getMedia({fileId: 'x'})
  expect(here).toEqual([`Bearer ${token}`])
  expect(elsewhere).toEqual([undefined])
  expect(requests.filter(({url}) => url.includes(token))).toEqual([])
})

test('no path of a document leads to another origin', async () => {
  const {createClient} = await loaded(hostile)
  const asked: string[] = []
  const stay = async (url: string) => {
    asked.push(new URL(url).origin)
    return new Response('{}')
  }
  const client = createClient({baseUrl: 'http://127.0.0.1', token: 'a-secret', fetch: stay})
  const methods = Object.values(client).filter(value => typeof value === 'function')
  // Pass every name, so that no path lacks one.
  const names = Object.keys(hostile.methods!)
  const all = Object.fromEntries([...names, 'rest'].map(name => [name, 'value']))
  for (const method of methods) await method(all, undefined, {media: new Blob(['x'])})
  expect(asked.length).toBe(names.length)
  expect(new Set(asked)).toEqual(new Set(['http://127.0.0.1']))
})
