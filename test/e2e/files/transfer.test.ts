import {createHash, randomBytes} from 'node:crypto'
import {existsSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, beforeEach, describe, expect, test} from 'vitest'
import {readFaultPlan} from '#lib/service/faults/read.js'
import {createService, type Service} from '#lib/service/index.js'
import {type Ending, freshEnvironment, runDrv, temporaryFolder} from '../../support/drv.js'
import {localToken} from '../../support/world.js'

/** One large file and the built binary, which is killed again and again while the service fails. */

const KILLS = 20
/** So much that a download of it is hashed in a thread of its own. */
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
    // Slow enough that the kills strike while bytes are on their way.
    {operations: '*', via: 'chunk', fault: 'slow', at: 'request', bytesPerSecond: 12_000_000},
    {operations: '*', via: 'download', fault: 'slow', bytesPerSecond: 20_000_000},
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
/** Where a test has its files, and its home. */
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

/** Writes a file of the test's own. */
function file(name: string, bytes: string | Buffer): string {
  const path = join(place, name)
  writeFileSync(path, bytes)
  return path
}

/** Puts the content into the service, without a fault; gives the file's ID. */
async function stored(): Promise<string> {
  const headers = {authorization: `Bearer ${token}`}
  const url = `${sound.url}/upload/drive/v2/files?uploadType=media`
  const answer = await fetch(url, {method: 'POST', headers, body: content})
  return ((await answer.json()) as {id: string}).id
}

/** The moments of the kills are the same every time. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return state / 2 ** 32
  }
}

/** The bytes that have arrived so far, in the service or in a file that is not whole yet. */
function arrived(): number {
  const there = join(data, 'content')
  return [
    ...readdirSync(there).map(name => join(there, name)),
    ...parts().map(name => join(place, name)),
  ]
    .map(path => statSync(path, {throwIfNoEntry: false})?.size ?? 0)
    .reduce((all, size) => all + size, 0)
}

/** A signal for a transfer that has begun, when so many bytes more have arrived. */
function ending(signal: NodeJS.Signals, bytes: number): Ending {
  const before = arrived()
  return {signal, when: () => remembered().length > 0 && arrived() >= before + bytes}
}

/** The MD5 of each content of the files of a title, or of the file of an ID. */
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
 * Runs a command again and again, killed as often as `KILLS` says, until it ends by itself: as soon
 * as it has begun, or when some more bytes have arrived. `check` looks around after each kill.
 * Gives how often it was killed, which is up to chance.
 */
async function persist(args: readonly string[], seed: number, check = () => {}): Promise<number> {
  const random = randomFrom(seed)
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
  test('goes up once, however often the client is killed', async () => {
    const kills = await persist(['files', 'insert', file('big.bin', content), '--json'], 11)
    expect(kills).toBeGreaterThan(0)
    expect(sumsOf('big.bin')).toEqual([sum])
    expect(remembered()).toEqual([])
  }, 120_000)

  test('comes down whole, however often the client is killed', async () => {
    const id = await stored()
    const target = join(place, 'back.bin')
    const kills = await persist(['files', 'get', id, '--download', target], 12, () => {
      // Nobody sees a half file under the name that was asked for.
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

  test('shows what Ctrl-C left, goes on with it, and forgets it', async () => {
    const other = join(place, 'other.bin')
    const args = ['files', 'get', await stored(), '--download', other]
    const {code, stderr} = await runDrv(args, {env, ending: ending('SIGINT', STEP)})
    expect(code, stderr).toBe(130)
    expect(stderr).toMatch(
      /Interrupted: .* of .* are received, the rest is not\.\n.* goes on where/,
    )
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

  test('says how much of an upload has arrived, as the service does', async () => {
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
    // Nobody answers: the rest is told all the same.
    const DRV_BASE_URL = 'http://127.0.0.1:9'
    const alone = await runDrv(['transfers', 'list', '--json'], {env: {...env, DRV_BASE_URL}})
    expect(alone.json<unknown[]>()).toMatchObject([{kind: 'upload', size: SIZE}])
  }, 60_000)

  test('discards what was interrupted', async () => {
    const copy = file('copy.bin', content)
    const {code, stderr} = await runDrv(['files', 'insert', copy], {
      env,
      ending: ending('SIGINT', STEP),
    })
    expect(code, stderr).toBe(130)
    expect(stderr).toMatch(/Interrupted: .* of .* are sent, the rest is not\.\n.* goes on where/)
    // One whose answer was lost is there before its sender knows.
    const before = sumsOf('copy.bin')
    expect(before.filter(md5 => md5 !== sum)).toEqual([])
    const [known] = await list()
    // Only what the service said it has counts as done.
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

test('a revision comes down with its own content', async () => {
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

test('one large file gets new content once, however often the client is killed', async () => {
  const id = await stored()
  const newer = file('newer.bin', Buffer.concat([content, content.subarray(0, 5)]))
  const kills = await persist(['files', 'update', id, newer], 13)
  expect(kills).toBeGreaterThan(0)
  expect(sumsOf(id)).toEqual([sum, md5(readFileSync(newer))])
  expect(remembered()).toEqual([])
}, 120_000)
