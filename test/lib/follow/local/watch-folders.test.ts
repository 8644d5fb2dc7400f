import {EventEmitter} from 'node:events'
import {watch} from 'chokidar'
import {beforeEach, expect, test, vi} from 'vitest'
import {watchErrorText} from '#lib/cli/verbs/trees/follow/follow-machine.js'
import {watchFolders} from '#lib/follow/local/watch-folders.js'

vi.mock('chokidar')

/** A watcher of chokidar whose events the test emits. */
let watcher: EventEmitter
beforeEach(() => {
  watcher = new EventEmitter()
  vi.mocked(watch).mockReturnValue(watcher as ReturnType<typeof watch>)
})

const systemError = (code: string, text: string) =>
  Object.assign(new Error(`${code}: ${text}, watch '/data/a'`), {code, path: '/data/a'})

test.each([
  ['ENOSPC', 'System limit for number of file watchers reached'],
  ['EMFILE', 'too many open files'],
  ['EACCES', 'permission denied'],
])('a folder that cannot be watched is reported, and everything is compared: %s', async (...of) => {
  const refused: NodeJS.ErrnoException[] = []
  let reports = 0
  const opening = watchFolders({
    root: '/data',
    folders: [''],
    onReport: () => void (reports += 1),
    onRefused: error => void refused.push(error),
  })
  await expect.poll(() => watcher.listenerCount('ready')).toBe(1)
  watcher.emit('error', systemError(...of))
  watcher.emit('ready')
  const {take} = await opening
  expect(reports).toBe(1)
  expect((await take()).isUncertain).toBe(true)
  expect((await take()).isUncertain).toBe(false)
  expect(refused.map(watchErrorText).join('\n')).toRead()
})
