import {expect, test, vi} from 'vitest'
import {watchErrorText} from '#lib/cli/verbs/trees/follow/follow-machine.js'
import {watchFolders} from '#lib/follow/local/watch-folders.js'

/** The error with which the system refuses to watch a folder. */
let refusal: NodeJS.ErrnoException
vi.mock('chokidar', async () => {
  const {EventEmitter} = await import('node:events')
  class FSWatcher extends EventEmitter {
    _closers = new Map()
    _closeFile = () => undefined
    _nodeFsHandler = {
      _addToNodeFs: async (path: string) => {
        this.emit('error', Object.assign(new Error(refusal.message), {code: refusal.code, path}))
        return path
      },
    }
  }
  return {FSWatcher}
})

test.each([
  ['ENOSPC', 'System limit for number of file watchers reached'],
  ['EMFILE', 'too many open files'],
  ['EACCES', 'permission denied'],
])(
  'a folder that cannot be watched is reported, and everything is compared: %s',
  async (code, text) => {
    refusal = Object.assign(new Error(`${code}: ${text}, watch '/data/a'`), {code})
    const refused: NodeJS.ErrnoException[] = []
    let reports = 0
    const {take, add} = await watchFolders({
      root: '/data',
      folders: [''],
      onReport: () => void (reports += 1),
      onRefused: error => void refused.push(error),
    })
    expect(reports).toBeGreaterThan(0)
    expect((await take()).isUncertain).toBe(true)
    expect((await take()).isUncertain).toBe(false)
    await add(['a'])
    // Otherwise, it would be tried again at once.
    expect((await take()).gone).toEqual(new Set())
    expect(refused.map(error => error.path)).toEqual(['/data', '/data/a'])
    expect(watchErrorText(refused[1]!)).toRead()
  },
)
