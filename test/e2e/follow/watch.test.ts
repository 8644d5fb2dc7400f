import {type ChildProcess} from 'node:child_process'
import {once} from 'node:events'
import {request as forward} from 'node:http'
import {afterAll, beforeAll, expect, test} from 'vitest'
import {openReceiver} from '#lib/follow/receiver.js'
import {startDrv} from '../../support/drv.js'
import {runHere} from '../../support/here.js'
import {serve} from '../../support/serve.js'
import {startWorld, type World} from '../../support/world.js'

let world: World
beforeAll(async () => {
  world = await startWorld({}, runHere)
  for (const name of ['a.txt', 'b.txt']) await world.make(name, 'root', 'x')
})
afterAll(() => world.close())

/** Starts a command that receives notifications, and waits until it does. */
async function listening(line: string) {
  const child = startDrv(line.split(' '), {env: world.env, cwd: world.folder})
  let [out, err] = ['', '']
  child.stdout.on('data', chunk => (out += chunk))
  child.stderr.on('data', chunk => (err += chunk))
  await expect.poll(() => err, {timeout: 10_000}).toContain('Press Ctrl-C to stop')
  const url = /http:\S+\//.exec(err)?.[0] ?? ''
  return {
    child,
    url,
    stderr: () => err.replaceAll(/:\d+\//g, ':PORT/'),
    lines: () => out.split('\n').filter(Boolean),
  }
}

async function end(child: ChildProcess, signal: NodeJS.Signals) {
  child.kill(signal)
  const [code] = (await once(child, 'close')) as [number | null]
  return code
}

const list = async () => (await world.drv('channels list')) as Record<string, unknown>[]

test('changes watch --listen prints notifications until Ctrl-C, and stops its channel', async () => {
  const {child, lines, stderr} = await listening('changes watch --format ndjson --listen')
  expect(await list()).toMatchObject([{state: 'listening', watches: 'changes'}])
  await world.make('one', 'root', '1')
  await expect.poll(() => lines().join('')).toContain('"change"')
  expect(await end(child, 'SIGINT')).toBe(130)
  expect(JSON.parse(lines()[0]!)).toMatchObject({
    state: 'change',
    number: 2,
    channel: expect.any(String),
  })
  expect(stderr()).toRead()
  expect(await list()).toEqual([])
})

test('files watch --listen watches several files, and ignores the requests of others', async () => {
  const {child, url, lines, stderr} = await listening(
    'files watch --format ndjson --listen 0 /a.txt /b.txt',
  )
  const [channel] = await list()
  const forged = {
    'x-goog-channel-id': String(channel!.id),
    'x-goog-channel-token': 'guess',
    'x-goog-resource-id': String(channel!.resourceId),
    'x-goog-resource-state': 'trash',
  }
  expect((await fetch(url, {method: 'POST', headers: forged})).status).toBe(404)
  await world.run('rename /b.txt b2.txt')
  await world.run('rm /a.txt')
  await expect.poll(() => lines().length).toBe(2)
  expect(await end(child, 'SIGTERM')).toBe(0)
  const rows = lines().map(line => JSON.parse(line) as Record<string, unknown>)
  expect(rows.map(({state, file}) => `${String(state)} ${String(file)}`).sort()).toEqual([
    'trash /a.txt',
    'update /b.txt',
  ])
  expect(stderr()).toRead()
  expect(await list()).toEqual([])
})

/** A port that nothing uses. */
async function freePort(): Promise<string> {
  const {url, close} = await openReceiver({host: '127.0.0.1', port: 0})
  await close()
  return new URL(url).port
}

test('follow --listen prints changes of which it is notified, through a proxy', async () => {
  const forwarded: string[] = []
  let target = ''
  const proxy = await serve((request, response) => {
    forwarded.push(request.url!)
    const {method, headers} = request
    request.pipe(
      forward(target, {method, headers}, ({statusCode = 502}) => {
        response.writeHead(statusCode).end()
      }),
    )
  })
  const port = await freePort()
  target = `http://127.0.0.1:${port}/`
  const {child, lines, stderr} = await listening(
    `follow --format ndjson --listen ${port} --public-url ${proxy.url}/drv`,
  )
  await expect.poll(list).toMatchObject([{state: 'listening', watches: 'changes'}])
  await world.make('two', 'root', '2')
  await expect.poll(() => lines().length, {timeout: 5000}).toBe(1)
  expect(JSON.parse(lines()[0]!)).toMatchObject({path: '/two'})
  expect(forwarded).toEqual(['/drv', '/drv'])
  expect(await end(child, 'SIGTERM')).toBe(0)
  expect(stderr()).toRead()
  expect(await list()).toEqual([])
})

test('follow asks for changes if the service refuses to notify it', async () => {
  const {child, lines, stderr} = await listening('follow --format ndjson --listen 0.0.0.0')
  await expect.poll(stderr).toContain('Polling')
  await world.make('three', 'root', '3')
  await expect.poll(() => lines().length, {timeout: 10_000}).toBe(1)
  expect(await end(child, 'SIGINT')).toBe(130)
  expect(stderr()).toRead()
})

test('a killed command leaves its channel in the list, from where it can be stopped', async () => {
  const {child} = await listening('changes watch --listen')
  await end(child, 'SIGKILL')
  expect(await list()).toMatchObject([{state: 'open'}])
  expect((await world.run('channels stop --all')).code).toBe(0)
  expect(await list()).toEqual([])
})

test('a channel that the service refuses ends the command', async () => {
  const result = await world.run('changes watch --listen 0.0.0.0')
  expect(result.code).toBe(1)
  expect(result.stderr.replace(/:\d+\//, ':PORT/')).toRead()
  expect(await list()).toEqual([])
})

test('an address that is taken ends the command', async () => {
  const {host} = new URL(world.url)
  const result = await world.run(`changes watch --listen ${host}`)
  expect(result.code).toBe(1)
  expect(result.stderr.replace(/:\d+/, ':PORT')).toRead()
})

test('a dry run shows the request', async () => {
  const line = 'changes watch --listen --public-url https://hooks.example.com/drv --dry-run'
  const result = await world.run(line)
  expect(result.code).toBe(0)
  expect(result.stdout).toContain('"address": "https://hooks.example.com/drv"')
  expect(await list()).toEqual([])
})

test.each([
  'changes watch --listen /Reports',
  'changes watch --listen 70000',
  'changes watch --listen 127.0.0.1:70000',
  'changes watch --listen 1.2.3.4:x',
  'changes watch --listen --address https://example.com/',
  'changes watch --listen --channel-token x',
  'files watch /a.txt --listen --from -',
  'changes watch --listen --public-url http://example.com/',
  'changes watch --listen --public-url https://me:secret@example.com/',
  'changes watch --public-url https://example.com/',
  'follow --listen --once',
  'follow --listen /a.txt',
])('%s', async line => {
  const result = await world.run(line)
  expect(result.code).toBe(2)
  expect(result.stderr).toRead()
})
