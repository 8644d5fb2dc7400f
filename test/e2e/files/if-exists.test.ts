import {mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {runHere} from '../../support/here.js'
import {startWorld, type World} from '../../support/world.js'

let world: World
beforeAll(async () => {
  world = await startWorld({}, runHere)
})
afterAll(() => world.close())

function local(name: string, files: Readonly<Record<string, string>>): string {
  const folder = join(world.folder, name)
  mkdirSync(folder)
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text)
  return folder
}

const contents = (folder: string) =>
  Object.fromEntries(
    readdirSync(folder).map(name => [name, readFileSync(join(folder, name), 'utf8')]),
  )
const titles = async (folder: string) =>
  (await world.children(folder)).map(({title}) => title).sort()

describe.each(['push', 'pull'])('%s', command => {
  /** A folder on both sides, with one identical and one different file. */
  async function sides(name: string) {
    const top = await world.make(`${command} ${name}`, 'root')
    const [source, target] = command === 'push' ? ['new', 'old'] : ['old', 'new']
    for (const title of ['same.txt', 'report.pdf']) {
      await world.make(title, top, title === 'same.txt' ? 'same' : target)
    }
    await world.make(command === 'push' ? 'theirs' : 'fresh', top, 'x')
    const folder = local(`${command}-${name}`, {'same.txt': 'same', 'report.pdf': source!})
    if (command === 'push') writeFileSync(join(folder, 'fresh'), 'x')
    const words = command === 'push' ? [`${folder}/`, top] : [`${top}/`, folder]
    const run = (...flags: string[]) => world.run(command, [...words, '--json', ...flags])
    return {run, there: async () => (command === 'push' ? titles(top) : readdirSync(folder).sort())}
  }

  test.each([
    ['replace', 0, {created: 1, replaced: 1, unchanged: 1}],
    ['skip', 0, {created: 1, replaced: 0, unchanged: 1, skipped: [{path: 'report.pdf'}]}],
    ['fail', 9, {created: 1, replaced: 0, unchanged: 1, failed: [{path: 'report.pdf'}]}],
    ['rename', 0, {created: 2, replaced: 0, unchanged: 1}],
  ])('--if-exists %s', async (how, code, tally) => {
    const {run, there} = await sides(how)
    const before = await run('--if-exists', how)
    expect(before.code).toBe(code)
    expect(before.json()).toMatchObject(tally)
    expect((await there()).includes('report (1).pdf')).toBe(how === 'rename')
    if (how !== 'rename') return
    const again = await run('--if-exists', how)
    expect(again.json()).toMatchObject({created: 0, replaced: 0, unchanged: 3})
    expect(await there()).not.toContain('report (2).pdf')
  })

  test('--if-exists rename and --delete cannot be combined', async () => {
    const {run} = await sides('odds')
    expect((await run('--if-exists', 'rename', '--delete', '--yes')).code).toBe(2)
  })
})

describe('files insert', () => {
  const insert = (top: string, ...flags: string[]) =>
    world.run('files insert', [world.file('r.pdf', 'new'), '--parent', top, '--json', ...flags])
  const content = async (id: string) => (await world.run('files get', [id, '-o', '-'])).stdout

  test('creates another file of the same name without the flag', async () => {
    const top = await world.make('insert', 'root')
    await world.make('r.pdf', top, 'old')
    expect((await insert(top)).code).toBe(0)
    expect(await titles(top)).toEqual(['r.pdf', 'r.pdf'])
  })

  test('replaces, skips, fails and renames', async () => {
    const top = await world.make('insert all', 'root')
    const id = await world.make('r.pdf', top, 'old')
    expect((await insert(top, '--if-exists', 'fail')).code).toBe(12)
    expect((await insert(top, '--if-exists', 'skip')).json().id).toBe(id)
    expect(await content(id)).toBe('old')
    expect((await insert(top, '--if-exists', 'rename')).json().title).toBe('r (1).pdf')
    expect((await insert(top, '--if-exists', 'rename')).json().title).toBe('r (2).pdf')
    expect((await insert(top, '--if-exists', 'replace')).json().id).toBe(id)
    expect(await content(id)).toBe('new')
    await world.make('r.pdf', top, 'second')
    const {code, stderr} = await insert(top, '--if-exists', 'replace')
    expect(code).toBe(12)
    expect(stderr).toContain(id)
    expect(await titles(top)).toEqual(['r (1).pdf', 'r (2).pdf', 'r.pdf', 'r.pdf'])
  })
})

test('files get replaces, skips, fails and renames', async () => {
  const id = await world.make('g.txt', 'root', 'new')
  const folder = local('get', {'g.txt': 'old'})
  const get = (...flags: string[]) =>
    world.run('files get', [id, '-o', `${join(folder, 'g.txt')}`, '--json', ...flags])
  expect((await get('--if-exists', 'fail')).code).toBe(12)
  const path = join(folder, 'g.txt')
  expect((await get('--if-exists', 'skip')).json()).toEqual({path, skipped: true})
  const ids = (...flags: string[]) => world.run('files get', [id, '-o', folder, ...flags])
  const {code, stdout} = await ids('--if-exists', 'skip', '--format', 'ndjson')
  expect([code, JSON.parse(stdout)]).toEqual([0, {path, skipped: true}])
  const columns = ['--format', 'csv', '--columns', 'path,skipped']
  expect((await ids('--if-exists', 'skip', ...columns)).stdout).toBe(
    `path,skipped\r\n${path},true\r\n`,
  )
  expect((await get('--if-exists', 'rename')).json().path).toBe(join(folder, 'g (1).txt'))
  expect(contents(folder)).toEqual({'g.txt': 'old', 'g (1).txt': 'new'})
  expect((await get('--if-exists', 'fail', '--force')).code).toBe(2)
  expect((await get('--if-exists', 'replace')).code).toBe(0)
  expect(contents(folder)['g.txt']).toBe('new')
})
