import {createHash, randomBytes} from 'node:crypto'
import {existsSync, readdirSync, readFileSync, statSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {readFaultPlan} from '../../src/lib/service/faults/read.js'
import {createService, type Service} from '../../src/lib/service/index.js'
import {freshEnvironment, runDrv, startDrv, temporaryFolder} from './drv.js'
import {localToken} from './world.js'

/** One large file and the built binary, which is killed again and again while the service fails. */

const KILLS = 20
const SIZE = 48 * 1024 * 1024 + 321
const FAULTS = {
  seed: 3,
  rules: [
    {operations: '*', fault: 'status', status: 503, probability: 0.1},
    {operations: '*', fault: 'reset', after: 3_000_000, probability: 0.05},
    {operations: '*', fault: 'reset', at: 'response', after: 3_000_000, probability: 0.05},
    {operations: '*', fault: 'lose', probability: 0.05},
    // Slow enough that the kills strike while bytes are on their way.
    {operations: '*', via: 'chunk', fault: 'slow', at: 'request', bytesPerSecond: 6_000_000},
    {operations: '*', via: 'download', fault: 'slow', bytesPerSecond: 10_000_000},
  ],
}

const {path: folder, remove} = temporaryFolder()
const env = freshEnvironment(join(folder, 'home'))
const source = join(folder, 'big.bin')
const target = join(folder, 'back.bin')
const content = randomBytes(SIZE)
const sum = md5(content)
let service: Service

beforeAll(async () => {
  writeFileSync(source, content)
  const data = join(folder, 'service')
  service = await createService({data, faults: readFaultPlan(JSON.stringify(FAULTS))})
  const {url} = service
  Object.assign(env, {DRV_BASE_URL: url, DRV_AUTH_URL: url, DRV_TOKEN: await localToken(data)})
})

afterAll(async () => {
  await service.close()
  remove()
})

function md5(bytes: Buffer): string {
  return createHash('md5').update(bytes).digest('hex')
}

/** The moments of the kills are the same every time. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return state / 2 ** 32
  }
}

/**
 * Starts a command and ends it with a signal, anywhere from its start to `longest` milliseconds
 * later. Gives the exit code, `null` for a process that was killed.
 */
function endedAfter(args: readonly string[], signal: NodeJS.Signals, milliseconds: number) {
  const child = startDrv(args, {env})
  const timer = setTimeout(() => child.kill(signal), milliseconds)
  return new Promise<number | null>(settle => {
    child.on('close', code => {
      clearTimeout(timer)
      settle(code)
    })
  })
}

const filesThere = () =>
  service.store.all<{id: string; md5: string}>(
    `SELECT f.id, b.md5 FROM files f JOIN revisions r ON r.file_id = f.id
       JOIN blobs b ON b.id = r.blob_id WHERE f.title = 'big.bin'`,
  )
const remembered = () => readdirSync(join(env.XDG_STATE_HOME!, 'drv', 'transfers'))
const parts = () => readdirSync(folder).filter(name => name.endsWith('.part'))

/**
 * Runs a command again and again, killed at random moments as often as `KILLS` says, until it ends
 * by itself. `check` looks around after each kill. Gives how often it was killed, which is up to
 * chance: where the fault is a lost answer, all bytes go up at full speed.
 */
async function persist(args: readonly string[], seed: number, check = () => {}): Promise<number> {
  const random = randomFrom(seed)
  for (let kills = 0; kills < KILLS; kills++) {
    const code = await endedAfter(args, 'SIGKILL', 300 + random() * 500)
    check()
    if (code === null) continue
    expect(code).toBe(0)
    return kills
  }
  const last = await runDrv(args, {env})
  expect(last.stderr).toBe('')
  expect(last.code).toBe(0)
  return KILLS
}

describe('one large file', () => {
  test('goes up once, however often the client is killed', async () => {
    const kills = await persist(['files', 'insert', source, '--json'], 11)
    expect(kills).toBeGreaterThan(0)
    expect(filesThere().map(file => file.md5)).toEqual([sum])
    expect(remembered()).toEqual([])
  }, 120_000)

  test('comes down whole, however often the client is killed', async () => {
    const {id} = filesThere()[0]!
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
    const {id} = filesThere()[0]!
    const other = join(folder, 'other.bin')
    const args = ['files', 'get', id, '--download', other]
    for (let time = 700; (await list()).length === 0; time += 100) {
      // `null`: it was not even far enough to hear of the signal.
      expect([130, null]).toContain(await endedAfter(args, 'SIGINT', time))
    }
    const [known] = await list()
    expect(known).toMatchObject({kind: 'download', state: 'interrupted', path: other, size: SIZE})
    expect(parts()).toHaveLength(1)
    expect(
      statSync(join(env.XDG_STATE_HOME!, 'drv', 'transfers', remembered()[0]!)).mode & 0o77,
    ).toBe(0)
    const resumed = await runDrv(['transfers', 'resume', '--json'], {env})
    expect(resumed.json()).toEqual([{key: known!.key, result: 'done', path: other}])
    expect(md5(readFileSync(other))).toBe(sum)
    expect(await list()).toEqual([])
    expect(parts()).toEqual([])
  }, 60_000)

  test('discards what was interrupted', async () => {
    const copy = join(folder, 'copy.bin')
    writeFileSync(copy, content)
    for (let time = 600; (await list()).length === 0; time += 100) {
      await endedAfter(['files', 'insert', copy], 'SIGINT', time)
    }
    // One whose answer was lost is there before its sender knows.
    const copies = () =>
      service.store.all<{md5: string}>(
        `SELECT b.md5 FROM files f JOIN revisions r ON r.file_id = f.id
         JOIN blobs b ON b.id = r.blob_id WHERE f.title = 'copy.bin'`,
      )
    const before = copies()
    expect(before.filter(({md5}) => md5 !== sum)).toEqual([])
    const [known] = await list()
    const {key} = known as {key: string}
    // The service was not asked yet how much it has.
    expect(known).toMatchObject({kind: 'upload', state: 'interrupted', size: SIZE})
    expect(known).not.toHaveProperty('done')
    const {session} = JSON.parse(
      readFileSync(join(env.XDG_STATE_HOME!, 'drv', 'transfers', `${key}.json`), 'utf8'),
    )
    const unclear = await runDrv(['transfers', 'discard'], {env})
    expect(unclear.code).toBe(2)
    const unknown = await runDrv(['transfers', 'discard', 'ffff0000'], {env})
    expect(unknown.code).toBe(5)
    const gone = await runDrv(['transfers', 'discard', key.slice(0, 6), '--json'], {env})
    expect(gone.json()).toEqual([{key, result: 'discarded', path: copy}])
    expect(remembered()).toEqual([])
    expect(copies()).toEqual(before)
    const sessions = service.store.all<{id: string}>('SELECT id FROM uploads')
    expect(sessions.filter(({id}) => String(session).includes(id))).toEqual([])
  }, 60_000)
})

test('a revision comes down with its own content', async () => {
  const file = join(folder, 'versions.txt')
  const run = async (...args: string[]) => {
    const result = await runDrv([...args, '--json'], {env})
    if (result.code !== 0) throw new Error(result.stderr)
    return result.json()
  }
  writeFileSync(file, 'one')
  const {id, headRevisionId} = await run('files', 'insert', file)
  writeFileSync(file, 'two')
  await run('files', 'update', id, file)
  const old = join(folder, 'old.txt')
  const saved = await run('revisions', 'get', id, headRevisionId, '--download', old)
  expect(saved).toMatchObject({path: old, size: 3, md5: md5(Buffer.from('one'))})
  expect(readFileSync(old, 'utf8')).toBe('one')
})

test('one large file gets new content once, however often the client is killed', async () => {
  const {id} = filesThere()[0]!
  const newer = join(folder, 'newer.bin')
  writeFileSync(newer, Buffer.concat([content, content.subarray(0, 5)]))
  const kills = await persist(['files', 'update', id, newer], 13)
  expect(kills).toBeGreaterThan(0)
  expect(filesThere().map(file => file.md5)).toEqual([sum, md5(readFileSync(newer))])
  expect(remembered()).toEqual([])
}, 120_000)
