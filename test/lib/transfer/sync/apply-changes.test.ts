import {mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterEach, beforeEach, expect, test} from 'vitest'
import {FOLDER_TYPE} from '#lib/api/wire.js'
import type {Page} from '#lib/client/client.js'
import {applyChanges, nameOfRoot} from '#lib/transfer/sync/apply-changes.js'
import {openTree, type RememberedTree} from '#lib/transfer/sync/remembered-tree.js'
import {GONE} from '#lib/transfer/sync/tree-node.js'

let folder: string
let tree: RememberedTree
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'drv-changes-'))
  tree = openTree(join(folder, 'tree.jsonl'))
  await tree.update(draft => {
    const names = [nameOfRoot({in: 'myDrive'}, ['Reports', '2026'])]
    draft.setHead({rootId: 'root', above: ['top', 'reports'], names, token: '1'})
    draft.list('root', [
      {kind: 'file', id: 'a', title: 'a', size: 1, md5: 'A'},
      {kind: 'folder', id: 'sub', title: 'sub'},
      {kind: 'other', id: 'cut', title: 'cut', what: 'a shortcut', target: 'elsewhere'},
    ])
    draft.list('sub', [{kind: 'file', id: 'b', title: 'b', size: 1, md5: 'B'}])
    draft.setLocal('a', {parent: 'root', name: 'a'})
    for (const id of ['root', 'sub']) draft.settle(id, 'all')
  })
})
afterEach(() => rmSync(folder, {recursive: true}))

const changed = (id: string, parents: string[], more: Page = {}): Page => ({
  ...{type: 'file', fileId: id},
  file: {
    ...{id, title: id, mimeType: 'text/plain', fileSize: '2', md5Checksum: 'new'},
    ...{labels: {trashed: false}, parents: parents.map(parent => ({id: parent}))},
    ...more,
  },
})
const apply = (...changes: Page[]) => tree.update(draft => applyChanges(draft, changes))
const unsettled = () => ['root', 'sub'].filter(id => tree.settledAs(id) === undefined)

test('new content, a new title, and a new file', async () => {
  expect(await apply(changed('b', ['sub'], {title: 'B2'}), changed('n', ['sub']))).toBe(true)
  expect(tree.node('b')?.remote).toMatchObject({title: 'B2', md5: 'new', size: 2})
  expect(tree.node('n')).toMatchObject({parent: 'sub'})
  expect(unsettled()).toEqual(['sub'])
})

test('a move keeps where the file is now, and concerns both folders', async () => {
  await apply(changed('a', ['sub']))
  expect([tree.node('a')?.parent, tree.pathOf('a')]).toEqual(['sub', 'a'])
  expect(unsettled()).toEqual(['root', 'sub'])
})

test.each<[string, Page]>([
  ['moved out', changed('a', ['other'])],
  ['trashed', changed('a', ['root'], {labels: {trashed: true}})],
  ['removed', {type: 'file', fileId: 'a', deleted: true}],
])('what was %s has left the tree, but is still here', async (_, change) => {
  await apply(change)
  expect([tree.node('a')?.parent, tree.pathOf('a')]).toEqual([GONE, 'a'])
  expect(unsettled()).toEqual(['root'])
  await apply(changed('a', ['root']))
  expect(tree.node('a')).toMatchObject({parent: 'root', local: {name: 'a'}})
})

test('a folder that leaves the tree and was never here is forgotten with its contents', async () => {
  await apply(changed('sub', ['other'], {mimeType: FOLDER_TYPE}))
  expect([tree.node('sub'), tree.node('b'), tree.isListed('sub')]).toEqual([
    undefined,
    undefined,
    false,
  ])
})

test('a known item in a folder that is not listed yet stays there', async () => {
  const remote = {kind: 'file', id: 'new', title: 'new', size: 1, md5: 'N'} as const
  await tree.update(draft => {
    draft.put({parent: 'root', remote: {kind: 'folder', id: 'made', title: 'made'}})
    draft.put({parent: 'made', remote, local: {parent: 'made', name: 'new'}})
  })
  const folder = {mimeType: FOLDER_TYPE}
  expect(await apply(changed('made', ['root'], folder), changed('new', ['made']))).toBe(true)
  expect(tree.node('new')).toMatchObject({parent: 'made', local: {name: 'new'}})
})

test('the target of a shortcut concerns the folder of the shortcut', async () => {
  expect(await apply(changed('elsewhere', ['far']))).toBe(true)
  expect(unsettled()).toEqual(['root'])
})

test('changes elsewhere concern nothing', async () => {
  expect(await apply(changed('x', ['far']), {type: 'drive', driveId: 'd'})).toBe(true)
  expect(unsettled()).toEqual([])
})

test.each<[string, Page]>([
  ['the root', changed('root', ['reports'], {mimeType: FOLDER_TYPE})],
  ['a folder above it', changed('reports', ['top'], {mimeType: FOLDER_TYPE})],
  ['a new folder of the same name as one above it', changed('x', ['top'], {title: 'Reports'})],
  ['a file in two folders of the tree', changed('a', ['root', 'sub'])],
])('%s makes the tree doubtful', async (_, change) => {
  expect(await apply(change)).toBe(false)
})

test('so does a change of the shared drive that contains the tree', async () => {
  await tree.update(draft => draft.setHead({...draft.head!, driveId: 'd'}))
  expect(await apply({type: 'drive', driveId: 'other'})).toBe(true)
  expect(await apply({type: 'drive', driveId: 'd'})).toBe(false)
})
