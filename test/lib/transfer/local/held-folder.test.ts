import {execFileSync} from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterEach, beforeEach, describe, expect, test} from 'vitest'
import {openContent} from '#lib/transfer/content.js'
import {holdBelow, holdFolder, type Holding, inFolderOf} from '#lib/transfer/local/held-folder.js'
import {openScanned, openScannedSync} from '#lib/transfer/local/open-file.js'
import {abandonedIn, scanFolder} from '#lib/transfer/local/scan.js'
import {
  isAbandoned,
  isInUse,
  isPart,
  markOfPart,
  ownPartOf,
  partWithMark,
} from '#lib/transfer/target.js'
import type {LocalFile, LocalFolder} from '#lib/transfer/tree/entries.js'

let folder: string
let root: string
let outside: string
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'drv-')))
  root = join(folder, 'root')
  outside = join(folder, 'outside')
  mkdirSync(join(root, 'sub/inner'), {recursive: true})
  mkdirSync(join(outside, 'inner'), {recursive: true})
  for (const top of [join(root, 'sub'), outside]) {
    for (const name of ['file', 'inner/file']) writeFileSync(join(top, name), `of ${top}`)
  }
})
afterEach(() => rmSync(folder, {recursive: true}))

/** Replaces something with a link. */
function becomesLink(path: string, target = outside): void {
  renameSync(path, `${path}.before`)
  symlinkSync(target, path)
}

const holdings: Holding[] = process.platform === 'linux' ? ['descriptor', 'path'] : ['path']

describe.each(holdings)('a folder held by its %s', holding => {
  const below = (path: string) => holdBelow(root, join(root, path), {holding})

  test.each(['sub', 'sub/inner'])('is not reached through a link (%s)', way => {
    becomesLink(join(root, way))
    for (const path of ['sub/inner', way]) {
      expect(() => below(path)).toRead()
    }
  })

  test('is not reached through a file', () => {
    expect(() => below('sub/file/x')).toRead()
    expect(() => below('none')).toThrow(expect.objectContaining({code: 'ENOENT'}))
    try {
      below('none/x').close()
    } catch (error) {
      expect(String(error)).not.toContain('/proc/')
      expect(error).toMatchObject({path: join(root, 'none')})
    }
  })

  test('stays inside the tree', () => {
    const held = below('sub/inner')
    try {
      becomesLink(join(root, 'sub'))
      if (holding === 'path') expect(() => held.check()).toRead()
      else expect(readFileSync(held.entry('file'), 'utf8')).toBe(`of ${join(root, 'sub')}`)
    } finally {
      held.close()
    }
  })

  test('may be named through links', () => {
    symlinkSync(root, join(folder, 'named'))
    const held = holdFolder(join(folder, 'named'), holding)
    try {
      held.check()
      held.below('sub').close()
    } finally {
      held.close()
    }
  })

  test('is created in its parent, but not in place of a link', () => {
    holdBelow(root, join(root, 'a/b'), {isMade: true, holding}).close()
    expect(readdirSync(join(root, 'a'))).toEqual(['b'])
    symlinkSync(outside, join(root, 'link'))
    expect(() => holdBelow(root, join(root, 'link/b'), {isMade: true, holding})).toRead()
    expect(readdirSync(outside).sort()).toEqual(['file', 'inner'])
  })
})

test.runIf(existsSync('/proc/self/fd'))('folders are closed', async () => {
  // Other files of this process may be closed meanwhile.
  const open = () =>
    readdirSync('/proc/self/fd').filter(file => {
      try {
        return readlinkSync(`/proc/self/fd/${file}`).startsWith(root)
      } catch {
        return false
      }
    })
  for (let n = 0; n < 20; n++) {
    await scanFolder(root, '')
    inFolderOf(root, join(root, 'sub/inner/file'), () => undefined)
    expect(() => holdBelow(root, join(root, 'sub/file/x'))).toThrow()
    expect(() => openScannedSync(join(root, 'sub/none'), {root})).toThrow()
    await expect(openScanned(join(root, 'sub/inner'), {root})).rejects.toThrow()
  }
  expect(open()).toEqual([])
})

describe('a file of a scanned tree', () => {
  async function scanned(): Promise<LocalFile> {
    const {entries} = await scanFolder(join(root, 'sub'), '')
    const file = entries.find(({name}) => name === 'file')
    return {...(file as LocalFile)}
  }
  const large = Buffer.alloc(2 * 1024 * 1024, 'large')

  test.each(['small', 'large'])('is read as scanned (%s)', async size => {
    if (size === 'large') writeFileSync(join(root, 'sub/file'), large)
    const file = await scanned()
    const content = await openContent({path: file.path, scanned: file})
    expect(content.size).toBe(file.size)
    await content.close()
  })

  test.each<[string, string, (path: string) => void]>([
    ['became a link', 'no longer a regular file', path => becomesLink(path, join(outside, 'file'))],
    ['became a folder', 'no longer a regular file', path => (rmSync(path), mkdirSync(path))],
    [
      'became a named pipe',
      'no longer a regular file',
      path => (rmSync(path), void execFileSync('mkfifo', [path])),
    ],
    ['lies behind a link', 'is not a folder', path => becomesLink(join(path, '..'))],
    [
      'was replaced',
      'changed after drv scanned the folder',
      path => writeFileSync(path, 'of somebody else'),
    ],
    ['got larger', 'changed after drv scanned the folder', path => writeFileSync(path, large)],
  ])('that %s is not read', async (_, words, change) => {
    const file = await scanned()
    // The user chose the path of the folder itself, so links there are followed.
    const seen = {...file, root}
    change(file.path)
    await expect(openContent({path: file.path, scanned: seen})).rejects.toThrow(words)
    await expect(openScanned(file.path, seen)).rejects.toThrow(words)
  })

  test('a folder that becomes a link during the scan is not followed', async () => {
    const excludes = async (names: readonly string[]) => {
      if (names.join('/') === 'sub') becomesLink(join(root, 'sub'))
      return false
    }
    const {entries} = await scanFolder(root, '', {rules: {excludes, isAny: () => false}})
    expect(entries.find(({name}) => name === 'sub')).toMatchObject({kind: 'other', isFault: true})
    expect(JSON.stringify(entries)).not.toContain('inner')
  })
})

describe('the file of a download that one process writes', () => {
  const pidOf = (pid: number) => (name: string) =>
    partWithMark(name, `${ownMark().slice(0, 3)}${pid.toString(16).padStart(6, '0')}000`)
  const ownMark = () => markOfPart(ownPartOf('x'))

  test('has a new name each time, which is that of a partial file', () => {
    const names = new Set(Array.from({length: 50}, () => ownPartOf('some/a.txt')))
    expect(names.size).toBeGreaterThan(45)
    for (const name of names) expect(isPart(name.slice('some/'.length))).toBe(true)
  })

  test('is kept while its process runs, and removed afterwards', async () => {
    const working = pidOf(process.ppid)('a.txt')
    const ended = pidOf(2 ** 22 + 5)('a.txt')
    expect([isInUse(working), isAbandoned(working)]).toEqual([true, false])
    expect([isInUse(ended), isAbandoned(ended)]).toEqual([false, true])
    for (const name of [working, ended]) writeFileSync(join(root, 'sub', name), '')
    const tree = await scanFolder(root, '')
    expect(JSON.stringify(tree)).not.toContain(working)
    const sub = tree.entries.find(({name}) => name === 'sub') as LocalFolder
    expect(abandonedIn(sub, new Set())).toEqual([ended])
    expect(abandonedIn(sub, new Set([join(root, 'sub', ended)]))).toEqual([])
  })
})
