import {mkdirSync, renameSync, rmSync, writeFileSync} from 'node:fs'
import {dirname, join} from 'node:path'
import {afterAll, beforeAll, expect, onTestFinished, test} from 'vitest'
import {readFaultPlan} from '#lib/service/faults/read.js'
import {startChangeProxy} from '../../support/change-proxy.js'
import {
  difference,
  type Follower,
  isSameTree,
  localTree,
  md5,
  remoteIds,
  remoteTree,
  startFollower,
  until,
} from '../../support/followers.js'
import {startWorld, type World} from '../../support/world.js'

/** `push --follow` of items whose places others take, while the service refuses their removals or moves. */

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

interface Pushed {
  readonly service: World
  readonly source: string
  readonly top: string
  /** The absolute path of a local item. */
  readonly at: (path: string) => string
  readonly follower: Follower
  /** The remote IDs by path, before any change. */
  readonly ids: Record<string, string>
  /** The IDs of the items that cannot be changed. */
  readonly refused: Set<string>
  readonly follow: (command: 'push' | 'pull', isDeleting?: boolean) => Follower
}

let count = 0

/** Pushes files, whose content is their path, and follows them. */
async function push(files: readonly string[], isDeleting = true, service = world): Promise<Pushed> {
  count += 1
  const source = join(service.folder, `source-${count}`)
  const at = (path: string) => join(source, path)
  for (const path of files) {
    mkdirSync(dirname(at(path)), {recursive: true})
    writeFileSync(at(path), path)
  }
  const top = await service.make(`top ${count}`, 'root')
  const refused = new Set<string>()
  const {url} = await startChangeProxy(service.url, undefined, refused)
  const env = {DRV_BASE_URL: url, XDG_STATE_HOME: join(service.folder, `state-${count}`)}
  const follow: Pushed['follow'] = (command, isDeletingToo = true) => {
    const places = command === 'push' ? [`${source}/`, top] : [`${top}/`, source]
    const flags = isDeletingToo ? ['--delete', '--yes'] : []
    return startFollower(service, [command, ...places, '--follow', ...flags], env)
  }
  const follower = follow('push', isDeleting)
  await until(() => follower.text().includes('Following'), follower.text)
  return {service, source, top, at, follower, ids: await remoteIds(service, top), refused, follow}
}

async function equal(
  {service, source, top}: Pushed,
  ...followers: readonly Follower[]
): Promise<void> {
  await until(
    async () => isSameTree(localTree(source), await remoteTree(service, top)),
    async () => [
      ...followers.map(one => one.text()),
      difference(localTree(source), await remoteTree(service, top)),
    ],
  )
}

interface Story {
  readonly what: string
  readonly files: readonly string[]
  /** The items that cannot be changed, until a failure was reported. */
  readonly refused: readonly string[]
  readonly change: (at: Pushed['at']) => void
  /** Called after the failure. */
  readonly later?: (at: Pushed['at']) => void
  /** Items that have to be the same ones, by their paths at the end. */
  readonly kept?: Readonly<Record<string, string>>
}

/** Renames the folder x to y, and gives its name to a file. */
function renameAndTake(at: Pushed['at']): void {
  renameSync(at('x'), at('y'))
  writeFileSync(at('x'), 'file')
}

const stories: readonly Story[] = [
  {
    what: 'the removal of a file whose name a folder takes',
    files: ['name'],
    refused: ['name'],
    change(at) {
      rmSync(at('name'))
      mkdirSync(at('name'))
    },
  },
  {
    what: 'the removal of a folder whose name a file takes, after a move out of it',
    files: ['d/moves', 'd/other'],
    refused: ['d', 'd/moves'],
    change(at) {
      renameSync(at('d/moves'), at('moved'))
      rmSync(at('d'), {recursive: true})
      writeFileSync(at('d'), 'file')
    },
    kept: {moved: 'd/moves'},
  },
  {
    what: 'the move of a folder whose name a file takes',
    files: ['x/inner'],
    refused: ['x'],
    change: renameAndTake,
    kept: {y: 'x', 'y/inner': 'x/inner'},
  },
  {
    what: 'the move of a folder whose name a file takes after the failure',
    files: ['x/inner'],
    refused: ['x'],
    change: at => renameSync(at('x'), at('y')),
    later: at => writeFileSync(at('x'), 'file'),
    kept: {y: 'x', 'y/inner': 'x/inner'},
  },
  {
    what: 'a move and a removal out of a folder that is renamed, in which others take their names',
    files: ['p/x/in', 'p/y', 'p/keep'],
    refused: ['p/x', 'p/y'],
    change(at) {
      renameSync(at('p'), at('q'))
      renameSync(at('q/x'), at('z'))
      writeFileSync(at('q/x'), 'file')
      rmSync(at('q/y'))
      mkdirSync(at('q/y'))
    },
    kept: {q: 'p', z: 'p/x', 'z/in': 'p/x/in'},
  },
  {
    what: 'the moves of a file and a folder that exchange their names',
    files: ['x', 'y/in'],
    refused: ['x', 'y'],
    change(at) {
      renameSync(at('x'), at('other'))
      renameSync(at('y'), at('x'))
      renameSync(at('other'), at('y'))
    },
    kept: {x: 'y', y: 'x', 'x/in': 'y/in'},
  },
  {
    what: 'the move of a folder that comes back',
    files: ['x/inner'],
    refused: ['x'],
    change: renameAndTake,
    later(at) {
      rmSync(at('x'))
      renameSync(at('y'), at('x'))
    },
    kept: {x: 'x', 'x/inner': 'x/inner'},
  },
]
test.each(stories)('what is refused once is made up for: $what', async story => {
  const pushed = await push(story.files)
  const {at, follower, ids, refused, top} = pushed
  for (const path of story.refused) refused.add(ids[path]!)
  story.change(at)
  await until(() => follower.text().includes('Failed'), follower.text)
  story.later?.(at)
  refused.clear()
  await equal(pushed, follower)
  await follower.end()
  expect(follower.text()).not.toContain('.part')
  expect(follower.text()).not.toContain('Renamed x to x')
  const after = await remoteIds(world, top)
  for (const [now, once] of Object.entries(story.kept ?? {}))
    expect(after[now], now).toBe(ids[once])
})

test.each([
  {
    what: 'a file whose name a folder has taken',
    files: ['name', 'other'],
    change(at: Pushed['at']) {
      rmSync(at('name'))
      mkdirSync(at('name'))
    },
  },
  {
    what: 'a folder whose name a file has taken, after a move out of it',
    files: ['d/moves', 'd/inner', 'other'],
    change(at: Pushed['at']) {
      renameSync(at('d/moves'), at('moved'))
      rmSync(at('d'), {recursive: true})
      writeFileSync(at('d'), 'file')
    },
  },
])('a failure of another file does not keep $what', async ({files, change}) => {
  const rules = [{operations: 'files.update', fault: 'status', status: 403, calls: [1]}]
  const failing = await startWorld({faults: readFaultPlan(JSON.stringify({rules}))})
  onTestFinished(() => failing.close())
  const pushed = await push(files, true, failing)
  const {at, follower} = pushed
  change(at)
  writeFileSync(at('other'), 'second, which is refused once')
  await equal(pushed, follower)
  await follower.end()
  expect(follower.text()).toContain('Failed')
})

test('two items with the same path are removed, although one removal is refused at first', async () => {
  const pushed = await push(['x'])
  const {at, follower, ids, refused, top, follow} = pushed
  refused.add(ids.x!)
  rmSync(at('x'))
  mkdirSync(at('x'))
  await until(() => follower.text().includes('Failed: x:'), follower.text)
  await follower.end()
  const {id} = (await world.children(top)).find(item => item.id !== ids.x)!
  refused.clear()
  refused.add(id)
  rmSync(at('x'), {recursive: true})
  const next = follow('push')
  await until(() => next.text().includes('Failed: x:'), next.text)
  refused.clear()
  await equal(pushed, follower, next)
  await next.end()
})

test('without --delete, what moves out of a folder whose name a file takes stays the same item', async () => {
  const {at, follower, ids, refused, top} = await push(['d/moves', 'd/other'], false)
  refused.add(ids['d/moves']!)
  renameSync(at('d/moves'), at('moved'))
  rmSync(at('d'), {recursive: true})
  writeFileSync(at('d'), 'file')
  await until(() => follower.text().includes('Failed'), follower.text)
  refused.clear()
  await until(async () => (await remoteIds(world, top)).moved === ids['d/moves'], follower.text)
  await follower.end()
  expect(await remoteIds(world, top)).toMatchObject({'d/other': ids['d/other']})
})

test('a new file is uploaded to a new folder if the known one is in the trash', async () => {
  const pushed = await push(['f/old'])
  const {at, follower, ids} = pushed
  await world.drv('files trash', ids.f!)
  writeFileSync(at('f/new'), 'new')
  await equal(pushed, follower)
  await follower.end()
})

test('a pull beside a refused removal leaves the folder removed until it changes remotely', async () => {
  const {at, follower, ids, refused, source, top, follow} = await push(['d/inner'])
  const pull = follow('pull')
  await until(() => pull.text().includes('Following'), pull.text)
  // Otherwise, a new item in the folder leads to the removal of the other one.
  for (const path of ['d', 'd/inner']) refused.add(ids[path]!)
  rmSync(at('d'), {recursive: true})
  writeFileSync(at('d'), 'file')
  await until(() => follower.text().includes('Failed: d:'), follower.text)
  await world.make('theirs', top, 'theirs')
  const expected = {d: md5('file'), theirs: md5('theirs')}
  await until(() => isSameTree(localTree(source), expected), pull.text)

  await world.make('new', ids.d!, 'new')
  const sums = {'d/': '', 'd/inner': md5('d/inner'), 'd/new': md5('new'), 'd (1)': md5('file')}
  const all = {...sums, theirs: md5('theirs')}
  await until(
    () => isSameTree(localTree(source), all),
    () => [localTree(source), pull.text()],
  )
  const codes = [await follower.end(), await pull.end()]
  expect(codes).toEqual([130, 130])
  expect(follower.text() + pull.text()).not.toContain('.part')
})

test('what moves into a folder remotely waits until the folder, whose name a file took, has moved', async () => {
  const pushed = await push(['x/inner', 'moves'])
  const {at, follower, ids, refused, source, top, follow} = pushed
  const pull = follow('pull')
  await until(() => pull.text().includes('Following'), pull.text)
  refused.add(ids.x!)
  renameAndTake(at)
  await until(() => follower.text().includes('Failed: y:'), follower.text)
  await world.drv('files patch', ids.moves!, '--add-parents', ids.x!, '--remove-parents', top)
  await world.make('theirs', top, 'theirs')
  await until(() => 'theirs' in localTree(source), pull.text)
  refused.clear()
  await equal(pushed, follower, pull)
  expect(Object.keys(localTree(source)).sort()).toEqual(['theirs', 'x', 'y/', 'y/inner', 'y/moves'])
  await Promise.all([follower.end(), pull.end()])
  expect(follower.text() + pull.text()).not.toContain('.part')
})
