import {readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, beforeEach, expect, test} from 'vitest'
import {runHere} from '../../support/here.js'
import {startWorld, type World} from '../../support/world.js'

const ADDRESS = ['--address', 'https://hook.invalid/?key=secret']

let world: World
let file: string
let stateFile: string
beforeAll(async () => {
  // Nothing listens there.
  world = await startWorld({fetch: async () => new Response()}, runHere)
  stateFile = join(world.env.XDG_STATE_HOME!, 'drv', 'channels.json')
  file = await world.make('a.txt', 'root', 'x')
})
afterAll(() => world.close())
beforeEach(async () => {
  await world.run('channels stop --all')
})

const list = async () => (await world.drv('channels list')) as Record<string, unknown>[]
const watch = async (...more: string[]) =>
  (await world.drv('changes watch', ...ADDRESS, '--channel-token', 'secret', ...more)) as {
    id: string
    resourceId: string
  }

test('channels of one or several watches are listed until they are stopped', async () => {
  expect((await world.run('channels list')).stdout).toBe('')
  const {id, resourceId} = await watch('--fields', 'id,resourceId')
  const other = await world.make('b.txt', 'root', 'x')
  const several = await world.run('files watch', [file, other, ...ADDRESS])
  expect(several.code).toBe(0)
  const shown = await list()
  expect(shown.map(({state, watches}) => [state, watches])).toEqual([
    ['open', 'changes'],
    ['open', file],
    ['open', other],
  ])
  expect(shown[0]).toMatchObject({id, resourceId, service: world.url, profile: 'local'})
  expect(readFileSync(stateFile, 'utf8')).not.toContain('secret')

  await world.run('channels stop', ['--id', id, '--resource-id', resourceId])
  expect(await list()).toHaveLength(2)
})

test('channels stop --all stops each, also those that the service no longer has', async () => {
  const stays = await watch()
  const gone = await watch()
  const kept = readFileSync(stateFile)
  await world.run('channels stop', ['--id', gone.id, '--resource-id', gone.resourceId])
  writeFileSync(stateFile, kept)

  const preview = await world.run('channels stop --all --dry-run')
  expect(preview.stdout).toContain(stays.id)
  expect(await list()).toHaveLength(2)

  const stopped = await world.run('channels stop --all')
  expect(stopped.code, stopped.stderr).toBe(0)
  expect(stopped.stderr).toRead()
  expect(await list()).toEqual([])
  const again = await world.run('channels stop', [
    ...['--id', stays.id, '--resource-id', stays.resourceId],
  ])
  expect(again.code).toBe(5)
  const none = await world.run('channels stop --all')
  expect(none.code).toBe(0)
  expect(none.stderr).toRead()
})

test('channels stop --all says which channels belong to another profile', async () => {
  await watch('--profile', 'work')
  const result = await world.run('channels stop --all')
  expect(result.code).toBe(0)
  expect(result.stderr).toRead()
  expect(await list()).toHaveLength(1)
  expect((await world.run('channels stop --all --profile work')).code).toBe(0)
  expect(await list()).toEqual([])
})

test('expired channels are marked, and forgotten without a request', async () => {
  await watch('--expiration', String(Date.now() + 60_000))
  const entries = JSON.parse(readFileSync(stateFile, 'utf8')) as {expires: number}[]
  writeFileSync(stateFile, JSON.stringify(entries.map(one => ({...one, expires: 1}))))
  expect((await list()).map(({state}) => state)).toEqual(['expired'])
  expect((await world.run('channels stop --all')).stderr).toRead()
  expect(await list()).toEqual([])
})

test.each([
  ['channels stop --all --id c', 2],
  ['channels stop --all --from -', 2],
  ['channels stop', 2],
])('%s', async (line, code) => {
  const result = await world.run(line)
  expect(result.code).toBe(code)
  expect(result.stderr).toRead()
})
