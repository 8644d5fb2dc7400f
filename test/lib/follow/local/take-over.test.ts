import {mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterEach, beforeEach, expect, test} from 'vitest'
import type {RemoteFacts} from '#lib/follow/local/decide-push.js'
import {takeOver} from '#lib/follow/local/take-over.js'
import {openTree, type RememberedTree} from '#lib/transfer/sync/remembered-tree.js'
import type {RemoteFile, RemoteFolder} from '#lib/transfer/tree/entries.js'
import type {UnfinishedId} from '#lib/transfer/tree/id-notes.js'

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

/** Takes over an item; `found` are the remote items. */
const take = (unfinished: readonly UnfinishedId[], found: readonly RemoteFacts[]) => {
  const read = async () => new Map(found.map(one => [one.entry.id, one]))
  return takeOver(tree, {root: '/here', unfinished, read})
}

const file: UnfinishedId = {
  ...{id: 'new', parentId: 'sub'},
  local: {path: '/here/sub/a', size: 1, modified: 5000},
}

test('a new file is known with its content', async () => {
  expect(await take([file], [{entry, parents: ['sub']}])).toEqual(['new'])
  expect(tree.node('new')).toMatchObject({
    parent: 'sub',
    local: {parent: 'sub', name: 'a', file: {size: 1, modified: 5000, md5: 'm', version: 'm'}},
  })
})

test('a new folder is known before what is in it', async () => {
  const found = [
    {entry: made, parents: ['root']},
    {entry, parents: ['made']},
  ]
  const unfinished = [
    {id: 'made', parentId: 'root', local: {path: '/here/made'}},
    {...file, parentId: 'made', local: {...file.local, path: '/here/made/a'}},
  ]
  expect(await take(unfinished, found)).toEqual(['made', 'new'])
  expect(tree.pathOf('new')).toBe('made/a')
  expect(tree.isListed('made')).toBe(true)
})

test.each<[string, Partial<RemoteFile>, Partial<UnfinishedId>?, string?]>([
  ['was changed by others', {modified: 9000}],
  ['has another size', {size: 2}],
  ['was renamed', {title: 'b'}],
  ['was moved', {}, {}, 'root'],
  ['was a folder here', {}, {local: {path: file.local.path}}],
  ['was in another folder here', {}, {local: {...file.local, path: '/there/sub/a'}}],
  ['has an unknown parent', {}, {parentId: 'other'}, 'other'],
])('an item that %s is not taken over', async (_, changes, others = {}, parent = 'sub') => {
  const found = {entry: {...entry, ...changes}, parents: [parent]}
  expect(await take([{...file, ...others}], [found])).toEqual([])
  expect(tree.node('new')).toBeUndefined()
})

test('an item that another one has the place of is not taken over', async () => {
  await tree.update(draft => {
    draft.put({parent: 'sub', remote: {...entry, id: 'other'}, local: {parent: 'sub', name: 'a'}})
  })
  expect(await take([file], [{entry, parents: ['sub']}])).toEqual([])
})

test('nothing is read for known items', async () => {
  const read = async () => Promise.reject(new Error('read'))
  const unfinished = [{...file, id: 'sub'}]
  expect(await takeOver(tree, {root: '/here', unfinished, read})).toEqual([])
})
