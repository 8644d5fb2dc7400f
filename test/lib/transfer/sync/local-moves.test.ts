import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterEach, beforeEach, expect, test} from 'vitest'
import {localMoves} from '#lib/transfer/sync/local-moves.js'
import {openTree, type RememberedTree} from '#lib/transfer/sync/remembered-tree.js'

/** Names of items with the same title, which two machines may have given in another order. */

let folder: string
let tree: RememberedTree
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'drv-moves-'))
  mkdirSync(join(folder, 'local'))
  tree = openTree(join(folder, 'tree.jsonl'))
  await tree.update(draft => {
    draft.setHead({rootId: 'root', above: [], names: []})
    draft.list('root', [])
  })
})
afterEach(() => rmSync(folder, {recursive: true}))

/** Files of one title, by ID: when they were created, and their local names; their content is the ID. */
async function given(title: string, files: Record<string, readonly [number?, string?]>) {
  await tree.update(draft => {
    for (const [id, [created, name]] of Object.entries(files)) {
      const at = created === undefined ? {} : {created}
      draft.put({parent: 'root', remote: {kind: 'file', id, title, size: 3, ...at}})
      if (name === undefined) continue
      writeFileSync(join(folder, 'local', name), id)
      const file = {size: 3, modified: 0, inode: 0, version: ''}
      draft.setLocal(id, {parent: 'root', name, file})
    }
  })
}

/** Carries the moves out. */
async function carry(): Promise<string[]> {
  const rules = {isWindows: false, isCaseSensitive: true}
  const place = {root: join(folder, 'local'), stamp: 'now', now: () => 0}
  const isSettled = (id: string) => tree.settledAs(id) !== undefined
  const options = {tree, place, prefix: '', rules, isRemoving: true, isSettled}
  const moves: string[] = []
  for await (const move of localMoves(options)) {
    moves.push(`${move.path} → ${move.to}`)
    move.run()
  }
  return moves
}

/** The same, and the content of the local files by name. */
async function carriedOut() {
  const moves = await carry()
  const names = readdirSync(join(folder, 'local'))
  for (const name of names) expect(tree.at('root', name)?.remote.id).toBe(content(name))
  return {moves, files: Object.fromEntries(names.map(name => [name, content(name)]))}
}
const content = (name: string) => readFileSync(join(folder, 'local', name), 'utf8')

test('an own file makes room for an older one of the same name before that is downloaded', async () => {
  await given('a.txt', {own: [2, 'a.txt'], old: [1]})
  expect(await carriedOut()).toEqual({
    moves: ['a.txt → a (1).txt'],
    files: {'a (1).txt': 'own'},
  })
})

test('files that have each other’s names exchange them', async () => {
  await given('a.txt', {own: [2, 'a.txt'], old: [1, 'a (1).txt']})
  const {files, moves} = await carriedOut()
  expect(files).toEqual({'a.txt': 'old', 'a (1).txt': 'own'})
  expect(moves).toHaveLength(3)
  expect((await carriedOut()).moves).toEqual([])
})

test('a file loses its number when the other one is gone', async () => {
  await given('a.txt', {own: [2, 'a (1).txt']})
  expect((await carriedOut()).files).toEqual({'a.txt': 'own'})
})

test('a remote version that was saved beside a local file gets its name when that is free', async () => {
  await given('a.txt', {own: [2, 'a (conflict from remote, 2026-05-04 13-12-11).txt']})
  writeFileSync(join(folder, 'local', 'a.txt'), 'new')
  await tree.update(draft => {
    const remote = {kind: 'file', id: 'new', title: 'a.txt.bak', size: 3} as const
    draft.put({parent: 'root', remote})
    draft.setLocal('new', {parent: 'root', name: 'a.txt', isMoved: true})
  })
  expect((await carriedOut()).files).toEqual({'a.txt': 'own', 'a.txt.bak': 'new'})
})

test('a file keeps its number while something unknown has the name', async () => {
  await given('a.txt', {own: [2, 'a (1).txt']})
  mkdirSync(join(folder, 'local', 'a.txt'))
  writeFileSync(join(folder, 'local', 'a.txt', 'inner'), '')
  expect(await carry()).toEqual([])
})

test('a local name that other machines write differently stays', async () => {
  await given('tab\there', {own: [2, 'tab\there']})
  expect((await carriedOut()).moves).toEqual([])
})

test('three files that have each other’s names exchange them', async () => {
  await given('a.txt', {a: [1, 'a (1).txt'], b: [2, 'a (2).txt'], c: [3, 'a.txt']})
  expect((await carriedOut()).files).toEqual({'a.txt': 'a', 'a (1).txt': 'b', 'a (2).txt': 'c'})
})

test('the names of a folder in which nothing is left to do are not looked at', async () => {
  await given('a.txt', {own: [2, 'a (1).txt']})
  await tree.update(draft => draft.settle('root', 'now'))
  expect((await carriedOut()).moves).toEqual([])
})

/** Notes that an item with a local name, which is here under another one, has a third one remotely. */
async function renamedOnBothSides(kind: 'file' | 'folder', here: string) {
  const {ino, size, mtimeMs} = statSync(join(folder, 'local', here))
  await tree.update(draft => {
    if (kind === 'file')
      draft.put({parent: 'root', remote: {kind, id: 'one', title: 'theirs', size}})
    else draft.put({parent: 'root', remote: {kind, id: 'one', title: 'theirs'}})
    const file = {size, modified: Math.floor(mtimeMs), inode: ino, version: ''}
    const facts = kind === 'file' ? {file} : {inode: ino}
    draft.setLocal('one', {parent: 'root', name: 'old', isMoved: true, ...facts})
  })
}

test('a file that was renamed on both sides gets the remote name, and is not downloaded again', async () => {
  writeFileSync(join(folder, 'local', 'ours'), 'one')
  await renamedOnBothSides('file', 'ours')
  expect(await carriedOut()).toEqual({moves: ['ours → theirs'], files: {theirs: 'one'}})
})

test('so does a folder that was also moved here', async () => {
  mkdirSync(join(folder, 'local', 'sub', 'ours', 'inner'), {recursive: true})
  await renamedOnBothSides('folder', 'sub/ours')
  await tree.update(draft => {
    draft.list('root', [
      {kind: 'folder', id: 'sub', title: 'sub'},
      {kind: 'folder', id: 'one', title: 'theirs'},
    ])
    draft.setLocal('sub', {parent: 'root', name: 'sub'})
    draft.list('one', [{kind: 'folder', id: 'inner', title: 'inner'}])
    draft.setLocal('inner', {parent: 'one', name: 'inner'})
    draft.list('sub', [])
  })
  expect(await carry()).toEqual(['sub/ours → theirs'])
  expect(tree.pathOf('inner')).toBe('theirs/inner')
})

test.each([
  ['another file', () => writeFileSync(join(folder, 'local', 'ours'), 'changed')],
  [
    'a file of another item',
    () =>
      tree.update(draft => {
        draft.put({parent: 'root', remote: {kind: 'file', id: 'two', title: 'ours', size: 3}})
        const file = {size: 3, modified: 0, inode: 0, version: ''}
        draft.setLocal('two', {parent: 'root', name: 'ours', file})
      }),
  ],
])('%s is not taken for it', async (_, change) => {
  writeFileSync(join(folder, 'local', 'ours'), 'one')
  await renamedOnBothSides('file', 'ours')
  await change()
  expect(await carry()).toEqual([])
  expect(tree.node('one')?.local).toBeUndefined()
})
