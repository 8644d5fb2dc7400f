import {mkdtempSync, rmSync, writeFileSync} from 'node:fs'
import {createServer} from 'node:http'
import type {AddressInfo} from 'node:net'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test} from 'vitest'
import {BUILTIN_CLIENT_ID, DEVICE_GRANT} from '#lib/api/wire.js'
import {createLocalService} from '#lib/local/create-local-service.js'
import type {LocalService, LocalServiceOptions} from '#lib/local/types.js'

/** `drv/local`: the local service in a program. */

let service: LocalService
beforeAll(async () => {
  service = await createLocalService({clock: '2027-03-01T12:00:00Z', rateLimit: 1000})
})
beforeEach(() => service.reset())
afterAll(() => service.close())

async function call(path: string, options: {token?: string; method?: string; body?: object} = {}) {
  const {token = service.token(), method = 'GET', body} = options
  const response = await fetch(service.baseUrl + path, {
    method,
    headers: {authorization: `Bearer ${token}`, 'content-type': 'application/json'},
    body: body && JSON.stringify(body),
  })
  const text = await response.text()
  return {status: response.status, headers: response.headers, body: text && JSON.parse(text)}
}

const insert = (body: object = {title: 'a'}) => call('/drive/v2/files', {method: 'POST', body})

async function form(path: string, fields: Record<string, string>) {
  const response = await fetch(service.authUrl + path, {
    method: 'POST',
    headers: {accept: 'application/json'},
    body: new URLSearchParams({client_id: BUILTIN_CLIENT_ID, ...fields}),
  })
  return (await response.json()) as Record<string, string>
}

async function startSignIn() {
  const {user_code = '', device_code = ''} = await form('/login/device/code', {scope: 'drive'})
  const poll = () => form('/login/oauth/access_token', {device_code, grant_type: DEVICE_GRANT})
  return {code: user_code, poll}
}

const MINUTE = 60_000

test('a token has its user, scopes and lifetime', async () => {
  const token = service.token({user: 'ada', scopes: ['drive.readonly'], expiresIn: '15m'})
  const about = await call('/drive/v2/about', {token})
  expect(about.body.user.emailAddress).toBe('ada@example.com')
  expect((await call('/drive/v2/files', {token, method: 'POST', body: {}})).status).toBe(403)
  await service.clock.advance('+16m')
  expect((await call('/drive/v2/about', {token})).status).toBe(401)
  expect((await call('/drive/v2/about', {token: service.token({expiresIn: 1})})).status).toBe(200)
  expect(() => service.token({scopes: ['everything']})).toThrow('Unknown scope: everything.')
  expect(() => service.token({user: ' '})).toThrow('Invalid user')
  expect(() => service.token({expiresIn: 'soon'})).toThrow('Invalid duration "soon"')
})

test('reset restores data, users, clock, failures and requests', async () => {
  const token = service.token({user: 'ada'})
  await insert()
  await service.clock.set('2028-01-01T00:00:00Z')
  service.faults({rules: [{operations: '*', fault: 'status', status: 503}]})
  expect((await call('/drive/v2/files')).status).toBe(503)
  await service.reset()
  expect(service.requests()).toEqual([])
  expect(Math.abs(service.clock.now() - Date.UTC(2027, 2, 1, 12))).toBeLessThan(10 * MINUTE)
  expect((await call('/drive/v2/about', {token})).status).toBe(401)
  const {body} = await call('/drive/v2/files')
  expect(body.items).toEqual([])
})

test('a snapshot is restored as often as needed, by its own service only', async () => {
  await insert({title: 'kept'})
  const snapshot = await service.snapshot()
  for (let round = 0; round < 2; round++) {
    await insert({title: 'new'})
    await service.clock.advance('30d')
    await service.restore(snapshot)
    expect((await call('/drive/v2/files')).body.items).toMatchObject([{title: 'kept'}])
    expect(service.clock.now() - snapshot.time).toBeLessThan(10 * MINUTE)
  }
  await expect(service.restore({time: 0})).rejects.toThrow('belongs to another service')
})

describe('the clock', () => {
  test('moves forwards only', async () => {
    const now = await service.clock.advance(1000)
    await expect(service.clock.set(now - 1)).rejects.toThrow('cannot move back')
    await expect(service.clock.set('soon')).rejects.toThrow('Invalid time "soon"')
    await expect(service.clock.advance(-1)).rejects.toThrow('Invalid duration')
    expect(await service.clock.set(new Date(now + MINUTE))).toBeGreaterThanOrEqual(now + MINUTE)
  })

  test('ends codes, and fills limits again', async () => {
    const {code, poll} = await startSignIn()
    const used = async () => Number((await call('/drive/v2/about')).headers.get('x-ratelimit-used'))
    expect([await used(), await used()]).toEqual([1, 2])
    await service.clock.advance('1h')
    expect(await used()).toBe(1)
    expect((await poll()).error).toBe('expired_token')
    expect(() => service.approve(code)).toThrow(/has expired/)
  })

  test('has the notifications sent that are due, and channels end', async () => {
    const received: string[] = []
    const receiver = createServer((request, response) => {
      received.push(String(request.headers['x-goog-resource-state']))
      // The first attempt fails, and the next one is due a second later.
      response.writeHead(received.length === 1 ? 503 : 200).end()
    })
    await new Promise<void>(resolve => receiver.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void receiver.close())
    const address = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
    const body = {id: 'c', type: 'web_hook', address}
    expect((await call('/drive/v2/changes/watch', {method: 'POST', body})).status).toBe(200)
    await expect.poll(() => received).toEqual(['sync'])
    await service.clock.advance('1m')
    expect(received).toEqual(['sync', 'sync'])
    await service.clock.advance('30d')
    await insert()
    await service.clock.advance('1m')
    expect(received).toHaveLength(2)
  })
})

test('approve decides a sign-in', async () => {
  service.token({user: 'ada'})
  const first = await startSignIn()
  service.approve(first.code.toLowerCase(), {as: 'ada'})
  const {access_token: token} = await first.poll()
  const {body} = await call('/drive/v2/about', {token})
  expect(body.user.emailAddress).toBe('ada@example.com')
  expect(() => service.approve(first.code)).toThrow('has already been used')
  const second = await startSignIn()
  expect(() => service.approve(second.code, {as: 'bert'})).toThrow('"bert"')
  service.approve(second.code, {deny: true})
  expect((await second.poll()).error).toBe('access_denied')
  expect(() => service.approve('BCDF-3467')).toThrow('No sign-in is waiting')
  expect(() => service.approve(`${service.baseUrl}/orgs/acme/sso`)).toThrow('single sign-on')
})

test('requests tells what was asked, without tokens', async () => {
  const token = service.token({user: 'ada', scopes: ['drive']})
  await call('/drive/v2/files?q=trashed=false', {token})
  await call('/drive/v2/files/none', {token, method: 'DELETE'})
  service.faults('{"rules": [{"operations": "files.get", "fault": "status", "status": 500}]}')
  await call('/drive/v2/files/root', {token})
  service.faults()
  await form('/login/oauth/access_token', {})
  const scopes = ['https://www.googleapis.com/auth/drive']
  const caller = {user: 'ada', scopes}
  expect(service.requests()).toMatchObject([
    {method: 'GET', path: '/drive/v2/files', operation: 'files.list', status: 200, ...caller},
    {operation: 'files.delete', status: 404, reason: 'notFound', ...caller},
    {operation: 'files.get', status: 500, fault: 'status'},
    {method: 'POST', path: '/login/oauth/access_token', reason: 'unsupported_grant_type'},
  ])
  expect(JSON.stringify(service.requests())).not.toContain(token)
  expect(service.requests({method: 'delete'})).toHaveLength(1)
  expect(service.requests({operation: 'files.list'})).toHaveLength(1)
  expect(service.requests({path: '/drive/v2/files'})).toHaveLength(1)
  expect(service.requests({path: /^\/login/})).toHaveLength(1)
})

test('the calls of a batch are requests as well', async () => {
  const part = 'Content-Type: application/http\r\n\r\nGET /drive/v2/about\r\n\r\n'
  const response = await fetch(`${service.baseUrl}/batch/drive/v2`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${service.token()}`,
      'content-type': 'multipart/mixed; boundary=b',
    },
    body: `--b\r\n${part}--b--`,
  })
  await response.text()
  const kept = service.requests().map(({operation, path}) => operation ?? path)
  expect(kept.toSorted()).toEqual(['/batch/drive/v2', 'about.get'])
})

test.each<[string, LocalServiceOptions, string]>([
  ['a time', {clock: 'soon'}, 'Invalid time "soon"'],
  ['a plan', {faults: {rules: [{operations: '*', fault: 'reset', after: -1}]}}, 'rules[0].after'],
  ['a user', {approve: ''}, 'Invalid approve'],
  ['a limit', {rateLimit: 0}, 'Invalid rateLimit'],
])('refuses %s that is not valid', async (_, options, message) => {
  await expect(createLocalService(options)).rejects.toThrow(message)
})

test('decides sign-ins itself, and uses a clock of the program', async () => {
  let now = Date.UTC(2030, 0, 1)
  await using other = await createLocalService({approve: 'ada', clock: () => now, pollInterval: 1})
  expect(other.clock.now()).toBe(now)
  now += 5
  expect(other.clock.now()).toBe(now)
  const outer = service
  service = other
  const {access_token: token} = await (await startSignIn()).poll()
  service = outer
  expect(token).toMatch(/^drvo_/)
})

test('with a data directory it continues there, and is not reset', async () => {
  const data = mkdtempSync(join(tmpdir(), 'drv-'))
  onTestFinished(() => rmSync(data, {recursive: true}))
  const first = await createLocalService({data})
  const token = first.token()
  await first.close()
  await using second = await createLocalService({data})
  const headers = {authorization: `Bearer ${token}`}
  expect((await fetch(`${second.baseUrl}/drive/v2/about`, {headers})).status).toBe(200)
  await expect(second.reset()).rejects.toThrow('Only an in-memory service')
  await expect(second.snapshot()).rejects.toThrow('Only an in-memory service')
})

describe('a seed', () => {
  const SEED = {
    users: [{login: 'ada', files: [{title: 'q3.txt', id: 'q3', text: 'third quarter'}]}],
  } as const

  test('is there at the start and after reset; its first user is the default', async () => {
    const own = await createLocalService({seed: SEED})
    onTestFinished(() => own.close())
    const get = async (path: string) => {
      const headers = {authorization: `Bearer ${own.token()}`}
      return (await fetch(`${own.baseUrl}/drive/v2/${path}`, {headers})).json() as Promise<any>
    }
    expect(await get('files/q3')).toMatchObject({ownerNames: ['ada']})
    await own.seed({files: [{title: 'more', id: 'more'}]})
    expect(await get('files/more')).toMatchObject({title: 'more'})
    await own.reset()
    expect((await get('files')).items).toMatchObject([{id: 'q3'}])
  })

  test('is read from a file, and refused as a whole', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'drv-'))
    onTestFinished(() => rmSync(folder, {recursive: true}))
    const path = join(folder, 'seed.yaml')
    writeFileSync(path, 'files:\n  - {path: seed.yaml, id: own}\n')
    await service.seed(path)
    expect((await call('/drive/v2/files/own')).body.title).toBe('seed.yaml')
    await expect(service.seed({files: [{title: 'a', id: 'a'}, {}]})).rejects.toThrow(
      'Invalid seed: files[1].title is missing.',
    )
    expect((await call('/drive/v2/files/a')).status).toBe(404)
    writeFileSync(path, 'files:\n  - {name: a}\n')
    await expect(createLocalService({seed: path})).rejects.toMatchObject({
      name: 'SeedError',
      message: expect.stringContaining(`${path}:2: files[0].name is unknown`),
    })
    await expect(createLocalService({seed: join(folder, 'none')})).rejects.toThrow('ENOENT')
  })
})
