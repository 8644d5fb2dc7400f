import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, expect, test} from 'vitest'
import {partOf} from '#lib/transfer/target.js'
import {runHere} from '../../support/here.js'
import {startWorld, type World} from '../../support/world.js'

/** Pull, push, pull: whatever the names, nothing is duplicated, trashed or lost. */

let world: World
beforeAll(async () => {
  world = await startWorld({}, runHere)
})
afterAll(() => world.close())

const NOTHING = {created: 0, replaced: 0, removed: 0, folders: 0, failed: []}

function contents(path: string): string[] {
  return readdirSync(path, {recursive: true, withFileTypes: true})
    .filter(entry => entry.isFile())
    .map(entry => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .sort()
}

/** Titles and contents of a remote folder, by ID. */
async function there(id: string): Promise<Record<string, string>> {
  const items = await world.children(id)
  return Object.fromEntries(items.map(item => [item.id, `${item.title} ${item.md5Checksum}`]))
}

const STRANGE = [
  ...['a/b', 'a／b', 'a‛／b', 'line\nfeed', 'line␊feed', 'tab\t', '\r', 'del\u007f', 'c1\u0085'],
  ...['', '.', '..', '...', 'NUL', 'con.txt', 'ends.', 'ends ', ' starts', '12:30*?"<>|\\'],
  ...['.drv-trash', partOf('plain.txt'), 'plain.txt', 'Plain.txt', 'ü', 'u\u0308', '🙂', '\u202e'],
  ...['x'.repeat(255), 'x'.repeat(256), `${'x'.repeat(256)}.pdf`, '/'.repeat(100)],
]

test('any title: a pull, a push and a pull transfer only new files', async () => {
  const {drv, folder, make} = world
  const top = await make('strange', 'root')
  for (const title of STRANGE) await make(title, top, title)
  const inner = await make('in/ner', top)
  for (const title of ['d/e', 'd\ne']) await make(title, inner, title)
  const before = [await there(top), await there(inner)]
  const target = join(folder, 'strange')
  expect(await drv('pull', `${top}/`, target)).toMatchObject({created: STRANGE.length + 2})
  expect(contents(target)).toEqual([...STRANGE, 'd/e', 'd\ne'].sort())
  const rounds = [
    ['push', `${target}/`, top],
    ['push', `${target}/`, top, '--delete', '--yes'],
    ['pull', `${top}/`, target],
    ['pull', `${top}/`, target, '--delete', '--yes'],
  ] as const
  for (const [command, ...args] of rounds) {
    const done = await drv(command, ...args)
    expect(done).toMatchObject({...NOTHING, unchanged: STRANGE.length + 2})
  }
  expect([await there(top), await there(inner)]).toEqual(before)
  // In another folder, too, all files get their titles.
  const copy = await make('copy of strange', 'root')
  rmSync(join(target, 'u\u0308'))
  await drv('push', `${target}/`, copy)
  const titles = (await world.children(copy)).map(({title}) => title)
  // Except an empty title, and those too long for a local name.
  const isWhole = (title: string) => title.length > 0 && title.length < 100 && title !== 'u\u0308'
  const whole = [...STRANGE.filter(isWhole), 'in/ner']
  expect(titles).toEqual(expect.arrayContaining(whole))
  expect(titles).toHaveLength(STRANGE.length)
  expect(await drv('push', `${target}/`, copy, '--delete', '--yes')).toMatchObject(NOTHING)
})

test('another machine with the folder uploads nothing', async () => {
  const {drv, run, folder, make} = world
  const top = await make('machines', 'root')
  const titles = ['a/b', 'same.txt', 'same.txt', 'same (1).txt', 'x'.repeat(300)]
  for (const [index, title] of titles.entries()) await make(title, top, `${index}`)
  for (const one of ['d/e', 'd/e']) await make('f\tg', await make(one, top), one)
  const before = await there(top)
  const target = join(folder, 'machines')
  await drv('pull', `${top}/`, target)
  const args = [`${target}/`, top, '--delete', '--yes', '--json']
  const elsewhere = await run('push', args, {env: {XDG_STATE_HOME: join(folder, 'other state')}})
  expect(elsewhere.json()).toMatchObject({...NOTHING, unchanged: 7, skipped: []})
  expect(await there(top)).toEqual(before)
})

test('files of the same name: changes and removals apply to the file they were pulled from', async () => {
  const {drv, run, folder, make} = world
  const top = await make('twins', 'root')
  const [a, b] = [await make('same.txt', top, 'one'), await make('same.txt', top, 'two')]
  const target = join(folder, 'twins')
  await drv('pull', `${top}/`, target)
  appendFileSync(join(target, 'same.txt'), ' more')
  const pushed = await run('push', [`${target}/`, top, '--json'])
  expect(pushed.json()).toMatchObject({replaced: 1, unchanged: 1})
  expect(pushed.stderr).toBe('')
  expect((await run('files get', [a, '--download', '-'])).stdout).toBe('one more')

  const c = await make('same.txt', top, 'three')
  expect(await drv('pull', `${top}/`, target)).toMatchObject({created: 1, unchanged: 2})
  rmSync(join(target, 'same.txt'))
  const mirrored = await drv('push', `${target}/`, top, '--delete', '--yes')
  expect(mirrored).toMatchObject({...NOTHING, removed: 1, unchanged: 2})
  expect(Object.keys(await there(top)).sort()).toEqual([b, c].sort())
  // The others keep their names.
  expect(await drv('pull', `${top}/`, target)).toMatchObject({...NOTHING, unchanged: 2})
  expect(readdirSync(target).sort()).toEqual(['same (1).txt', 'same (2).txt'])
  expect(readFileSync(join(target, 'same (1).txt'), 'utf8')).toBe('two')
})

test('files of the same name, never pulled: identical content is kept, other content updates the newest', async () => {
  const {drv, run, folder, make} = world
  const top = await make('strangers', 'root')
  const [old, recent] = [await make('same.txt', top, 'one'), await make('same.txt', top, 'two')]
  const source = join(folder, 'strangers')
  mkdirSync(source)
  writeFileSync(join(source, 'same.txt'), 'one')
  const state = (name: string) => ({env: {XDG_STATE_HOME: join(folder, name)}})
  const args = [`${source}/`, top, '--delete', '--yes', '--format', 'ndjson']
  const same = await run('push', args, state('first'))
  expect(same.json()).toMatchObject({...NOTHING, unchanged: 1})
  expect(same.stderr).toContain(old)
  expect(same.stderr).not.toContain(recent)
  const before = await there(top)

  writeFileSync(join(source, 'same.txt'), 'new')
  // The decision is remembered.
  const known = await run('push', [...args, '--dry-run'], state('first'))
  expect(known.stderr).not.toContain(old)
  const other = await run('push', args, state('second'))
  expect(other.json()).toMatchObject({...NOTHING, replaced: 1})
  expect(other.stderr.split('\n')[0]).toContain(recent)
  const after = await there(top)
  expect(after[old]).toBe(before[old])
  expect(Object.keys(after)).toHaveLength(2)
  const again = await run('push', args, state('second'))
  expect(again.json()).toMatchObject({...NOTHING, unchanged: 1})
  expect(again.stderr).not.toContain(recent)
  expect(await drv('files get', old)).toMatchObject({labels: {trashed: false}})
})

test.each([
  ['one', {unchanged: 1}, 'the identical one'],
  ['new', {replaced: 1}, 'the newest'],
])(
  'a single file with the content %s, where several have its name: %j, %s',
  async (text, counts, _) => {
    const {run, file, folder, make} = world
    const top = await make(`several-${text}`, 'root')
    const [old, recent] = [await make('same.txt', top, 'one'), await make('same.txt', top, 'two')]
    const env = {XDG_STATE_HOME: join(folder, `state-${text}`)}
    const args = [file('same.txt', text), `/several-${text}`, '--format', 'ndjson']
    const pushed = await run('push', args, {env})
    expect(pushed.json()).toMatchObject({...NOTHING, ...counts})
    const id = text === 'one' ? old : recent
    expect(pushed.stderr).toMatch(new RegExp(`items named same.txt: .*${id}`))
    expect(Object.keys(await there(top))).toHaveLength(2)
  },
)

test('a local copy of a removed file never replaces another file of the same name', async () => {
  const {drv, run, folder, make} = world
  const top = await make('left', 'root')
  const [a, b] = [await make('same.txt', top, 'one'), await make('same.txt', top, 'two')]
  const target = join(folder, 'left')
  await drv('pull', `${top}/`, target)
  await drv('files trash', a)
  expect(await drv('push', `${target}/`, top)).toMatchObject({created: 1, unchanged: 1})
  expect((await run('files get', [b, '--download', '-'])).stdout).toBe('two')
  expect(await drv('push', `${target}/`, top)).toMatchObject({...NOTHING, unchanged: 2})
  expect(await drv('pull', `${top}/`, target)).toMatchObject({...NOTHING, unchanged: 2})
})

test('local names are restored, and names that no pull creates are kept', async () => {
  const {drv, folder, make} = world
  const top = await make('natural', 'root')
  const source = join(folder, 'natural')
  mkdirSync(join(source, 'd\ne'), {recursive: true})
  for (const name of ['a\nb', '‛tis', 'AC／DC', 'd\ne/tab\t']) {
    writeFileSync(join(source, name), name)
  }
  expect(await drv('push', `${source}/`, top)).toMatchObject({created: 4, folders: 1})
  for (const command of ['push', 'pull', 'push'] as const) {
    const args = command === 'push' ? [`${source}/`, top] : [`${top}/`, source]
    expect(await drv(command, ...args, '--delete', '--yes')).toMatchObject({
      ...NOTHING,
      unchanged: 4,
    })
  }
})

test('content of two folders of the same name goes back to its own folder', async () => {
  const {drv, folder, make} = world
  const top = await make('folders', 'root')
  const ids = [await make('photos', top), await make('photos', top)]
  for (const id of ids) await make('a.txt', id, id)
  const target = join(folder, 'folders')
  await drv('pull', `${top}/`, target)
  expect(readdirSync(target).sort()).toEqual(['photos', 'photos (1)'])
  renameSync(join(target, 'photos (1)/a.txt'), join(target, 'photos (1)/b.txt'))
  const done = await drv('push', `${target}/`, top, '--delete', '--yes')
  expect(done).toMatchObject({created: 1, removed: 1, unchanged: 1, folders: 0})
  expect((await world.children(ids[0]!)).map(({title}) => title)).toEqual(['a.txt'])
  expect((await world.children(ids[1]!)).map(({title}) => title)).toEqual(['b.txt'])
})
