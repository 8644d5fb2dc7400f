import {readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, expect, test} from 'vitest'
import {startFollower, until} from '../../support/followers.js'
import {runHere} from '../../support/here.js'
import {startWorld, type World} from '../../support/world.js'

/** Followers of My Drive and of shared drives, each with its own list of changes. */

const ROOTS = ['/', 'drive:Finance', 'drive:Plans']

let world: World
beforeAll(async () => {
  world = await startWorld({}, runHere)
  for (const name of ['Finance', 'Plans', 'Other'])
    await world.drv('drives insert', '--name', name, '--request-id', name)
})
afterAll(() => world.close())

/** A function that returns the changes since its last call. */
async function follower(name: string, roots: readonly string[] = ROOTS) {
  const file = join(world.folder, `${name}.jsonl`)
  const next = async (...more: string[]) => {
    const args = [...roots, '--checkpoint', file, '--format', 'ndjson', '--quiet', ...more]
    const {code, stdout, stderr} = await world.run('follow --once', args)
    expect({code, stderr}).toEqual({code: 0, stderr: ''})
    const rows = stdout.split('\n').filter(Boolean)
    return rows.map(row => {
      const {kind, path, from} = JSON.parse(row) as Record<string, string>
      return [kind, path, ...(from === undefined ? [] : [from])].join(' ')
    })
  }
  expect(await next()).toEqual([])
  return {file, next}
}

const run = async (command: string, ...args: string[]) => {
  const {code, stderr} = await world.run(command, args)
  expect({command, code}, stderr).toEqual({command, code: 0})
}

test('one shared drive', async () => {
  const {next} = await follower('one', ['drive:Plans'])
  await run('push', world.file('a.txt', 'a'), 'drive:Plans/a.txt')
  await run('push', world.file('a.txt', 'a'), 'drive:Other/one.txt')
  expect(await next()).toEqual(['created drive:Plans/a.txt'])
  await run('rename', 'drive:Plans/a.txt', 'b.txt')
  expect(await next()).toEqual(['renamed drive:Plans/b.txt drive:Plans/a.txt'])
  await run('mv', 'drive:Plans/b.txt', 'drive:Other/')
  expect(await next()).toEqual(['moved drive:Other/b.txt drive:Plans/b.txt'])
  await run('mv', 'drive:Other/b.txt', 'drive:Plans/')
  expect(await next()).toEqual(['moved drive:Plans/b.txt drive:Other/b.txt'])
  await run('files delete', 'drive:Plans/b.txt', '--yes')
  expect(await next()).toEqual(['removed drive:Plans/b.txt'])
})

test('several drives: each change once, also of items that move between them', async () => {
  const {next} = await follower('several')
  for (const path of ['/x.txt', 'drive:Finance/x.txt', 'drive:Plans/x.txt', 'drive:Other/x.txt'])
    await run('push', world.file('x.txt', 'x'), path)
  expect((await next()).sort()).toEqual([
    ...['created /x.txt', 'created drive:Finance/x.txt', 'created drive:Plans/x.txt'],
  ])
  await run('rename', 'drive:Plans/x.txt', 'y.txt')
  await run('rm', 'drive:Finance/x.txt')
  await run('files touch', '/x.txt')
  expect((await next()).sort()).toEqual([
    'metadata /x.txt',
    'renamed drive:Plans/y.txt drive:Plans/x.txt',
    expect.stringMatching(/^trashed trash:\S+ drive:Finance\/x.txt$/),
  ])
  await run('mv', 'drive:Plans/y.txt', 'drive:Finance/')
  await run('mv', '/x.txt', 'drive:Plans/')
  expect((await next()).sort()).toEqual([
    'moved drive:Finance/y.txt drive:Plans/y.txt',
    'moved,shared drive:Plans/x.txt /x.txt',
  ])
  await run('mv', 'drive:Finance/y.txt', 'drive:Other/')
  await run('mv', 'drive:Other/x.txt', '/')
  await run('files delete', 'drive:Plans/x.txt', '--yes')
  expect((await next()).sort()).toEqual([
    // Nothing was known about an item in a drive that is not followed.
    'moved /x.txt',
    'moved drive:Other/y.txt drive:Finance/y.txt',
    'removed drive:Plans/x.txt',
  ])
  expect(await next()).toEqual([])
})

test('an expired token of one drive does not concern the others', async () => {
  const {file, next} = await follower('expired')
  await run('push', world.file('e.txt', 'e'), 'drive:Finance/e.txt')
  await run('push', world.file('e.txt', 'e'), 'drive:Plans/e.txt')
  const lines = readFileSync(file, 'utf8').split('\n')
  const last = lines.findLastIndex(line => line.includes('"position"'))
  lines[last] = lines[last]!.replace(/"token":"\d+"/, '"token":"999999"')
  writeFileSync(file, lines.join('\n'))
  const result = await world.run('follow --once', [...ROOTS, '--checkpoint', file])
  expect(result.stdout.replaceAll(/^\S+/gm, 'TIME').split('\n').sort()).toEqual([
    '',
    'TIME\tcreated\tdrive:Finance/e.txt\tlocal@example.com\t1',
    'TIME\tcreated\tdrive:Plans/e.txt\tlocal@example.com\t1',
  ])
  expect(result.stderr).toRead()
  expect(await next()).toEqual([])
})

test('since a time in all drives; a page token belongs to one', async () => {
  await run('push', world.file('s.txt', 's'), 'drive:Finance/s.txt')
  const found = await world.run('follow --once --since 1h', [...ROOTS])
  expect(found.stdout.split('\n').filter(line => line.includes('Finance/s.txt'))).toHaveLength(1)
  const {startPageToken} = await world.drv('changes get-start-page-token')
  const refused = await world.run('follow --once --since', [startPageToken, ...ROOTS])
  expect(refused.code).toBe(2)
  expect(refused.stderr).toRead()
})

test('notifications come from a channel for each drive', async () => {
  const list = async () => (await world.drv('channels list')) as Array<{watches: string}>
  const running = startFollower(world, ['follow', ...ROOTS, '--listen'])
  await until(async () => (await list()).length === 3, running.text)
  expect((await list()).filter(({watches}) => watches === 'changes')).toHaveLength(1)
  for (const [index, root] of ROOTS.entries()) {
    const path = `${root.replace(/\/$/, '')}/n${index}.txt`
    await run('push', world.file('n.txt', 'n'), path)
    await until(() => running.text().includes(`\t${path}\t`), running.text)
  }
  expect(await running.end()).toBe(130)
  expect(await list()).toEqual([])
})
