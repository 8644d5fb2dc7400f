import {once} from 'node:events'
import {existsSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, expect, test} from 'vitest'
import {openStore, type Store} from '#lib/service/store/index.js'
import {startDrv} from '../../support/drv.js'
import {runHere} from '../../support/here.js'
import {startWorld, type World} from '../../support/world.js'

/** However a command that listens ends, the service has no channel afterwards. */

let world: World
let store: Store
beforeAll(async () => {
  world = await startWorld({}, runHere)
  store = openStore(world.data)
})
afterAll(async () => {
  store.close()
  await world.close()
})

const channels = () => store.all<{id: string}>('SELECT id FROM channels')
const recorded = (env: World['env']) => {
  const file = join(env.XDG_STATE_HOME!, 'drv', 'channels.json')
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as object[]) : []
}

/** Starts a command, and waits until the service has its channel. */
async function start(line: string, env = world.env) {
  const child = startDrv(line.split(' '), {env, cwd: world.folder})
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', chunk => (stdout += chunk))
  child.stderr.on('data', chunk => (stderr += chunk))
  const closed = once(child, 'close')
  await expect.poll(() => recorded(env).length, {timeout: 10_000}).toBe(1)
  expect(channels()).toHaveLength(1)
  const code = async () => ((await closed) as [number | null])[0]
  return {child, code, stdout: () => stdout, stderr: () => stderr.replaceAll(/:\d+\//g, ':PORT/')}
}

test.each(['follow --listen --timeout 2', 'changes watch --timeout 2 --listen'])(
  '%s',
  async line => {
    const {code, stderr} = await start(line)
    expect(await code()).toBe(8)
    expect(stderr()).toRead()
    expect(channels()).toEqual([])
    expect(recorded(world.env)).toEqual([])
  },
)

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 0],
] as const)('%s', async (signal, status) => {
  const {child, code} = await start('follow --listen')
  child.kill(signal)
  expect(await code()).toBe(status)
  expect(channels()).toEqual([])
})

test('a command that fails', async () => {
  const {code} = await start('follow --listen --exec false --retries 0')
  await world.make('a', 'root', 'a')
  expect(await code()).toBe(1)
  expect(channels()).toEqual([])
})

test.each(['follow --listen', 'changes watch --listen'])(
  'a closed output: %s',
  async line => {
    const {child, code} = await start(line)
    child.stdout.destroy()
    // The second one is written to the closed output at the latest.
    for (const name of ['b', 'c']) await world.make(name, 'root', name)
    expect(await code()).toBe(0)
    expect(channels()).toEqual([])
  },
  20_000,
)

test('new sign-ins: the service refuses the earlier ones', async () => {
  const env: Record<string, string> = {
    ...world.env,
    XDG_STATE_HOME: join(world.folder, 'other'),
    DRV_TOKEN: '',
  }
  const signIn = async () => {
    const input = await world.token(['drive'])
    const args = ['--with-token', '--insecure-storage']
    const {code, stderr} = await world.run('auth login', args, {
      env,
      input,
    })
    expect(code, stderr).toBe(0)
  }
  await signIn()
  const {child, code, stdout, stderr} = await start('follow --listen', env)
  for (const name of ['first', 'second']) {
    const [old] = store.all<{id: number}>('SELECT max(id) AS id FROM tokens')
    await signIn()
    store.run('UPDATE tokens SET revoked_at = 1 WHERE id = :id', {id: old!.id})
    await world.make(name, 'root', name)
    await expect.poll(stdout, {timeout: 10_000}).toContain(`/${name}\t`)
  }
  child.kill('SIGTERM')
  expect(await code()).toBe(0)
  expect(channels()).toEqual([])
  expect(stderr()).toRead()
})
