import {mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterEach, beforeEach, expect, test} from 'vitest'
import type {RemoteFacts} from '#lib/follow/local/decide-push.js'
import {takeOver} from '#lib/follow/local/take-over.js'
import {openTree, type RememberedTree} from '#lib/transfer/sync/remembered-tree.js'
import type {Creation} from '#lib/transfer/sync/tree-lines.js'
import type {RemoteFile, RemoteFolder} from '#lib/transfer/tree/entries.js'

let folder: string
let tree: RememberedTree
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'drv-take-over-'))
  tree = openTree(join(folder, 'tree.jsonl'))
  await tree.update(draft => {
    draft.setHead({rootId: 'root', above: [], names: []})
    draft.list('root', [{kind: 'folder', id: 'sub', title: 'sub'}])
    draft.setLocal('sub', {parent: 'root', name: 'sub', inode: 2})
  })
})
afterEach(() => rmSync(folder, {recursive: true}))

const entry: RemoteFile = {kind: 'file', id: 'new', title: 'a', size: 1, md5: 'm', modified: 5000}
const made: RemoteFolder = {kind: 'folder', id: 'made', title: 'made'}
const creation: Creation = {parent: 'sub', name: 'a', title: 'a', size: 1, modified: 5000}

/** Takes over creations; `found` are the remote items. */
async function take(
  creations: Readonly<Record<string, Creation>>,
  found: readonly RemoteFacts[],
): Promise<string[]> {
  await tree.update(draft => {
    for (const [id, one] of Object.entries(creations)) draft.create(id, one)
  })
  const known = await takeOver(tree, async () => new Map(found.map(one => [one.entry.id, one])))
  expect([...tree.creations()]).toEqual([])
  return known
}

test('a new file is known with its content', async () => {
  expect(await take({new: creation}, [{entry, parents: ['sub']}])).toEqual(['new'])
  expect(tree.node('new')).toMatchObject({
    parent: 'sub',
    local: {parent: 'sub', name: 'a', file: {size: 1, modified: 5000, md5: 'm', version: 'm'}},
  })
})

test('a new folder is known before what is in it, but not its other items', async () => {
  const creations = {
    new: {...creation, parent: 'made'},
    made: {parent: 'root', name: 'made', title: 'made'},
  }
  const found = [
    {entry: made, parents: ['root']},
    {entry, parents: ['made']},
  ]
  expect(await take(creations, found)).toEqual(['made', 'new'])
  expect(tree.pathOf('new')).toBe('made/a')
  expect(tree.isListed('made')).toBe(false)
})

test.each<[string, Partial<RemoteFile>, Partial<Creation>?, string?]>([
  ['was changed by others', {modified: 9000}],
  ['has another size', {size: 2}],
  ['was renamed', {title: 'b'}],
  ['was moved', {}, {}, 'root'],
  ['was to be a folder', {}, {size: undefined, modified: undefined}],
  ['has an unknown parent', {}, {parent: 'other'}, 'other'],
])('an item that %s is not taken over', async (_, changes, others = {}, parent = 'sub') => {
  const found = {entry: {...entry, ...changes}, parents: [parent]}
  expect(await take({new: {...creation, ...others}}, [found])).toEqual([])
  expect(tree.node('new')).toBeUndefined()
})

test('an item whose local name is not its remote one is known by both', async () => {
  const renamed = {entry: {...entry, title: 'a/b'}, parents: ['sub']}
  expect(await take({new: {...creation, name: 'a／b', title: 'a/b'}}, [renamed])).toEqual(['new'])
  expect(tree.pathOf('new')).toBe('sub/a／b')
})

test('an item that was never created is forgotten', async () => {
  expect(await take({new: creation}, [])).toEqual([])
})

test('an item that another one has the place of is not taken over', async () => {
  await tree.update(draft => {
    draft.put({parent: 'sub', remote: {...entry, id: 'other'}, local: {parent: 'sub', name: 'a'}})
  })
  expect(await take({new: creation}, [{entry, parents: ['sub']}])).toEqual([])
})

test('what was created, known and removed since is not taken over', async () => {
  await tree.update(draft => {
    draft.create('new', creation)
    draft.put({parent: 'sub', remote: entry})
    draft.create('new', creation)
    draft.remove('new')
  })
  const read = async () => Promise.reject(new Error('read'))
  expect(await takeOver(tree, read)).toEqual([])
})
