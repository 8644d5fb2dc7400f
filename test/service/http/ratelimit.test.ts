import {spawnSync} from 'node:child_process'
import {mkdtempSync, readdirSync, rmSync, statSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterEach, beforeEach, describe, expect, onTestFinished, test} from 'vitest'
import {DataError} from '#lib/platform/setup-error.js'
import {createAllowance} from '#lib/service/http/rate-limit.js'
import {createApp} from '#lib/service/oauth/store/apps.js'
import {openCounts} from '#lib/service/store/counts.js'
import {startTestService, type TestService} from '../harness.js'

const HOUR = 3600
const EXCEEDED = expect.objectContaining({
  detail: expect.objectContaining({reason: 'rateLimitExceeded'}),
})

let service: TestService
beforeEach(async () => {
  service = await startTestService({rateLimit: {authenticated: 4, anonymous: 2}})
})
afterEach(() => service.close())

const about = (token?: string | null, headers = {}) =>
  service.json('GET', 'about', {token, headers})

describe('the hourly limit', () => {
  test('is shared by all tokens of a user, and returned with every response', async () => {
    const start = service.clock.now / 1000
    const first = await about()
    expect(Object.fromEntries(first.headers)).toMatchObject({
      'x-ratelimit-limit': '4',
      'x-ratelimit-used': '1',
      'x-ratelimit-remaining': '3',
      'x-ratelimit-reset': `${start + HOUR}`,
      'x-ratelimit-resource': 'core',
    })
    service.clock.now += 1000
    const other = service.token('local', ['drive.readonly'], 'sync')
    const user = await service.json('GET', '/user', {token: other})
    expect(user.headers.get('x-ratelimit-remaining')).toBe('2')
    const refused = await service.json('POST', 'files', {token: other, body: {title: 'x'}})
    expect(refused.status).toBe(403)
    expect(refused.headers.get('x-ratelimit-remaining')).toBe('1')
    expect((await service.json('GET', 'files/none')).headers.get('x-ratelimit-remaining')).toBe('0')

    const over = await about()
    expect(over.status).toBe(403)
    expect(over.body.error.errors[0].reason).toBe('rateLimitExceeded')
    expect(over.headers.get('retry-after')).toBe(`${HOUR - 1}`)
    const elsewhere = await service.json('GET', '/user')
    expect([elsewhere.status, elsewhere.headers.get('x-ratelimit-remaining')]).toEqual([403, '0'])
    expect(elsewhere.body.message).toRead()
    expect((await about(service.token('ada'))).status).toBe(200)
    service.clock.now += (HOUR - 1) * 1000
    expect((await about()).headers.get('x-ratelimit-remaining')).toBe('3')
  })

  test('is lower without a token, and counted per address', async () => {
    expect((await about(null)).headers.get('x-ratelimit-limit')).toBe('2')
    expect((await about(null)).body.error.errors[0].reason).toBe('required')
    const over = await about(null)
    expect(over.status).toBe(403)
    expect(over.body.error.errors[0].reason).toBe('rateLimitExceeded')
    expect((await about()).status).toBe(200)
  })

  test('is not used by responses with 304', async () => {
    const {body} = await service.json('POST', 'files', {body: {title: 'x'}})
    const path = `files/${body.id}`
    const again = await service.send('GET', path, {headers: {'if-none-match': body.etag}})
    expect(again.status).toBe(304)
    expect(again.headers.get('x-ratelimit-used')).toBe('1')
  })

  test('can be read for free', async () => {
    await about()
    for (let i = 0; i < 6; i++) {
      const {status, body} = await service.json('GET', '/rate_limit')
      expect(status).toBe(200)
      expect(body.resources.core).toMatchObject({limit: 4, used: 1, remaining: 3})
    }
    const {body} = await service.json('GET', '/rate_limit', {token: null})
    expect(body.rate).toMatchObject({limit: 2, remaining: 2})
  })

  test('counts checks of tokens per app', async () => {
    const {clientId, secret} = createApp(service.store, {name: 'Sync'}, service.clock.now)
    const authorization = `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`
    const check = () =>
      service.json('POST', `/applications/${clientId}/token`, {
        token: null,
        headers: {authorization},
        body: {},
      })
    for (let left = 3; left >= 0; left--) {
      expect((await check()).headers.get('x-ratelimit-remaining')).toBe(`${left}`)
    }
    expect((await check()).status).toBe(403)
  })
})

test('is not returned if there is none', async () => {
  const free = await startTestService()
  try {
    const answer = await free.json('GET', 'about')
    expect(answer.headers.get('x-ratelimit-limit')).toBeNull()
    expect((await free.json('GET', '/rate_limit')).status).toBe(404)
  } finally {
    await free.close()
  }
})

/** Whether a small disk cannot be mounted here. */
const missingMount =
  process.platform !== 'linux' ||
  spawnSync('sh', ['-c', 'mount -t tmpfs tmpfs /mnt && umount /mnt']).status !== 0

/** Counts in a directory that is deleted after the test. */
function openTestCounts() {
  const directory = mkdtempSync(join(tmpdir(), 'drv-'))
  const counts = openCounts(directory)
  onTestFinished(() => {
    counts.close()
    rmSync(directory, {recursive: true, force: true})
  })
  return counts
}

describe('the counts', () => {
  const LIMIT = {authenticated: 2, anonymous: 1}

  test('are shared by all processes on the data directory, and by later ones', async () => {
    const other = await startTestService({
      data: service.directory,
      rateLimit: {authenticated: 4, anonymous: 2},
    })
    const token = service.token('ada')
    const left = async (one: TestService) =>
      (await one.json('GET', 'about', {token})).headers.get('x-ratelimit-remaining')
    try {
      expect(await left(service)).toBe('3')
      expect(await left(other)).toBe('2')
      expect(await left(service)).toBe('1')
      expect((await other.json('GET', '/rate_limit', {token})).body.rate).toMatchObject({used: 3})
      const insert = await other.json('POST', 'files', {token, body: {title: 'x'}})
      expect(insert.headers.get('x-ratelimit-remaining')).toBe('0')
      for (const one of [service, other]) {
        const over = await one.json('GET', 'about', {token})
        expect(over.body.error.errors[0].reason).toBe('rateLimitExceeded')
      }
      await other.json('GET', 'about', {token: null})
      await service.json('GET', 'about', {token: null})
      expect((await other.json('GET', 'about', {token: null})).status).toBe(403)
    } finally {
      await other.close()
    }
    const later = await startTestService({data: service.directory, rateLimit: LIMIT})
    try {
      expect((await later.json('GET', 'about', {token})).status).toBe(403)
    } finally {
      await later.close()
    }
  })

  test('are readable by their owner only, and an invalid file is reported', () => {
    const names = readdirSync(service.directory).filter(name => name.startsWith('counts.db'))
    expect(names).toEqual(['counts.db', 'counts.db-shm', 'counts.db-wal'])
    for (const name of names) {
      expect(statSync(join(service.directory, name)).mode & 0o777, name).toBe(0o600)
    }
    const directory = mkdtempSync(join(tmpdir(), 'drv-'))
    onTestFinished(() => rmSync(directory, {recursive: true}))
    writeFileSync(join(directory, 'counts.db'), 'something else, and long enough to be no database')
    expect(() => openCounts(directory)).toThrow(join(directory, 'counts.db'))
    expect(() => openCounts(join(directory, 'none'))).toThrow(DataError)
  })

  test.skipIf(missingMount)('are kept in memory if the disk is full from the start', () => {
    const directory = mkdtempSync(join(tmpdir(), 'drv-'))
    spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', directory])
    onTestFinished(() => {
      spawnSync('umount', ['--lazy', directory])
      rmSync(directory, {recursive: true})
    })
    expect(() => writeFileSync(join(directory, 'large'), Buffer.alloc(80_000))).toThrow('ENOSPC')
    const allowance = createAllowance(LIMIT, openCounts(directory))
    allowance.take('address:7', 0)
    expect(() => allowance.take('address:7', 0)).toThrow(EXCEEDED)
  })

  test('are reset after an hour', () => {
    const counts = openTestCounts()
    const allowance = createAllowance(LIMIT, counts)
    for (let i = 0; i < 20; i++) allowance.take(`address:${i}`, 0)
    expect(() => allowance.take('address:7', 1)).toThrow(EXCEEDED)
    expect(allowance.take('address:7', HOUR * 1000)).toMatchObject({'X-RateLimit-Used': '1'})
    expect(counts.of('address:8', 1)).toBeUndefined()
  })

  test('are reduced once, and never below zero', () => {
    const allowance = createAllowance(LIMIT, openTestCounts())
    allowance.take('user:1', 0)
    for (let i = 0; i < 2; i++) {
      expect(allowance.giveBack('user:1', 1)).toMatchObject({'X-RateLimit-Used': '0'})
    }
  })

  test('block nothing when the disk becomes full', () => {
    const counts = openTestCounts()
    createAllowance(LIMIT, counts).take('user:1', 0)
    const full = () => {
      throw Object.assign(new Error('database or disk is full'), {code: 'SQLITE_FULL'})
    }
    const allowance = createAllowance(LIMIT, {...counts, add: full, takeBack: full})
    for (let i = 0; i < 3; i++) {
      expect(allowance.take('user:1', 1)).toMatchObject({'X-RateLimit-Used': '1'})
    }
    expect(allowance.giveBack('user:1', 1)).toMatchObject({'X-RateLimit-Used': '1'})
  })
})

describe('the version of the API', () => {
  test('is returned with every response, including errors', async () => {
    const header = {'x-service-api-version': '2022-11-28'}
    for (const {headers} of [await about(), await about(undefined, header), await about(null)]) {
      expect(headers.get('x-service-api-version-selected')).toBe('2022-11-28')
    }
  })

  test('must be a supported one', async () => {
    const answer = await about(undefined, {'x-service-api-version': '2020-01-01'})
    expect(answer.status).toBe(400)
    expect(answer.body.error.message).toContain('X-Service-Api-Version')
    expect(answer.headers.get('x-ratelimit-used')).toBeNull()
  })
})

test('errors list the scopes too', async () => {
  for (const [method, path] of [
    ['GET', 'files/none'],
    ['GET', 'files?maxResults=x'],
  ] as const) {
    const {status, headers} = await service.json(method, path)
    expect(status).toBeGreaterThanOrEqual(400)
    expect(headers.get('x-oauth-scopes')).toContain('drive')
    expect(headers.get('x-accepted-oauth-scopes')).toContain('drive.readonly')
  }
})
