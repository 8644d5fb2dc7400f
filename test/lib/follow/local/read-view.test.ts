import {mkdirSync, renameSync, symlinkSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterEach, beforeEach, expect, test} from 'vitest'
import {EDITOR_FILES} from '#lib/follow/local/editor-files.js'
import {readView} from '#lib/follow/local/read-view.js'
import {createRules} from '#lib/transfer/local/rules.js'
import {partOf} from '#lib/transfer/target.js'
import {temporaryFolder} from '../../../support/drv.js'

let home: ReturnType<typeof temporaryFolder>
beforeEach(() => {
  home = temporaryFolder()
})
afterEach(() => home.remove())

const read = (
  folders: readonly string[],
  exclude: readonly string[] = [],
  inodes = new Map<string, number>(),
) =>
  readView(folders, {
    inodes,
    root: home.path,
    rules: createRules({path: home.path, exclude: [...exclude]}),
    known: {get: () => undefined},
    signal: new AbortController().signal,
  })

function plant(...paths: readonly string[]): void {
  for (const path of paths) {
    const whole = join(home.path, path)
    mkdirSync(join(whole, '..'), {recursive: true})
    writeFileSync(whole, path)
  }
}

test('new folders are read to the ground, without what other programs keep there', async () => {
  plant('a.txt', 'f/g/b.txt', '.drv-trash/old/c.txt', '.b.txt.swp', '~$b.docx', '.#b.txt')
  plant(partOf('f/d.txt'))
  const {items} = await read([''], EDITOR_FILES)
  expect([...items.keys()].sort()).toEqual(['a.txt', 'f', 'f/g', 'f/g/b.txt'])
})

test('excluded folders and those that pull moves things to are not read, even if they are named', async () => {
  plant('.drv-trash/old/c.txt', 'node_modules/x/y.js', 'a.txt')
  const view = await read(['.drv-trash/old', 'node_modules/x', ''], ['node_modules'])
  expect([...view.items.keys()]).toEqual(['a.txt'])
  expect(view.isKept('node_modules/x/y.js')).toBe(true)
})

test('links are problems and stay known; a folder that is gone is left to its parent', async () => {
  plant('a.txt')
  symlinkSync('a.txt', join(home.path, 'link'))
  const view = await read(['gone/inner'])
  expect([...view.read]).toEqual([''])
  expect([...view.problems]).toEqual([['link', 'a symbolic link']])
  expect(view.isKept('link')).toBe(true)
})

test('a followed folder that is gone is an error', async () => {
  home.remove()
  await expect(read([''])).rejects.toThrow('ENOENT')
})

test('new folders and those that replace others are not watched yet', async () => {
  plant('f/a.txt')
  const inodes = new Map<string, number>()
  expect((await read([''], [], inodes)).unwatched).toEqual(['f'])
  renameSync(join(home.path, 'f'), join(home.path, 'g'))
  plant('f/b.txt')
  const view = await read([''], [], inodes)
  expect([...view.unwatched].sort()).toEqual(['f', 'g'])
  expect([...view.items.keys()].sort()).toEqual(['f', 'f/b.txt', 'g', 'g/a.txt'])
  expect((await read([''], [], inodes)).unwatched).toEqual([])
})
