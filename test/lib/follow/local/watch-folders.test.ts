import {lstatSync, mkdirSync, renameSync, rmSync, watch, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterEach, expect, test, vi} from 'vitest'
import {watchErrorText} from '#lib/cli/verbs/trees/follow/follow-machine.js'
import {type FolderWatcher, watchFolders} from '#lib/follow/local/watch-folders.js'
import {temporaryFolder} from '../../../support/drv.js'

vi.mock('node:fs', async original => {
  const real = await original<typeof import('node:fs')>()
  return {...real, watch: vi.fn(real.watch), lstatSync: vi.fn(real.lstatSync)}
})

const endings: Array<() => void> = []
afterEach(() => {
  vi.resetAllMocks()
  for (const end of endings.splice(0)) end()
})

/** Watches a new folder; `all` has every folder that was reported. */
async function watched(excluded: readonly string[] = [], prepare?: (root: string) => void) {
  const {path: root, remove} = temporaryFolder()
  const all = new Set<string>()
  const refused: NodeJS.ErrnoException[] = []
  prepare?.(root)
  const watcher: FolderWatcher = await watchFolders({
    root,
    excluded: new Set(excluded),
    onReport: () => undefined,
    onRefused: error => void refused.push(error),
  })
  endings.push(() => watcher.close(), remove)
  const {take} = watcher
  /** Waits until these folders have been reported. */
  const expectReports = async (...folders: string[]) => {
    const reported = new Set<string>()
    const more = async () => {
      for (const folder of (await take()).folders) reported.add(folder)
      return [...reported]
    }
    await expect.poll(more).toEqual(expect.arrayContaining(folders))
    for (const folder of reported) all.add(folder)
  }
  return {root, take, refused, all, expectReports}
}

test.each([
  ['ENOSPC', 'System limit for number of file watchers reached'],
  ['EMFILE', 'too many open files'],
  ['EACCES', 'permission denied'],
])('a folder that cannot be watched is reported, and everything is compared: %s', async (...of) => {
  const [code, text] = of
  vi.mocked(watch).mockImplementationOnce(() => {
    throw Object.assign(new Error(`${code}: ${text}, watch '/data/a'`), {code, path: '/data/a'})
  })
  const {take, refused} = await watched()
  expect((await take()).isUncertain).toBe(true)
  expect((await take()).isUncertain).toBe(false)
  expect(refused.map(watchErrorText).join('\n')).toRead()
})

test('folders are watched where they are: new, filled before they were seen, renamed, replaced and removed', async () => {
  const {root, refused, all, expectReports} = await watched(['left'], root => {
    mkdirSync(join(root, 'a/b'), {recursive: true})
    mkdirSync(join(root, 'left'))
  })
  writeFileSync(join(root, 'a/b/file'), '1')
  await expectReports('a/b')
  writeFileSync(join(root, 'left/file'), '1')
  mkdirSync(join(root, 'a/new/inner'), {recursive: true})
  await expectReports('a', 'a/new', 'a/new/inner')
  renameSync(join(root, 'a/new'), join(root, 'moved'))
  await expectReports('', 'a', 'moved', 'moved/inner')
  writeFileSync(join(root, 'moved/inner/file'), '1')
  await expectReports('moved/inner')
  rmSync(join(root, 'moved'), {recursive: true})
  mkdirSync(join(root, 'moved/inner'), {recursive: true})
  await expectReports('', 'moved', 'moved/inner')
  writeFileSync(join(root, 'moved/inner/file'), '2')
  await expectReports('moved/inner')
  expect(refused).toEqual([])
  expect(all).not.toContain('left')
})

test('many reports at a time make everything uncertain, and new folders are watched nevertheless', async () => {
  const {root, take, expectReports} = await watched()
  // As if the system had dropped the report of this folder.
  vi.mocked(lstatSync).mockImplementation(() => {
    throw new Error()
  })
  mkdirSync(join(root, 'new'))
  await expectReports('')
  vi.mocked(lstatSync).mockReset()
  for (let n = 0; n < 4100; n++) {
    writeFileSync(join(root, 'file'), '')
    rmSync(join(root, 'file'))
  }
  await expect.poll(async () => (await take()).isUncertain).toBe(true)
  await take()
  writeFileSync(join(root, 'new/file'), '1')
  await expectReports('new')
})

test('exclude rules that change are reported', async () => {
  const {root, take} = await watched()
  writeFileSync(join(root, '.drvignore'), 'x')
  await expect.poll(async () => (await take()).isOfRules).toBe(true)
})
