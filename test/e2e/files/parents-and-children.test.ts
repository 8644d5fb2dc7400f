import {afterAll, beforeAll, beforeEach, expect, test} from 'vitest'
import {runHere} from '../../support/here.js'
import {startWorld, type World} from '../../support/world.js'

let world: World
beforeAll(async () => {
  world = await startWorld({}, runHere)
})
afterAll(() => world.close())

let folder: string
let other: string
let child: string
beforeEach(async () => {
  folder = await world.make('folder', 'root')
  other = await world.make('other', 'root')
  child = await world.make('child.txt', folder, 'x')
})

const ids = (list: {items: {id: string}[]}) => list.items.map(item => item.id)

test('parents and children are two views of one link', async () => {
  const {drv} = world
  expect(ids(await drv('children list', folder))).toEqual([child])
  expect(ids(await drv('parents list', child))).toEqual([folder])
  expect(await drv('children get', folder, child)).toMatchObject({
    kind: 'drive#childReference',
    id: child,
  })
  expect(await drv('parents get', child, folder)).toMatchObject({
    kind: 'drive#parentReference',
    id: folder,
    isRoot: false,
  })
})

test('an item moves by a new parent, a new child, or out to the root', async () => {
  const {drv, run} = world
  await drv('parents insert', child, '--id', other)
  expect(ids(await drv('parents list', child))).toEqual([other])
  expect((await run('children get', [folder, child])).code).toBe(5)

  await drv('children insert', folder, '--id', child)
  expect(ids(await drv('children list', folder))).toEqual([child])

  await drv('children delete', folder, child, '--yes')
  expect(await drv('parents list', child)).toMatchObject({items: [{isRoot: true}]})

  await drv('files patch', child, '--add-parents', folder, '--remove-parents', 'root')
  await drv('parents delete', child, folder, '--yes')
  expect(await drv('parents list', child)).toMatchObject({items: [{isRoot: true}]})
})

test('trashing a folder includes its contents, and so does restoring', async () => {
  const {drv} = world
  await drv('files trash', folder)
  expect(await drv('files get', child)).toMatchObject({
    labels: {trashed: true},
    explicitlyTrashed: false,
  })
  await drv('files untrash', folder)
  expect(await drv('files get', child)).toMatchObject({labels: {trashed: false}})
})

test('properties have two namespaces', async () => {
  const {drv, run} = world
  await drv('properties insert', child, '--key', 'colour', '--value', 'red')
  await drv(
    'properties insert',
    child,
    '--key',
    'colour',
    '--value',
    'blue',
    '--visibility',
    'PUBLIC',
  )
  expect((await drv('properties list', child)).items).toHaveLength(2)
  expect(await drv('properties get', child, 'colour')).toMatchObject({value: 'red'})
  await drv('properties patch', child, 'colour', '--value', 'green')
  await drv('properties update', child, 'colour', '--value', 'navy', '--visibility', 'PUBLIC')
  expect(await drv('properties get', child, 'colour')).toMatchObject({value: 'green'})
  expect(await drv('properties get', child, 'colour', '--visibility', 'PUBLIC')).toMatchObject({
    value: 'navy',
  })
  await drv('properties delete', child, 'colour')
  expect((await run('properties get', [child, 'colour'])).code).toBe(5)
})

test('each content has its revision', async () => {
  const {drv, run, file} = world
  await drv('files update', child, file('second.txt', 'second'))
  const {items} = await drv('revisions list', child)
  expect(items).toHaveLength(2)
  const [first, second] = items as [{id: string}, {id: string}]
  expect(await drv('revisions get', child, first.id)).toMatchObject({fileSize: '1', pinned: false})
  await drv('revisions patch', child, first.id, '--pinned')
  expect(await drv('revisions get', child, first.id)).toMatchObject({pinned: true})
  await drv('revisions update', child, first.id, '--body', '{"pinned":false}')
  expect(await drv('revisions get', child, first.id)).toMatchObject({pinned: false})
  const old = await run('files get', [child, '--revision-id', first.id, '--download', '-'])
  expect(old.stdout).toBe('x')
  await drv('revisions delete', child, first.id, '--yes')
  expect((await drv('revisions list', child)).items).toMatchObject([{id: second.id}])
})
