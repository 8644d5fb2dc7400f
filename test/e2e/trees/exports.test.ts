import {mkdirSync, readdirSync, readFileSync, statSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, expect, test} from 'vitest'
import {startFollower, until} from '../../support/followers.js'
import {runHere} from '../../support/here.js'
import {startWorld, type World} from '../../support/world.js'

let world: World
beforeAll(async () => {
  world = await startWorld({}, runHere)
})
afterAll(() => world.close())

async function sheet(title: string, parent: string, text: string): Promise<string> {
  const {id} = await world.drv(
    'files insert',
    world.file('t.csv', text),
    ...['--convert', '--parent', parent, '--title', title],
  )
  return id
}

test('documents are exported once, and not uploaded again', async () => {
  const {drv, run, make, children, folder} = world
  const top = await make('documents', 'root')
  await make('plain.txt', top, 'x')
  const id = await sheet('Budget', top, 'a,b\n')
  const target = join(folder, 'documents')
  const pull = ['pull', `${top}/`, target, '--export', 'docx,csv,pdf'] as const
  expect(await drv(...pull)).toMatchObject({created: 2, bytes: 5, skipped: [], failed: []})
  expect(readFileSync(join(target, 'Budget.csv'), 'utf8')).toBe('a,b\n')
  const {modifiedDate} = await drv('files get', id)
  expect(statSync(join(target, 'Budget.csv')).mtime.toISOString()).toBe(modifiedDate)
  expect(await drv(...pull)).toMatchObject({created: 0, replaced: 0, unchanged: 2})

  // It was changed locally, so it no longer matches the document.
  writeFileSync(join(target, 'Budget.csv'), 'mine')
  const pushed = await run('push', [`${target}/`, top, '--delete', '--yes', '--json'])
  expect(pushed.json()).toMatchObject({created: 0, replaced: 0, removed: 0, unchanged: 1})
  expect(pushed.json().skipped).toEqual([
    {path: 'Budget.csv', reason: `it is a copy of an editor document, Budget (ID ${id})`},
  ])
  expect((await children(top)).map(({title}) => title).sort()).toEqual(['Budget', 'plain.txt'])

  await drv('files update', id, world.file('newer.csv', 'c,d\n'))
  expect(await drv(...pull)).toMatchObject({replaced: 1, bytes: 4})
  expect(readFileSync(join(target, 'Budget.csv'), 'utf8')).toBe('c,d\n')
  await drv('pull', `${top}/`, target, '--delete', '--yes')
  expect(readdirSync(target).sort()).toEqual(['Budget.csv', 'plain.txt'])
})

test('one document goes to standard output in the first available format', async () => {
  const {run, make} = world
  const id = await sheet('One', await make('one', 'root'), 'a,b\n')
  expect((await run('pull', [id, '-', '--export', 'docx,csv'])).stdout).toBe('a,b\n')
})

test('an unknown extension is invalid', async () => {
  const {code, stderr} = await world.run('pull', ['/', world.folder, '--export', 'docx,nothing'])
  expect(code).toBe(2)
  expect(stderr).toRead()
})

test('a copy is renamed and moved with its document, and there is no second one', async () => {
  const {drv, make, folder} = world
  const top = await make('followed', 'root')
  const sub = await make('Sub', top)
  const id = await sheet('Budget', top, 'a,b\n')
  const target = join(folder, 'followed')
  mkdirSync(target)
  const flags = ['--follow', '--export', 'csv']
  const follower = startFollower(world, ['pull', `${top}/`, target, ...flags])
  await until(() => follower.text().includes('Following'), follower.text)
  await drv('files patch', id, '--title', 'Plan')
  await until(() => readdirSync(target).includes('Plan.csv'), follower.text)
  await make('Plan.csv', sub, 'theirs')
  await drv('files patch', id, '--add-parents', sub, '--remove-parents', top)
  const copy = `Plan (${id}).csv`
  await until(() => readdirSync(join(target, 'Sub')).includes(copy), follower.text)
  await until(() => readdirSync(join(target, 'Sub')).includes('Plan.csv'), follower.text)
  // A version that was replaced is kept for a moment.
  expect(readdirSync(target).filter(name => name !== '.drv-trash')).toEqual(['Sub'])
  expect(readFileSync(join(target, 'Sub', copy), 'utf8')).toBe('a,b\n')
  await until(() => follower.text().match(/^Renamed/gm)?.length === 2, follower.text)
  await follower.end()
  expect(follower.text().match(/Downloaded 1 file/g)).toHaveLength(2)
})
