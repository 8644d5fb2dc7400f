import {expect, test} from 'vitest'
import {
  compareLocal,
  type LocalChanges,
  mayBeMoved,
  outermost,
  pairByContent,
  unreadFolders,
} from '#lib/follow/local/compare-local.js'
import {type KnownItem, type LocalItem} from '#lib/follow/local/local-item.js'
import {parentOf} from '#lib/transfer/tree/steps.js'

type Facts = readonly [inode: number, size?: number, modified?: number, md5?: string]

/** Paths with a slash at the end are folders. */
function known(facts: Record<string, Facts>) {
  const items = Object.entries(facts).map(([path, [inode, size, mtime, md5]]): KnownItem => {
    const isFolder = path.endsWith('/')
    const at = isFolder ? path.slice(0, -1) : path
    const content = isFolder ? {} : {size: size ?? 1, mtime: mtime ?? 0, md5: md5 ?? `md5 of ${at}`}
    return {path: at, id: `id of ${at}`, kind: isFolder ? 'folder' : 'file', inode, ...content}
  })
  return {
    get: (path: string) => items.find(one => one.path === path),
    children: (folder: string) => items.filter(({path}) => parentOf(path) === folder),
    below: (folder: string) =>
      items.filter(({path}) => folder === '' || path.startsWith(`${folder}/`)),
  }
}

function view(
  facts: Record<string, Facts>,
  {folders = undefined as readonly string[] | undefined} = {},
) {
  const all = Object.entries(facts).map(([path, [inode, size, modified]]): LocalItem => {
    const isFolder = path.endsWith('/')
    const at = isFolder ? path.slice(0, -1) : path
    const content = isFolder ? {size: 0, modified: 0} : {size: size ?? 1, modified: modified ?? 0}
    return {path: at, kind: isFolder ? 'folder' : 'file', inode, ...content}
  })
  const read = folders ?? ['', ...all.filter(({kind}) => kind === 'folder').map(({path}) => path)]
  return {
    items: new Map(all.map(item => [item.path, item])),
    read: new Set(read),
    isKept: (path: string) => path.startsWith('excluded'),
  }
}

const shown = ({pairs, appeared, vanished}: LocalChanges) => ({
  pairs: pairs.map(({known, item}) => `${known.path} > ${item.path}`),
  appeared: appeared.map(({path}) => path),
  vanished: vanished.map(({path}) => path),
})

const compare = (before: Record<string, Facts>, now: Record<string, Facts>) =>
  shown(compareLocal(known(before), view(now)))

test('an equal tree has no changes', () => {
  const tree = {a: [1], 'f/': [2], 'f/b': [3, 9, 9]} as const
  expect(compare(tree, tree)).toEqual({pairs: [], appeared: [], vanished: []})
})

test.each([
  ['another size', [1, 2, 0]],
  ['another time', [1, 1, 5]],
  ['another inode', [2, 1, 0]],
] as const)('%s: the content may differ', (_, facts) => {
  expect(compare({a: [1, 1, 0]}, {a: facts})).toEqual({
    pairs: ['a > a'],
    appeared: [],
    vanished: [],
  })
})

test('a renamed file keeps inode, size and time', () => {
  expect(compare({a: [1]}, {b: [1]})).toEqual({pairs: ['a > b'], appeared: [], vanished: []})
})

test('a reused inode is no rename', () => {
  const changes = compare({a: [1, 5, 5]}, {b: [1, 6, 6]})
  expect(changes).toEqual({pairs: [], appeared: ['b'], vanished: ['a']})
})

test('a program that saves by renaming keeps the file', () => {
  expect(compare({a: [1, 5, 5]}, {a: [2, 6, 6]}).pairs).toEqual(['a > a'])
  // With a backup, the name decides, not the inode: the document keeps its ID.
  const backup = compare({a: [1, 5, 5]}, {a: [2, 6, 6], 'a~': [1, 5, 5]})
  expect(backup).toEqual({pairs: ['a > a'], appeared: ['a~'], vanished: []})
})

test('a renamed folder takes its content along', () => {
  const changes = compare(
    {'f/': [1], 'f/g/': [2], 'f/a': [3], 'f/g/b': [4], 'f/gone': [5]},
    {'h/': [1], 'h/g/': [2], 'h/a': [3], 'h/g/b': [4, 7, 7], 'h/new': [6]},
  )
  expect(changes).toEqual({
    pairs: ['f > h', 'f/a > h/a', 'f/g > h/g', 'f/g/b > h/g/b'],
    appeared: ['h/new'],
    vanished: ['f/gone'],
  })
})

test('a folder that has nothing of the old one is another folder', () => {
  const changes = compare({'f/': [1], 'f/a': [3]}, {'h/': [1], 'h/b': [4]})
  expect(changes).toEqual({pairs: [], appeared: ['h', 'h/b'], vanished: ['f', 'f/a']})
})

test('what leaves a removed folder is moved', () => {
  const changes = compare(
    {'f/': [1], 'f/a': [3], 'f/g/': [2], 'f/g/b': [4]},
    {a: [3], 'g/': [2], 'g/b': [4]},
  )
  expect(changes.pairs).toEqual(['f/a > a', 'f/g > g', 'f/g/b > g/b'])
  expect(changes.vanished).toEqual(['f'])
})

test('a file in the place of a folder', () => {
  const changes = compare({'f/': [1], 'f/a': [2]}, {f: [3]})
  expect(changes).toEqual({pairs: [], appeared: ['f'], vanished: ['f', 'f/a']})
})

test('excluded paths and folders that were not read are left alone', () => {
  const before = known({excluded: [1], 'f/': [2], 'f/a': [3], b: [4]})
  const now = view({'f/': [2]}, {folders: ['']})
  expect(shown(compareLocal(before, now))).toEqual({pairs: [], appeared: [], vanished: ['b']})
})

test('the same content elsewhere is a move: with the same name first, then in the same folder', () => {
  const before = {
    'x/': [1],
    'x/a': [2, 5, 0, 'sum'],
    b: [3, 5, 0, 'sum'],
    c: [4, 5, 0, 'sum'],
  } as const
  const changes = compareLocal(
    known(before),
    view({'x/': [1], 'y/': [9], 'y/b': [12, 5, 0], 'x/z': [13, 5, 0], w: [14, 7, 0]}),
  )
  expect(mayBeMoved(changes).map(({path}) => path)).toEqual(['x/z', 'y/b'])
  const sums = new Map([
    ['y/b', 'sum'],
    ['x/z', 'sum'],
    ['w', 'other'],
  ])
  expect(shown(pairByContent(changes, sums))).toEqual({
    pairs: ['x/a > x/z', 'b > y/b'],
    appeared: ['w', 'y'],
    vanished: ['c'],
  })
})

test('the outermost of some items', () => {
  const items = ['f', 'f/a', 'g/b', 'g/b/c/d'].map(path => ({path}))
  expect(outermost(items).map(({path}) => path)).toEqual(['f', 'g/b'])
})

test('ten thousand files in a renamed folder', () => {
  const names = Array.from({length: 10_000}, (_, index) => `f/file ${index}`)
  const all = (folder: string) =>
    Object.fromEntries<Facts>([
      [`${folder}/`, [1]],
      ...names.map((name, index) => [name.replace('f', folder), [index + 2]] as [string, Facts]),
    ])
  const items = known(all('f'))
  const byPath = new Map(items.below('').map(item => [item.path, item]))
  const {pairs, appeared, vanished} = compareLocal(
    {...items, get: path => byPath.get(path)},
    view(all('g')),
  )
  expect(pairs).toHaveLength(10_001)
  expect([appeared, vanished]).toEqual([[], []])
})

test('unknown folders of changed items are read', () => {
  const before = known({'f/': [1], 'k/': [2]})
  const appeared = ['f/a', 'x/y/z/b', 'new', 'new/c'].map((path): LocalItem => ({
    path,
    kind: 'file',
    inode: 9,
    size: 1,
    modified: 0,
  }))
  const changes = {appeared, pairs: []}
  expect(unreadFolders(changes, before, new Set())).toEqual(['x/y', 'x', ''])
  expect(unreadFolders(changes, before, new Set(['', 'x', 'x/y']))).toEqual([])
})
