import {mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, expect, test} from 'vitest'
import {runHere} from '../../support/here.js'
import {startWorld, type World} from '../../support/world.js'

/** Single files that get a new name on the other side. */

let world: World
beforeAll(async () => {
  world = await startWorld({}, runHere)
})
afterAll(() => world.close())

const content = async (path: string) => (await world.run('cat', [path])).stdout
const titles = async (path: string) =>
  (await world.drv('ls', path)).map(({title}: {title: string}) => title)
const typeOf = async (path: string) => (await world.drv('stat', path)).mimeType

test('a single file is uploaded under a new name, and a file that exists gets new content', async () => {
  const {drv} = world
  const first = world.file('first.txt', 'first')
  await drv('push', first, '/new/deep/named.txt')
  expect(await titles('/new/deep')).toEqual(['named.txt'])
  const {id} = await drv('stat', '/new/deep/named.txt')
  const second = world.file('second.txt', 'second')
  expect(await drv('push', second, '/new/deep/named.txt')).toMatchObject({created: 0, replaced: 1})
  expect(await content('/new/deep/named.txt')).toBe('second')
  expect(await drv('push', second, `id:${id}`)).toMatchObject({unchanged: 1})
  expect(await drv('push', first, `https://drive.example.com/file/d/${id}/view`)).toMatchObject({
    replaced: 1,
  })
  expect(await drv('stat', '/new/deep/named.txt')).toMatchObject({id, title: 'named.txt'})
  expect(await content('/new/deep/named.txt')).toBe('first')
})

test('--if-exists keeps, rejects or renames', async () => {
  const {drv} = world
  const one = world.file('one', 'one')
  const two = world.file('two', 'other')
  await drv('push', one, '/cases/a.txt')
  expect(await drv('push', two, '/cases/a.txt', '--if-exists', 'skip')).toMatchObject({
    skipped: [{}],
  })
  const refused = await world.run('push', [two, '/cases/a.txt', '--if-exists', 'fail'])
  expect(refused.code).toBe(9)
  await drv('push', two, '/cases/a.txt', '--if-exists', 'rename')
  await drv('push', two, '/cases/a.txt', '--if-exists', 'rename')
  expect(await titles('/cases')).toEqual(['a (1).txt', 'a.txt'])
  expect(await content('/cases/a (1).txt')).toBe('other')
})

test('a trailing slash, or several files, require a folder', async () => {
  const {drv} = world
  const file = world.file('plain.txt', 'plain')
  await drv('push', file, '/slash/sub/')
  expect(await titles('/slash/sub')).toEqual(['plain.txt'])
  await drv('push', file, world.file('more.txt', 'more'), '/several')
  expect(await titles('/several')).toEqual(['more.txt', 'plain.txt'])
  const refused = await world.run('push', [
    file,
    world.file('more.txt', 'more'),
    '/several/plain.txt',
  ])
  expect(refused.code).toBe(1)
})

test('standard input is uploaded under the name that the path ends with', async () => {
  const {drv, run} = world
  const first = await run('push', ['-', '/input/notes.txt'], {input: 'typed'})
  expect(first.code).toBe(0)
  expect(await content('/input/notes.txt')).toBe('typed')
  expect(await typeOf('/input/notes.txt')).toBe('text/plain')
  const again = await run('push', ['-', '/input/notes.txt', '--json'], {input: 'typed again'})
  expect(JSON.parse(again.stdout)).toMatchObject({replaced: 1, bytes: 11})
  expect(await content('/input/notes.txt')).toBe('typed again')
  await run('push', ['-', '/input/notes.txt', '--if-exists', 'rename'], {input: 'typed again'})
  expect(await titles('/input')).toEqual(['notes (1).txt', 'notes.txt'])
  const rows = await drv('push', '-', '/input/other.txt', '--dry-run')
  expect(rows).toEqual([{action: 'upload', input: 'other.txt'}])
  expect(await titles('/input')).toHaveLength(2)
})

test.each([[['-', '/']], [['-', '/absent/']], [['-', 'local.txt', '/input/x.txt']]])(
  'standard input needs a name of its own: push %j',
  async words => {
    const {code, stderr} = await world.run('push', words, {input: 'x'})
    expect(code).toBe(2)
    expect(stderr).toRead()
  },
)

test('a file without an extension gets the type of its content', async () => {
  const {drv} = world
  const files = {doc: '%PDF-1.4', c: 'int main', key: '\0\0'}
  for (const [name, text] of Object.entries(files)) await drv('push', world.file(name, text), '/t/')
  expect(await typeOf('/t/doc')).toBe('application/pdf')
  expect(await typeOf('/t/c')).toBe('text/plain')
  expect(await typeOf('/t/key')).toBe('application/octet-stream')
  const inserted = async (...words: string[]) =>
    JSON.parse((await world.run('files insert', [...words, '--json'], {input: 'x'})).stdout)
      .mimeType
  expect(await inserted('-', '--title', 'todo.txt')).toBe('text/plain')
  expect(await inserted('-', '--title', 'todo.csv')).toBe('text/csv')
  expect(await inserted(world.file('pages', 'text'))).toBe('text/plain')
})

test('--convert creates editor documents where supported, once', async () => {
  const {drv} = world
  const table = world.file('table.csv', 'a,b\n1,2\n')
  const bytes = world.file('bytes.bin', '\0')
  expect(await drv('push', table, bytes, '/docs', '--convert')).toMatchObject({created: 2})
  expect(await typeOf('/docs/table.csv')).toBe('application/vnd.google-apps.spreadsheet')
  expect(await typeOf('/docs/bytes.bin')).toBe('application/octet-stream')
  expect(await drv('push', table, bytes, '/docs', '--convert')).toMatchObject({
    created: 0,
    unchanged: 1,
    skipped: [{}],
  })
  expect(await titles('/docs')).toEqual(['bytes.bin', 'table.csv'])
})

test('a single file is downloaded under a new name', async () => {
  const {drv} = world
  const folder = join(world.folder, 'down')
  mkdirSync(join(folder, 'there'), {recursive: true})
  await drv('push', world.file('a.txt', 'cloud'), '/down/a.txt')
  await drv('pull', '/down/a.txt', join(folder, 'b.txt'))
  await drv('pull', '/down/a.txt', join(folder, 'new/c.txt'))
  await drv('pull', '/down/a.txt', join(folder, 'there'))
  await drv('pull', '/down/a.txt', `${join(folder, 'made')}/`)
  const tree = () => readdirSync(folder, {recursive: true}).map(String).sort()
  const names = ['b.txt', 'made', 'made/a.txt', 'new', 'new/c.txt', 'there', 'there/a.txt']
  expect(tree()).toEqual(names)
  writeFileSync(join(folder, 'b.txt'), 'older')
  const kept = await drv('pull', '/down/a.txt', join(folder, 'b.txt'), '--if-exists', 'skip')
  expect(kept).toMatchObject({skipped: [{}]})
  expect(await drv('pull', '/down/a.txt', join(folder, 'b.txt'))).toMatchObject({replaced: 1})
  expect(readFileSync(join(folder, 'b.txt'), 'utf8')).toBe('cloud')
  const refused = await world.run('pull', ['/down', join(folder, 'b.txt')])
  expect(refused.code).toBe(1)
})

test('the flag names of rclone for limits are accepted', async () => {
  const file = world.file('limited.txt', 'x')
  const words = [file, '/limits/', '--bwlimit', '1M', '--transfers', '2']
  expect((await world.run('push', words)).code).toBe(0)
  expect((await world.run('push', [...words, '--transfers', '0'])).code).toBe(2)
})
