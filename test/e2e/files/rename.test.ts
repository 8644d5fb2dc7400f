import {afterAll, beforeAll, expect, test} from 'vitest'
import {runHere} from '../../support/here.js'
import {startWorld, type World} from '../../support/world.js'

let world: World
beforeAll(async () => {
  world = await startWorld({}, runHere)
})
afterAll(() => world.close())

let folders = 0
/** Creates a folder with files; returns its path and ID, and the IDs of the files. */
async function folderOf(...names: string[]) {
  folders += 1
  const title = `Folder ${folders}`
  const id = await world.make(title, 'root')
  const ids = []
  for (const name of names) ids.push(await world.make(name, id, name))
  return {path: `/${title}`, id, ids}
}

const titles = async (folder: string): Promise<string[]> =>
  (await world.children(folder)).map(({title}) => title as string).sort()

test('renames matching files in a folder, and nothing with --dry-run', async () => {
  const {path, id} = await folderOf('a.JPG', 'b.jpeg', 'c.txt')
  const line = ['s/\\.jpe?g$/.jpg/i', `${path}/`]
  expect((await world.run('rename', [...line, '--dry-run'])).code).toBe(0)
  expect(await titles(id)).toEqual(['a.JPG', 'b.jpeg', 'c.txt'])
  expect((await world.run('rename', line)).code).toBe(0)
  expect(await titles(id)).toEqual(['a.jpg', 'b.jpg', 'c.txt'])
  const none = await world.run('rename', line)
  expect(none).toMatchObject({code: 0, stdout: ''})
})

test('takes paths, IDs, links and lines, also of folders', async () => {
  const {path, id, ids} = await folderOf('x1', 'x2', 'x3')
  const sub = await world.make('x4', id)
  const link = `https://drive.example.com/file/d/${ids[2]}/view`
  const input = `${path}/x1\n${ids[1]}\n`
  const result = await world.run('rename', ['s/x/y/', '-', link, sub], {input})
  expect(result.code, result.stderr).toBe(0)
  expect(await titles(id)).toEqual(['y1', 'y2', 'y3', 'y4'])
})

test('takes globs', async () => {
  const {path, id} = await folderOf('g1', 'g2', 'h1')
  const {stdout} = await world.run('rename', ['s/^/x/', `${path}/g*`, '--dry-run'])
  expect(stdout.match(/^Would rename/gm)).toHaveLength(2)
  expect((await world.run('rename', ['s/^/x/', `${path}/g*`])).code).toBe(0)
  expect(await titles(id)).toEqual(['h1', 'xg1', 'xg2'])
})

test('resolves conflicts as mv does', async () => {
  const {path, id} = await folderOf('a', 'b')
  const refused = await world.run('rename', ['s/a/b/', `${path}/a`])
  expect(refused.code).toBe(12)
  expect(refused.stderr.replace(/ID \S+/, 'ID $ID')).toRead()
  const same = await world.run('rename', ['s/[ab]/c/', `${path}/`])
  expect(same.code).toBe(9)
  expect(await titles(id)).toEqual(['b', 'c'])
  const numbered = await world.run('rename', ['s/b/c/', `${path}/b`, '--if-exists', 'rename'])
  expect(numbered.code).toBe(0)
  expect(await titles(id)).toEqual(['c', 'c (1)'])
})

test('reuses the name of a file that is renamed itself', async () => {
  const {path, id, ids} = await folderOf('1', '11')
  expect((await world.run('rename', ['s/^/1/', `${path}/`])).code).toBe(0)
  expect(await titles(id)).toEqual(['11', '111'])
  expect((await world.drv('files get', ids[0]!)).title).toBe('11')
})

test('keeps a file whose new name stays in use', async () => {
  const {path, id} = await folderOf('a', 'aa', 'aaa')
  // aa cannot become aaa, so a cannot become aa.
  const result = await world.run('rename', ['s/^/a/', `${path}/a`, `${path}/aa`])
  expect(result.code).toBe(9)
  expect(await titles(id)).toEqual(['a', 'aa', 'aaa'])
})

test('rejects invalid names, and respects read-only mode', async () => {
  const {path} = await folderOf('a')
  const slash = await world.run('rename', ['s|a|b/c|', `${path}/a`])
  expect(slash.code).toBe(2)
  expect(slash.stderr.replace(path, '/F')).toRead()
  expect((await world.run('rename', ['s/a//', `${path}/a`])).code).toBe(2)
  const env = {DRV_READ_ONLY: '1'}
  expect((await world.run('rename', ['s/a/b/', `${path}/a`], {env})).code).toBe(13)
})
