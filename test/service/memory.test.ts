import {existsSync, mkdtempSync, readdirSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {Readable} from 'node:stream'
import {buffer} from 'node:stream/consumers'
import {describe, expect, onTestFinished, test, vi} from 'vitest'
import {createService, type Service} from '#lib/service/index.js'
import {mintToken} from '#lib/service/oauth/tokens/mint-token.js'
import {openMemoryContent} from '#lib/service/store/content/memory.js'
import {ensureUser} from '#lib/service/store/users.js'

/** A service without a data directory. */

/** A directory for temporary files, for one test. */
function temporaryFiles(): string {
  const folder = mkdtempSync(join(tmpdir(), 'drv-'))
  vi.stubEnv('TMPDIR', folder)
  onTestFinished(() => {
    vi.unstubAllEnvs()
    rmSync(folder, {recursive: true})
  })
  return folder
}

async function startMemory(options = {}) {
  const service = await createService(options)
  onTestFinished(() => service.close())
  return service
}

function client(service: Service) {
  const user = ensureUser(service.store, 'ada', service.clock.now())
  const scopes = ['https://www.googleapis.com/auth/drive']
  const token = mintToken(service.store, {user, scopes}, service.clock.now())
  return async (method: string, path: string, body?: string, type = 'application/json') => {
    const headers = {authorization: `Bearer ${token}`, 'content-type': type}
    const response = await fetch(service.url + path, {method, headers, body})
    const text = await response.text()
    return {status: response.status, body: text === '' ? undefined : JSON.parse(text)}
  }
}

const TITLES = '/drive/v2/files?fields=items(title)'
const titles = async (call: ReturnType<typeof client>, query = '') =>
  (await call('GET', TITLES + query)).body.items.map((item: any) => item.title)

test('keeps everything in memory, apart from other services in the same process', async () => {
  const folder = temporaryFiles()
  const [one, two] = await Promise.all([startMemory(), startMemory()])
  const [first, second] = [client(one), client(two)]
  await first('POST', '/drive/v2/files', '{"title":"a"}')
  await first('POST', '/upload/drive/v2/files?uploadType=media', 'x'.repeat(100_000), 'text/plain')
  expect(await titles(first)).toHaveLength(2)
  expect(await titles(second)).toEqual([])
  expect(readdirSync(folder)).toEqual([])
})

test('a snapshot restores all rows, the search index and deleted content', async () => {
  const service = await startMemory({rateLimit: {authenticated: 50, anonymous: 5}})
  const call = client(service)
  const made = await call('POST', '/drive/v2/files', '{"title":"kept"}')
  const text = 'y'.repeat(50_000)
  const path = `/upload/drive/v2/files/${made.body.id}?uploadType=media`
  await call('PUT', path, text, 'text/plain')
  const restore = service.snapshot()
  for (let round = 0; round < 2; round++) {
    await call('DELETE', `/drive/v2/files/${made.body.id}`)
    const other = await call('POST', '/drive/v2/files', '{"title":"new"}')
    expect(other.status).toBe(200)
    await call('POST', '/drive/v2/files', '{"title":"newer"}')
    await restore()
    expect(await titles(call)).toEqual(['kept'])
    expect(await titles(call, '&q=title contains %27kept%27')).toEqual(['kept'])
    expect(await titles(call, '&q=title contains %27new%27')).toEqual([])
    const content = await fetch(`${service.url}/drive/v2/files/${made.body.id}?alt=media`, {
      headers: {authorization: `Bearer ${mintFor(service)}`},
    })
    expect((await content.text()).length).toBe(text.length)
  }
  expect(service.store.all('PRAGMA foreign_key_check')).toEqual([])
  expect(service.store.all('PRAGMA integrity_check')).toEqual([{integrity_check: 'ok'}])
})

const mintFor = (service: Service) =>
  mintToken(
    service.store,
    {
      user: ensureUser(service.store, 'ada', 0),
      scopes: ['https://www.googleapis.com/auth/drive'],
    },
    service.clock.now(),
  )

test('a service with a data directory has no snapshots', async () => {
  const data = mkdtempSync(join(tmpdir(), 'drv-'))
  onTestFinished(() => rmSync(data, {recursive: true}))
  const service = await startMemory({data})
  expect(() => service.snapshot()).toRead()
})

describe('content in memory', () => {
  const random = (size: number) =>
    Buffer.from(Array.from({length: size}, () => Math.random() * 256))
  const read = async (found: Readable | Buffer) =>
    String(Buffer.isBuffer(found) ? found : await buffer(found))

  test('goes to a private folder above the limit, which ends with the store', async () => {
    const folder = temporaryFiles()
    const {store, close, snapshot} = openMemoryContent(random, 10)
    const small = store.put(Buffer.from('123456'))
    expect(readdirSync(folder)).toEqual([])
    const large = await store.receive(Readable.from([Buffer.from('abc'), Buffer.from('defgh')]))
    const own = join(folder, readdirSync(folder)[0]!)
    expect(readdirSync(own)).toEqual([large.id])
    expect(large).toMatchObject({size: 8, md5: 'e8dc4081b13434b45189a720b77b6818'})
    expect(await read(store.read(large, {start: 2, end: 4}))).toBe('cde')
    const restore = snapshot()
    store.remove(large.id)
    store.remove(small.id)
    expect(() => store.readAll(small)).toThrow('missing')
    restore()
    expect(store.readAll(large).toString() + store.readAll(small).toString()).toBe('abcdefgh123456')
    close()
    expect(existsSync(own)).toBe(false)
  })

  test('of an upload moves to a file when it grows', async () => {
    const {store, close} = openMemoryContent(random, 10)
    onTestFinished(close)
    const id = store.begin()
    const file = await store.edit({id, size: 0})
    await file.writev([Buffer.from('1234'), Buffer.from('56')], 0)
    expect(await file.stat()).toEqual({size: 6})
    await file.writev([Buffer.from('abcdefgh')], 4)
    await file.datasync()
    await file.truncate(11)
    await file.close()
    await store.finish({id, size: 11})
    store.discardUnfinished(id)
    expect(await read(store.read({id, size: 11}))).toBe('1234abcdefg')
    store.remove(id)
    await expect(store.edit({id, size: 11})).rejects.toThrow('missing')
  })
})
