import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, expect, test} from 'vitest'
import type {Context} from '#lib/cli/context/context.js'
import {createContext} from '#lib/cli/context/create-context.js'
import {readRemotePath} from '#lib/cli/input/names/resolver.js'
import {globalOptions} from '#lib/cli/output/global-options.js'
import type {Printer} from '#lib/cli/run/printer.js'
import {followPull} from '#lib/cli/verbs/trees/follow/follow-pull.js'
import type {TreeFlags} from '#lib/cli/verbs/trees/tree-run.js'
import type {Client} from '#lib/client/client.js'
import {startFollower, until} from '../../support/followers.js'
import {runHere} from '../../support/here.js'
import {startWorld, type World} from '../../support/world.js'

/** `pull --follow`, with waits that do what another client does meanwhile. */

let world: World
beforeAll(async () => {
  world = await startWorld({}, runHere)
})
afterAll(() => world.close())

async function api(method: string, path: string, body?: unknown): Promise<any> {
  const answer = await fetch(`${world.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${world.env.DRV_TOKEN}`,
      ...(body !== undefined && {'content-type': 'application/json'}),
    },
    ...(body !== undefined && {body: JSON.stringify(body)}),
  })
  if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`)
  return answer.status === 204 ? undefined : await answer.json()
}
const file = (id: string) => `/drive/v2/files/${id}`
const rename = (id: string, title: string) => api('PATCH', file(id), {title})
const move = (id: string, to: string, from: string) =>
  api('PATCH', `${file(id)}?addParents=${to}&removeParents=${from}`, {})
const trash = (id: string) => api('POST', `${file(id)}/trash`)
const restore = (id: string) => api('POST', `${file(id)}/untrash`)
const remove = (id: string) => api('DELETE', file(id))
async function replace(id: string, content: string): Promise<void> {
  const answer = await fetch(`${world.url}/upload${file(id)}?uploadType=media`, {
    method: 'PUT',
    headers: {authorization: `Bearer ${world.env.DRV_TOKEN}`, 'content-type': 'text/plain'},
    body: content,
  })
  if (!answer.ok) throw new Error(await answer.text())
}

interface Followed {
  readonly notes: string[]
  readonly requests: string[]
}

class Stopped extends Error {}

const nothing = () => undefined

/** Follows until `waits`, one of which runs in each wait of the follower, are over. `beforeList` runs before each list. */
async function follow(
  remote: string,
  to: string,
  waits: Iterable<() => Promise<void> | void>,
  flags: Partial<TreeFlags> = {},
  beforeList: () => Promise<void> | void = nothing,
): Promise<Followed> {
  const notes: string[] = []
  const requests: string[] = []
  const controller = new AbortController()
  const environment = world.env as NodeJS.ProcessEnv
  const created = createContext({
    options: {...globalOptions({}, environment), verbose: false},
    environment,
    signal: controller.signal,
    stop: reason => controller.abort(reason),
    command: 'pull',
    userAgent: 'drv/test',
  })
  const next = waits[Symbol.iterator]()
  const context: Context = {
    ...created,
    async transfer() {
      const transfer = await created.transfer()
      const {client} = transfer
      async function* pages(...given: Parameters<Client['pages']>) {
        if (given[0] === 'files.list') await beforeList()
        yield* client.pages(...given)
      }
      return {...transfer, client: {...client, pages}}
    },
    note: text => void notes.push(text),
    async sleep() {
      const {done, value} = next.next()
      if (done) throw new Stopped()
      await value()
    },
  }
  const output = {list: () => ({rows: () => ''})}
  const printer = {isStructured: false, layout: () => undefined, output} as unknown as Printer
  const all = {delete: true, yes: true, progress: false, ...flags}
  try {
    await followPull(context, printer, {places: [readRemotePath(remote)], to, formats: []}, all)
  } catch (error) {
    if (!(error instanceof Stopped)) throw error
  } finally {
    await created.close()
  }
  return {notes, requests}
}

/** All files and folders below a directory, by path. */
function localTree(path: string): Record<string, string> {
  const all = readdirSync(path, {recursive: true, withFileTypes: true})
  const found = all.map(entry => {
    const whole = join(entry.parentPath, entry.name)
    return [whole.slice(path.length + 1), entry.isFile() ? readFileSync(whole, 'utf8') : '/']
  })
  const own = found.filter(([name]) => !name!.startsWith('.drv-trash'))
  return Object.fromEntries(own.sort()) as Record<string, string>
}

/** `a.txt` and `Sub/b.txt` in a new folder. */
async function start(name: string) {
  const top = await world.make(name, 'root')
  const sub = await world.make('Sub', top)
  const a = await world.make('a.txt', top, 'a')
  const b = await world.make('b.txt', sub, 'b')
  const target = join(world.folder, 'local', name)
  mkdirSync(target, {recursive: true})
  return {top, sub, a, b, target, remote: `/${name}/`}
}

test('a file renamed here and remotely gets the remote name, without a download', async () => {
  const {a, target, remote} = await start('both renamed')
  const {notes} = await follow(remote, target, [
    async () => {
      renameSync(join(target, 'a.txt'), join(target, 'Sub/ours.txt'))
      await rename(a, 'theirs.txt')
    },
    nothing,
  ])
  expect(localTree(target)).toEqual({'theirs.txt': 'a', Sub: '/', 'Sub/b.txt': 'b'})
  expect(notes.filter(text => text.includes('theirs.txt'))).toHaveLength(1)
  expect(notes.find(text => text.includes('theirs.txt'))).toRead()
  expect(notes.filter(text => text.startsWith('Downloaded'))).toHaveLength(1)
})

test('renames and moves are renames here; new and changed files are downloaded', async () => {
  const {top, sub, a, b, target, remote} = await start('moves')
  let inode = 0
  const {notes} = await follow(remote, target, [
    async () => {
      inode = statSync(join(target, 'a.txt')).ino
      await rename(a, 'A/B.txt')
      await rename(sub, 'Other')
      await move(a, sub, top)
      await world.make('new.txt', sub, 'new')
    },
    () => replace(b, 'changed'),
    nothing,
  ])
  expect(localTree(target)).toEqual({
    ...{Other: '/', 'Other/A／B.txt': 'a', 'Other/b.txt': 'changed', 'Other/new.txt': 'new'},
  })
  expect(statSync(join(target, 'Other/A／B.txt')).ino).toBe(inode)
  expect(notes.filter(line => line.startsWith('Renamed'))).toHaveLength(2)
})

test('what moves into a new folder while it is listed is moved here, and not downloaded again', async () => {
  const {top, sub, a, target, remote} = await start('listed')
  let fresh: string | undefined
  const {notes} = await follow(
    remote,
    target,
    [async () => void (fresh = await world.make('fresh', top)), nothing, nothing],
    {},
    async () => {
      if (fresh === undefined) return
      const to = fresh
      fresh = undefined
      await move(a, to, top)
      await move(sub, to, top)
    },
  )
  expect(localTree(target)).toEqual({
    ...{fresh: '/', 'fresh/Sub': '/', 'fresh/Sub/b.txt': 'b', 'fresh/a.txt': 'a'},
  })
  expect(notes.filter(text => text.includes('2 files'))).toHaveLength(1)
  expect(notes.filter(text => text.startsWith('Renamed'))).toHaveLength(2)
})

test('a new item that moves between two lists of a round is downloaded once', async () => {
  const {top, target, remote} = await start('listed twice')
  let first: Record<'outer' | 'deep' | 'sub' | 'file', string> | undefined
  let lists = 0
  const {notes} = await follow(
    remote,
    target,
    [
      async () => {
        const outer = await world.make('outer', top)
        const deep = await world.make('deep', outer)
        const sub = await world.make('new', outer)
        await world.make('d.txt', sub, 'd')
        first = {outer, deep, sub, file: await world.make('c.txt', outer, 'c')}
      },
      ...[nothing, nothing, nothing],
    ],
    {},
    async () => {
      lists += first ? 1 : 0
      if (!first || lists !== 2) return
      await move(first.file, first.deep, first.outer)
      await move(first.sub, first.deep, first.outer)
    },
  )
  expect(localTree(target)).toEqual({
    ...{'a.txt': 'a', Sub: '/', 'Sub/b.txt': 'b', outer: '/', 'outer/deep': '/'},
    ...{'outer/deep/c.txt': 'c', 'outer/deep/new': '/', 'outer/deep/new/d.txt': 'd'},
  })
  expect(notes.filter(text => text.startsWith('Downloaded 2 files'))).toHaveLength(2)
  expect(notes.filter(text => text.startsWith('Renamed'))).toHaveLength(2)
})

test.each([true, false])(
  'what has moved into a new folder is moved here too, with deletion: %s',
  async isDeleting => {
    const {top, sub, a, target, remote} = await start(`new, ${isDeleting}`)
    const {notes} = await follow(
      remote,
      target,
      [
        async () => {
          const outer = await world.make('outer', top)
          const inner = await world.make('inner', outer)
          await move(a, inner, top)
          await move(sub, outer, top)
          // Later changes of the folders come after those of what is in them.
          await rename(inner, 'renamed')
        },
        nothing,
        nothing,
      ],
      {delete: isDeleting},
    )
    expect(localTree(target)).toEqual({
      ...{outer: '/', 'outer/renamed': '/', 'outer/renamed/a.txt': 'a'},
      ...{'outer/Sub': '/', 'outer/Sub/b.txt': 'b'},
    })
    expect(notes.filter(text => text.startsWith('Renamed'))).toHaveLength(2)
    expect(notes.filter(text => /2 files|\.drv-trash/.test(text))).toHaveLength(1)
  },
)

test('what has moved into a new folder that is excluded is removed here', async () => {
  const {top, sub, target, remote} = await start('excluded')
  await follow(
    remote,
    target,
    [async () => move(sub, await world.make('outer', top), top), nothing, nothing],
    {exclude: ['outer']},
  )
  expect(localTree(target)).toEqual({'a.txt': 'a'})
})

test('a local file that has changed is never overwritten', async () => {
  const {a, b, target, remote} = await start('conflicts')
  const here = join(target, 'a.txt')
  const {notes} = await follow(remote, target, [
    async () => {
      writeFileSync(here, 'mine')
      writeFileSync(join(target, 'Sub/b.txt'), 'my b')
      writeFileSync(join(target, 'own.txt'), 'own')
      await replace(a, 'theirs')
      await world.make('own.txt', await idOf(remote), 'their own')
    },
    () => trash(b).then(nothing),
    nothing,
  ])
  const found = localTree(target)
  const beside = Object.keys(found).filter(name => name.includes('(conflict from remote, '))
  expect(beside.map(name => found[name]).sort()).toEqual(['their own', 'theirs'])
  expect(found).toMatchObject({'a.txt': 'mine', 'own.txt': 'own', 'Sub/b.txt': 'my b'})
  expect(notes.filter(line => line.startsWith('Conflict'))).toHaveLength(2)
  // Once it is saved, it is not saved again.
  await follow(remote, target, [nothing])
  expect(localTree(target)).toEqual(found)
})

async function idOf(path: string): Promise<string> {
  return (await world.drv('stat', path)).id as string
}

test('without --delete, what was removed remotely stays', async () => {
  const {a, target, remote} = await start('kept')
  const waits = [() => remove(a).then(nothing), nothing]
  await follow(remote, target, waits, {delete: false})
  expect(localTree(target)).toMatchObject({'a.txt': 'a'})
})

test('what changed while nobody followed is caught up, also after the page token has expired', async () => {
  const {top, sub, a, target, remote} = await start('interrupted')
  await follow(remote, target, [nothing])
  const {ino} = statSync(join(target, 'a.txt'))
  await move(a, sub, top)
  await follow(remote, target, [nothing])
  expect(localTree(target)).toEqual({Sub: '/', 'Sub/a.txt': 'a', 'Sub/b.txt': 'b'})
  await rename(a, 'c.txt')
  const state = join(world.env.XDG_STATE_HOME!, 'drv/remembered')
  for (const name of readdirSync(state)) {
    const text = readFileSync(join(state, name), 'utf8')
    writeFileSync(join(state, name), text.replaceAll(/"token":"\d+"/g, '"token":"99999999"'))
  }
  await follow(remote, target, [nothing])
  expect(localTree(target)).toEqual({Sub: '/', 'Sub/b.txt': 'b', 'Sub/c.txt': 'a'})
  expect(statSync(join(target, 'Sub/c.txt')).ino).toBe(ino)
})

test('a local file in the place of a remote folder stays, and ends nothing', async () => {
  const {target, remote, b} = await start('in the way')
  const waits = [
    async () => {
      rmSync(join(target, 'Sub'), {recursive: true})
      writeFileSync(join(target, 'Sub'), 'mine')
      await rename(b, 'renamed.txt')
    },
    nothing,
  ]
  await follow(remote, target, waits)
  expect(readFileSync(join(target, 'Sub'), 'utf8')).toBe('mine')
})

test('the command runs until a signal', async () => {
  const {a, target, remote} = await start('command')
  const follower = startFollower(world, ['pull', remote, target, '--follow'])
  await until(() => follower.text().includes('Following'), follower.text)
  await replace(a, 'changed')
  await until(() => localTree(target)['a.txt'] === 'changed', follower.text)
  expect(await follower.end('SIGTERM')).toBe(0)
})

test.each([
  [['--dry-run'], '--follow and --dry-run cannot be combined.'],
  [['--if-exists', 'skip'], '--follow and --if-exists cannot be combined.'],
  [['--delete'], '--yes'],
])('%j is refused', async (flags, words) => {
  const result = await world.run('pull', ['/', join(world.folder, 'refused'), '--follow', ...flags])
  expect([result.code, result.stderr + result.stdout]).toEqual([2, expect.stringContaining(words)])
})

test('the reason why a path cannot be followed is reported', async () => {
  await world.run('push', [world.file('plain.txt', 'plain'), '/'])
  await world.run('mkdir', ['/trashed'])
  await world.run('rm', ['/trashed', '--yes'])
  for (const place of ['/plain.txt', 'trash:/trashed']) {
    const result = await world.run('pull', [place, join(world.folder, 'not-followed'), '--follow'])
    expect(result.code).toBe(1)
    expect(result.stderr).toRead()
  }
})

/** A random number generator with a seed (mulberry32). */
function randomBy(seed: number): (below: number) => number {
  let state = seed
  return below => {
    state = (state + 0x6d2b79f5) | 0
    let value = Math.imul(state ^ (state >>> 15), 1 | state)
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value
    return (((value ^ (value >>> 14)) >>> 0) / 4_294_967_296) * below
  }
}

const TITLES = [
  'same',
  'same',
  'a/b',
  '..',
  'CON',
  ' x ',
  'ü',
  'u\u0308',
  'line\nbreak',
  '.hidden',
  'z.txt',
]

const SIZE = Number(process.env.DRV_TEST_OPERATIONS ?? 40)
const SEED = Number(process.env.DRV_TEST_SEED ?? 31)

test(
  `a tree stays equal through ${SIZE} operations of another client`,
  {timeout: 3_600_000},
  async () => {
    const random = randomBy(SEED)
    const {target, remote, top, sub, a, b} = await start(`random ${SEED}`)
    const outside = await world.make('outside', 'root')
    interface Item {
      readonly id: string
      readonly isFolder: boolean
      parent: string
      isTrashed?: boolean
    }
    const items: Item[] = [
      {id: sub, isFolder: true, parent: top},
      {id: a, isFolder: false, parent: top},
      {id: b, isFolder: false, parent: sub},
    ]
    const pick = <T>(all: readonly T[]): T => all[Math.floor(random(all.length))]!
    const isBelow = (id: string, above: string): boolean => {
      const item = items.find(one => one.id === id)
      return id === above || (item !== undefined && isBelow(item.parent, above))
    }
    const folders = () => [
      top,
      top,
      outside,
      ...items.filter(one => one.isFolder).map(({id}) => id),
    ]
    const titles = () => (random(3) < 1 ? pick(TITLES) : `f${Math.floor(random(1000))}`)

    const done = {
      create: 0,
      folder: 0,
      rename: 0,
      move: 0,
      trash: 0,
      restore: 0,
      replace: 0,
      remove: 0,
    }
    const kinds = [
      'create',
      'create',
      'folder',
      'rename',
      'move',
      'move',
      'trash',
      'restore',
      'replace',
      'remove',
    ] as const
    const refusals: string[] = []
    let number = 0

    async function operate(): Promise<void> {
      number += 1
      const kind = items.length > 0 ? pick(kinds) : 'create'
      const trashed = items.filter(({isTrashed}) => isTrashed)
      const item = kind === 'restore' && trashed.length > 0 ? pick(trashed) : pick(items)
      const {id, isFolder} = item
      const parent = pick(folders())
      try {
        if (kind === 'create') {
          const title = titles()
          const made = await world.make(title, parent, `${title} ${number}`)
          items.push({id: made, isFolder: false, parent})
        } else if (kind === 'folder') {
          items.push({id: await world.make(titles(), parent), isFolder: true, parent})
        } else if (kind === 'rename') await rename(id, titles())
        else if (kind === 'move') {
          if (isBelow(parent, id)) return
          await move(id, parent, item.parent)
          item.parent = parent
        } else if (kind === 'trash' || kind === 'restore') {
          await (kind === 'trash' ? trash(id) : restore(id))
          item.isTrashed = kind === 'trash'
        } else if (kind === 'replace') {
          if (isFolder) return
          await replace(id, `new content ${number}`)
        } else {
          if (isFolder && random(3) > 1) return
          await remove(id)
          for (const one of items.filter(some => isBelow(some.id, id)))
            items.splice(items.indexOf(one), 1)
        }
        done[kind] += 1
      } catch (error) {
        // Its folder is in the trash.
        refusals.push(String(error))
      }
    }
    function* waits() {
      for (let begun = 0; begun < SIZE;) {
        const some = 1 + Math.floor(random(4))
        begun += some
        yield async () => {
          for (let index = 0; index < some; index++) await operate()
        }
      }
      yield nothing
      yield nothing
    }
    const {notes} = await follow(remote, target, waits())
    const fresh = join(world.folder, 'fresh', String(SEED))
    const result = await world.run('pull', [remote, fresh, '--no-follow'])
    expect(result.code).toBe(0)
    expect(contents(target)).toEqual(contents(fresh))
    expect(notes.filter(line => line.startsWith('Conflict'))).toEqual([])
    if (SIZE > 100) {
      const renames = notes.filter(line => line.startsWith('Renamed')).length
      const count = Object.keys(localTree(target)).length
      console.log(JSON.stringify({...done, refused: refusals.length, count, renames}))
    }
    rmSync(fresh, {recursive: true})
    expect(existsSync(target)).toBe(true)
  },
)

/** A tree without the numbers of items of the same name, which depend on the order in which they were seen. */
function contents(path: string): string[] {
  return Object.entries(localTree(path))
    .map(entry => entry.join(': ').replaceAll(/ \(\d+\)/g, ''))
    .sort()
}
