import {createHash, randomBytes} from 'node:crypto'
import {mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, expect, test} from 'vitest'
import {readFaultPlan} from '../../src/lib/service/faults/read.js'
import {createService, type Service} from '../../src/lib/service/index.js'
import {freshEnvironment, runDrv, startDrv, temporaryFolder} from './drv.js'

/**
 * A service that fails in every way it can, and a client that is killed again and again: in the end
 * every file is there, once and whole, and nothing else is.
 */

const FILES = 1000
const KILLS = 20
const FAULTS = {
  seed: 7,
  rules: [
    {operations: '*', fault: 'status', status: 503, probability: 0.1},
    {operations: '*', fault: 'reset', probability: 0.025},
    {operations: '*', fault: 'reset', at: 'response', after: 100, probability: 0.025},
    {operations: '*', fault: 'lose', probability: 0.05},
    {operations: '*', fault: 'status', status: 429, retryAfter: 1, every: 300},
    {operations: '*', fault: 'rateLimit', perSecond: 300},
  ],
}

const {path: folder, remove} = temporaryFolder()
const source = join(folder, 'source')
const env = freshEnvironment(join(folder, 'home'))
const sums = new Map<string, string>()
let service: Service
let token: string
let top: string

/** A generator of its own, so that the moments of the kills are the same every time. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return state / 2 ** 32
  }
}

beforeAll(async () => {
  for (let index = 0; index < FILES; index++) {
    const name = `d${index % 4}/e${index % 2}/f${index}.bin`
    mkdirSync(join(source, name, '..'), {recursive: true})
    const content = randomBytes(index % 50 === 0 ? 0 : 512 + index)
    writeFileSync(join(source, name), content)
    sums.set(name, createHash('md5').update(content).digest('hex'))
  }
  const data = join(folder, 'service')
  service = await createService({data, faults: readFaultPlan(JSON.stringify(FAULTS))})
  token = (await runDrv(['local', 'token', '--data', data], {env})).stdout.trim()
  Object.assign(env, {DRV_BASE_URL: service.url, DRV_AUTH_URL: service.url, DRV_TOKEN: token})
  const type = 'application/vnd.google-apps.folder'
  const made = await runDrv(['files', 'insert', '--title', 'top', '--mime-type', type, '--json'], {
    env,
  })
  top = made.json<{id: string}>().id
}, 60_000)

afterAll(async () => {
  await service.close()
  remove()
})

/**
 * Starts a command and kills it when some files more are there, many times; then lets it end. Gives
 * its last words.
 */
async function killedAgainAndAgain(
  args: readonly string[],
  filesThere: () => number,
  random: () => number,
) {
  for (let kills = 0; kills < KILLS; kills++) {
    const enough = filesThere() + 1 + random() * 2 * (FILES / KILLS - 5)
    const child = startDrv(args, {env})
    const ended = new Promise<number | null>(settle => child.on('close', settle))
    const watch = setInterval(() => filesThere() >= enough && child.kill('SIGKILL'), 10)
    const code = await ended
    clearInterval(watch)
    // Everything was there before the last kills.
    if (code !== null) expect(filesThere()).toBe(FILES)
  }
  return runDrv([...args, '--json'], {env})
}

interface Row {
  readonly id: string
  readonly parent_id: string
  readonly title: string
  readonly md5: string | null
}

/** All that is below the folder, as the service itself knows it. */
function filesInService(): string[] {
  const rows = service.store.all<Row>(
    // One row for each revision: content that came twice would show.
    `WITH RECURSIVE below (id) AS (
       SELECT :top UNION ALL SELECT f.id FROM files f JOIN below b ON f.parent_id = b.id)
     SELECT f.id, f.parent_id, f.title, b.md5 FROM files f
       LEFT JOIN revisions r ON r.file_id = f.id
       LEFT JOIN blobs b ON b.id = r.blob_id
     WHERE f.id IN below AND f.id <> :top`,
    {top},
  )
  const byId = new Map(rows.map(row => [row.id, row]))
  const pathOf = ({parent_id, title}: Row): string => {
    const parent = byId.get(parent_id)
    return parent ? `${pathOf(parent)}/${title}` : title
  }
  return rows.map(row => `${pathOf(row)} ${row.md5 ?? 'folder'}`).sort()
}

const folders = ['d0', 'd0/e0', 'd1', 'd1/e1', 'd2', 'd2/e0', 'd3', 'd3/e1']

test('up: every file is there once, with its MD5', async () => {
  const filesUp = () =>
    service.store.get<{n: number}>("SELECT count(*) AS n FROM files WHERE title LIKE '%.bin'")!.n
  const last = await killedAgainAndAgain(['push', `${source}/`, top], filesUp, randomFrom(1))
  expect(last.stderr).not.toContain('Failed:')
  expect(last.code).toBe(0)
  expect(filesInService()).toEqual(
    [
      ...[...sums].map(([name, sum]) => `${name} ${sum}`),
      ...folders.map(name => `${name} folder`),
    ].sort(),
  )
}, 600_000)

test('down: every file is there with its MD5, and no half one is left', async () => {
  const target = join(folder, 'target')
  const namesThere = () =>
    readdirSync(target, {recursive: true, encoding: 'utf8'}).filter(name => name.endsWith('.bin'))
  mkdirSync(target)
  const filesDown = () => namesThere().length
  const last = await killedAgainAndAgain(['pull', `${top}/`, target], filesDown, randomFrom(2))
  expect(last.stderr).not.toContain('Failed:')
  expect(last.code).toBe(0)
  const found = readdirSync(target, {recursive: true, withFileTypes: true})
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .map(file => [
      file.slice(target.length + 1),
      createHash('md5').update(readFileSync(file)).digest('hex'),
    ])
  expect(new Map(found as Array<[string, string]>)).toEqual(sums)
}, 600_000)
