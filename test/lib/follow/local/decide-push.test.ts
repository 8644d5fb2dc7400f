import {expect, test} from 'vitest'
import type {LocalChanges} from '#lib/follow/local/compare-local.js'
import {decidePush, mayBeTrashed, neededFacts} from '#lib/follow/local/decide-push.js'
import {dueChanges, foldersOf, marksOf} from '#lib/follow/local/due-changes.js'
import type {KnownItem, LocalItem} from '#lib/follow/local/local-item.js'
import type {RemoteEntry} from '#lib/transfer/tree/entries.js'

const item = (path: string, facts: Partial<LocalItem> = {}): LocalItem => ({
  ...{path, kind: 'file', inode: 1, size: 1, modified: 0},
  ...facts,
})
const known = (path: string, facts: Partial<KnownItem> = {}): KnownItem => ({
  ...{path, id: `id of ${path}`, kind: 'file', inode: 1, size: 1, mtime: 0},
  ...{md5: 'base', version: 'base'},
  ...facts,
})
const folder = {kind: 'folder', md5: undefined, version: undefined} as const
const remote = (md5: string) => {
  const entry: RemoteEntry = {kind: 'file', id: 'x', title: 'x', size: 1, md5}
  return {entry, parents: ['parent'], etag: '"1"'}
}
const NONE: LocalChanges = {pairs: [], appeared: [], vanished: []}
const decide = (
  md5: string | undefined,
  there: string | undefined,
  to = 'a',
  facts: Partial<KnownItem> = {},
) => {
  const pairs = [{known: known('a', facts), item: item(to)}]
  const sums = new Map(md5 === undefined ? [] : [[to, md5]])
  const needed = neededFacts({pairs}, sums)
  const found = new Map(there === undefined ? [] : needed.map(id => [id, remote(there)]))
  const decisions = decidePush({pairs}, sums, found)
  return Object.entries(decisions).flatMap(([name, some]) => (some.length > 0 ? [name] : []))
}

test.each([
  ['only its time changed', 'base', undefined, 'a', ['same']],
  ['its content changed', 'ours', 'base', 'a', ['replaced']],
  ['both sides have the same new content', 'ours', 'ours', 'a', ['same']],
  ['both sides have other content', 'ours', 'theirs', 'a', ['conflicts']],
  ['it was renamed', undefined, 'base', 'b', ['same', 'moves']],
  ['it was renamed here and changed there', undefined, 'theirs', 'b', ['same', 'moves']],
  ['it was renamed and changed here', 'ours', 'base', 'b', ['moves', 'replaced']],
  ['it was renamed and changed here, and changed there', 'ours', 'theirs', 'b', ['conflicts']],
] as const)('a known file: %s', (_, md5, there, to, expected) => {
  expect(decide(md5, there, to)).toEqual(expected)
})

test.each([
  ['its content changed again', 'new', 'sent', ['replaced']],
  ['its content changed again, and it was not sent', 'new', 'base', ['replaced']],
  ['it was sent', 'sent', 'sent', ['same']],
  ['it was not sent', 'sent', 'base', ['replaced']],
  ['its content is the old one again', 'base', 'sent', ['replaced']],
  ['its content is the old one again, and it was not sent', 'base', 'base', ['same']],
  ['it was changed there', 'new', 'theirs', ['conflicts']],
  ['its content is the old one again, and it was changed there', 'base', 'theirs', ['same']],
] as const)('after an interrupted push: %s', (_, md5, there, expected) => {
  expect(decide(md5, there, 'a', {sent: 'sent'})).toEqual(expected)
})

test('what goes along with its folder needs no request of its own', () => {
  const pairs = [
    {known: known('f', folder), item: item('g', {kind: 'folder'})},
    {known: known('f/a'), item: item('g/a')},
    {known: known('f/b'), item: item('g/c')},
    {known: known('f/d'), item: item('d')},
  ]
  expect(neededFacts({pairs}, new Map())).toEqual(['id of f', 'id of f/b', 'id of f/d'])
})

test('only content that was here may be trashed', () => {
  expect(mayBeTrashed(known('a'), remote('base').entry)).toBe(true)
  expect(mayBeTrashed(known('a'), remote('theirs').entry)).toBe(false)
  expect(mayBeTrashed(known('a', {sent: 'sent'}), remote('sent').entry)).toBe(true)
  expect(mayBeTrashed(known('a', {sent: 'sent'}), remote('theirs').entry)).toBe(false)
})

test('a change waits until its path has settled, and its folder', () => {
  const changes = {
    ...NONE,
    appeared: [item('f', {kind: 'folder'}), item('f/a'), item('b')],
    pairs: [{known: known('c'), item: item('c')}],
  }
  const settled = new Set(['f/a', 'b', 'c'])
  const due = dueChanges(changes, path => settled.has(path))
  expect(due.appeared.map(({path}) => path)).toEqual(['b'])
  expect(due.pairs).toHaveLength(1)
})

test.each([
  ['the inode', {inode: 7, size: 9}, {inode: 7, size: 5}],
  ['the size', {inode: 8, size: 5}, {inode: 7, size: 5}],
])('what vanished waits for a new item with %s', (_, appearing, gone) => {
  const changes = {...NONE, appeared: [item('new', appearing)], vanished: [known('old', gone)]}
  expect(dueChanges(changes, path => path === 'old').vanished).toEqual([])
  expect(dueChanges(changes, () => true).vanished).toHaveLength(1)
})

test('what has taken the place of something that waits, waits too', () => {
  const changes = {
    pairs: [{known: known('y'), item: item('place/x')}],
    appeared: [item('place', {kind: 'folder', inode: 5}), item('new', {inode: 6, size: 4})],
    vanished: [known('place', {inode: 7, size: 4})],
  }
  const due = dueChanges(changes, path => path !== 'new')
  expect(due).toEqual({pairs: [], appeared: [], vanished: []})
  expect(dueChanges(changes, () => true)).toEqual(changes)
})

test('a folder is not removed before what moves out of it', () => {
  const changes = {
    ...NONE,
    pairs: [{known: known('f/a'), item: item('a')}],
    vanished: [known('f', {...folder, inode: 3})],
  }
  expect(dueChanges(changes, path => path !== 'a').vanished).toEqual([])
  expect(dueChanges(changes, () => true).vanished).toHaveLength(1)
})

test('the marks and the folders of changes', () => {
  const changes = {
    pairs: [{known: known('x/a'), item: item('y/a')}],
    appeared: [item('b')],
    vanished: [known('z/c')],
  }
  expect([...marksOf(changes)]).toEqual([
    ['z/c', ''],
    ['b', 'file 1 1 0'],
    ['y/a', 'file 1 1 0'],
  ])
  expect([...foldersOf(changes)].sort()).toEqual(['', 'x', 'y', 'z'])
})
