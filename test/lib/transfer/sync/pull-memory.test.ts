import {mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterEach, beforeEach, expect, test} from 'vitest'
import type {Client} from '#lib/client/client.js'
import {createPullMemory} from '#lib/transfer/sync/pull-memory.js'
import {openTree, type RememberedTree} from '#lib/transfer/sync/remembered-tree.js'
import type {RemoteFile, RemoteFolder} from '#lib/transfer/tree/entries.js'
import type {PullPlan} from '#lib/transfer/tree/pull-plan.js'
import type {PullStep} from '#lib/transfer/tree/steps.js'

const sub: RemoteFolder = {kind: 'folder', id: 'sub', title: 'sub'}
const remote: RemoteFile = {kind: 'file', id: 'a', title: 'a', size: 1, md5: 'B'}

let folder: string
let tree: RememberedTree
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'drv-pull-memory-'))
  tree = openTree(join(folder, 'tree.jsonl'))
  await tree.update(draft => {
    draft.setHead({rootId: 'root', above: [], names: []})
    draft.list('root', [sub, remote])
  })
})
afterEach(() => rmSync(folder, {recursive: true}))

const start = (isOpen = (): boolean => false) =>
  createPullMemory({
    ...{tree, client: {} as Client, signal: new AbortController().signal},
    ...{root: folder, prefix: '', digest: 'now', isOpen},
  })

const step: PullStep = {action: 'folder', path: 'sub', name: 'sub', parent: ''}
const plan = (steps: readonly PullStep[]): PullPlan => ({
  pair: {path: '', names: [], remote: {kind: 'folder', id: 'root', title: '', entries: [sub]}},
  below: [{path: 'sub', remote: sub}],
  steps: [...steps],
  ...{renamed: [], twins: [], known: new Map(), parts: new Map()},
})

/** Notes that the file of the folder is here. */
const withFile = () =>
  tree.update(draft => {
    const file = {size: 1, modified: 1, inode: 1, version: 'B'}
    draft.setLocal('a', {parent: 'root', name: 'a', file})
  })

test('a folder that could not be created is not known here, and is planned again', async () => {
  await withFile()
  const memory = await start()
  memory.planned(plan([step]))
  await memory.expect({steps: [step]})
  await memory.finish()
  expect(tree.pathOf('sub')).toBeUndefined()
  expect(tree.settledAs('root')).toBeUndefined()
})

test('a folder is known once it was created', async () => {
  await withFile()
  const memory = await start()
  memory.planned(plan([step]))
  await memory.expect({steps: [step]})
  mkdirSync(join(folder, 'sub'))
  memory.made('sub')
  await memory.finish()
  expect(tree.pathOf('sub')).toBe('sub')
  expect(tree.settledAs('root')).toBe('now')
})

test('a folder is not settled while something else is left to do in it', async () => {
  await withFile()
  const memory = await start(() => true)
  memory.planned(plan([step]))
  memory.made('sub')
  await memory.finish()
  expect(tree.settledAs('root')).toBeUndefined()
})

test('a folder is not settled if a push has found meanwhile that a local file belongs to another item', async () => {
  const memory = await start()
  memory.planned(plan([step]))
  await memory.expect({steps: [step]})
  memory.made('sub')
  await memory.finish()
  expect(tree.settledAs('root')).toBeUndefined()
})

test('a remote version saved beside a local file differs from what a push has just recorded', async () => {
  const memory = await start()
  const push = openTree(join(folder, 'tree.jsonl'))
  await push.update(draft => {
    const file = {size: 5, modified: 5, inode: 5, md5: 'C', version: 'C'}
    draft.setLocal('a', {parent: 'root', name: 'a', file})
  })
  memory.saved({action: 'download', path: 'a (conflict)', remote, beside: 'a'})
  await memory.finish()
  expect(tree.node('a')?.local?.file).toEqual({size: -1, modified: 0, inode: 0, version: 'B'})
})

test('a file that a push has moved meanwhile stays where that has found it', async () => {
  const memory = await start()
  memory.planned(plan([]))
  const push = openTree(join(folder, 'tree.jsonl'))
  await push.update(draft => {
    draft.arrive('sub', remote)
    draft.setLocal('a', {parent: 'sub', name: 'b'})
  })
  writeFileSync(join(folder, 'a'), 'a')
  memory.saved({action: 'download', path: 'a', remote})
  await memory.finish()
  expect(tree.node('a')).toMatchObject({parent: 'sub', local: {parent: 'sub', name: 'b'}})
})
