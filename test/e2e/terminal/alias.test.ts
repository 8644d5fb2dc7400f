import {afterAll, beforeAll, expect, test} from 'vitest'
import {runHere} from '../../support/here.js'
import {startWorld, type World} from '../../support/world.js'

let world: World
beforeAll(async () => {
  world = await startWorld({}, runHere)
})
afterAll(() => world.close())

test('an alias stands for a line, with places for words, until it is deleted', async () => {
  const folder = await world.make('Aliased', 'root')
  const id = await world.make('one.txt', folder, 'one')
  expect((await world.run('alias set', ['ids', 'ls $1 --format ids'])).code).toBe(0)
  expect(await world.run('ids', ['/Aliased'])).toMatchObject({code: 0, stdout: `${id}\n`})
  const lacks = await world.run('ids')
  expect(lacks.code).toBe(2)
  expect(lacks.stderr).toRead()
  expect((await world.run('alias list')).stdout).toContain('ids\tls $1 --format ids\n')
  expect((await world.run('alias delete', ['ids'])).code).toBe(0)
  expect((await world.run('ids', ['/Aliased'])).code).toBe(2)
  expect((await world.run('alias delete', ['ids'])).code).toBe(5)
})

test('an alias is no command, stands for one, and is replaced only by --clobber', async () => {
  for (const words of [
    ['ls', 'tree'],
    ['files', 'ls'],
    ['x', 'frob'],
    ['-x', 'ls'],
    ['x', ''],
  ]) {
    const refused = await world.run('alias set', ['--', ...words])
    expect(refused.code).toBe(2)
    expect(refused.stderr).toRead()
  }
  expect((await world.run('alias set', ['x', '-'], {input: 'ls -R\n'})).code).toBe(0)
  expect((await world.run('alias set', ['x', 'ls'])).code).toBe(12)
  expect((await world.run('alias set', ['x', 'ls', '--clobber'])).code).toBe(0)
  expect((await world.run('alias list', ['--json'])).json()).toContainEqual({
    alias: 'x',
    line: 'ls',
  })
})

test('api get reads a path with its query, as the method of that path', async () => {
  const id = await world.make('read.txt', 'root', 'text')
  await world.make('other.txt', 'root', 'text')
  const about = await world.run('api get', ['about', '--jq', '.user.emailAddress'])
  expect(about).toMatchObject({code: 0, stdout: 'local@example.com\n'})
  for (const path of [`files/${id}?fields=id,title`, `/drive/v2/files/${id}?fields=id,title`]) {
    const read = await world.run('api get', [path, '--json'])
    expect(read.json()).toEqual({id, title: 'read.txt'})
  }
  const all = await world.run('api get', ['files?maxResults=1', '--all', '--format', 'ids'])
  expect(all.stdout.trimEnd().split('\n').length).toBeGreaterThan(1)
  for (const path of ['nope', 'https://example.com/about']) {
    const refused = await world.run('api get', [path])
    expect(refused.code).toBe(2)
    expect(refused.stderr).toRead()
  }
})
