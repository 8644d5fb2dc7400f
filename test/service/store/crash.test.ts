import {spawn} from 'node:child_process'
import {createHash} from 'node:crypto'
import {mkdtempSync, readdirSync, rmSync} from 'node:fs'
import {request} from 'node:http'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterEach, beforeEach, describe, expect, test} from 'vitest'
import {FOLDER_TYPE} from '#lib/api/wire.js'
import {checkData} from '#lib/service/check.js'
import {SLICE} from '#lib/service/store/database/slices.js'
import {insertFileRow} from '#lib/service/store/files/files.js'
import {indexFile} from '#lib/service/store/files/fulltext.js'
import {ensureUser} from '#lib/service/store/users.js'
import {startTestService, type TestService} from '../harness.js'

/**
 * A service in a separate process, which can be killed, or kills itself before the nth slice of a
 * deletion. It uses the system clock.
 */
const SERVE = `
  import {createService} from ${JSON.stringify(source('index.ts'))}
  import {scopes} from ${JSON.stringify(source('../api/description/scopes.ts'))}
  import {mintToken} from ${JSON.stringify(source('oauth/tokens/mint-token.ts'))}
  import {ensureUser} from ${JSON.stringify(source('store/users.ts'))}
  import {handlers} from ${JSON.stringify(source('handlers/index.ts'))}
  const [, data, killAt] = process.argv
  function* killed(work) {
    for (let slice = 0; ; slice++) {
      if (slice === Number(killAt)) process.kill(process.pid, 'SIGKILL')
      const {done, value} = work.next()
      if (done) return
      yield value
    }
  }
  const inDanger = id => ({
    [id]: call => handlers[id]({...call, inSlices: work => call.inSlices(killed(work))}),
  })
  const {url, store} = await createService({
    data,
    handlers: killAt ? {...inDanger('files.delete'), ...inDanger('files.emptyTrash')} : {},
  })
  const user = ensureUser(store, 'local', Date.now())
  console.log(JSON.stringify({url, token: mintToken(store, {user, scopes: scopes('drive')}, Date.now())}))
`

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'drv-'))
})
afterEach(() => rmSync(directory, {recursive: true, force: true}))

function source(path: string): string {
  return new URL(`../../../src/lib/service/${path}`, import.meta.url).href
}

async function serve(killAt?: number) {
  const words = killAt === undefined ? [directory] : [directory, String(killAt)]
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', '--input-type=module', '-e', SERVE, ...words],
    {stdio: ['ignore', 'pipe', 'inherit']},
  )
  for await (const chunk of child.stdout) {
    const {url, token} = JSON.parse(String(chunk)) as {url: string; token: string}
    return {
      url,
      token,
      kill: () =>
        new Promise(resolve => {
          child.once('exit', resolve)
          child.kill('SIGKILL')
        }),
    }
  }
  throw new Error('The service did not start.')
}

test(
  'a killed service has every file it confirmed, and an upload continues at the reported progress',
  {timeout: 30_000},
  async () => {
    const content = Buffer.alloc(80 * 1024 * 1024, 'Hello world. ')
    const first = await serve()
    const made = await fetch(`${first.url}/upload/drive/v2/files`, {
      method: 'POST',
      headers: {authorization: `Bearer ${first.token}`},
      body: 'confirmed',
    })
    const {id} = (await made.json()) as {id: string}
    const started = await fetch(`${first.url}/upload/drive/v2/files?uploadType=resumable`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${first.token}`,
        'x-upload-content-length': String(content.length),
      },
    })
    const {pathname, search} = new URL(started.headers.get('location')!)

    // Not the end of the content, so that the service is killed during the upload.
    const sending = request(new URL(pathname + search, first.url), {
      method: 'PUT',
      headers: {'content-length': content.length},
    })
    sending.on('error', () => undefined)
    sending.write(content.subarray(0, content.length - 1000))
    const stored = async () => {
      const answer = await fetch(new URL(pathname + search, first.url), {
        method: 'PUT',
        headers: {'content-range': 'bytes */*'},
      })
      expect(answer.status).toBe(308)
      return Number(answer.headers.get('range')?.split('-')[1] ?? -1) + 1
    }
    await expect.poll(stored, {interval: 20, timeout: 15_000}).toBeGreaterThan(0)
    const claimed = await stored()
    await first.kill()

    const second = await startTestService({data: directory, now: Date.now()})
    try {
      const got = await second.send('GET', `files/${id}`, {query: {alt: 'media'}})
      expect(await got.text()).toBe('confirmed')
      const asked = await second.send('PUT', pathname + search, {
        token: null,
        headers: {'content-range': `bytes */${content.length}`},
      })
      const next = Number(asked.headers.get('range')!.split('-')[1]) + 1
      expect(next).toBeGreaterThanOrEqual(claimed)
      const done = await second.json('PUT', pathname + search, {
        token: null,
        headers: {'content-range': `bytes ${next}-${content.length - 1}/${content.length}`},
        body: content.subarray(next),
      })
      expect(done.body.md5Checksum).toBe(createHash('md5').update(content).digest('hex'))
      // Small content is stored in the database.
      expect(readdirSync(join(directory, 'content'))).toHaveLength(1)
    } finally {
      await second.close()
    }
  },
)

describe('a service that is killed during a deletion', () => {
  const COUNT = 1000

  /** Creates a folder with files, and optionally moves them to the trash. */
  async function fill(asTrash: boolean): Promise<string> {
    const service = await startTestService({data: directory, now: Date.now()})
    const {store} = service
    const {id: userId, root_id: root} = ensureUser(store, 'local', Date.now())
    const columns = {owner_id: userId, created_at: 0, modified_at: 0}
    store.write(() => {
      insertFileRow(store, {
        ...columns,
        id: 'folder',
        parent_id: root,
        title: 'folder',
        mime_type: FOLDER_TYPE,
      })
      for (let n = 0; n < COUNT; n++) {
        const id = `file-${n}`
        const inTrash = {parent_id: root, trashed: 1, explicitly_trashed: 1}
        const place = asTrash ? inTrash : {parent_id: 'folder'}
        insertFileRow(store, {
          ...columns,
          ...place,
          id,
          title: `File ${n}`,
          mime_type: 'text/plain',
        })
        indexFile(store, id, {content: `content of file ${n}`})
      }
    })
    await service.close()
    return 'folder'
  }

  /** Sends a request that kills the service. */
  async function sendToDeath(method: string, path: string): Promise<void> {
    // The first slice runs twice: first in a shared transaction that is rolled back, then in its own.
    const {url, token} = await serve(6)
    const headers = {authorization: `Bearer ${token}`}
    const deletion = fetch(`${url}/drive/v2/${path}`, {method, headers})
    const beside = Array.from({length: 20}, () =>
      fetch(`${url}/drive/v2/files`, {method: 'POST', headers}).catch(() => undefined),
    )
    await expect(deletion).rejects.toThrow()
    await Promise.all(beside)
  }

  const count = ({store}: TestService) =>
    store.get<{count: number}>("SELECT count(*) AS count FROM files WHERE id LIKE 'file-%'")!.count

  async function unsound(): Promise<string[]> {
    const found: string[] = []
    for await (const {what} of checkData(directory, {now: Date.now()})) found.push(what)
    return found
  }

  test('has the folder with all its contents', {timeout: 60_000}, async () => {
    const folder = await fill(false)
    await sendToDeath('DELETE', `files/${folder}`)
    expect(await unsound()).toEqual([])
    const service = await startTestService({data: directory, now: Date.now()})
    expect(count(service)).toBe(COUNT)
    expect((await service.json('DELETE', `files/${folder}`)).status).toBe(204)
    expect(count(service)).toBe(0)
    await service.close()
  })

  test('has each item of the trash completely, or not at all', {timeout: 60_000}, async () => {
    await fill(true)
    await sendToDeath('DELETE', 'files/trash')
    expect(await unsound()).toEqual([])
    const service = await startTestService({data: directory, now: Date.now()})
    expect(count(service) % SLICE).toBe(0)
    expect(count(service)).toBeGreaterThan(0)
    expect((await service.json('DELETE', 'files/trash')).status).toBe(204)
    expect(count(service)).toBe(0)
    await service.close()
  })
})
