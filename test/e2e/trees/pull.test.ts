import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, expect, test} from 'vitest'
import {runHere} from '../../support/here.js'
import {startWorld, type World} from '../../support/world.js'

let world: World
beforeAll(async () => {
  world = await startWorld({}, runHere)
})
afterAll(() => world.close())

const folderIn = (parent: string, title: string) => world.make(title, parent)
const fileIn = (parent: string, title: string, content: string) =>
  world.make(title, parent, content)

/** All files below a directory, by path. */
function localTree(path: string): Record<string, string> {
  const files = readdirSync(path, {recursive: true, withFileTypes: true})
  return Object.fromEntries(
    files
      .filter(entry => entry.isFile())
      .map(entry => join(entry.parentPath, entry.name))
      .map(file => [file.slice(path.length + 1), readFileSync(file, 'utf8')]),
  )
}

test('a tree is downloaded once, then only changed files', async () => {
  const {drv, folder} = world
  const top = await folderIn('root', 'Reports')
  const year = await folderIn(top, '2026')
  const id = await fileIn(top, 'a.txt', 'a')
  await fileIn(year, '.hidden', 'h')
  await folderIn(year, 'nothing')
  const target = join(folder, 'down')
  expect(await drv('pull', '/Reports', target)).toMatchObject({created: 2, folders: 3, bytes: 2})
  expect(localTree(target)).toEqual({'Reports/a.txt': 'a', 'Reports/2026/.hidden': 'h'})
  expect(existsSync(join(target, 'Reports/2026/nothing'))).toBe(true)
  const {modifiedDate} = await drv('files get', id)
  expect(statSync(join(target, 'Reports/a.txt')).mtime.toISOString()).toBe(modifiedDate)

  await drv('files update', id, world.file('newer', 'A'))
  await fileIn(year, 'new.txt', 'new')
  writeFileSync(join(target, 'Reports/own.txt'), 'mine')
  expect(await drv('pull', `${top}`, target)).toMatchObject({created: 1, replaced: 1, unchanged: 1})
  expect(localTree(target)).toEqual({
    'Reports/a.txt': 'A',
    'Reports/own.txt': 'mine',
    'Reports/2026/.hidden': 'h',
    'Reports/2026/new.txt': 'new',
  })
})

test('a pushed tree is pulled unchanged', async () => {
  const {drv, folder} = world
  const source = join(folder, 'round')
  mkdirSync(join(source, 'aux2/.git'), {recursive: true})
  const names = ['ü.txt', '12:30 a*b?.log', '~x', 'back\\slash', 'x'.repeat(255), '.env']
  for (const name of names) writeFileSync(join(source, 'aux2/.git', name), name)
  const top = await folderIn('root', 'round trip')
  await drv('push', `${source}/`, top)
  await drv('pull', `${top}/`, join(folder, 'back'))
  expect(localTree(join(folder, 'back'))).toEqual(localTree(source))
})

test('titles are never treated as paths', async () => {
  const {run, folder} = world
  const top = await folderIn('root', 'hostile')
  const titles = ['..', '../../escape.txt', '/etc/escape', 'nul', 'a\u001b[31mb']
  for (const title of titles) await fileIn(top, title, title)
  await fileIn(await folderIn(top, '..'), 'inner.txt', 'inner')
  const target = join(folder, 'hostile/deep/target')
  const result = await run('pull', [`${top}/`, target, '--format', 'ndjson'])
  expect(result.code).toBe(0)
  expect(Object.keys(localTree(join(folder, 'hostile'))).sort()).toEqual(
    // Two items are named `..`.
    ['..／..／escape.txt', 'a␛[31mb', '‛..', '‛.. (1)/inner.txt', '‛nul', '／etc／escape'].map(
      name => `deep/target/${name}`,
    ),
  )
  expect(result.stderr).toContain('../../escape.txt')
  expect(result.stderr).toContain('..／..／escape.txt')
  expect(result.stderr).not.toContain('\u001b')
})

test('existing local links are neither followed nor replaced', async () => {
  const {run, folder} = world
  const top = await folderIn('root', 'links')
  await fileIn(top, 'file', 'new')
  await fileIn(await folderIn(top, 'sub'), 'inner', 'new')
  const outside = join(folder, 'outside')
  mkdirSync(outside)
  writeFileSync(join(outside, 'file'), 'old')
  const target = join(folder, 'linked')
  mkdirSync(target)
  symlinkSync(join(outside, 'file'), join(target, 'file'))
  symlinkSync(outside, join(target, 'sub'))
  const result = await run('pull', [`${top}/`, target, '--json'])
  expect(result.code).toBe(9)
  expect(result.json().failed).toHaveLength(2)
  expect(localTree(outside)).toEqual({file: 'old'})
})

test('documents are skipped with a notice, as are shortcuts with --no-follow', async () => {
  const {drv, folder, file} = world
  const top = await folderIn('root', 'mixed')
  const id = await fileIn(top, 'plain.txt', 'x')
  await drv(
    'files insert',
    file('t.csv', 'a,b\n'),
    '--convert',
    '--parent',
    top,
    '--title',
    'sheet',
  )
  const shortcut = '{"shortcutDetails":{"targetId":"' + id + '"}}'
  const type = 'application/vnd.google-apps.shortcut'
  await drv(
    'files insert',
    '--title',
    'cut',
    '--mime-type',
    type,
    '--parent',
    top,
    '--body',
    shortcut,
  )
  const done = await drv('pull', `${top}/`, join(folder, 'mixed'), '--no-follow')
  expect(done).toMatchObject({created: 1, failed: []})
  expect(done.skipped.map(({path}: {path: string}) => path).sort()).toEqual(['cut', 'sheet'])
  // What the pull left out is not here, so its absence says nothing.
  for (const flags of [[], ['--no-follow']]) {
    const push = ['push', `${join(folder, 'mixed')}/`, top, '--delete', '--yes', ...flags] as const
    const pushed = await drv(...push)
    expect(pushed).toMatchObject({removed: 0, unchanged: 1, failed: []})
    expect(pushed.skipped.map(({path}: {path: string}) => path).sort()).toEqual(['cut', 'sheet'])
  }
})

test('items with the same name are all downloaded, with numbers', async () => {
  const {drv, run, folder} = world
  const top = await folderIn('root', 'doubles')
  const ids = [await fileIn(top, 'same', '1'), await fileIn(top, 'same', '2')]
  await fileIn(top, 'other', 'x')
  const target = join(folder, 'doubles')
  const result = await run('pull', [`${top}/`, target])
  expect(result.code).toBe(0)
  expect(localTree(target)).toEqual({other: 'x', same: '1', 'same (1)': '2'})
  const named = result.stderr.split('\n').filter(line => ids.every(id => line.includes(id)))
  expect(named).toHaveLength(1)
  // Reported once, and nothing is left to do.
  const again = await run('pull', [`${top}/`, target])
  expect(again.code).toBe(0)
  for (const id of ids) expect(again.stderr).not.toContain(id)
  expect(await drv('pull', `${top}/`, target)).toMatchObject({created: 0, unchanged: 3})
  // On the command line it is simply ambiguous.
  const asked = await run('pull', ['/doubles/same', join(folder, 'doubles')])
  expect(asked.code).toBe(12)
  for (const id of ids) expect(asked.stderr).toContain(id)
})

test('--delete moves extra local files aside, after confirmation', async () => {
  const {drv, run, folder} = world
  const top = await folderIn('root', 'mirror')
  await fileIn(top, 'a.txt', 'a')
  const target = join(folder, 'mirror')
  mkdirSync(join(target, 'old'), {recursive: true})
  writeFileSync(join(target, 'old/o.txt'), 'o')
  const refused = await run('pull', [`${top}/`, target, '--delete'])
  expect(refused.code).toBe(2)
  expect(localTree(target)).toEqual({'old/o.txt': 'o'})
  expect(await drv('pull', `${top}/`, target, '--delete', '--dry-run')).toEqual([
    {action: 'download', input: 'a.txt', bytes: 1},
    {action: 'remove', input: 'old'},
  ])
  expect(await drv('pull', `${top}/`, target, '--delete', '--yes')).toMatchObject({removed: 1})
  expect(readdirSync(target).sort()).toEqual(['.drv-trash', 'a.txt'])
  const [stamp = ''] = readdirSync(join(target, '.drv-trash'))
  expect(localTree(join(target, '.drv-trash', stamp))).toEqual({'old/o.txt': 'o'})
  // What was moved aside is not part of the tree.
  expect(await drv('pull', `${top}/`, target, '--delete', '--yes')).toMatchObject({removed: 0})
})

test('a missing source, and a target that is a file', async () => {
  const {run, file} = world
  const missing = await run('pull', ['/no/such', 'x'])
  expect(missing.code).toBe(5)
  expect(missing.stderr).toContain('"no"')
  const target = await run('pull', ['/', file('in-the-way', 'x')])
  expect(target.code).toBe(1)
  expect(target.stderr).toRead()
})

test('lines of standard input name the sources, and the target is a folder', async () => {
  const top = await folderIn('root', 'Listed')
  const one = await fileIn(top, 'one.txt', 'one')
  await fileIn(top, 'two [x].txt', 'two')
  const target = join(world.folder, 'listed')
  await world.run('pull', ['-', target], {input: `${one}\n`})
  expect(localTree(target)).toEqual({'one.txt': 'one'})
  const both = await world.run('pull', ['-', target], {input: `/Listed/two [x].txt\n/Listed\n`})
  expect(both.code, both.stderr).toBe(0)
  expect(localTree(target)).toMatchObject({'two [x].txt': 'two', 'Listed/one.txt': 'one'})
})
