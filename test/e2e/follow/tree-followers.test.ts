import {once} from 'node:events'
import {mkdirSync, readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, expect, test} from 'vitest'
import {openStore, type Store} from '#lib/service/store/index.js'
import {startDrv} from '../../support/drv.js'
import {runHere} from '../../support/here.js'
import {startWorld, type World} from '../../support/world.js'

/** `push --follow` and `pull --follow`: records for programs, new sign-ins, and notifications. */

let world: World
let store: Store
let env: Record<string, string>
beforeAll(async () => {
  world = await startWorld({}, runHere)
  store = openStore(world.data)
  env = {...world.env, DRV_TOKEN: ''}
  await signIn()
})
afterAll(async () => {
  store.close()
  await world.close()
})

async function signIn(): Promise<void> {
  const input = await world.token(['drive'])
  const args = ['--with-token', '--insecure-storage']
  const {code, stderr} = await world.run('auth login', args, {env, input})
  expect(code, stderr).toBe(0)
}

/** Signs in again; the service refuses the earlier token. */
async function signInAgain(): Promise<void> {
  const [old] = store.all<{id: number}>('SELECT max(id) AS id FROM tokens')
  await signIn()
  store.run('UPDATE tokens SET revoked_at = 1 WHERE id = :id', {id: old!.id})
}

const channels = () => store.all<{id: string}>('SELECT id FROM channels')

async function start(...args: string[]) {
  const child = startDrv([...args, '--follow'], {env, cwd: world.folder})
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', chunk => (stdout += chunk))
  child.stderr.on('data', chunk => (stderr += chunk))
  const closed = once(child, 'close')
  // With --json, there are no notices, but a record of the first round.
  await expect.poll(() => stdout + stderr, {timeout: 15_000}).toMatch(/Following|seconds/)
  return {
    stdout: () => stdout,
    async end() {
      child.kill('SIGTERM')
      const [code] = (await closed) as [number]
      return {code, stdout, stderr}
    },
  }
}

test('push prints a record per round, and continues with a new sign-in', async () => {
  const folder = join(world.folder, 'local')
  mkdirSync(folder)
  const top = await world.make('pushed', 'root')
  const {stdout, end} = await start('push', 'local/', top, '--format', 'ndjson')
  for (const name of ['first.txt', 'second.txt']) {
    await signInAgain()
    const before = stdout()
    writeFileSync(join(folder, name), name)
    await expect.poll(stdout, {timeout: 15_000}).not.toBe(before)
  }
  const {code, stdout: text} = await end()
  expect(code).toBe(0)
  const records = text
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as object)
  expect(records).toMatchObject([
    {created: 1, replaced: 0, bytes: 9, moved: [], conflicts: [], failed: []},
    {created: 1, bytes: 10},
  ])
  expect((await world.children(top)).map(({title}) => title).sort()).toEqual([
    'first.txt',
    'second.txt',
  ])
}, 60_000)

test('pull listens, prints records as one JSON document, and continues with a new sign-in', async () => {
  const top = await world.make('pulled', 'root')
  await world.make('first.txt', top, 'first')
  const {end} = await start('pull', `${top}/`, 'copy', '--json', '--listen')
  await expect.poll(() => channels().length, {timeout: 10_000}).toBe(1)
  await signInAgain()
  await world.make('third.txt', top, 'third')
  const read = () => {
    try {
      return readFileSync(join(world.folder, 'copy/third.txt'), 'utf8')
    } catch {
      return undefined
    }
  }
  await expect.poll(read, {timeout: 15_000}).toBe('third')
  const {code, stdout, stderr} = await end()
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject([{created: 1}, {created: 1, bytes: 5}])
  expect(channels()).toEqual([])
  expect(stderr).not.toContain('Error')
}, 60_000)

test('many transfers at a time print no warning of Node', async () => {
  const folder = join(world.folder, 'many')
  mkdirSync(folder)
  for (let n = 0; n < 40; n++) writeFileSync(join(folder, `${n}`), `${n}`)
  const top = await world.make('many', 'root')
  const push = await start('push', 'many/', top)
  await expect.poll(async () => (await world.children(top)).length, {timeout: 15_000}).toBe(40)
  const pull = await start('pull', `${top}/`, 'many again')
  for (const {end} of [push, pull]) expect((await end()).stderr).not.toContain('Warning')
}, 60_000)

test('a pull by ID into a folder of its name lists only changes', async () => {
  const top = await world.make('by ID', 'root')
  await world.make('a.txt', top, 'a')
  const pull = () => world.run('pull', [top, `${world.folder}/`, '--verbose'], {env})
  expect((await pull()).code).toBe(0)
  expect(readFileSync(join(world.folder, 'by ID/a.txt'), 'utf8')).toBe('a')
  const {code, stderr} = await pull()
  expect(code).toBe(0)
  expect(stderr.match(/^GET /gm)).toHaveLength(2)
  expect(stderr.replaceAll(/^GET .*\n/gm, '')).toRead()
})

test('--listen requires --follow', async () => {
  const {code, stderr} = await world.run('pull', ['/', 'copy', '--listen'], {env})
  expect(code).toBe(2)
  expect(stderr).toRead()
})
