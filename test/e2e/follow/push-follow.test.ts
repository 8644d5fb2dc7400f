import {mkdirSync, readdirSync, renameSync, rmSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {setTimeout as wait} from 'node:timers/promises'
import {afterAll, beforeAll, expect, test} from 'vitest'
import {openTree} from '#lib/transfer/sync/remembered-tree.js'
import {startChangeProxy} from '../../support/change-proxy.js'
import {
  difference,
  isSameTree,
  localTree,
  md5,
  remoteIds,
  remoteTree,
  startFollower,
  until,
} from '../../support/followers.js'
import {startWorld, type World} from '../../support/world.js'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

/** The first line of a text that contains these words. */
const lineOf = (text: string, words: string) =>
  text.split('\n').find(line => line.includes(words)) ?? `no line with: ${words}`

async function equal(source: string, top: string): Promise<void> {
  await until(
    async () => isSameTree(localTree(source), await remoteTree(world, top)),
    async () => difference(localTree(source), await remoteTree(world, top)),
  )
}

const pushArgs = (source: string, top: string) => [
  ...['push', `${source}/`, top, '--follow', '--delete', '--yes'],
]

/** Follows a local folder, which the remote one equals afterwards. */
async function startPush(source: string, top: string): Promise<ReturnType<typeof startFollower>> {
  const follower = startFollower(world, pushArgs(source, top))
  await until(() => follower.text().includes('Following'), follower.text)
  await equal(source, top)
  return follower
}

test('a remote folder follows a local one: new, changed, renamed, moved and removed items', async () => {
  const source = join(world.folder, 'one')
  mkdirSync(join(source, 'sub'), {recursive: true})
  writeFileSync(join(source, 'a.txt'), 'a')
  writeFileSync(join(source, 'sub/b.txt'), 'b')
  const top = await world.make('one', 'root')
  const follower = await startPush(source, top)
  const before = await remoteIds(world, top)

  writeFileSync(join(source, 'a.txt'), 'changed')
  renameSync(join(source, 'sub'), join(source, 'renamed'))
  mkdirSync(join(source, 'new/deep'), {recursive: true})
  writeFileSync(join(source, 'new/deep/c.txt'), 'c')
  // Editors write a new file and rename it over the old one; swap files are theirs.
  writeFileSync(join(source, 'renamed/.b.txt.swp'), 'swap')
  await until(async () => 'new/deep/c.txt' in (await remoteTree(world, top)), follower.text)
  rmSync(join(source, 'renamed/.b.txt.swp'))
  await equal(source, top)
  const after = await remoteIds(world, top)
  expect(after['a.txt']).toBe(before['a.txt'])
  expect(after.renamed).toBe(before.sub)
  expect(after['renamed/b.txt']).toBe(before['sub/b.txt'])
  await until(() => follower.text().includes('sub to'), follower.text)
  expect(lineOf(follower.text(), 'sub to')).toRead()

  renameSync(join(source, 'new/deep/c.txt'), join(source, 'c2.txt'))
  rmSync(join(source, 'new'), {recursive: true})
  writeFileSync(join(source, 'a.new'), 'saved by an editor')
  renameSync(join(source, 'a.new'), join(source, 'a.txt'))
  await equal(source, top)
  const last = await remoteIds(world, top)
  expect(last['c2.txt']).toBe(after['new/deep/c.txt'])
  expect(last['a.txt']).toBe(before['a.txt'])
  expect(await follower.end()).toBe(130)
  expect(follower.text()).not.toContain('Failed')
})

test('changes made meanwhile are found at the next start, without a second upload', async () => {
  const source = join(world.folder, 'two')
  mkdirSync(join(source, 'f'), {recursive: true})
  writeFileSync(join(source, 'a.txt'), 'a')
  writeFileSync(join(source, 'f/b.txt'), 'b')
  const top = await world.make('two', 'root')
  const first = await startPush(source, top)
  await first.end()
  const before = await remoteIds(world, top)

  renameSync(join(source, 'f'), join(source, 'g'))
  renameSync(join(source, 'a.txt'), join(source, 'g/a.txt'))
  writeFileSync(join(source, 'new.txt'), 'new')
  const second = startFollower(world, pushArgs(source, top))
  await equal(source, top)
  const after = await remoteIds(world, top)
  expect(after).toMatchObject({
    g: before.f,
    'g/b.txt': before['f/b.txt'],
    'g/a.txt': before['a.txt'],
  })
  await second.end()
  expect(lineOf(second.text(), '1 new file')).toRead()
})

test('a file gives way to a folder of the same name, into which another file moves', async () => {
  const source = join(world.folder, 'way')
  mkdirSync(source)
  writeFileSync(join(source, 'name'), 'of the folder')
  writeFileSync(join(source, 'a.txt'), 'a')
  const top = await world.make('way', 'root')
  const follower = await startPush(source, top)
  const before = await remoteIds(world, top)
  rmSync(join(source, 'name'))
  mkdirSync(join(source, 'name'))
  renameSync(join(source, 'a.txt'), join(source, 'name/a.txt'))
  await equal(source, top)
  expect((await remoteIds(world, top))['name/a.txt']).toBe(before['a.txt'])
  await follower.end()
  expect(follower.text()).not.toContain('Failed')
})

test('a file moves into the folder that takes its name, and changes there', async () => {
  const source = join(world.folder, 'into')
  mkdirSync(source)
  writeFileSync(join(source, 'name'), 'first')
  const top = await world.make('into', 'root')
  const follower = await startPush(source, top)
  const before = await remoteIds(world, top)
  renameSync(join(source, 'name'), join(world.folder, 'aside'))
  mkdirSync(join(source, 'name'))
  renameSync(join(world.folder, 'aside'), join(source, 'name/a.txt'))
  await equal(source, top)
  await until(() => follower.text().includes('Renamed'), follower.text)
  writeFileSync(join(source, 'name/a.txt'), 'second')
  await equal(source, top)
  expect((await remoteIds(world, top))['name/a.txt']).toBe(before.name)
  await follower.end()
  expect(follower.text()).not.toMatch(/Conflict|Failed/)
})

test('a remote file that changed is never replaced: the local version goes up beside it', async () => {
  const source = join(world.folder, 'three')
  mkdirSync(source, {recursive: true})
  writeFileSync(join(source, 'report.txt'), 'base')
  writeFileSync(join(source, 'kept.txt'), 'kept')
  const top = await world.make('three', 'root')
  const follower = await startPush(source, top)
  const ids = await remoteIds(world, top)
  await world.drv('push', world.file('theirs', 'theirs'), ids['report.txt']!)
  await world.drv('push', world.file('theirs', 'theirs too'), ids['kept.txt']!)
  await world.make('new.txt', top, 'theirs, new')
  writeFileSync(join(source, 'report.txt'), 'ours')
  writeFileSync(join(source, 'new.txt'), 'ours, new')
  rmSync(join(source, 'kept.txt'))
  await until(async () => Object.keys(await remoteTree(world, top)).length === 5, follower.text)
  const found = await remoteIds(world, top)
  expect(found).toMatchObject({'report.txt': ids['report.txt'], 'kept.txt': ids['kept.txt']})
  const names = Object.keys(found).sort()
  expect(names[1]).toMatch(/^new \(conflict from \S+, \d{4}-\d\d-\d\d \d\d-\d\d-\d\d\)\.txt$/)
  const conflict = names.find(name => name.startsWith('report (conflict'))!
  const read = async (id: string) => (await world.run('cat', [id])).stdout
  expect(await read(found['report.txt']!)).toBe('theirs')
  expect(await read(found[conflict]!)).toBe('ours')
  expect(lineOf(follower.text(), 'report.txt').replace(conflict, 'CONFLICT')).toRead()
  expect(lineOf(follower.text(), 'kept.txt')).toRead()
  // Later edits belong to the local version.
  writeFileSync(join(source, 'report.txt'), 'ours again')
  await until(async () => (await read(found[conflict]!)) === 'ours again', follower.text)
  expect(await read(found['report.txt']!)).toBe('theirs')
  await follower.end()
})

test('without --delete, what is removed here stays there; a removed root ends the command', async () => {
  const source = join(world.folder, 'four')
  mkdirSync(source, {recursive: true})
  writeFileSync(join(source, 'a.txt'), 'a')
  writeFileSync(join(source, 'b.txt'), 'b')
  const follower = startFollower(world, ['push', source, '/four', '--follow'])
  await until(() => follower.text().includes('Uploaded 2 new files'), follower.text)
  rmSync(join(source, 'a.txt'))
  writeFileSync(join(source, 'c.txt'), 'c')
  await until(() => follower.text().includes('Uploaded 1 new file'), follower.text)
  await wait(1500)
  const listed = await world.drv('find', '/four')
  expect(listed.map(({title}: {title: string}) => title).sort()).toEqual(
    expect.arrayContaining(['a.txt', 'b.txt', 'c.txt']),
  )
  rmSync(source, {recursive: true})
  await until(() => follower.child.exitCode !== null, follower.text)
  expect(follower.child.exitCode).toBe(5)
  expect(lineOf(follower.text(), 'Error: ')).toRead()
  expect(await world.drv('find', '/four')).toHaveLength(listed.length)
})

test('a local file that a pull of the same folder has forgotten is uploaded again', async () => {
  const source = join(world.folder, 'five')
  mkdirSync(join(source, 'sub'), {recursive: true})
  writeFileSync(join(source, 'sub/a.txt'), 'a')
  const top = await world.make('five', 'root')
  const env = {XDG_STATE_HOME: join(world.folder, 'state-five')}
  const follower = startFollower(world, ['push', `${source}/`, top, '--follow'], env)
  await until(() => follower.text().includes('Following'), follower.text)
  const {'sub/a.txt': id} = await remoteIds(world, top)
  await world.drv('rm', id!)
  const states = join(env.XDG_STATE_HOME, 'drv/remembered')
  const [state] = readdirSync(states).filter(name => name.endsWith('.jsonl'))
  await openTree(join(states, state!)).update(draft => draft.remove(id!))
  writeFileSync(join(source, 'b.txt'), 'b')
  await equal(source, top)
  await follower.end()
})

test('content that an interrupted push has sent is not taken for a change by others', async () => {
  const source = join(world.folder, 'six')
  const paths = ['removed.txt', 'changed.txt', 'reverted.txt'].map(name => join(source, name))
  const write = (content: string) => paths.forEach(path => writeFileSync(path, content))
  mkdirSync(source)
  write('one')
  const top = await world.make('six', 'root')
  let isLost = false
  const {url} = await startChangeProxy(world.url, line => isLost && line.startsWith('PUT /upload'))
  const env = {DRV_BASE_URL: url, XDG_STATE_HOME: join(world.folder, 'state-six')}
  const first = startFollower(world, pushArgs(source, top), env)
  await until(() => first.text().includes('Following'), first.text)
  isLost = true
  write('second')
  await equal(source, top)
  await first.end('SIGKILL')

  isLost = false
  const [removed, changed, reverted] = paths
  rmSync(removed!)
  writeFileSync(changed!, 'the third')
  writeFileSync(reverted!, 'one')
  const second = startFollower(world, pushArgs(source, top), env)
  await equal(source, top)
  await second.end()
  expect(second.text()).not.toMatch(/Kept|Conflict/)
})

test('an interrupted push takes over what it has created', async () => {
  const source = join(world.folder, 'seven')
  const [removed, changed, same] = ['removed.txt', 'changed.txt', 'same.txt'].map(name =>
    join(source, name),
  )
  const emptied = join(source, 'emptied')
  mkdirSync(source)
  const top = await world.make('seven', 'root')
  let isLost = false
  const isCreation = (line: string) => /^POST \/(upload|batch|drive\/v2\/files)/.test(line)
  const {url} = await startChangeProxy(world.url, line => isLost && isCreation(line))
  const env = {DRV_BASE_URL: url, XDG_STATE_HOME: join(world.folder, 'state-seven')}
  const first = startFollower(world, pushArgs(source, top), env)
  await until(() => first.text().includes('Following'), first.text)
  isLost = true
  mkdirSync(emptied)
  for (const path of [removed, changed, same]) writeFileSync(path!, 'new')
  await equal(source, top)
  await first.end('SIGKILL')
  const before = await remoteIds(world, top)

  isLost = false
  rmSync(removed!)
  rmSync(emptied, {recursive: true})
  writeFileSync(changed!, 'changed')
  // Nobody else's file is taken over.
  await world.make('foreign.txt', top, 'foreign')
  const second = startFollower(world, pushArgs(source, top), env)
  const foreign = {'foreign.txt': md5('foreign')}
  await until(
    async () => isSameTree({...localTree(source), ...foreign}, await remoteTree(world, top)),
    async () => difference(localTree(source), await remoteTree(world, top)),
  )
  await second.end()
  expect(await remoteIds(world, top)).toMatchObject({
    'changed.txt': before['changed.txt'],
    'same.txt': before['same.txt'],
  })
  expect(second.text()).not.toMatch(/Kept|Conflict/)
})

test.each([
  [['push', '-', '/x', '--follow'], '--follow requires a single folder'],
  [['push', 'a', 'b', '/x', '--follow'], '--follow requires a single folder'],
  [['push', 'package.json', '/x', '--follow'], 'is a file'],
  [['push', '.', '/x', '--follow', '--dry-run'], '--follow and --dry-run cannot be combined'],
  [['push', '.', '/x', '--follow', '--delete'], 'Pass --yes'],
])('%j is refused', async (args, words) => {
  const {code, stderr} = await world.run(args[0]!, args.slice(1), {cwd: process.cwd()})
  expect([code, stderr]).toEqual([2, expect.stringContaining(words)])
})
