import {afterAll, beforeAll, expect, test} from 'vitest'
import {readFaultPlan} from '#lib/service/faults/read.js'
import {runHere} from '../../support/here.js'
import {startWorld, type World} from '../../support/world.js'

let world: World
beforeAll(async () => {
  // The service carries out the move, its undo and the batch, and the first response to each is lost.
  const rules = [
    {operations: 'files.patch', fault: 'lose', calls: [1, 3]},
    {operations: 'batch', fault: 'lose', calls: [1]},
    {operations: ['parents.insert', 'children.insert'], fault: 'lose', calls: [1, 3]},
  ]
  const faults = readFaultPlan(JSON.stringify({rules}))
  world = await startWorld({faults}, runHere)
})
afterAll(() => world.close())

test('a change whose response was lost is in the history as done, and so is its undo', async () => {
  const folder = await world.make('folder', 'root')
  const id = await world.make('a.txt', 'root', 'a')
  expect((await world.run('mv', ['/a.txt', '/folder'])).code).toBe(0)
  expect((await world.children(folder)).map(file => file.id)).toEqual([id])
  expect((await world.drv('history'))[0]).toMatchObject({state: 'done'})
  const undo = await world.run('undo', ['--yes'])
  expect({code: undo.code, stderr: undo.stderr}).toMatchObject({code: 0})
  expect(await world.children(folder)).toEqual([])
  const [first, second] = await world.drv('history')
  expect([first, second]).toMatchObject([{state: 'done'}, {state: 'undone'}])
})

test.each(['parents', 'children'])(
  'so is one that puts a file into a folder by %s insert, which the service refuses a second time',
  async resource => {
    const folder = await world.make(`folder for ${resource}`, 'root')
    const file = await world.make(`file for ${resource}`, 'root', 'content')
    const ids = resource === 'parents' ? [file, folder] : [folder, file]
    const inserted = await world.drv(`${resource} insert`, ids[0]!, '--id', ids[1]!)
    expect(inserted).toMatchObject({id: ids[1]})
    expect((await world.children(folder)).map(({id}) => id)).toEqual([file])
    expect((await world.drv('history'))[0]).toMatchObject({state: 'done'})
  },
)

test('an undo that was killed before its result was recorded can be repeated', async () => {
  const {id} = await world.drv('files insert', '--title', 'b.txt')
  // What the killed undo has sent.
  await world.run('files trash', [id], {env: {DRV_NO_HISTORY: '1'}})
  const undo = await world.run('undo', ['--yes'])
  expect({code: undo.code, stderr: undo.stderr}).toMatchObject({code: 0})
  expect((await world.drv('history'))[1]).toMatchObject({state: 'undone'})
})

test('so can one that was killed after it had restored content', async () => {
  const path = world.file('c.txt', 'first')
  expect((await world.run('push', [path, '/'])).code).toBe(0)
  world.file('c.txt', 'second')
  expect((await world.run('push', [path, '/'])).code).toBe(0)
  world.file('c.txt', 'first')
  expect((await world.run('push', [path, '/'], {env: {DRV_NO_HISTORY: '1'}})).code).toBe(0)
  const undo = await world.run('undo', ['--yes'])
  expect({code: undo.code, stderr: undo.stderr}).toMatchObject({code: 0})
  expect((await world.run('cat', ['/c.txt'])).stdout).toBe('first')
})

const GRANT = ['--role', 'reader', '--type', 'user', '--value', 'ada@example.com']
const property = (...more: string[]) => ['--visibility', 'PRIVATE', ...more]

// Each removes something again that the killed undo has added.
test.each<[string, (id: string) => Promise<void>, (id: string) => [string, string[]]]>([
  [
    'permissions.delete',
    async id => {
      const grant = await world.drv('permissions insert', id, ...GRANT, '--no-history')
      await world.drv('permissions delete', id, grant.id, '--yes')
    },
    id => ['permissions insert', [id, ...GRANT]],
  ],
  [
    'properties.delete',
    async id => {
      const args = property('--key', 'k', '--value', 'v', '--no-history')
      await world.drv('properties insert', id, ...args)
      await world.drv('properties delete', id, 'k')
    },
    id => ['properties insert', [id, ...property('--key', 'k', '--value', 'v')]],
  ],
  [
    'parents.delete',
    async id => {
      const folder = await world.make(`folder of ${id}`, 'root')
      await world.drv('mv', id, `id:${folder}`, '--no-history')
      await world.drv('parents delete', id, folder, '--yes')
    },
    id => ['mv', [id, `/folder of ${id}`]],
  ],
])('so can the undo of %s', async (operation, change, undone) => {
  await world.run('config set', ['history.full', 'true'])
  const id = await world.make(operation, 'root', 'content')
  await change(id)
  const [command, args] = undone(id)
  expect((await world.run(command, args, {env: {DRV_NO_HISTORY: '1'}})).code).toBe(0)
  const undo = await world.run('undo', ['--yes'])
  expect({code: undo.code, stderr: undo.stderr}).toMatchObject({code: 0})
  expect((await world.drv('history'))[1]).toMatchObject({state: 'undone'})
  await world.run('config unset', ['history.full'])
})

test('undo is incomplete without the state that only the lost response had', async () => {
  const ids = await Promise.all(['d', 'e', 'f'].map(name => world.make(name, 'root', name)))
  const records = ids.map(fileId => ({
    ...{fileId, role: 'reader', type: 'user', value: 'ada@example.com'},
  }))
  const grants = world.file('grants.ndjson', records.map(one => JSON.stringify(one)).join('\n'))
  const insert = ['--from', grants, '--no-send-notification-emails']
  expect((await world.run('permissions insert', insert)).code).toBe(9)
  const [{id: command}] = await world.drv('history')
  const preview = await world.run('undo', ['--dry-run'])
  expect(preview.stderr).toRead()
  expect(preview.code).toBe(0)

  const first = await world.run('undo', ['--yes'])
  expect({code: first.code, stderr: first.stderr}).toMatchObject({code: 9})
  expect(first.stderr).toRead()
  expect((await world.run('undo', [command, '--yes'])).code).toBe(12)
  const access = await Promise.all(ids.map(id => world.drv('permissions list', id)))
  expect(access.map(({items}) => items.length).sort()).toEqual([1, 2, 2])
})
