import {appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterEach, beforeEach, expect, test} from 'vitest'
import {hasNews, openTree} from '#lib/transfer/sync/remembered-tree.js'
import {GONE, type LocalState, type TreeNode} from '#lib/transfer/sync/tree-node.js'
import type {TreeDraft} from '#lib/transfer/sync/tree-state.js'
import type {RemoteEntry} from '#lib/transfer/tree/entries.js'

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'drv-remembered-'))
  file = join(folder, 'remembered/tree.jsonl')
})
afterEach(() => rmSync(folder, {recursive: true}))

const head = {rootId: 'root', above: ['top'], names: ['[{"in":"myDrive"},["a"]]'], token: '7'}
const fileEntry = (id: string, title = id): RemoteEntry => ({
  ...{kind: 'file', id, title, size: 3, md5: `md5 of ${id}`, modified: 5, mimeType: 'text/plain'},
})
const folderEntry = (id: string): RemoteEntry => ({kind: 'folder', id, title: id, created: 1})
const localFile = (parent: string, name: string): LocalState => ({
  ...{parent, name},
  file: {size: 3, modified: 5, inode: 9, md5: `md5 of ${name}`, version: `md5 of ${name}`},
})

/** `root` with the folder `sub` (the file `b` in it) and the file `a`. */
async function small() {
  const tree = openTree(file)
  await tree.update(draft => {
    draft.setHead(head)
    draft.list('root', [fileEntry('a'), folderEntry('sub')])
    draft.list('sub', [fileEntry('b')])
    draft.setLocal('a', localFile('root', 'a'))
    draft.setLocal('sub', {parent: 'root', name: 'sub (1)'})
    draft.setLocal('b', localFile('sub', 'b'))
  })
  return tree
}

test('what one process writes, another one reads, by ID and by path', async () => {
  await small()
  const tree = openTree(file)
  expect(tree.head).toEqual(head)
  expect(tree.node('b')).toEqual({
    parent: 'sub',
    remote: fileEntry('b'),
    local: localFile('sub', 'b'),
  })
  expect(tree.pathOf('b')).toBe('sub (1)/b')
  expect(tree.nodeAt('sub (1)/b')?.remote.id).toBe('b')
  expect(tree.folderAt('sub (1)')).toBe('sub')
  expect([tree.nodeAt('sub/b'), tree.folderAt('none/such')]).toEqual([undefined, undefined])
  // A folder that replaces the file is another item.
  expect([tree.folderAt('a'), tree.nodeAt('a/b')]).toEqual([undefined, undefined])
  expect(tree.childrenOf('root').map(({remote}) => remote.id)).toEqual(['a', 'sub'])
  expect(statSync(file).mode & 0o077).toBe(0)
})

test('two processes that change a tree see what the other one wrote', async () => {
  const one = await small()
  const other = openTree(file)
  await other.update(draft => draft.remove('a'))
  await one.update(draft => draft.put({parent: 'root', remote: fileEntry('c')}))
  await other.refresh()
  for (const tree of [one, other]) {
    expect(tree.childrenOf('root').map(({remote}) => remote.id)).toEqual(['sub', 'c'])
  }
})

test('a new list keeps local states, and what left the remote tree while it is still here', async () => {
  const tree = await small()
  await tree.update(draft => {
    draft.settle('sub', 'all')
    draft.list('root', [folderEntry('sub'), fileEntry('new')])
  })
  expect(tree.node('a')).toMatchObject({parent: GONE, local: {name: 'a'}})
  expect(tree.settledAs('sub')).toBe('all')
  await tree.update(draft => draft.list('sub', [fileEntry('a', 'moved')]))
  expect(tree.node('a')).toMatchObject({parent: 'sub', remote: {title: 'moved'}})
  // It is still where it was until it is moved here.
  expect(tree.pathOf('a')).toBe('a')
  expect(tree.node('b')).toMatchObject({parent: GONE})
})

test('a folder is removed with everything below it', async () => {
  const tree = await small()
  await tree.update(draft => draft.remove('sub'))
  const read = openTree(file)
  expect([read.node('sub'), read.node('b'), read.isListed('sub')]).toEqual([
    undefined,
    undefined,
    false,
  ])
})

test('a local name belongs to one item: the other is forgotten here, with everything in it', async () => {
  const tree = await small()
  await tree.update(draft => {
    for (const id of ['root', 'sub']) draft.settle(id, 'all')
    draft.put({
      parent: 'root',
      remote: folderEntry('new'),
      local: {parent: 'root', name: 'sub (1)'},
    })
  })
  for (const one of [tree, openTree(file)]) {
    expect(one.nodeAt('sub (1)')?.remote.id).toBe('new')
    expect([one.pathOf('sub'), one.pathOf('b'), one.pathOf('a')]).toEqual([
      undefined,
      undefined,
      'a',
    ])
    expect(['root', 'sub'].map(id => one.settledAs(id))).toEqual([undefined, undefined])
  }
})

test.each<[string, (draft: TreeDraft) => void, string[]]>([
  ['was removed', draft => draft.remove('b'), ['sub']],
  ['left', draft => draft.leave('b'), ['sub']],
  ['has another title', draft => draft.arrive('sub', fileEntry('b', 'c')), ['sub']],
  ['has another local name', draft => draft.setLocal('b', localFile('sub', 'c')), ['sub']],
  ['is not here any more', draft => draft.setLocal('b', undefined), ['sub']],
  ['was moved', draft => draft.arrive('root', fileEntry('b')), ['root', 'sub']],
  ['is new', draft => draft.arrive('sub', fileEntry('c')), ['sub']],
  [
    'has other content',
    draft =>
      draft.put({
        ...draft.node('b')!,
        local: {...localFile('sub', 'b'), file: {...localFile('sub', 'b').file!, inode: 10}},
      }),
    [],
  ],
])('something may be left to do in the folders of an item that %s', async (_, change, open) => {
  const tree = await small()
  await tree.update(draft => {
    for (const id of ['root', 'sub']) draft.settle(id, 'all')
  })
  await tree.update(change)
  for (const one of [tree, openTree(file)]) {
    expect(['root', 'sub'].filter(id => one.settledAs(id) === undefined)).toEqual(open)
  }
})

test.each<[string, (draft: TreeDraft) => void, string?]>([
  ['an item is forgotten', draft => draft.remove('b')],
  ['a folder is forgotten', draft => draft.remove('sub'), 'root'],
  ['an item is not here', draft => draft.setLocal('b', undefined)],
  ['an item is elsewhere', draft => draft.setLocal('b', localFile('root', 'b'))],
  ['another item has its local name', draft => draft.setLocal('a', localFile('sub', 'b'))],
])('if %s, its folder has to be compared, once', async (_, change, parent = 'sub') => {
  const tree = await small()
  expect(tree.forgottenIn()).toEqual([])
  await tree.update(change)
  await tree.compact()
  for (const one of [tree, openTree(file)]) expect(one.forgottenIn()).toContain(parent)
  await tree.update(draft => draft.compared(tree.forgottenIn()))
  for (const one of [tree, openTree(file)]) expect(one.forgottenIn()).toEqual([])
})

test('what another process has written is news, until it is read; own changes are not', async () => {
  const tree = await small()
  const other = openTree(file)
  expect(hasNews(tree.mark())).toBe(false)
  await other.update(draft => draft.settle('root', 'all'))
  tree.unload()
  expect(hasNews(tree.mark())).toBe(true)
  await tree.refresh()
  expect([hasNews(tree.mark()), hasNews(other.mark())]).toEqual([false, false])
  await other.compact()
  expect([hasNews(tree.mark()), hasNews(other.mark())]).toEqual([true, false])
})

test('the log is rewritten when it has grown, and other processes read it again', async () => {
  const tree = await small()
  const other = openTree(file)
  expect(other.size).toBe(3)
  const put = (index: number): TreeNode => ({
    parent: 'root',
    remote: fileEntry('a', `name ${index}`),
  })
  await tree.update(draft => {
    for (let index = 0; index < 3000; index++) draft.put(put(index))
  })
  await tree.update(draft => draft.put(put(-1)))
  expect(readFileSync(file, 'utf8').split('\n').length).toBeLessThan(20)
  await other.refresh()
  expect(other.node('a')?.remote.title).toBe('name -1')
})

test.each([
  ['a torn last line', () => appendFileSync(file, '["gone","a'), 3],
  ['an invalid line', () => appendFileSync(file, '["node",1]\n'), 0],
  ['another format', () => writeFileSync(file, '["drv tree",99]\n'), 0],
  ['another file', () => writeFileSync(file, 'hello'), 0],
  ['no file', () => rmSync(file), 0],
])('%s', async (_, damage, size) => {
  await small()
  damage()
  const tree = openTree(file)
  expect(tree.size).toBe(size)
  if (size === 0) expect(tree.head).toBeUndefined()
  await tree.update(draft => draft.put({parent: 'root', remote: fileEntry('z')}))
  expect(openTree(file).size).toBe(size + 1)
})

test('nothing is written if a change fails', async () => {
  const tree = await small()
  const failing = tree.update(draft => {
    draft.remove('a')
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  expect([tree.size, openTree(file).size]).toEqual([3, 3])
})

test('a tree with more nodes than stay in memory is read, changed and rewritten node by node', async () => {
  const folders = Array.from({length: 120}, (_, index) => `folder-${index}`)
  const namesIn = (id: string) => Array.from({length: 100}, (_, index) => `${id}-${index}`)
  const one = openTree(file)
  await one.update(draft => {
    draft.setHead(head)
    draft.list('root', folders.map(folderEntry))
    for (const id of folders) draft.setLocal(id, {parent: 'root', name: id})
  })
  for (const id of folders) {
    await one.update(draft => {
      draft.list(
        id,
        namesIn(id).map(name => fileEntry(name)),
      )
      for (const name of namesIn(id)) draft.setLocal(name, localFile(id, name))
    })
  }
  const other = openTree(file)
  await other.update(draft => {
    draft.remove('folder-7')
    draft.arrive('folder-1', fileEntry('folder-0-0', 'moved'))
    // The place of folder-2-2 belongs to another item now, so that it is not here any more.
    draft.setLocal('folder-2-1', localFile('folder-2', 'folder-2-2'))
  })
  await one.refresh()
  await one.compact()
  const third = openTree(file)
  for (const tree of [one, other, third]) {
    expect(tree.size).toBe(119 * 101)
    expect(tree.childrenOf('folder-5')).toEqual(
      namesIn('folder-5').map(name => ({
        parent: 'folder-5',
        remote: fileEntry(name),
        local: localFile('folder-5', name),
      })),
    )
    expect(tree.nodeAt('folder-90/folder-90-99')?.remote.id).toBe('folder-90-99')
    expect(tree.nodeAt('folder-0/folder-0-0')).toMatchObject({parent: 'folder-1'})
    expect(tree.elsewhere().map(({remote}) => remote.id)).toEqual(['folder-0-0'])
    expect(tree.nodeAt('folder-2/folder-2-2')?.remote.id).toBe('folder-2-1')
    expect(tree.node('folder-2-2')?.local).toBeUndefined()
    expect([...tree.nodes()]).toHaveLength(tree.size)
  }
  await third.update(draft => draft.remove('root'))
  expect(third.size).toBe(119 * 101)
})
