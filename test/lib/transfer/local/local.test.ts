import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import {hostname, tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterEach, beforeEach, describe, expect, test} from 'vitest'
import type {Client} from '#lib/client/client.js'
import {markOfProcess} from '#lib/platform/process-identity.js'
import {isCaseSensitive} from '#lib/transfer/local/names.js'
import {readFolder, scanFolder} from '#lib/transfer/local/scan.js'
import {inFolders, localSources} from '#lib/transfer/local/sources.js'
import {partOf} from '#lib/transfer/target.js'
import type {LocalFolder} from '#lib/transfer/tree/entries.js'
import {enterRun, forgetIds, idsFor, pruneIds} from '#lib/transfer/tree/reserved-ids.js'
import {compareChecksums} from '#lib/transfer/tree/settle.js'
import {fakeClient} from '../remote/client.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'drv-'))
})
afterEach(() => rmSync(folder, {recursive: true}))

const file = (name: string, content = '') => {
  const path = join(folder, name)
  mkdirSync(join(path, '..'), {recursive: true})
  writeFileSync(path, content)
  return path
}

describe('a local tree', () => {
  test('is read by name, and other entries are reported', async () => {
    file('b.txt', 'bb')
    file('a/deep/x')
    file('.drv-trash/old')
    symlinkSync('a', join(folder, 'link'))
    file(partOf('b.txt'))
    file('.my.notes.part')
    const {entries} = await scanFolder(folder, 'top')
    const told = entries.map(entry => [
      entry.name,
      entry.kind === 'other' ? entry.what : entry.kind,
    ])
    expect(told).toEqual([
      [partOf('b.txt'), 'a partial download'],
      ['.my.notes.part', 'file'],
      ['a', 'folder'],
      ['b.txt', 'file'],
      ['link', 'a symbolic link'],
    ])
    expect(entries[3]).toMatchObject({size: 2, path: join(folder, 'b.txt')})
  })

  test.each([
    ['a long name', partOf('n'.repeat(250))],
    ['letters of several bytes', partOf('é'.repeat(120))],
    ['a line break', partOf('a\nb')],
    ['another run', partOf('b.txt', 'other')],
  ])('contains partial downloads of %s', async (_, name) => {
    file(name)
    const {entries} = await scanFolder(folder, 'top')
    expect(entries).toMatchObject([{name, what: 'a partial download'}])
  })

  test('contains files that only look like them', async () => {
    const part = partOf('b.txt')
    const names = [part.replace('b', 'c'), part.slice(1), `${part}.part`, part.toUpperCase()]
    for (const name of names) file(name)
    const {entries} = await scanFolder(folder, 'top')
    expect(entries.map(({kind}) => kind)).toEqual(names.map(() => 'file'))
  })

  test('is read folder by folder on request, and is marked as incomplete', async () => {
    file('a/x')
    file('a/b/y')
    const {entries} = await scanFolder(folder, 'top', {isShallow: true})
    expect(entries).toMatchObject([{name: 'a', entries: [], isPartial: true}])
    const {unread, ...unreadFolder} = entries[0] as LocalFolder
    const read = await readFolder({...unreadFolder, unread: unread!}, true)
    expect(read).toMatchObject({entries: [{name: 'b', entries: [], isPartial: true}, {name: 'x'}]})
    expect(read).not.toHaveProperty('isPartial')
  })

  test('is combined from paths, each under its name or by its contents', async () => {
    file('a/x')
    const names = async (...paths: string[]) => {
      const {entries, isPartial} = await localSources(paths.map(path => join(folder, 'a') + path))
      return [entries.map(({name}) => name), isPartial]
    }
    expect(await names('')).toEqual([['a'], true])
    expect(await names('/')).toEqual([['x'], false])
    expect(await names('/.')).toEqual([['x'], false])
    expect(await names('', '/x')).toEqual([['a', 'x'], true])
    await expect(localSources([join(folder, 'none')])).rejects.toMatchObject({code: 'ENOENT'})
  })

  test('is copied into folders that do not exist yet', async () => {
    file('a/x')
    const tree = inFolders(['one', 'two'], await localSources([`${join(folder, 'a')}/`]))
    expect(tree).toMatchObject({
      isPartial: true,
      entries: [{name: 'one', isPartial: true, entries: [{name: 'two', isPartial: false}]}],
    })
  })
})

test('MD5 sums decide if sizes are equal', async () => {
  const pair = (name: string, content: string) => {
    const path = file(name, content)
    return {
      action: 'check' as const,
      path: name,
      local: {kind: 'file' as const, name, path, size: 1, modified: 0},
      // The MD5 of `a`.
      remote: {
        kind: 'file' as const,
        id: 'id',
        title: name,
        size: 1,
        md5: '0cc175b9c0f1b6a831c399e269772661',
      },
    }
  }
  const gone = pair('gone', 'a')
  rmSync(gone.local.path)
  const {signal} = new AbortController()
  const settled = await compareChecksums([pair('same', 'a'), pair('other', 'b'), gone], signal)
  expect(settled).toMatchObject([
    {action: 'same', path: 'same'},
    {action: 'replace', path: 'other'},
    {action: 'fail', path: 'gone'},
  ])
})

describe('IDs of new files', () => {
  const now = Date.now
  const top = new Map([['', 'top']])
  const makesOf = (...paths: string[]) =>
    paths.map(path => ({
      path,
      name: path.split('/').at(-1)!,
      parent: path.split('/').slice(0, -1).join('/'),
    }))
  const idsOf = (
    client: ReturnType<typeof fakeClient>['client'],
    paths: readonly string[],
    file?: string,
    more: {folders?: Map<string, string>; now?: () => number} = {},
  ) => idsFor(client, makesOf(...paths), {folders: top, file, now, ...more})
  const every = (reserved: ReadonlyMap<string, {id: string}>) =>
    [...reserved.values()].map(({id}) => id)

  test('are saved before they are used, and used again by the next run', async () => {
    const at = join(folder, 'state', 'ids.json')
    const {client} = fakeClient([])
    const first = await idsOf(client, ['a', 'b'], at)
    expect([...first.values()].every(({isOld}) => !isOld)).toBe(true)
    expect(statSync(at).mode & 0o777).toBe(0o600)
    expect(Object.keys(JSON.parse(readFileSync(at, 'utf8')))).toEqual(['top/a', 'top/b'])
    const second = await idsOf(client, ['b', 'c'], at)
    expect(second.get('b')).toEqual({id: first.get('b')!.id, isOld: true})
    expect(second.get('c')).toMatchObject({isOld: false})
    expect(new Set([...first, ...second].map(([, {id}]) => id)).size).toBe(3)
    await forgetIds(at, every(second), now)
    expect((await idsOf(client, ['a', 'b'], at)).get('a')).toEqual({...first.get('a'), isOld: true})
    expect((await idsOf(client, ['b'], at)).get('b')!.id).not.toBe(first.get('b')!.id)
  })

  test('are never those reserved for another file', async () => {
    const at = join(folder, 'again', 'ids.json')
    const client = {call: async () => ({ids: ['same']})} as unknown as Client
    await idsOf(client, ['a'], at)
    await expect(idsOf(client, ['a', 'b'], at)).rejects.toRead()
  })

  test('are the same for two concurrent runs', async () => {
    const at = join(folder, 'both', 'ids.json')
    const {client} = fakeClient([])
    const [one, other] = await Promise.all([1, 2].map(() => idsOf(client, ['a', 'b'], at)))
    const ids = (run: typeof one) => [...run!.values()].map(({id}) => id)
    expect(ids(one)).toEqual(ids(other))
    expect(readdirSync(join(folder, 'both'))).toEqual(['ids.json'])
  })

  test('stay while another run may not know what was created', async () => {
    const at = join(folder, 'under-way', 'ids.json')
    const end = await enterRun(at)
    const other = `${at}.other.run`
    writeFileSync(other, JSON.stringify({process: markOfProcess(process.ppid), host: hostname()}))
    const ids = every(await idsOf(fakeClient([]).client, ['a'], at))
    await forgetIds(at, ids, now)
    expect(existsSync(at)).toBe(true)
    rmSync(other)
    await forgetIds(at, ids, now)
    expect(existsSync(at)).toBe(false)
    await end()
    expect(readdirSync(join(folder, 'under-way'))).toEqual([])
  })

  test.each([
    ['that was killed', {process: String(2 ** 30), host: hostname()}, false],
    ['that nobody can read', '{', true],
    ['of another machine', {process: '1', host: 'elsewhere'}, true],
  ])('and a run %s', async (_, signature, isLeft) => {
    const at = join(folder, `left-${JSON.stringify(signature).length}`, 'ids.json')
    const ids = every(await idsOf(fakeClient([]).client, ['a'], at))
    writeFileSync(`${at}.x.run`, JSON.stringify(signature))
    await forgetIds(at, ids, now)
    expect(existsSync(at)).toBe(isLeft)
    expect(existsSync(`${at}.x.run`)).toBe(isLeft)
  })

  test('and no run whose file a power failure has emptied', async () => {
    const at = join(folder, 'torn', 'ids.json')
    const ids = every(await idsOf(fakeClient([]).client, ['a'], at))
    utimesSync(file('torn/ids.json.x.run'), 0, 0)
    await forgetIds(at, ids, now)
    expect(readdirSync(join(folder, 'torn'))).toEqual([])
  })

  test('are the same for any name of a folder, existing or not', async () => {
    const at = join(folder, 'names', 'ids.json')
    const {client} = fakeClient([])
    const first = await idsOf(client, ['Backup', 'Backup/Photos', 'Backup/Photos/a.txt'], at)
    // Later runs find some of the folders, the last one by its ID.
    const backup = first.get('Backup')!.id
    const second = await idsOf(client, ['Photos', 'Photos/a.txt'], at, {
      folders: new Map([['', backup]]),
    })
    const photos = {folders: new Map([['', first.get('Backup/Photos')!.id]])}
    const third = await idsOf(client, ['a.txt'], at, photos)
    expect(every(second)).toEqual(every(first).slice(1))
    expect(every(third)).toEqual(every(first).slice(2))
  })

  test('are deleted after a week without use', async () => {
    const at = join(folder, 'late', 'ids.json')
    const {client} = fakeClient([])
    const day = 24 * 3600 * 1000
    const isOld = async (days: number) =>
      (await idsOf(client, ['a'], at, {now: () => days * day})).get('a')!.isOld
    expect([await isOld(0), await isOld(6), await isOld(12), await isOld(20)]).toEqual([
      false,
      true,
      true,
      false,
    ])
  })

  test('are deleted after a week, with incomplete files of killed runs', async () => {
    const state = join(folder, 'old')
    const at = join(state, 'ids.json')
    await idsOf(fakeClient([]).client, ['a'], at)
    writeFileSync(join(state, '.half.tmp'), '{')
    const day = 24 * 3600 * 1000
    await pruneIds(state, Date.now() + 6 * day)
    expect(readdirSync(state).sort()).toEqual(['.half.tmp', 'ids.json'])
    await pruneIds(state, Date.now() + 8 * day)
    expect(readdirSync(state)).toEqual([])
    await pruneIds(join(state, 'none'), Date.now())
  })

  test('are requested a thousand at a time, and only when needed', async () => {
    const {client, asked} = fakeClient([])
    const paths = Array.from({length: 2001}, (_, index) => `f${index}`)
    const reserved = await idsOf(client, paths)
    expect(new Set([...reserved.values()].map(({id}) => id)).size).toBe(2001)
    expect(asked).toHaveLength(3)
    await idsOf(client, [])
    expect(asked).toHaveLength(3)
  })

  test.each(['', 'no JSON', '[]', '{"a": 1}'])('damaged data is ignored: %j', async text => {
    const at = file('ids.json', text)
    expect((await idsOf(fakeClient([]).client, ['a'], at)).get('a')).toMatchObject({
      isOld: false,
    })
  })
})

test('case sensitivity is detected from the path, without writing', async () => {
  const path = join(folder, 'not/there/yet')
  expect(await isCaseSensitive(path, process.platform)).toBe(process.platform === 'linux')
})
