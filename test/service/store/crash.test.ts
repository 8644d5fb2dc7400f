import {spawn} from 'node:child_process'
import {createHash} from 'node:crypto'
import {mkdtempSync, readdirSync, rmSync} from 'node:fs'
import {request} from 'node:http'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterEach, beforeEach, expect, test} from 'vitest'
import {startTestService} from '../harness.js'

/** A service in a process of its own, which can be killed. Its clock is the system's. */
const SERVE = `
  import {createService} from ${JSON.stringify(source('index.ts'))}
  import {scopes} from ${JSON.stringify(source('../api/description/scopes.ts'))}
  import {mintToken} from ${JSON.stringify(source('oauth/tokens/minttoken.ts'))}
  import {ensureUser} from ${JSON.stringify(source('store/users.ts'))}
  const {url, store} = await createService({data: process.argv[1]})
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

async function serve() {
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', '--input-type=module', '-e', SERVE, directory],
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
  'a killed service has every file it confirmed, and an upload goes on from where it says',
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

    // All but the end of the content, so that the service is killed in the middle of it.
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
      // Small content lies in the database.
      expect(readdirSync(join(directory, 'content'))).toHaveLength(1)
    } finally {
      await second.close()
    }
  },
)
