import {
  closeSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import {join} from 'node:path'
import {afterEach, beforeEach, expect, test} from 'vitest'
import {type FolderWatcher, type Reported, watchFolders} from '#lib/follow/local/watch-folders.js'
import {temporaryFolder} from '../../../support/drv.js'

/** The reports of real folders. */

let home: ReturnType<typeof temporaryFolder>
let watcher: FolderWatcher
let reports: number
beforeEach(() => {
  reports = 0
  home = temporaryFolder()
})
afterEach(async () => {
  await watcher.close()
  home.remove()
})

const at = (path: string) => join(home.path, path)

async function start(folders: readonly string[]): Promise<void> {
  for (const folder of folders) mkdirSync(at(folder), {recursive: true})
  const onRefused = (error: Error) => {
    throw error
  }
  watcher = await watchFolders({
    root: home.path,
    folders,
    onReport: () => void (reports += 1),
    onRefused,
  })
}

/** Collects reports until they contain something. */
async function reported(holds: (all: Reported) => boolean): Promise<void> {
  const folders = new Set<string>()
  const gone = new Set<string>()
  await expect
    .poll(async () => {
      const taken = await watcher.take()
      for (const folder of taken.folders) folders.add(folder)
      for (const folder of taken.gone) gone.add(folder)
      return holds({...taken, folders, gone})
    })
    .toBe(true)
}

/** Whether a new file in a folder is reported. */
async function hears(folder: string): Promise<true> {
  await watcher.take()
  writeFileSync(at(join(folder, 'new')), 'x')
  await reported(({folders}) => folders.has(folder))
  return true
}

test.each([
  'plain',
  'f/g/h',
  'backup~',
  '.x.swp',
  '#hash',
  '$HOME',
  String.raw`a\b`,
  'a\\b/c',
  'a\\\\b',
  '\\x',
  'x\\/y',
])('changes in a folder are reported: %s', async folder => {
  await start(['', folder])
  expect(await hears(folder)).toBe(true)
})

test('a folder that is removed and created again at once is reported, and can be watched again', async () => {
  await start(['', 'build', 'other'])
  for (let times = 0; times < 3; times++) {
    rmSync(at('build'), {recursive: true})
    mkdirSync(at('build'))
    await reported(({folders, gone}) => folders.has('') && gone.has('build'))
    await watcher.add(['build'])
    expect((await watcher.take()).folders).toContain('build')
    expect(await hears('build')).toBe(true)
    expect(await hears('other')).toBe(true)
  }
})

test('a folder that was moved is watched at its new place, and another one at its old place', async () => {
  await start(['', 'old'])
  renameSync(at('old'), at('new'))
  mkdirSync(at('old'))
  await reported(({gone}) => gone.has('old'))
  await watcher.add(['old', 'new'])
  expect(await hears('old')).toBe(true)
  expect(await hears('new')).toBe(true)
})

test('folders that were created one after the other are all watched', async () => {
  await start([''])
  const folders = Array.from({length: 230}, (_, index) => `f${index}`)
  for (const folder of folders) mkdirSync(at(folder))
  await expect.poll(() => reports).toBeGreaterThan(230)
  for (const folder of folders) await watcher.add([folder])
  for (const folder of ['f0', 'f150', 'f229', '']) expect(await hears(folder)).toBe(true)
})

test('what was in a folder that was moved is not watched any more', async () => {
  await start(['', 'p/c/d'])
  await watcher.add(['p', 'p/c'])
  renameSync(at('p'), at('q'))
  await reported(({gone}) => ['p', 'p/c', 'p/c/d'].every(folder => gone.has(folder)))
  await watcher.add(['q', 'q/c', 'q/c/d'])
  expect(await hears('q/c/d')).toBe(true)
})

test('a folder that is absent while it is added counts as gone', async () => {
  await start(['', 'other'])
  await watcher.add(['absent', 'other'])
  const taken = await watcher.take()
  expect([...taken.gone]).toEqual(['absent'])
  expect(taken.folders).toContain('')
  expect(await hears('other')).toBe(true)
})

test('a folder that a process still has open is reported when it is removed', async () => {
  await start(['', 'held'])
  const held = openSync(at('held'), 'r')
  rmSync(at('held'), {recursive: true})
  mkdirSync(at('held'))
  await reported(({gone}) => gone.has('held'))
  await watcher.add(['held'])
  closeSync(held)
  await reported(() => true)
  expect(await hears('held')).toBe(true)
})

test('a link through a file does not keep its folder from being watched', async () => {
  mkdirSync(at('f'))
  writeFileSync(at('f/file'), 'x')
  symlinkSync('file/nothing', at('f/link'))
  await start(['', 'f'])
  expect(await hears('f')).toBe(true)
})

test('the rules of a folder that is added later count as changed', async () => {
  await start([''])
  mkdirSync(at('f'))
  writeFileSync(at('f/.drvignore'), '*.tmp')
  await watcher.add(['f'])
  expect(await watcher.take()).toMatchObject({isOfRules: true})
})

test('after a burst of reports, all folders are watched again and compared', async () => {
  await start(['', 'a'])
  for (let index = 0; index < 9000; index++) writeFileSync(at(`a/${index % 10}`), String(index))
  await expect.poll(() => reports, {interval: 10}).toBeGreaterThan(8000)
  expect(await watcher.take()).toMatchObject({isUncertain: true})
  await reported(({isUncertain, folders}) => isUncertain && folders.has('') && folders.has('a'))
  expect(await hears('a')).toBe(true)
  expect(await watcher.take()).toMatchObject({isUncertain: false})
})
