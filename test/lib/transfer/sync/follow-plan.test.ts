import {mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterEach, beforeEach, expect, test} from 'vitest'
import {planToFollow} from '#lib/transfer/sync/follow-plan.js'
import {openTree, type RememberedTree} from '#lib/transfer/sync/remembered-tree.js'
import type {RemoteFile, RemoteFolder} from '#lib/transfer/tree/entries.js'
import {planPull} from '#lib/transfer/tree/pull-plan.js'
import {withNeededFolders} from '#lib/transfer/tree/pull-tree.js'
import type {FolderStep, PullStep} from '#lib/transfer/tree/steps.js'

/** Folders that were removed here: they stay removed until something in them changes remotely. */

let folder: string
let tree: RememberedTree
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'drv-follow-plan-'))
  tree = openTree(join(folder, 'tree.jsonl'))
  await tree.update(draft => {
    draft.setHead({rootId: 'root', above: [], names: []})
    draft.list('root', [sub])
    draft.list('sub', [file])
    draft.setLocal('sub', {parent: 'root', name: 'sub'})
    const content = {size: 1, modified: 1, inode: 1, version: 'A'}
    draft.setLocal('a', {parent: 'sub', name: 'a', file: content})
  })
})
afterEach(() => rmSync(folder, {recursive: true}))

const sub: RemoteFolder = {kind: 'folder', id: 'sub', title: 'sub'}
const file: RemoteFile = {kind: 'file', id: 'a', title: 'a', size: 1, md5: 'A'}
const rules = {isWindows: false, isCaseSensitive: true}

/** The steps for the root and the folder `sub`, of which nothing exists locally. */
function stepsFor(entries: readonly RemoteFile[], isLater = true): string[] {
  const held = new Map<string, FolderStep>()
  const pairs = [
    {path: '', names: [], remote: {kind: 'folder', id: 'root', title: '', entries: [sub]}},
    {path: 'sub', names: ['sub'], remote: {...sub, entries}},
  ] as const
  const steps = pairs.flatMap((pair): PullStep[] => {
    const options = {isLater, isMissing: (path: string) => path !== ''}
    const plan = planToFollow(planPull(pair, {mirror: false, rules}), tree, options)
    return withNeededFolders(plan.steps, held, step => step.isOptional === true)
  })
  return steps.map(({action, path}) => `${action} ${path}`)
}

test('a removed folder stays removed while its files are the known ones', () => {
  expect(stepsFor([file])).toEqual([])
})

test('a new file in it creates it again, without the files that were removed', () => {
  const fresh = {...file, id: 'b', title: 'b'}
  expect(stepsFor([file, fresh])).toEqual(['folder sub', 'download sub/b'])
})

test('a changed file in it creates it again', () => {
  expect(stepsFor([{...file, md5: 'B'}])).toEqual(['folder sub', 'download sub/a'])
})

test('the content that an interrupted push has sent is no change', async () => {
  const content = {size: 1, modified: 1, inode: 1, version: 'A', sent: 'B'}
  await tree.update(draft => draft.setLocal('a', {parent: 'sub', name: 'a', file: content}))
  expect(stepsFor([{...file, md5: 'B'}])).toEqual([])
  expect(stepsFor([{...file, md5: 'C'}])).toEqual(['folder sub', 'download sub/a'])
})

test('a file that is back to its state before an interrupted push is left to the next push', async () => {
  const content = {size: 1, modified: 1, inode: 1, version: 'A', sent: 'B'}
  await tree.update(draft => draft.setLocal('a', {parent: 'sub', name: 'a', file: content}))
  const local = {kind: 'file', name: 'a', path: 'sub/a', size: 1, modified: 1, inode: 1} as const
  const pair = {
    ...{path: 'sub', names: ['sub'], remote: {...sub, entries: [{...file, md5: 'B'}]}},
    local: {kind: 'folder', name: 'sub', path: 'sub', entries: [local]},
  } as const
  const options = {isLater: true, isMissing: () => false}
  const plan = planToFollow(planPull(pair, {mirror: false, rules}), tree, options)
  expect(plan.steps).toEqual([])
})

test('the first round of a command creates what is missing', () => {
  expect(stepsFor([file], false)).toContain('folder sub')
  expect(stepsFor([file], false)).toContain('download sub/a')
})
