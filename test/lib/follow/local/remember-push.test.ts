import {mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterEach, beforeEach, expect, test} from 'vitest'
import type {LocalItem} from '#lib/follow/local/local-item.js'
import {createPushMemory} from '#lib/follow/local/remember-push.js'
import {openTree, type RememberedTree} from '#lib/transfer/sync/remembered-tree.js'
import {GONE} from '#lib/transfer/sync/tree-node.js'
import type {LocalFile, RemoteFile, RemoteFolder} from '#lib/transfer/tree/entries.js'

/**
 * A push and a pull of the same folder share a remembered tree. In each test, the pull applies remote changes after the
 * push has sent something, and before it records that.
 */

const remote: RemoteFile = {kind: 'file', id: 'a', title: 'a', size: 1, md5: 'A'}
const sub: RemoteFolder = {kind: 'folder', id: 'sub', title: 'sub'}
const local: LocalFile = {kind: 'file', name: 'a', path: '/here/a', size: 2, modified: 2}
const item: LocalItem = {path: 'a', kind: 'file', inode: 1, size: 2, modified: 2, entry: local}
const upload = {action: 'upload', path: 'a', name: 'a', parent: '', local} as const
const made = {action: 'folder', path: 'new', name: 'new', parent: ''} as const

let folder: string
let push: RememberedTree
let pull: RememberedTree
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'drv-remember-push-'))
  push = openTree(join(folder, 'tree.jsonl'))
  pull = openTree(join(folder, 'tree.jsonl'))
  await push.update(draft => {
    draft.setHead({rootId: 'root', above: [], names: []})
    draft.list('root', [remote, sub])
    draft.list('sub', [])
    draft.setLocal('sub', {parent: 'root', name: 'sub'})
    draft.setLocal('a', {parent: 'root', name: 'a', file: {...content, version: 'A'}})
  })
})
afterEach(() => rmSync(folder, {recursive: true}))

const content = {size: 1, modified: 1, inode: 1, md5: 'A'}

const options = () => ({
  tree: push,
  known: ['a'],
  files: new Map([[local, item]]),
  folders: new Map(),
  ids: new Map([['', 'root']]),
  conflicts: new Map(),
  isBeside: () => false,
})

const start = () => createPushMemory(options())

const replace = {action: 'replace', path: 'a', local, remote} as const
const moveTo = (title: string) => ({action: 'move', path: title, entry: remote, title}) as const

test('a version that another machine has uploaded since stays', async () => {
  const memory = start()
  await pull.update(draft => draft.arrive('root', {...remote, md5: 'C'}))
  await memory.done(replace, {id: 'a', md5: 'B'})
  await memory.flush()
  expect(push.node('a')).toMatchObject({remote: {md5: 'C'}, local: {file: {version: 'A'}}})
})

test('so does a conflict that the pull has found', async () => {
  const memory = start()
  const file = {size: -1, modified: 0, inode: 0, version: 'C'}
  await pull.update(draft => {
    draft.arrive('root', {...remote, md5: 'C'})
    draft.setLocal('a', {parent: 'root', name: 'a', file})
  })
  await memory.done(replace, {id: 'a', md5: 'B'})
  await memory.flush()
  expect(push.node('a')).toMatchObject({remote: {md5: 'C'}, local: {file}})
})

test('the own upload, which the pull has seen, is recorded', async () => {
  const memory = start()
  await pull.update(draft => draft.arrive('root', {...remote, md5: 'B'}))
  await memory.done(replace, {id: 'a', md5: 'B'})
  await memory.flush()
  expect(push.node('a')).toMatchObject({
    remote: {md5: 'B'},
    local: {file: {size: 2, md5: 'B', version: 'B'}},
  })
})

test('content is remembered before it is sent, until it has arrived', async () => {
  const memory = start()
  const known = {path: 'a', id: 'a', kind: 'file'} as const
  // An interrupted push has sent the remote content.
  const facts = {entry: {...remote, md5: 'S'}, parents: ['root']}
  await memory.sending([{known, item, facts}], new Map([['a', 'B']]))
  pull.unload()
  const file = {...content, version: 'S', sent: 'B'}
  expect(pull.node('a')?.local?.file).toEqual(file)
  await memory.done(replace, {id: 'a', md5: 'B'})
  await memory.flush()
  expect(push.node('a')?.local?.file).toEqual({
    ...{size: 2, modified: 2, inode: 1},
    ...{md5: 'B', version: 'B'},
  })
})

test('what is created is remembered before it is sent, until it is known', async () => {
  const memory = start()
  await memory.creating([
    {step: made, id: 'made', parentId: 'root'},
    {step: upload, id: 'new', parentId: 'root'},
  ])
  pull.unload()
  await pull.compact()
  pull.unload()
  expect([...pull.creations()]).toEqual([
    ['made', {parent: 'root', name: 'new', title: 'new'}],
    ['new', {parent: 'root', name: 'a', title: 'a', size: 2, modified: 2}],
  ])
  await memory.done(upload, {id: 'new', md5: 'B'})
  await memory.done(made, {id: 'made'})
  await memory.flush()
  expect([...push.creations()]).toEqual([])
})

test('what is created under another ID than the reserved one is recorded with it before', async () => {
  const memory = start()
  await memory.creating([
    {step: made, id: 'used', parentId: 'root'},
    {step: {...upload, parent: 'new'}, id: 'inner', parentId: 'used'},
  ])
  await memory.renewed('used', 'other')
  await pull.refresh()
  expect(Object.fromEntries(pull.creations())).toEqual({
    other: {parent: 'root', name: 'new', title: 'new'},
    inner: {parent: 'other', name: 'a', title: 'a', size: 2, modified: 2},
  })
})

test('a version beside a conflicting one is not remembered as the local file', async () => {
  const memory = createPushMemory({...options(), isBeside: title => title === 'a (conflict)'})
  await memory.creating([{step: {...upload, name: 'a (conflict)'}, id: 'new', parentId: 'root'}])
  await push.refresh()
  expect([...push.creations()]).toEqual([])
})

test('several changes of one item in a round are recorded', async () => {
  const memory = start()
  await memory.done(moveTo('b'), {})
  await memory.flush()
  await memory.done({...replace, remote: {...remote, title: 'b'}}, {id: 'a', md5: 'B'})
  await memory.flush()
  expect(push.node('a')).toMatchObject({remote: {title: 'b', md5: 'B'}, local: {name: 'a'}})
})

test('a move by another machine stays; the own one, which the pull has seen, is carried out', async () => {
  const memory = start()
  await pull.update(draft => draft.arrive('sub', remote))
  await memory.done(moveTo('b'), {})
  await memory.flush()
  expect(push.node('a')).toMatchObject({parent: 'sub', local: {name: 'a', isMoved: true}})
  await pull.update(draft => draft.arrive('root', {...remote, title: 'b'}))
  await memory.done(moveTo('b'), {})
  await memory.flush()
  expect(push.node('a')?.local).toEqual({
    parent: 'root',
    name: 'b',
    file: {...content, version: 'A'},
  })
})

test('a file that another machine has renamed right after its upload is renamed here too', async () => {
  const memory = start()
  await pull.update(draft => draft.arrive('sub', {...remote, id: 'new', title: 'b', md5: 'B'}))
  await memory.done(upload, {id: 'new', md5: 'B'})
  await memory.flush()
  expect(push.node('new')).toMatchObject({
    parent: 'sub',
    remote: {title: 'b'},
    local: {parent: 'root', name: 'a', isMoved: true},
  })
})

test('a new folder keeps the items that the pull has listed in it', async () => {
  const memory = start()
  await pull.update(draft => {
    draft.arrive('root', {kind: 'folder', id: 'new', title: 'new'})
    draft.list('new', [{...remote, id: 'inner'}])
    draft.setLocal('inner', {parent: 'new', name: 'a', file: {...content, version: 'A'}})
  })
  await memory.done({action: 'folder', path: 'new', name: 'new', parent: ''}, {id: 'new'})
  await memory.flush()
  expect(push.node('inner')?.parent).toBe('new')
  expect(push.pathOf('inner')).toBe('new/a')
})

test('a removed item that another machine has restored stays; its removal is recorded', async () => {
  const trash = {action: 'trash', path: 'a', entry: remote} as const
  const memory = start()
  await pull.update(draft => draft.arrive('sub', remote))
  await memory.done(trash, {})
  await memory.flush()
  expect(push.node('a')?.parent).toBe('sub')
  await pull.update(draft => draft.leave('a'))
  expect(pull.node('a')?.parent).toBe(GONE)
  await memory.done(trash, {})
  await memory.flush()
  expect(push.node('a')).toBeUndefined()
})
