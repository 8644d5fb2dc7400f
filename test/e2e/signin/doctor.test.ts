import {mkdirSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, expect, test} from 'vitest'
import {type Check} from '#lib/cli/account/doctor/check.js'
import {runHere} from '../../support/here.js'
import {missingTerminal, startAtTerminal} from '../../support/terminal.js'
import {startWorld, type World} from '../../support/world.js'

/** `drv auth doctor` as users run it. */

let world: World
beforeAll(async () => {
  world = await startWorld({}, runHere)
})
afterAll(() => world.close())

async function doctor(env: Record<string, string | undefined> = {}) {
  const result = await world.run('auth doctor', ['--json'], {env})
  expect(result.stderr).toBe('')
  const states = result
    .json<readonly Check[]>()
    .map(({name, state}) => `${name} ${state}`)
    .filter(row => !row.endsWith(' ok'))
  return {...result, states}
}

test('everything is fine with a working token', async () => {
  const {code, states} = await doctor()
  expect([code, states]).toEqual([0, ['keychain skipped']])
})

test('a rejected token, and an invalid one', async () => {
  const refused = await doctor({DRV_TOKEN: 'nonsense'})
  const rest = ['keychain skipped', 'token failed', 'scopes skipped']
  expect([refused.code, refused.states]).toEqual([4, rest])
  const malformed = await doctor({DRV_TOKEN: 'two words'})
  expect([malformed.code, malformed.states]).toEqual([4, rest])
  expect(malformed.stdout).not.toContain('two words')
})

test('an unreachable service, and an invalid URL', async () => {
  const closed = await doctor({DRV_BASE_URL: 'http://127.0.0.1:9', DRV_AUTH_URL: ''})
  expect(closed.code).toBe(8)
  expect(closed.states).toContain('file service failed')
  expect(closed.states).toContain('token skipped')
  const nowhere = await doctor({DRV_BASE_URL: 'nowhere'})
  expect([nowhere.code, nowhere.states[0]]).toEqual([10, 'addresses failed'])
})

test('a broken configuration', async () => {
  const directory = join(world.folder, 'broken')
  mkdirSync(directory)
  writeFileSync(join(directory, 'config.json'), '{')
  const {code, states} = await doctor({DRV_CONFIG_DIR: directory})
  expect([code, states[0]]).toEqual([10, 'configuration failed'])
})

test('the local service, without a sign-in and without a keychain', async () => {
  const inside = {DRV_BASE_URL: '', DRV_AUTH_URL: '', DRV_TOKEN: ''}
  const {code, states} = await doctor({...inside, DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere'})
  expect([code, states]).toEqual([10, ['keychain failed', 'token failed', 'scopes skipped']])
})

test.skipIf(missingTerminal)('people get one line per check, with advice below', async () => {
  const env: Record<string, string> = {...world.env, DRV_TOKEN: 'nonsense'}
  delete env.NO_COLOR
  const terminal = startAtTerminal(['auth', 'doctor'], {env})
  expect(await terminal.ended).toBe(4)
  const shown = terminal.output().replaceAll('\r', '')
  expect(shown).toMatch(/^✓ file service +\S+/m)
  expect(shown).toMatch(/^✗ token +/m)
  expect(shown).toContain('\u001b[2m- scopes')
})
