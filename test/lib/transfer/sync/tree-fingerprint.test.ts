import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterEach, beforeEach, expect, test} from 'vitest'
import {openTree, type RememberedTree} from '#lib/transfer/sync/remembered-tree.js'
import {hasFingerprint} from '#lib/transfer/sync/tree-fingerprint.js'
import {GONE, type LocalState} from '#lib/transfer/sync/tree-node.js'
import type {TreeDraft} from '#lib/transfer/sync/tree-state.js'
import type {RemoteEntry} from '#lib/transfer/tree/entries.js'

let folder: string
let root: string
let file: string
let tree: RememberedTree
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'drv-fingerprint-'))
  root = join(folder, 'root')
  file = join(folder, 'tree.jsonl')
  mkdirSync(join(root, 'sub/deep'), {recursive: true})
  for (const path of ['a', 'sub/b', 'sub/deep/c']) writeFileSync(join(root, path), path)
  tree = openTree(file)
  await tree.update(draft => {
    draft.setHead({rootId: 'root', above: [], names: ['name'], token: '7'})
    draft.list('root', [remoteFile('a'), remoteFolder('sub'), {...OTHER}])
    draft.list('sub', [remoteFile('b'), remoteFolder('deep')])
    draft.list('deep', [remoteFile('c')])
    draft.setLocal('a', localFile('root', 'a'))
    draft.setLocal('sub', {parent: 'root', name: 'sub'})
    draft.setLocal('b', localFile('sub', 'sub/b'))
    draft.setLocal('deep', {parent: 'sub', name: 'deep'})
    draft.setLocal('c', localFile('deep', 'sub/deep/c'))
    for (const id of ['root', 'sub', 'deep']) draft.settle(id, 'options')
  })
})
afterEach(() => rmSync(folder, {recursive: true}))

const OTHER: RemoteEntry = {kind: 'other', id: 'o', title: 'o', mimeType: 'x/y'} as RemoteEntry
const remoteFolder = (id: string): RemoteEntry => ({kind: 'folder', id, title: id})
const remoteFile = (id: string): RemoteEntry => ({
  ...{kind: 'file', id, title: id, size: 1, md5: id, modified: 5, mimeType: 'text/plain'},
})
function localFile(parent: string, path: string): LocalState {
  const {size, mtimeMs, ino: inode} = lstatSync(join(root, path))
  const name = path.replace(/.*\//, '')
  return {parent, name, file: {size, modified: Math.floor(mtimeMs), inode, version: name}}
}

/** The fingerprint as another process reads it. */
const saved = () => openTree(file).fingerprint()

test('a settled tree has a fingerprint, which the unchanged local folder has too', async () => {
  await tree.saveFingerprint('options')
  expect(saved()).toMatchObject({digest: 'options', files: 3, head: {token: '7'}})
  mkdirSync(join(root, '.drv-trash/kept'), {recursive: true})
  expect(hasFingerprint(root, saved()!)).toBe(true)
})

test.each<[string, () => void]>([
  ['a file has other content', () => writeFileSync(join(root, 'sub/b'), 'other')],
  ['a file has another time', () => utimesSync(join(root, 'sub/deep/c'), 1, 1)],
  [
    'a file was replaced by another of the same size and time',
    () => {
      const path = join(root, 'a')
      const {atime, mtime} = lstatSync(path)
      writeFileSync(`${path}2`, 'a')
      utimesSync(`${path}2`, atime, mtime)
      renameSync(`${path}2`, path)
    },
  ],
  ['a file was renamed', () => renameSync(join(root, 'a'), join(root, 'z'))],
  ['a file was moved', () => renameSync(join(root, 'a'), join(root, 'sub/a'))],
  ['a file is missing', () => rmSync(join(root, 'sub/deep/c'))],
  ['a file was added', () => writeFileSync(join(root, 'sub/new'), '')],
  ['a folder was added', () => mkdirSync(join(root, 'sub/deep/new'))],
  ['a folder was moved', () => renameSync(join(root, 'sub/deep'), join(root, 'deep'))],
  ['a link was added', () => symlinkSync('a', join(root, 'link'))],
  ['a file with rules was added', () => writeFileSync(join(root, 'sub/.drvignore'), '')],
  ['the folder is missing', () => rmSync(root, {recursive: true})],
  [
    'the folder was replaced by a link',
    () => {
      renameSync(root, `${root}2`)
      symlinkSync('root2', root)
    },
  ],
])('the local folder does not have it if %s', async (_, change) => {
  await tree.saveFingerprint('options')
  change()
  expect(hasFingerprint(root, saved()!)).toBe(false)
})

test.each<[string, (draft: TreeDraft) => void]>([
  ['a folder was settled with other options', draft => draft.settle('sub', 'others')],
  ['a folder is not settled', draft => draft.settle('deep', undefined)],
  ['an item is new', draft => draft.arrive('deep', remoteFile('d'))],
  ['an item was moved', draft => draft.arrive('root', remoteFile('c'))],
  ['an item was renamed', draft => draft.arrive('root', {...remoteFile('a'), title: 'z'})],
  ['an item left the remote tree', draft => draft.leave('b')],
  ['a local place belongs to no item', draft => draft.remove('a')],
  [
    'a moved item is back in a settled folder',
    draft => {
      draft.put({...draft.node('b')!, parent: GONE})
      for (const id of ['root', 'sub']) draft.settle(id, 'options')
    },
  ],
  [
    'the page token is unknown',
    draft => draft.setHead({rootId: 'root', above: [], names: ['name']}),
  ],
])('a tree has none if %s', async (_, change) => {
  await tree.update(change)
  await tree.saveFingerprint('options')
  expect(saved()).toBeUndefined()
})

test('a fingerprint is void once another process changes the tree, and removed with it', async () => {
  await tree.saveFingerprint('options')
  expect(saved()).toBeDefined()
  await openTree(file).update(draft => draft.settle('sub', undefined))
  expect(saved()).toBeUndefined()
  await tree.refresh()
  await tree.update(draft => draft.settle('sub', 'options'))
  await tree.saveFingerprint('options')
  expect(saved()).toBeDefined()
  await tree.forget()
  expect(saved()).toBeUndefined()
})

test.each(['', '{', '[]', '{"fingerprint":{}}', '{"file":"x","fingerprint":{}}'])(
  'the file %j is no fingerprint',
  async text => {
    await tree.saveFingerprint('options')
    writeFileSync(file.replace('.jsonl', '.fingerprint.json'), text)
    expect(saved()).toBeUndefined()
  },
)

test('the file is private', async () => {
  await tree.saveFingerprint('options')
  expect(lstatSync(file.replace('.jsonl', '.fingerprint.json')).mode & 0o077).toBe(0)
})
