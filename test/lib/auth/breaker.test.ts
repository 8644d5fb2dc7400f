import {mkdtemp, readdir, readFile, rm} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterEach, beforeEach, expect, test} from 'vitest'
import {createBreaker} from '#lib/auth/breaker.js'

const MINUTE = 60_000

let state: string
let clock: number
beforeEach(async () => {
  state = await mkdtemp(join(tmpdir(), 'drv-'))
  clock = Date.UTC(2026, 10, 21)
})
afterEach(() => rm(state, {recursive: true}))

/** Another command on the same machine. */
const breaker = (binding = 'https://files.example.com') =>
  createBreaker({state, binding, now: () => clock})

test('every command refuses a rejected token for five minutes', async () => {
  await breaker().check('dead')
  await breaker().refused('dead')
  clock += 40_000
  await expect(breaker().check('dead')).rejects.toMatchObject({kind: 'sign-in'})
  await expect(breaker().check('dead')).rejects.toRead()
  clock += 4 * MINUTE
  await expect(breaker().check('dead')).rejects.toRead()
  clock += 20_000
  await breaker().check('dead')
})

test('other tokens, and the same at another service, are sent', async () => {
  await breaker().refused('dead')
  await breaker().check('other')
  await breaker('local').check('dead')
  await expect(breaker().check('dead')).rejects.toThrow()
})

test('a rejection counts at once, even if another process reads during the write', async () => {
  const own = breaker()
  const refused = own.refused('dead')
  await own.check('dead')
  await refused
  await expect(own.check('dead')).rejects.toRead()
  const cleared = own.cleared('dead')
  await own.check('dead').catch(() => undefined)
  await cleared
  await own.check('dead')
})

test('a successful sign-in clears it', async () => {
  await breaker().refused('dead')
  await breaker().cleared('dead')
  await breaker().check('dead')
})

test('a clock that was set back does not block forever', async () => {
  await breaker().refused('dead')
  clock -= MINUTE
  await breaker().check('dead')
})

test('the record contains no token, and is removed when it is old', async () => {
  await breaker().refused('first-token')
  const folder = join(state, 'refused')
  const [name = ''] = await readdir(folder)
  expect(name + (await readFile(join(folder, name), 'utf8'))).not.toContain('first-token')
  clock += 6 * MINUTE
  await breaker().refused('second-token')
  expect(await readdir(folder)).toHaveLength(1)
})

test.each([undefined, '/dev/null/nowhere'])(
  'with %s for the record, tokens are sent',
  async place => {
    const helpless = createBreaker({state: place, binding: 'local', now: () => clock})
    await helpless.refused('dead')
    await helpless.check('dead')
    await helpless.cleared('dead')
  },
)

test('concurrent requests learn of a rejection by another command within a moment', async () => {
  const crowd = breaker()
  await crowd.check('dead')
  await breaker().refused('dead')
  clock += 50
  await expect(crowd.check('dead')).rejects.toRead()
})
