import {afterAll, beforeAll, expect, test} from 'vitest'
import {runHere} from '../../support/here.js'
import {startWorld, type World} from '../../support/world.js'

let world: World
let id: string
beforeAll(async () => {
  world = await startWorld({}, runHere)
  id = await world.make('kept.txt', 'root', 'kept')
})
afterAll(() => world.close())

test('DRV_DRY_RUN prevents all changes', async () => {
  const env = {DRV_DRY_RUN: '1'}
  const trash = await world.run('files trash', [id], {env})
  expect(trash.stdout).toRead()
  const local = world.file('new.txt', 'new')
  const push = await world.run('push', [local, '/'], {env})
  expect(push.stdout).toMatch(/^upload\tnew\.txt/)
  expect((await world.children('root')).map(({title}) => title)).toEqual(['kept.txt'])
})

test('DRV_DRY_RUN previews every command, and allows commands that change nothing', async () => {
  const env = {DRV_DRY_RUN: '1'}
  const logout = await world.run('auth logout', [], {env})
  expect(logout.stdout).toRead()
  expect((await world.run('auth status', [], {env})).code).toBe(0)
})

test('DRV_FORMAT and DRV_JSON set the format, of errors too', async () => {
  const listed = await world.run('files list', [], {env: {DRV_JSON: '1'}})
  expect(JSON.parse(listed.stdout).items).toHaveLength(1)
  const failed = await world.run('files get', ['nothing'], {env: {DRV_FORMAT: 'ndjson'}})
  expect(JSON.parse(failed.stderr).error.exit).toBe(5)
  const wrong = await world.run('files list', [], {env: {DRV_FORMAT: 'xml'}})
  expect(wrong.code).toBe(2)
  expect(wrong.stderr).toRead()
})

test('global flags are accepted before the command', async () => {
  const {stdout} = await world.run('--json files', ['list'])
  expect(JSON.parse(stdout).items).toHaveLength(1)
})
