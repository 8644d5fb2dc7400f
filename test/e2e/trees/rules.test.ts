import {existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs'
import {dirname, join} from 'node:path'
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {runHere} from '../../support/here.js'
import {startWorld, type World} from '../../support/world.js'

let world: World
beforeAll(async () => {
  world = await startWorld({}, runHere)
})
afterAll(() => world.close())

/** Files below a folder of the test, by path. */
function plant(name: string, files: Readonly<Record<string, string>>): string {
  const top = join(world.folder, name)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(top, path)), {recursive: true})
    writeFileSync(join(top, path), text)
  }
  return top
}

const titles = async (folder: string) =>
  (await world.children(folder)).map(({title}) => title).sort()

const inner = async (folder: string, title: string) =>
  (await world.children(folder)).find(item => item.title === title).id as string

/** The number of requests a command line sent. */
async function requests(command: string, ...args: string[]): Promise<number> {
  const {stderr} = await world.run(command, [...args, '--debug'])
  const count = Number(/(\d+) requests? in /.exec(stderr)?.[1])
  expect(count).toBeGreaterThan(0)
  return count
}

test('excluded files are not uploaded, are counted, and need no request', async () => {
  const {run, drv, make} = world
  const source = plant('rules', {
    '.drvignore': 'node_modules/\n',
    'a.txt': 'a',
    'a.log': 'log',
    'sub/.drvignore': '*.tmp',
    'sub/b.tmp': 'b',
    'sub/c.txt': 'c',
    'node_modules/deep/d.js': 'd',
  })
  const top = await make('rules', 'root')
  const result = await run('push', [`${source}/`, top, '--exclude', '*.log'])
  expect(result.code).toBe(0)
  expect(result.stderr.match(/Excluded: .*/g)).toEqual(['Excluded: 1 folder, 2 files.'])
  expect(await titles(top)).toEqual(['.drvignore', 'a.txt', 'sub'])
  expect(await titles(await inner(top, 'sub'))).toEqual(['.drvignore', 'c.txt'])

  const again = ['push', `${source}/`, top, '--exclude', '*.log'] as const
  expect(await drv(...again)).toMatchObject({unchanged: 4, leftOut: {folders: 1, files: 2}})
  const before = await requests(...again)
  // Excluded remote folders are not listed either.
  await make('e', await make('node_modules', top))
  expect(await requests(...again)).toBe(before)
})

test('--delete ignores excluded files on both sides', async () => {
  const {drv, run, make} = world
  const source = plant('mirror', {'keep.txt': 'k'})
  const top = await make('mirror', 'root')
  await make('old.log', top, 'x')
  await make('old.txt', top, 'x')
  const old = await make('old', top)
  await make('in.log', old, 'x')
  await make('in.txt', old, 'x')
  await make('gone', await make('whole', top), 'x')
  const flags = ['--delete', '--yes', '--exclude', '*.log']
  await drv('push', `${source}/`, top, ...flags)
  expect(await titles(top)).toEqual(['keep.txt', 'old', 'old.log'])
  expect(await titles(old)).toEqual(['in.log'])

  const target = plant('mirrored', {
    '.drvignore': 'private/\n.drvignore\n',
    'private/x': 'x',
    'own/a.log': 'x',
    'own/a.txt': 'x',
    'gone/a.txt': 'x',
  })
  const done = await run('pull', [`${top}/`, target, ...flags, '--json'])
  expect(done.json()).toMatchObject({created: 1, removed: 2, leftOut: {folders: 0, files: 2}})
  const there = ['.drvignore', 'private/x', 'own/a.log', 'own/a.txt', 'gone', 'old', 'old/in.log']
  expect(there.filter(path => existsSync(join(target, path)))).toEqual([
    ...['.drvignore', 'private/x', 'own/a.log', 'old'],
  ])
})

test('a pull does not list excluded folders', async () => {
  const {drv, make} = world
  const top = await make('unlisted', 'root')
  await make('a.txt', top, 'a')
  const target = join(world.folder, 'unlisted')
  await drv('pull', `${top}/`, target)
  const before = await requests('pull', `${top}/`, target, '--exclude', 'cache')
  await make('x', await make('deep', await make('cache', top)), 'x')
  expect(await requests('pull', `${top}/`, target, '--exclude', 'cache')).toBe(before)
})

test('--include without excluded files is invalid', async () => {
  const source = plant('include', {a: 'a'})
  const {code, stderr} = await world.run('push', [`${source}/`, '/', '--include', '*.pdf'])
  expect(code).toBe(2)
  expect(stderr).toRead()
})

describe('pull --type', () => {
  /** A folder with a document, a sheet, a text and a folder of texts. */
  async function office(name: string): Promise<string> {
    const {drv, make, file} = world
    const top = await make(name, 'root')
    const year = await make('year', top)
    const texts = await make('texts', top)
    const minutes = file('minutes', 'minutes\n')
    await drv('files insert', minutes, '--convert', '--title', 'minutes', '--parent', year)
    const sheet = file('t.csv', 'a,b\n')
    await drv('files insert', sheet, '--convert', '--title', 'sheet', '--parent', year)
    await make('plan.txt', texts, 'plan')
    await drv('files insert', file('data.csv', 'a,b\n'), '--title', 'data.csv', '--parent', texts)
    return top
  }

  test('downloads only files of the type, without the folders of others', async () => {
    const {drv, run, folder} = world
    const top = await office('office')
    const target = join(folder, 'office')
    const pull = ['pull', `${top}/`, target, '--type', 'doc', '--export', 'txt'] as const
    const planned = await drv(...pull, '--dry-run')
    expect(planned.map(({action, input}: Row) => [action, input])).toEqual([
      ['folder', 'year'],
      ['download', 'year/minutes.txt'],
    ])
    const {stderr, code} = await run('pull', pull.slice(1))
    expect(code).toBe(0)
    expect(stderr).toRead()
    expect(readdirSync(target, {recursive: true}).sort()).toEqual(['year', 'year/minutes.txt'])
    expect(await drv(...pull)).toMatchObject({
      ...{folders: 0, created: 0, unchanged: 1, skipped: [], failed: []},
      leftOut: {folders: 0, files: 3},
    })
  })

  test.each([
    ['csv', ['texts', 'texts/data.csv']],
    ['text', ['texts', 'texts/data.csv', 'texts/plan.txt']],
    ['.TXT', ['texts', 'texts/plan.txt']],
    ['text/csv', ['texts', 'texts/data.csv']],
    ['sheet', []],
    ['folder', ['texts', 'year']],
    ['image', []],
  ])('%s', async (type, expected) => {
    const {drv, folder} = world
    const name = `type-${type.replaceAll(/\W/g, '')}`
    const target = join(folder, name)
    await drv('pull', `${await office(name)}/`, target, '--type', type)
    expect(readdirSync(target, {recursive: true}).sort()).toEqual(expected)
  })

  test('an exported document does not take the name of an excluded file', async () => {
    const {drv, make, file, folder} = world
    const top = await make('same-name', 'root')
    await make('minutes.txt', top, 'mine')
    const minutes = file('minutes', 'minutes\n')
    await drv('files insert', minutes, '--convert', '--title', 'minutes', '--parent', top)
    const target = join(folder, 'same-name')
    await drv('pull', `${top}/`, target)
    await drv('pull', `${top}/`, target, '--type', 'doc', '--export', 'txt')
    expect(readFileSync(join(target, 'minutes.txt'), 'utf8')).toBe('mine')
    expect(readdirSync(target)).toHaveLength(2)
  })

  test.each([
    [['--type', 'doc', '--delete']],
    [['--type', 'doc', '--delete', '--dry-run']],
    [['--type', 'a b']],
  ])('%j is invalid', async flags => {
    const {code, stderr} = await world.run('pull', ['/', world.folder, ...flags])
    expect(code).toBe(2)
    expect(stderr).toRead()
  })

  test('it is invalid for a single file on standard output', async () => {
    const id = await world.make('alone.txt', 'root', 'x')
    const {code, stderr, stdout} = await world.run('pull', [id, '-', '--type', 'txt'])
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toRead()
  })
})

interface Row {
  readonly action: string
  readonly input: string
}
