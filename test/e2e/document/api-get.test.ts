import {createServer} from 'node:http'
import type {AddressInfo} from 'node:net'
import {afterAll, beforeAll, expect, onTestFinished, test} from 'vitest'
import {runHere} from '../../support/here.js'
import {startWorld, type World} from '../../support/world.js'

let world: World
beforeAll(async () => {
  world = await startWorld({}, runHere)
})
afterAll(() => world.close())

test('api get reads a path with its query, as the method of that path', async () => {
  const id = await world.make('read.txt', 'root', 'text')
  await world.make('other.txt', 'root', 'text')
  const about = await world.run('api get', ['about', '--jq', '.user.emailAddress'])
  expect(about).toMatchObject({code: 0, stdout: 'local@example.com\n'})
  for (const path of [`files/${id}?fields=id,title`, `/drive/v2/files/${id}?fields=id,title`]) {
    const read = await world.run('api get', [path, '--json'])
    expect(read.json()).toEqual({id, title: 'read.txt'})
  }
  const all = await world.run('api get', ['files?maxResults=1', '--all', '--format', 'ids'])
  expect(all.stdout.trimEnd().split('\n').length).toBeGreaterThan(1)
  for (const path of ['../about', 'https://example.com/about', 'about?access_token=secret']) {
    const refused = await world.run('api get', [path])
    expect(refused.code).toBe(2)
    expect(refused.stderr).toRead()
  }
})

test('content is written as it is', async () => {
  const id = await world.make('content.txt', 'root', 'as it is')
  expect((await world.run('api get', [`files/${id}?alt=media`])).stdout).toBe('as it is')
})

test('a path that the description does not contain is read anyway, below the base URL', async () => {
  expect(await world.run('api get', ['nope'])).toMatchObject({code: 5})
  const seen: string[] = []
  const server = createServer(({method, url, headers}, response) => {
    seen.push(`${method} ${url} ${headers.authorization}`)
    response.setHeader('content-type', 'application/json')
    response.end('{"kind": "news", "items": [{"id": "1"}, {"id": "2"}]}')
  })
  onTestFinished(() => void server.close())
  await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const env = {DRV_BASE_URL: url, DRV_AUTH_URL: url, DRV_TOKEN: 'a-token'}
  const read = (...words: string[]) => world.run('api get', [...words, '--built-in'], {env})
  const all = await read('news/a%20b?since=2026-01-01&tag=x', '--jq', '.items[].id')
  expect(all).toMatchObject({code: 0, stdout: '1\n2\n'})
  expect(seen).toEqual(['GET /drive/v2/news/a%20b?since=2026-01-01&tag=x Bearer a-token'])
  expect((await read('news', '--dry-run')).stdout).toMatch(/^GET \S+\/drive\/v2\/news\n/)
  expect((await read('../../other')).code).toBe(2)
  for (const flag of ['--nosuch', '--columns=nosuch']) {
    const refused = await read('news', flag)
    expect(refused).toMatchObject({code: 2})
    expect(refused.stderr).toContain('drv api get')
    expect(refused.stderr).not.toContain('api call')
  }
  expect(seen).toHaveLength(1)
})
