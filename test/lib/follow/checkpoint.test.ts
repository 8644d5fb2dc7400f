import {appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterEach, beforeEach, expect, test} from 'vitest'
import {openCheckpointFile} from '#lib/follow/checkpoint.js'
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
  return {known, checkpoint: await openCheckpointFile(path, of, known)}
}

/** Opens it as after `kill -9`: nothing was closed. */
async function reopen(checkpoint: {close(): Promise<void>}) {
  const text = readFileSync(path)
  await checkpoint.close()
  writeFileSync(path, text)
  return open()
}

test('a checkpoint is read back, also after a kill', async () => {
  const {checkpoint} = await open()
  expect(checkpoint.position).toBeUndefined()
  checkpoint.begin(beginning)
  await checkpoint.advance({token: '5'}, [])
  checkpoint.learn('folder', state('above'))
  checkpoint.handedOver('c1', 'a', state('a.txt'))
  checkpoint.handedOver('c2', 'b', state('b.txt'))
  checkpoint.handedOver('c3', 'b', undefined)
  const again = await reopen(checkpoint)
  expect(again.checkpoint).toMatchObject({beginning, position: {token: '5'}})
  expect(['c1', 'c2', 'c3', 'c4'].map(id => again.checkpoint.isDone(id))).toEqual([
    ...[true, true, true, false],
  ])
  expect([...again.known.ids()]).toEqual(['folder', 'a'])
  expect(again.known.get('a')).toEqual(state('a.txt'))
  await again.checkpoint.close()
})

test('a position ends the changes before it, not those of later pages', async () => {
  const {checkpoint} = await open()
  checkpoint.handedOver('c1', 'a', state('a'))
  checkpoint.handedOver('c2', 'b', state('b'))
  await checkpoint.advance({token: '7'}, ['c2'])
  const again = await reopen(checkpoint)
  expect(again.checkpoint.isDone('c1')).toBe(false)
  expect(again.checkpoint.isDone('c2')).toBe(true)
  await again.checkpoint.close()
})

test('only its owner can read it, and a line that was cut short is ignored', async () => {
  const {checkpoint} = await open()
  checkpoint.handedOver('c1', 'a', state('a'))
  await checkpoint.close()
  expect(statSync(path).mode & 0o777).toBe(0o600)
  appendFileSync(path, '{"done":"c2","id":"b","sta')
  const again = await open()
  expect(again.checkpoint.isDone('c1')).toBe(true)
  expect(again.checkpoint.isDone('c2')).toBe(false)
  again.checkpoint.handedOver('c3', 'c', state('c'))
  const third = await reopen(again.checkpoint)
  expect(third.checkpoint.isDone('c3')).toBe(true)
  await third.checkpoint.close()
})

test('a file that grows is rewritten, and idle polls write nothing', async () => {
  const {checkpoint} = await open()
  for (let count = 0; count < 5000; count += 1) {
    checkpoint.handedOver(`c${count}`, 'a', state(`a${count}`))
    if (count % 100 === 99) await checkpoint.advance({token: String(count)}, [])
  }
  const {size} = statSync(path)
  expect(size).toBeLessThan(500_000)
  await checkpoint.advance({token: '4999'}, [])
  expect(statSync(path).size).toBe(size)
  const again = await reopen(checkpoint)
  expect(again.checkpoint.position?.token).toBe('4999')
  expect(again.known.get('a')?.title).toBe('a4999')
  await again.checkpoint.close()
})

test('a file of something else is refused, and one that is in use', async () => {
  const {checkpoint} = await open()
  await expect(open()).rejects.toThrow('is in use by another drv process')
  await checkpoint.close()
  await expect(open({...subject, paths: []})).rejects.toThrow('is a checkpoint for /Reports at')
  writeFileSync(path, 'hello\n')
  await expect(open()).rejects.toThrow('is not a checkpoint')
})
