import {randomUUID} from 'node:crypto'
import {mkdirSync, mkdtempSync, readdirSync, statSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {expect, test} from 'vitest'
import type {UploadEntry} from '../../../../src/lib/transfer/journal/entry.js'
import {bestEffortJournal} from '../../../../src/lib/transfer/journal/besteffort.js'
import {createJournal, keyOf} from '../../../../src/lib/transfer/journal/journal.js'
import {forgetFinished} from '../../../../src/lib/transfer/tree/finished.js'

const NOW = Date.now()
const entry: UploadEntry = {
  kind: 'upload',
  profile: 'p',
  baseUrl: 'http://x',
  operation: 'files.insert',
  params: {supportsAllDrives: 'true'},
  body: {title: 't', parents: [{id: 'root'}]},
  source: {path: '/a', size: 5, modified: '1', inode: '2'},
  done: 0,
}

function start() {
  const directory = join(mkdtempSync(join(tmpdir(), 'drv-')), 'transfers')
  const memory = (pid = 1, alive: readonly number[] = [], now = NOW) =>
    createJournal({
      directory,
      profile: 'p',
      baseUrl: 'http://x',
      now: () => now,
      pid,
      markOf: other => (alive.includes(other) ? String(other) : undefined),
    })
  return {directory, memory}
}

test('what is saved is found again by the same transfer', async () => {
  const {directory, memory} = start()
  const claim = (await memory().claim(entry))!
  expect(claim.entry).toBeUndefined()
  await claim.save({...entry, id: 'new', session: '/secret', done: 3})
  await claim.release()
  expect(statSync(directory).mode & 0o777).toBe(0o700)
  const [name] = readdirSync(directory)
  expect(statSync(join(directory, name!)).mode & 0o777).toBe(0o600)
  const again = (await memory(2).claim({...entry, source: {...entry.source, size: 9}}))!
  expect(again.entry).toMatchObject({id: 'new', session: '/secret', done: 3})
  await again.forget()
  await again.release()
  expect(readdirSync(directory)).toEqual([])
})

test.each<[string, Partial<UploadEntry>]>([
  ['profile', {profile: 'q'}],
  ['service', {baseUrl: 'http://y'}],
  ['operation', {operation: 'files.update'}],
  ['parameters', {params: {}}],
  ['metadata', {body: {title: 'u'}}],
  ['type', {mimeType: 'text/plain'}],
  ['path', {source: {...entry.source, path: '/b'}}],
])('another %s is another transfer', (_, change) => {
  expect(keyOf({...entry, ...change})).not.toBe(keyOf(entry))
})

test('what is shown of it makes no difference', () => {
  expect(keyOf({...entry, params: {...entry.params, fields: 'id'}})).toBe(keyOf(entry))
})

test('the order of metadata makes no difference', () => {
  const {title, parents} = entry.body as Record<string, unknown>
  expect(keyOf({...entry, body: {parents, title}})).toBe(keyOf(entry))
})

test('one process has it at a time, and one that is gone has nothing', async () => {
  const {memory} = start()
  const first = await memory(1).claim(entry)
  expect(first).toBeDefined()
  expect(await memory(2, [1]).claim(entry)).toBeUndefined()
  expect(await memory(3, [1]).discard(keyOf(entry))).toBe(false)
  expect(await memory(4, []).claim(entry)).toBeDefined()
})

test('another process that has got the number of one that is gone holds nothing', async () => {
  const {directory} = start()
  const options = {directory, profile: 'p', baseUrl: 'http://x', now: () => NOW, pid: 7}
  expect(
    await createJournal({...options, markOf: pid => `${pid} early`}).claim(entry),
  ).toBeDefined()
  expect(await createJournal({...options, markOf: pid => `${pid} early`}).claim(entry)).toBe(
    undefined,
  )
  expect(await createJournal({...options, markOf: pid => `${pid} late`}).claim(entry)).toBeDefined()
})

test('a file that is no entry is nothing', async () => {
  const {directory, memory} = start()
  const claim = (await memory().claim(entry))!
  await claim.save(entry)
  await claim.release()
  for (const text of ['', '{', '[]', '{"kind":"upload"}', '{"kind":"download","profile":"p"}']) {
    writeFileSync(join(directory, `${keyOf(entry)}.json`), text)
    expect(await memory().list()).toEqual([])
    const next = (await memory().claim(entry))!
    expect(next.entry).toBeUndefined()
    await next.release()
  }
})

test('what a killed process left half done goes, what a living one works on stays', async () => {
  const {directory, memory} = start()
  const claim = (await memory(1).claim(entry))!
  await claim.save(entry)
  const names = readdirSync(directory)
  writeFileSync(join(directory, `${keyOf(entry)}.tmp`), '{')
  writeFileSync(join(directory, 'ffffffffffffffff.tmp'), '')
  writeFileSync(join(directory, 'eeeeeeeeeeeeeeee.lock'), '99')
  writeFileSync(join(directory, 'dddddddddddddddd.lock'), '1')
  const own = (pid: number) => `cccccccccccccccc.${pid}.${randomUUID()}.own`
  const [dead, living] = [own(99), own(1)]
  for (const name of [dead, living]) writeFileSync(join(directory, name), '')
  expect(await memory(2, [1]).list()).toHaveLength(1)
  expect(readdirSync(directory).sort()).toEqual(
    [...names, `${keyOf(entry)}.tmp`, 'dddddddddddddddd.lock', living].sort(),
  )
  expect(await memory(2).list()).toHaveLength(1)
  expect(readdirSync(directory)).toEqual([`${keyOf(entry)}.json`])
})

test("a lock that says nothing is nobody's, and one that is made says whose it is at once", async () => {
  const {directory, memory} = start()
  mkdirSync(directory)
  writeFileSync(join(directory, `${keyOf(entry)}.lock`), '')
  const claim = await memory(1).claim(entry)
  expect(claim).toBeDefined()
  expect(readdirSync(directory)).toEqual([`${keyOf(entry)}.lock`])
  await claim!.release()
  expect(readdirSync(directory)).toEqual([])
})

test('what is a week old goes; what is younger stays', async () => {
  const {directory, memory} = start()
  const claim = (await memory(1).claim(entry))!
  await claim.save(entry)
  await claim.release()
  const sixDays = NOW + 6 * 24 * 3600 * 1000
  expect(await memory(2, [], sixDays).list()).toHaveLength(1)
  const eightDays = NOW + 8 * 24 * 3600 * 1000
  expect(await memory(3, [], eightDays).list()).toEqual([])
  expect(readdirSync(directory)).toEqual([])
})

test('a disk that takes nothing ends no transfer, nor what is cleared away after it', async () => {
  const {directory, memory} = start()
  const real = memory()
  await (await real.claim(entry))!.release()
  // A process that is gone left this, and the lock that is needed to clear it away cannot be taken.
  const key = keyOf(entry)
  writeFileSync(join(directory, `${key}.tmp`), '')
  mkdirSync(join(directory, `${key}.lock`))
  await expect(memory().list()).rejects.toThrow()
  const losses: unknown[] = []
  const lossy = bestEffortJournal(memory(), error => losses.push(error))
  expect(await lossy.list()).toEqual([])
  expect(await lossy.claim(entry)).toBeUndefined()
  await forgetFinished(lossy, new Map([['/a', 'id']]))
  expect(losses).toHaveLength(3)
})
