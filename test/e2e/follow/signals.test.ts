import {type ChildProcess, spawn} from 'node:child_process'
import {once} from 'node:events'
import {existsSync, readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, expect, test} from 'vitest'
import {BINARY} from '../../support/drv.js'
import {serve} from '../../support/serve.js'
import {startWorld, type World} from '../../support/world.js'

let world: World
let root: string
beforeAll(async () => {
  world = await startWorld()
  const answer = await fetch(`${world.url}/drive/v2/files/root`, {
    headers: {authorization: `Bearer ${world.env.DRV_TOKEN}`},
  })
  root = ((await answer.json()) as {id: string}).id
})
afterAll(() => world.close())

/** A follower of a new folder, once it follows. */
async function start(title: string, ...more: string[]) {
  const id = await world.make(title, root)
  const follower = () => {
    const args = ['follow', `/${title}`, '--resume', ...more]
    const child = spawn(process.execPath, [BINARY, ...args], {env: {...world.env}})
    const told = {stdout: '', stderr: ''}
    child.stdout.on('data', (chunk: Buffer) => (told.stdout += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (told.stderr += chunk.toString()))
    return {child, told}
  }
  const first = follower()
  await expect.poll(() => first.told.stderr).toContain('Following')
  return {id, follower, ...first}
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<unknown> {
  const ended = once(child, 'close')
  child.kill(signal)
  return (await ended)[0]
}

test('Ctrl-C ends it with 130, and the next run continues', async () => {
  const {id, follower, child, told} = await start('interrupted')
  await world.make('a.txt', id, 'a')
  await expect.poll(() => told.stdout).toContain('/interrupted/a.txt')
  expect(await end(child, 'SIGINT')).toBe(130)
  expect(told.stderr).toRead()
  await world.make('b.txt', id, 'b')
  const next = follower()
  await expect.poll(() => next.told.stdout).toContain('/interrupted/b.txt')
  expect(await end(next.child, 'SIGTERM')).toBe(0)
  expect(next.told.stdout).not.toContain('a.txt')
  expect(next.told.stdout.split('\n')).toHaveLength(2)
})

test('SIGTERM waits for the running command, and what it was for does not come again', async () => {
  const [begun, mayEnd] = ['begun', 'may-end'].map(name => join(world.folder, name))
  const script = `echo "$1" >> '${begun}'; while test ! -e '${mayEnd}'; do sleep 0.05; done`
  const {id, follower, child} = await start('working', '--shell', '--exec', script)
  await world.make('a.txt', id, 'a')
  await world.make('b.txt', id, 'b')
  await expect.poll(() => existsSync(begun!)).toBe(true)
  const ended = end(child, 'SIGTERM')
  writeFileSync(mayEnd!, '')
  expect(await ended).toBe(0)
  const next = follower()
  await expect.poll(() => readFileSync(begun!, 'utf8')).toBe('/working/a.txt\n/working/b.txt\n')
  expect(await end(next.child, 'SIGTERM')).toBe(0)
})

test('a signal also ends the requests before the first changes', async () => {
  let requests = 0
  // It never responds.
  const {url} = await serve(() => void (requests += 1))
  const env = {...world.env, DRV_BASE_URL: url, DRV_AUTH_URL: url}
  const child = spawn(process.execPath, [BINARY, 'follow', '/a'], {env})
  await expect.poll(() => requests, {timeout: 10_000}).toBeGreaterThan(0)
  expect(await end(child, 'SIGINT')).toBe(130)
})
