import {createHash, randomBytes} from 'node:crypto'
import {existsSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, beforeEach, describe, expect, test} from 'vitest'
import {readFaultPlan} from '#lib/service/faults/read.js'
import {createService, type Service} from '#lib/service/index.js'
import {type Ending, freshEnvironment, runDrv, temporaryFolder} from '../../support/drv.js'
import {randomOf} from '../../support/random.js'
import {rounds} from '../../support/size.js'
import {localToken} from '../../support/world.js'

/** One large file and the built binary, which is killed repeatedly while the service fails. */

const KILLS = rounds(6, 20)
/** Large enough that a download is hashed in a separate thread. */
const SIZE = 33 * 1024 * 1024 + 321
/** At most three quarters of it arrive between two kills. */
const STEP = SIZE / 4
const FAULTS = {
  seed: 3,
  rules: [
    {operations: '*', fault: 'status', status: 503, probability: 0.1},
    {operations: '*', fault: 'reset', after: 3_000_000, probability: 0.05},
    {operations: '*', fault: 'reset', at: 'response', after: 3_000_000, probability: 0.05},
    {operations: '*', fault: 'lose', probability: 0.05},
    // Slow enough that kills happen during transfers.
    {operations: '*', via: 'chunk', fault: 'slow', at: 'request', bytesPerSecond: 24_000_000},
    {operations: '*', via: 'download', fault: 'slow', bytesPerSecond: 40_000_000},
  ],
}

const {path: folder, remove} = temporaryFolder()
const content = randomBytes(SIZE)
const sum = md5(content)
const data = join(folder, 'service')
let token: string
let service: Service
/** The same data without faults. */
let sound: Service
/** The files and the home directory of a test. */
let place: string
let env: Record<string, string>

beforeAll(async () => {
  service = await createService({data, faults: readFaultPlan(JSON.stringify(FAULTS))})
  sound = await createService({data})
  token = await localToken(data)
})
beforeEach(() => {
  place = mkdtempSync(join(folder, 'test-'))
  const {url} = service
  env = freshEnvironment(join(place, 'home'))
  Object.assign(env, {DRV_BASE_URL: url, DRV_AUTH_URL: url, DRV_TOKEN: token})
})
afterAll(async () => {
  await service.close()
  await sound.close()
  remove()
})

function md5(bytes: Buffer): string {
  return createHash('md5').update(bytes).digest('hex')
}

/** Writes a file for the test. */
function file(name: string, bytes: string | Buffer): string {
  const path = join(place, name)
  writeFileSync(path, bytes)
  return path
}

/** Uploads the content without faults; returns the ID. */
async function stored(): Promise<string> {
  const headers = {authorization: `Bearer ${token}`}
  const url = `${sound.url}/upload/drive/v2/files?uploadType=media`
  const answer = await fetch(url, {method: 'POST', headers, body: content})
  return ((await answer.json()) as {id: string}).id
}

/** The number of bytes received so far, by the service or in a partial file. */
function arrived(): number {
  const there = join(data, 'content')
  return [
    ...readdirSync(there).map(name => join(there, name)),
    ...parts().map(name => join(place, name)),
  ]
    .map(path => statSync(path, {throwIfNoEntry: false})?.size ?? 0)
    .reduce((all, size) => all + size, 0)
}

/** Sends a signal after a number of further bytes. */
function ending(signal: NodeJS.Signals, bytes: number): Ending {
  const before = arrived()
  return {signal, when: () => remembered().length > 0 && arrived() >= before + bytes}
}

/** The MD5 of each file with a title, or of the file with an ID. */
const sumsOf = (titleOrId: string) =>
  service.store
    .all<{md5: string}>(
      `SELECT b.md5 FROM files f JOIN revisions r ON r.file_id = f.id
         JOIN blobs b ON b.id = r.blob_id WHERE :it IN (f.title, f.id)`,
      {it: titleOrId},
    )
    .map(({md5}) => md5)
const transfers = () => join(env.XDG_STATE_HOME!, 'drv', 'transfers')
const remembered = () => (existsSync(transfers()) ? readdirSync(transfers()) : [])
const parts = () => readdirSync(place).filter(name => name.endsWith('.part'))

/**
 * Runs a command until it exits by itself, killing it `KILLS` times: right after the start of a transfer, or after
 * some more bytes. Calls `check` after each kill. Returns the number of kills, which depends on timing.
 */
async function persist(args: readonly string[], seed: number, check = () => {}): Promise<number> {
  const random = randomOf(seed)
  for (let kills = 0; kills < KILLS; kills++) {
    const bytes = Math.max(0, random() - 0.25) * STEP
    const {code, signal, stderr} = await runDrv(args, {env, ending: ending('SIGKILL', bytes)})
    check()
    if (signal === 'SIGKILL') continue
    expect(code, stderr).toBe(0)
    return kills
  }
  const last = await runDrv(args, {env})
  expect(last.stderr).toBe('')
  expect(last.code).toBe(0)
  return KILLS
}

describe('one large file', () => {
  test('is uploaded once, regardless of kills', async () => {
    const kills = await persist(['files', 'insert', file('big.bin', content), '--json'], 11)
    expect(kills).toBeGreaterThan(0)
    expect(sumsOf('big.bin')).toEqual([sum])
    expect(remembered()).toEqual([])
  }, 120_000)

  test('is downloaded completely, regardless of kills', async () => {
    const id = await stored()
    const target = join(place, 'back.bin')
    const kills = await persist(['files', 'get', id, '--download', target], 12, () => {
      // No partial file has the requested name.
      if (existsSync(target)) expect(statSync(target).size).toBe(SIZE)
    })
    expect(kills).toBeGreaterThan(0)
    expect(md5(readFileSync(target))).toBe(sum)
    expect(parts()).toEqual([])
    expect(remembered()).toEqual([])
  }, 120_000)
})

describe('drv transfers', () => {
  const list = async () =>
    (await runDrv(['transfers', 'list', '--json'], {env})).json<Array<Record<string, unknown>>>()

  test('lists, resumes and forgets a transfer after Ctrl-C', async () => {
    const other = join(place, 'other.bin')
    const args = ['files', 'get', await stored(), '--download', other]
    const {code, stderr} = await runDrv(args, {env, ending: ending('SIGINT', STEP)})
    expect(code, stderr).toBe(130)
    expect(stderr).toMatch(/Interrupted. Received .* of .*\.\n.* to resume/)
    const [known] = await list()
    expect(known).toMatchObject({kind: 'download', state: 'interrupted', path: other, size: SIZE})
    const {done} = known as {done: number}
    expect(known!.percent).toBe(Math.floor((done / SIZE) * 100))
    expect(parts()).toHaveLength(1)
    expect(statSync(join(transfers(), remembered()[0]!)).mode & 0o77).toBe(0)
    const resumed = await runDrv(['transfers', 'resume', '--json'], {env})
    expect(resumed.json()).toEqual([{key: known!.key, result: 'done', path: other}])
    expect(md5(readFileSync(other))).toBe(sum)
    expect(await list()).toEqual([])
    expect(parts()).toEqual([])
  }, 60_000)

  test('shows the number of uploaded bytes from the service', async () => {
    const {url} = sound
    Object.assign(env, {DRV_BASE_URL: url, DRV_AUTH_URL: url})
    const args = ['files', 'insert', file('part.bin', content), '--limit-rate', '12M']
    const {signal} = await runDrv(args, {env, ending: ending('SIGKILL', STEP)})
    expect(signal).toBe('SIGKILL')
    const [known] = await list()
    const {done, percent} = known as {done: number; percent: number}
    expect(done).toBeGreaterThan(STEP / 2)
    expect(done).toBeLessThan(SIZE)
    expect(percent).toBe(Math.floor((done / SIZE) * 100))
    const {stdout} = await runDrv(['transfers', 'list'], {env})
    expect(stdout.trimEnd().split('\t')).toEqual(
      ['key', 'kind', 'state', 'done', 'size', 'profile', 'updated', 'path', 'percent'].map(name =>
        String(known![name]),
      ),
    )
    // Without a response, the rest is listed anyway.
    const DRV_BASE_URL = 'http://127.0.0.1:9'
    const alone = await runDrv(['transfers', 'list', '--json'], {env: {...env, DRV_BASE_URL}})
    expect(alone.json<unknown[]>()).toMatchObject([{kind: 'upload', size: SIZE}])
  }, 60_000)

  test('discards interrupted transfers', async () => {
    const copy = file('copy.bin', content)
    const {code, stderr} = await runDrv(['files', 'insert', copy], {
      env,
      ending: ending('SIGINT', STEP),
    })
    expect(code, stderr).toBe(130)
    expect(stderr).toMatch(/Interrupted. Sent .* of .*\.\n.* to resume/)
    // After a lost response, the file exists before drv knows it.
    const before = sumsOf('copy.bin')
    expect(before.filter(md5 => md5 !== sum)).toEqual([])
    const [known] = await list()
    // Only bytes that the service confirmed count as done.
    const {key, done = 0} = known as {key: string; done?: number}
    expect(known).toMatchObject({kind: 'upload', state: 'interrupted', size: SIZE})
    expect(done).toBeLessThan(SIZE)
    const {session} = JSON.parse(readFileSync(join(transfers(), `${key}.json`), 'utf8'))
    const unclear = await runDrv(['transfers', 'discard'], {env})
    expect(unclear.code).toBe(2)
    const unknown = await runDrv(['transfers', 'discard', 'ffff0000'], {env})
    expect(unknown.code).toBe(5)
    const gone = await runDrv(['transfers', 'discard', key.slice(0, 6), '--json'], {env})
    expect(gone.json()).toEqual([{key, result: 'discarded', path: copy}])
    expect(remembered()).toEqual([])
    expect(sumsOf('copy.bin')).toEqual(before)
    const sessions = service.store.all<{id: string}>('SELECT id FROM uploads')
    expect(sessions.filter(({id}) => String(session).includes(id))).toEqual([])
  }, 60_000)
})

test('a revision is downloaded with its own content', async () => {
  const run = async (...args: string[]) => {
    const result = await runDrv([...args, '--json'], {env})
    if (result.code !== 0) throw new Error(result.stderr)
    return result.json()
  }
  const {id, headRevisionId} = await run('files', 'insert', file('versions.txt', 'one'))
  await run('files', 'update', id, file('versions.txt', 'two'))
  const old = join(place, 'old.txt')
  const saved = await run('revisions', 'get', id, headRevisionId, '--download', old)
  expect(saved).toMatchObject({path: old, size: 3, md5: md5(Buffer.from('one'))})
  expect(readFileSync(old, 'utf8')).toBe('one')
})

test('one large file is updated once, regardless of kills', async () => {
  const id = await stored()
  const newer = file('newer.bin', Buffer.concat([content, content.subarray(0, 5)]))
  const kills = await persist(['files', 'update', id, newer], 13)
  expect(kills).toBeGreaterThan(0)
  expect(sumsOf(id)).toEqual([sum, md5(readFileSync(newer))])
  expect(remembered()).toEqual([])
}, 120_000)
