import {mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs'
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

/** Carries the moves out; returns the content of the local files by name. */
async function carriedOut() {
  const root = join(folder, 'local')
  const rules = {isWindows: false, isCaseSensitive: true}
  const place = {root, stamp: 'now', now: () => 0}
  const moves: string[] = []
  const isSettled = (id: string) => tree.settledAs(id) !== undefined
  const options = {tree, place, prefix: '', rules, isRemoving: true, isSettled}
  for await (const move of localMoves(options)) {
    moves.push(`${move.path} → ${move.to}`)
    move.run()
  }
  const names = readdirSync(root)
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
  const root = join(folder, 'local')
  const rules = {isWindows: false, isCaseSensitive: true}
  const place = {root, stamp: 'now', now: () => 0}
  const isSettled = () => false
  const moves = localMoves({tree, place, prefix: '', rules, isRemoving: true, isSettled})
  expect(await moves.next()).toEqual({done: true, value: undefined})
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
