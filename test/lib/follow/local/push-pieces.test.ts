import {mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterEach, beforeEach, expect, test} from 'vitest'
import type {Client, Page} from '#lib/client/client.js'
import type {LocalChanges} from '#lib/follow/local/compare-local.js'
import type {PushDecisions} from '#lib/follow/local/decide-push.js'
import {pushPieces} from '#lib/follow/local/push-pieces.js'
import {createRules} from '#lib/transfer/local/rules.js'
import {openTree, type RememberedTree} from '#lib/transfer/sync/remembered-tree.js'
import type {RemoteEntry} from '#lib/transfer/tree/entries.js'
import type {PushPiece} from '#lib/transfer/tree/push-tree.js'

let folder: string
let tree: RememberedTree
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'drv-pieces-'))
  tree = openTree(join(folder, 'tree.jsonl'))
  await tree.update(draft => {
    draft.setHead({rootId: 'root', above: [], names: []})
    draft.list('root', [
      {kind: 'file', id: 'old file', title: 'name', size: 1, md5: 'm', mimeType: 'text/plain'},
      {kind: 'folder', id: 'old folder', title: 'folder'},
    ])
    const file = {size: 1, modified: 1, inode: 1, md5: 'm', version: 'm'}
    draft.setLocal('old file', {parent: 'root', name: 'name', file})
    draft.setLocal('old folder', {parent: 'root', name: 'folder', inode: 2})
  })
})
afterEach(() => rmSync(folder, {recursive: true}))

const RECORDS: Page[] = [
  {id: 'old file', title: 'name', mimeType: 'text/plain', fileSize: '1', md5Checksum: 'm'},
  {id: 'old folder', title: 'folder', mimeType: 'application/vnd.google-apps.folder'},
].map(record => ({...record, parents: [{id: 'root'}]}))

const client = {
  async *pages() {
    yield {items: RECORDS}
  },
} as unknown as Client

async function piecesOf(
  changes: LocalChanges,
  moves: PushDecisions['moves'] = [],
): Promise<PushPiece[]> {
  const pieces = pushPieces(
    changes,
    {same: [], moves, replaced: [], conflicts: []},
    {
      ...{client, tree, signal: new AbortController().signal},
      ...{
        rules: {isWindows: false, isCaseSensitive: true},
        excludedBy: createRules({path: folder}),
      },
      ...{ifExists: 'rename', renames: true, follows: false, isDeleting: false},
      conflictTitle: name => `conflict ${name}`,
      onKept: () => undefined,
      onGone: () => undefined,
    },
  )
  const all: PushPiece[] = []
  for await (const piece of pieces) all.push(piece)
  return all
}

test('a new folder is never an item that still has its name remotely', async () => {
  const item = (path: string, inode: number) =>
    ({path, kind: 'folder', inode, size: 0, modified: 0}) as const
  const [piece] = await piecesOf({
    // A folder replaces the file, and another folder has the name of one that was renamed.
    appeared: [item('name', 7), item('folder', 8)],
    pairs: [
      {known: {path: 'folder', id: 'old folder', kind: 'folder', inode: 2}, item: item('moved', 2)},
    ],
    vanished: [{path: 'name', id: 'old file', kind: 'file', inode: 1, size: 1, mtime: 1}],
  })
  expect([...piece!.seen].sort()).toEqual(['old file', 'old folder'])
  expect(piece!.steps.map(({action, path}) => [action, path])).toEqual([
    ['folder', 'name'],
    ['folder', 'folder'],
  ])
})

test.each([
  ['a folder of the tree and another one', ['elsewhere', 'root'], ['root']],
  ['another folder only', ['elsewhere'], ['elsewhere']],
])('a file is moved out of the folders of the tree: %s', async (_, parents, from) => {
  const known = {path: 'name', id: 'old file', kind: 'file'} as const
  const item = {path: 'folder/name', kind: 'file', inode: 1, size: 1, modified: 1} as const
  const entry: RemoteEntry = {kind: 'file', id: 'old file', title: 'name', size: 1, md5: 'm'}
  const moves = [{known, item, facts: {entry, parents}, isRenamed: false, isMoved: true}]
  const pieces = await piecesOf({pairs: [{known, item}], appeared: [], vanished: []}, moves)
  expect(pieces.flatMap(({steps}) => steps)).toEqual([
    {action: 'move', path: 'folder/name', entry, to: {parent: 'folder', from}},
  ])
})
