import {mkdtemp, readdir, rm} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterEach, beforeEach, expect, test} from 'vitest'
import {covers} from '#lib/api/description/scopes.js'
import {recordToken, tokensMade} from '#lib/auth/budget.js'
import {scopesToRequest} from '#lib/auth/scopes.js'

let state: string
beforeEach(async () => {
  state = await mkdtemp(join(tmpdir(), 'drv-'))
})
afterEach(() => rm(state, {recursive: true}))

const KIND = {profile: 'work', binding: 'https://a.example', clientId: 'app', scopes: ['drive']}

test('remembers the ten newest of each kind', async () => {
  expect(await tokensMade(state, KIND)).toEqual([])
  for (let time = 1; time <= 12; time++) await recordToken(state, KIND, time)
  await recordToken(state, {...KIND, scopes: ['drive.readonly']}, 99)
  expect(await tokensMade(state, KIND)).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
  for (const other of [{profile: 'home'}, {binding: 'local'}, {clientId: 'b'}, {scopes: []}]) {
    expect(await tokensMade(state, {...KIND, ...other})).toEqual([])
  }
})

test('two concurrent sign-ins are both remembered', async () => {
  await Promise.all([1, 2, 3, 4, 5, 6].map(time => recordToken(state, KIND, time)))
  expect([...(await tokensMade(state, KIND))].sort()).toEqual([1, 2, 3, 4, 5, 6])
  expect(await readdir(join(state, 'made'))).toHaveLength(1)
})

test.each([undefined, '/dev/null/nowhere'])('a record in %s is ignored', async place => {
  await recordToken(place, KIND, 1)
  expect(await tokensMade(place, KIND)).toEqual([])
})

test.each([
  [['drive'], ['drive.readonly'], true],
  [['drive'], ['drive', 'drive.appdata'], false],
  [['drive.readonly'], ['drive'], false],
  [['drive.readonly', 'drive.file'], ['drive.file'], true],
  [[], [], true],
])('a token with %j covers %j: %s', (granted, wanted, expected) => {
  const full = (names: string[]) => (names.length > 0 ? scopesToRequest(names) : [])
  expect(covers(full(granted), full(wanted))).toBe(expected)
})
