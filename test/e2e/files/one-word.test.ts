import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {runHere} from '../../support/here.js'
import {startWorld, type World} from '../../support/world.js'

let world: World
beforeAll(async () => {
  world = await startWorld({}, runHere)
})
afterAll(() => world.close())

const titles = async (folder: string): Promise<string[]> =>
  (await world.children(folder)).map(({title}) => title as string).sort()

const lines = (text: string) => text.split('\n').filter(Boolean)

describe('touch', () => {
  test('updates existing files, and creates missing ones once', async () => {
    const folder = await world.make('Touch', 'root')
    const old = await world.make('old.txt', folder, 'old')
    await world.drv('files patch', old, '--modified-date', '2020-01-01T00:00:00Z')
    const result = await world.run('touch', ['/Touch/old.txt', '/Touch/new.txt', '/Touch/new.txt'])
    expect(result).toMatchObject({code: 0})
    expect(await titles(folder)).toEqual(['new.txt', 'old.txt'])
    const {modifiedDate} = await world.drv('files get', old)
    expect(Date.parse(modifiedDate)).toBeGreaterThan(Date.parse('2021-01-01'))
    const made = await world.drv('files get', '/Touch/new.txt')
    expect(made).toMatchObject({fileSize: '0', mimeType: 'text/plain'})
  })

  test('creates nothing with -c, without a folder, or with --dry-run', async () => {
    const folder = await world.make('Untouched', 'root')
    const left = await world.run('touch', ['-c', '/Untouched/x'])
    expect(left).toMatchObject({code: 0, stdout: ''})
    expect((await world.run('touch', ['/Untouched/x', '--dry-run'])).code).toBe(0)
    const lost = await world.run('touch', ['/Untouched/none/x'])
    expect(lost.code).toBe(5)
    expect(lost.stderr).toRead()
    expect(await titles(folder)).toEqual([])
  })
})

describe('star', () => {
  test('stars and unstars by path, ID, link and lines', async () => {
    const id = await world.make('Star 1', 'root', 'x')
    const other = await world.make('Star 2', 'root', 'x')
    const starred = async () =>
      (await world.drv('files list', '--q', 'starred = true')).items.map(({id}: any) => id).sort()
    const link = `https://drive.example.com/file/d/${other}/view`
    expect((await world.run('star', ['/Star 1', link])).code).toBe(0)
    expect(await starred()).toEqual([id, other].sort())
    expect((await world.run('unstar', ['-'], {input: `${id}\n`})).code).toBe(0)
    expect(await starred()).toEqual([other])
    expect((await world.run('unstar', [other!])).stdout).toContain(other)
    expect(await starred()).toEqual([])
  })
})

describe('ln', () => {
  test('creates shortcuts in a folder, and under a name', async () => {
    const folder = await world.make('Links', 'root')
    const target = await world.make('target.txt', 'root', 'target')
    expect((await world.run('ln', ['-s', '/target.txt', '/Links'])).code).toBe(0)
    expect((await world.run('ln', ['-s', '/target.txt', '/Links/other'])).code).toBe(0)
    expect((await world.run('ln', ['-s', '/Links/', '/Links/itself'])).code).toBe(0)
    expect(await titles(folder)).toEqual(['itself', 'other', 'target.txt'])
    const other = await world.drv('files get', '/Links/other')
    expect(other.shortcutDetails).toMatchObject({targetId: target})
    const itself = await world.drv('files get', '/Links/itself')
    expect(itself.shortcutDetails).toMatchObject({targetId: folder})
  })

  test('replaces only with --if-exists, and rejects hard links', async () => {
    const folder = await world.make('More links', 'root')
    await world.make('beside.txt', 'root', 'beside')
    const before = await world.make('beside.txt', folder, 'before')
    const refused = await world.run('ln', ['-s', '/beside.txt', '/More links'])
    expect(refused.code).toBe(12)
    expect((await world.run('ln', ['-sf', '/beside.txt', '/More links'])).code).toBe(0)
    expect(await titles(folder)).toEqual(['beside.txt'])
    expect((await world.drv('files get', before)).labels.trashed).toBe(true)
    expect((await world.run('ln', ['/beside.txt', '/hard'])).code).toBe(0)
    const {mimeType} = await world.drv('files get', '/hard')
    expect(mimeType).toMatch(/shortcut$/)
  })
})

describe('restore', () => {
  test('restores from the trash by former path, trash: and ID', async () => {
    const folder = await world.make('Lost', 'root')
    const ids = await Promise.all(['a', 'b', 'c'].map(name => world.make(name, folder, name)))
    expect((await world.run('rm', ids)).code).toBe(0)
    expect(await titles(folder)).toEqual([])
    expect((await world.run('restore', ['/Lost/a', 'trash:/b', ids[2]!])).code).toBe(0)
    expect(await titles(folder)).toEqual(['a', 'b', 'c'])
    const again = await world.run('restore', ['/Lost/a'])
    expect(again.code).toBe(5)
    expect(again.stderr).toRead()
  })

  test('makes an older revision the newest', async () => {
    const id = await world.make('versions.txt', 'root', 'first')
    const path = world.file('next.txt', 'second')
    await world.drv('files update', id, path)
    const dry = await world.run('restore', ['/versions.txt', '--revision', 'head~1', '--dry-run'])
    expect(dry.code).toBe(0)
    expect((await world.run('restore', ['/versions.txt', '--revision', 'head~1'])).code).toBe(0)
    expect((await world.run('cat', [id])).stdout).toBe('first')
    const {items} = await world.drv('revisions list', id)
    expect(items).toHaveLength(3)
    expect((await world.run('restore', [id, '--revision', items[1].id])).code).toBe(0)
    expect((await world.run('cat', [id])).stdout).toBe('second')
    const none = await world.run('restore', ['/versions.txt', '--revision', 'head~9'])
    expect(none.code).toBe(5)
    expect(none.stderr).toRead()
  })
})

describe('revisions prune', () => {
  test('keeps the newest and the pinned ones, requires --yes, and can be repeated', async () => {
    const id = await world.make('pruned.txt', 'root', '1')
    for (const content of ['2', '3', '4']) {
      await world.drv('files update', id, world.file('pruned', content))
    }
    const revisions = async () => (await world.drv('revisions list', id)).items as any[]
    const before = await revisions()
    await world.drv('revisions patch', id, before[0].id, '--pinned')
    expect((await world.run('revisions prune', [id, '--keep', '1'])).code).toBe(2)
    const result = await world.run('revisions prune', ['/pruned.txt', '--keep', '1', '--yes'])
    expect(result.code).toBe(0)
    expect(lines(result.stdout)).toHaveLength(2)
    expect((await revisions()).map(one => one.id)).toEqual([before[0].id, before[3].id])
    const again = await world.run('revisions prune', [id, '--keep', '1', '--yes', '--json'])
    expect(again).toMatchObject({code: 0, stdout: '[]\n'})
  })
})

describe('df', () => {
  test('shows bytes to programs and sizes to people', async () => {
    const record = await world.drv('df')
    expect(record.total).toBe(record.used + record.available)
    expect((await world.run('df', ['--columns', 'used'])).stdout).toMatch(/^\d+\n$/)
    expect((await world.run('df', ['-h'])).stdout).toMatch(/^[\d.]+ GiB\t/)
    expect((await world.run('df', ['--format', 'table'])).stdout).toMatch(/USED .*AVAILABLE/)
  })
})

describe('md5sum', () => {
  test('prints what md5sum prints, and checks it', async () => {
    const folder = await world.make('Sums', 'root')
    await world.make('a.txt', folder, 'a')
    const below = await world.make('below', folder)
    const b = await world.make('b\\b', below, 'b')
    const {stdout} = await world.run('md5sum', ['/Sums'])
    expect(stdout).toBe(
      '0cc175b9c0f1b6a831c399e269772661  /Sums/a.txt\n' +
        '\\92eb5ffee6ae2fec3ad71c777531578f  /Sums/below/b\\\\b\n',
    )
    const sums = world.file('sums', stdout)
    expect(await world.run('md5sum', ['--check', sums])).toMatchObject({code: 0, stderr: ''})
    await world.drv('files update', b, world.file('changed', 'c'))
    const lost = `${stdout}${'0'.repeat(32)}  /Sums/none\n`
    const failed = await world.run('md5sum', ['-c', '-'], {input: lost})
    expect(failed.code).toBe(1)
    expect(failed.stdout).toBe(
      '/Sums/a.txt: OK\n/Sums/below/b\\b: FAILED\n/Sums/none: FAILED open or read\n',
    )
    expect(failed.stderr).toRead()
  })
})

test.each([
  ['touch', '/x'],
  ['star', '/x'],
  ['unstar', '/x'],
  ['ln', '-s', '/x', '/y'],
  ['restore', '/x'],
  ['revisions prune', '/x', '--keep', '1', '--yes'],
])('read-only mode refuses %s', async (command, ...args) => {
  const result = await world.run(command, args, {env: {DRV_READ_ONLY: '1'}})
  expect(result.code).toBe(13)
})
