import {spawnSync} from 'node:child_process'
import {mkdir, mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile} from 'node:fs/promises'
import {hostname, tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterEach, beforeEach, expect, test} from 'vitest'
import {isLocked, withLock} from '#lib/platform/lock.js'

let directory: string
let lock: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'drv-'))
  lock = join(directory, 'x.lock')
})
afterEach(() => rm(directory, {recursive: true}))

/** Increments a number in a file, slowly enough to cause races. */
async function addOne(): Promise<void> {
  const file = join(directory, 'number')
  const before = Number(await readFile(file, 'utf8').catch(() => '0'))
  await new Promise(setImmediate)
  await writeFile(file, String(before + 1))
}

test('processes take turns, and nothing is left behind', async () => {
  await Promise.all(Array.from({length: 20}, () => withLock(lock, addOne)))
  expect(await readFile(join(directory, 'number'), 'utf8')).toBe('20')
  expect(await readdir(directory)).toEqual(['number'])
})

test('without the lock, some changes are lost', async () => {
  await Promise.all(Array.from({length: 20}, addOne))
  expect(Number(await readFile(join(directory, 'number'), 'utf8'))).toBeLessThan(20)
})

test('is released when the work fails', async () => {
  await expect(withLock(lock, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await withLock(lock, async () => 'done', {patience: 0})).toBe('done')
})

test('is not waited for forever', async () => {
  await withLock(lock, async () => {
    await expect(withLock(lock, addOne, {patience: 50})).rejects.toMatchObject({
      kind: 'configuration',
      message: expect.stringContaining(lock) as string,
    })
  })
})

const held = (process: string, host = hostname()) => JSON.stringify({process, host, id: 'a'})
// No process has an ID this high.
const DEAD = held(String(2 ** 30))
const ELSEWHERE = held(String(2 ** 30), 'another machine')
// Another process had this ID before.
const RENUMBERED = held(`${process.pid} long ago`)

test.each([DEAD, RENUMBERED])('a lock of a dead process is removed: %j', async text => {
  await writeFile(lock, text)
  await Promise.all(Array.from({length: 10}, () => withLock(lock, addOne)))
  expect(await readFile(join(directory, 'number'), 'utf8')).toBe('10')
  expect(await readdir(directory)).toEqual(['number'])
})

test.each([ELSEWHERE, '', '{'])(
  'a lock that contains %j is removed after half a minute',
  async text => {
    await writeFile(lock, text)
    await expect(withLock(lock, addOne, {patience: 50})).rejects.toRead()
    const old = new Date(Date.now() - 31_000)
    await utimes(lock, old, old)
    expect(await withLock(lock, async () => 'done', {patience: 500})).toBe('done')
  },
)

test('an unknown lock from the future is removed, because the clock was set back', async () => {
  await writeFile(lock, '')
  const later = new Date(Date.now() + 31_000)
  await utimes(lock, later, later)
  expect(await withLock(lock, async () => 'done', {patience: 500})).toBe('done')
})

test('an unwritable path is reported, with advice', async () => {
  await writeFile(join(directory, 'file'), '')
  const place = join(directory, 'file', 'x.lock')
  await expect(withLock(place, addOne)).rejects.toRead()
})

test.each<[string, () => Promise<unknown>]>([
  ['a named pipe', async () => spawnSync('mkfifo', [lock])],
  ['a directory', () => mkdir(lock)],
  ['a symbolic link', () => symlink(join(directory, 'nothing'), lock)],
])('%s in its place is rejected at once, and kept', async (_, make) => {
  await make()
  await expect(withLock(lock, addOne, {patience: 60_000})).rejects.toRead()
  expect(await isLocked(lock)).toBe(false)
  expect(await readdir(directory)).toEqual(['x.lock'])
})
