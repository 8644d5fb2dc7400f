import {appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterEach, beforeEach, expect, test} from 'vitest'
import {openCheckpointFile} from '#lib/follow/checkpoint-file.js'
import type {ItemState} from '#lib/follow/known.js'
import {createKnownStates} from '#lib/follow/known-states.js'

const subject = {service: 'https://files.example.com', paths: ['/Reports']}
const beginning = {since: 1, roots: [{id: 'r', path: '/Reports', isFolder: true}]}
const state = (title: string): ItemState => ({title, mimeType: '', parents: []})

let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'drv-follow-'))
  path = join(folder, 'checkpoint')
})
afterEach(() => rmSync(folder, {recursive: true}))

async function open(of = subject) {
  const known = createKnownStates()
  const checkpoint = await openCheckpointFile(path, of, known)
  return {known, checkpoint, list: checkpoint.of(undefined)}
}

/** One with a beginning. */
async function begun() {
  const opened = await open()
  opened.checkpoint.begin(beginning, new Map([[undefined, {token: '5'}]]))
  return opened
}

/** Opens it as after `kill -9`: nothing was closed. */
async function reopen(checkpoint: {close(): Promise<void>}) {
  const text = readFileSync(path)
  await checkpoint.close()
  writeFileSync(path, text)
  return open()
}

test('a checkpoint is read back, also after a kill', async () => {
  const {checkpoint, list} = await open()
  expect(list.position).toBeUndefined()
  checkpoint.begin(beginning, new Map([[undefined, {token: '5'}]]))
  checkpoint.learn('folder', state('above'))
  list.handedOver('c1', 'a', state('a.txt'))
  list.handedOver('c2', 'b', state('b.txt'))
  list.handedOver('c3', 'b', undefined)
  const again = await reopen(checkpoint)
  expect(again.checkpoint.beginning).toEqual(beginning)
  expect(again.list.position).toEqual({token: '5'})
  expect(['c1', 'c2', 'c3', 'c4'].map(id => again.list.isDone(id))).toEqual([
    ...[true, true, true, false],
  ])
  expect([...again.known.ids()]).toEqual(['folder', 'a'])
  expect(again.known.get('a')).toEqual(state('a.txt'))
  await again.checkpoint.close()
})

test('a position ends the changes before it, not those of later pages', async () => {
  const {checkpoint, list} = await begun()
  list.handedOver('c1', 'a', state('a'))
  list.handedOver('c2', 'b', state('b'))
  await list.advance({token: '7'}, ['c2'])
  const again = await reopen(checkpoint)
  expect(again.list.isDone('c1')).toBe(false)
  expect(again.list.isDone('c2')).toBe(true)
  await again.checkpoint.close()
})

test('only its owner can read it, and a line that was cut short is ignored', async () => {
  const {checkpoint, list} = await begun()
  list.handedOver('c1', 'a', state('a'))
  await checkpoint.close()
  expect(statSync(path).mode & 0o777).toBe(0o600)
  appendFileSync(path, '{"done":"c2","id":"b","sta')
  const again = await open()
  expect(again.list.isDone('c1')).toBe(true)
  expect(again.list.isDone('c2')).toBe(false)
  again.list.handedOver('c3', 'c', state('c'))
  const third = await reopen(again.checkpoint)
  expect(third.list.isDone('c3')).toBe(true)
  await third.checkpoint.close()
})

test('a file that grows is rewritten, and idle polls write nothing', async () => {
  const {checkpoint, list} = await begun()
  for (let count = 0; count < 5000; count += 1) {
    list.handedOver(`c${count}`, 'a', state(`a${count}`))
    if (count % 100 === 99) await list.advance({token: String(count)}, [])
  }
  const {size} = statSync(path)
  expect(size).toBeLessThan(500_000)
  await list.advance({token: '4999'}, [])
  expect(statSync(path).size).toBe(size)
  const again = await reopen(checkpoint)
  expect(again.list.position?.token).toBe('4999')
  expect(again.known.get('a')?.title).toBe('a4999')
  await again.checkpoint.close()
})

test('a file of something else is refused, and one that is in use', async () => {
  const {checkpoint} = await open()
  await expect(open()).rejects.toRead()
  await checkpoint.close()
  await expect(open({...subject, paths: []})).rejects.toRead()
  writeFileSync(path, 'hello\n')
  await expect(open()).rejects.toRead()
})

test('each list of changes has its own progress', async () => {
  const {checkpoint} = await open()
  const roots = [
    {id: 'r', path: '/', isFolder: true},
    {id: 'd', path: 'drive:D', isFolder: true, driveId: 'd'},
  ]
  checkpoint.begin(
    {since: 1, roots},
    new Map([
      [undefined, {token: '5'}],
      ['d', {token: '6'}],
    ]),
  )
  checkpoint.of('d').handedOver('7', 'a', state('a'))
  await checkpoint.of(undefined).advance({token: '9'}, [])
  const {checkpoint: again} = await reopen(checkpoint)
  expect([undefined, 'd'].map(list => again.of(list).position?.token)).toEqual(['9', '6'])
  expect([undefined, 'd'].map(list => again.of(list).isDone('7'))).toEqual([false, true])
  await again.close()
})

test('a beginning that was cut short is started again, without what was known', async () => {
  const {checkpoint} = await open()
  checkpoint.learn('a', state('a'))
  checkpoint.begin(beginning, new Map([[undefined, {token: '5'}]]))
  await checkpoint.close()
  writeFileSync(path, readFileSync(path, 'utf8').replace(/{"position.*\n/, '{"positi'))
  const again = await open()
  expect(again.checkpoint.beginning).toBeUndefined()
  expect([...again.known.ids()]).toEqual([])
  await again.checkpoint.close()
})
