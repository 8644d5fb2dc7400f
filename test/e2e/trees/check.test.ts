import {mkdirSync, rmSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, expect, test} from 'vitest'
import {runHere} from '../../support/here.js'
import {startWorld, type World} from '../../support/world.js'

let world: World
let local: string
beforeAll(async () => {
  world = await startWorld({}, runHere)
  local = join(world.folder, 'tree')
  mkdirSync(join(local, 'sub'), {recursive: true})
  for (const name of ['a', 'b', 'sub/c']) writeFileSync(join(local, name), name)
  expect((await world.run('push', [`${local}/`, '/tree', '-q'])).code).toBe(0)
})
afterAll(() => world.close())

test('exits with 0 if both are the same', async () => {
  const result = await world.run('check', [local, '/tree'])
  expect(result).toMatchObject({code: 0, stdout: '', stderr: '3 files match.\n'})
  expect(await world.run('check', ['/tree', `${local}/`])).toMatchObject({code: 0, stdout: ''})
  const {id} = await world.drv('files get', '/tree')
  const link = `https://drive.example.com/drive/folders/${id}`
  for (const word of [id, link]) expect((await world.run('check', [local, word])).code).toBe(0)
})

test('exits with 1 and a row for each difference, in both directions', async () => {
  await world.run('push', [`${local}/`, '/other', '-q'])
  const {id} = await world.drv('files get', '/other')
  await world.make('remote', id, 'remote')
  await world.make('folder', id)
  await world.drv('files update', '/other/b', world.file('B', 'B'))
  mkdirSync(join(local, 'new'))
  for (const name of ['new/1', 'new/2', 'zz']) writeFileSync(join(local, name), name)
  const rows = [
    'differs\tb\t',
    'only remote\tfolder/\t',
    'only local\tnew/\t',
    'only remote\tremote\t',
    'only local\tzz\t',
  ]
  const lines = async (...flags: string[]) => {
    const {code, stdout} = await world.run('check', [...flags, local, '/other'])
    expect(code).toBe(1)
    return stdout.trimEnd().split('\n')
  }
  const both = await world.run('check', [local, '/other'])
  expect(both.code).toBe(1)
  expect(both.stdout).toBe(rows.map(row => `${row}\n`).join(''))
  expect(both.stderr).toRead()
  expect(await lines('--one-way')).toEqual([rows[0], rows[2], rows[4]?.trimEnd()])
  // b and B have one byte each.
  expect((await lines('--size-only')).some(line => line.startsWith('differs'))).toBe(false)
  const reverse = await world.run('check', ['/other', local, '--one-way', '--json'])
  expect(reverse.code).toBe(1)
  expect(reverse.json<any[]>().map(({result}) => result)).toEqual([
    'differs',
    'only remote',
    'only remote',
  ])
  const excluded = await world.run('check', [local, '/other', '--exclude', 'new', '--exclude', 'b'])
  expect(excluded.stdout).not.toMatch(/new|differs/)
  for (const name of ['new', 'zz']) rmSync(join(local, name), {recursive: true})
})

test('compares two files regardless of their names, or a file with that of a folder', async () => {
  expect((await world.run('check', [join(local, 'a'), '/tree'])).code).toBe(0)
  expect((await world.run('check', [join(local, 'a'), '/tree/a'])).code).toBe(0)
  expect((await world.run('check', [join(local, 'a'), '/tree/b'])).code).toBe(1)
})

test('skips editor documents, and fails for a missing file', async () => {
  const type = 'application/vnd.google-apps.document'
  await world.run('push', [`${local}/`, '/documents', '-q'])
  const {id} = await world.drv('files get', '/documents')
  await world.drv('files insert', '--title', 'Document', '--mime-type', type, '--parent', id)
  const result = await world.run('check', [local, '/documents'])
  expect(result.code).toBe(0)
  expect(result.stderr).toRead()
  expect((await world.run('check', [local, '/none'])).code).toBe(5)
  expect((await world.run('check', [join(local, 'none'), '/tree'])).code).toBe(2)
  expect((await world.run('check', [local, '/tree', '--checksum', '--size-only'])).code).toBe(2)
})
