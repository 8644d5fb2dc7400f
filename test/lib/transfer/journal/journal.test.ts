import {randomUUID} from 'node:crypto'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import {hostname, tmpdir} from 'node:os'
import {join} from 'node:path'
import {expect, test} from 'vitest'
import {markOfProcess} from '#lib/platform/process-identity.js'
import type {UploadEntry} from '#lib/transfer/journal/entry.js'
import {
  bestEffortJournal,
  createJournal,
  forgetFinished,
  keyOf,
} from '#lib/transfer/journal/journal.js'

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
  const memory = (now = NOW) =>
    createJournal({directory, profile: 'p', baseUrl: 'http://x', now: () => now})
  const lock = join(directory, `${keyOf(entry)}.lock`)
  return {directory, memory, lock}
}

// No process has an ID this high.
const GONE = 2 ** 30
const signed = (process: string) => JSON.stringify({process, host: hostname(), id: 'a'})

test('an entry is found again by the same transfer', async () => {
  const {directory, memory} = start()
  const claim = (await memory().claim(entry))!
  expect(claim.entry).toBeUndefined()
  await claim.save({...entry, id: 'new', session: '/secret', done: 3})
  await claim.release()
  expect(statSync(directory).mode & 0o777).toBe(0o700)
  const [name] = readdirSync(directory)
  expect(statSync(join(directory, name!)).mode & 0o777).toBe(0o600)
  const again = (await memory().claim({...entry, source: {...entry.source, size: 9}}))!
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

test('display text makes no difference', () => {
  expect(keyOf({...entry, params: {...entry.params, fields: 'id'}})).toBe(keyOf(entry))
})

test('the order of metadata makes no difference', () => {
  const {title, parents} = entry.body as Record<string, unknown>
  expect(keyOf({...entry, body: {parents, title}})).toBe(keyOf(entry))
})

test('one process owns it at a time, and a dead process owns nothing', async () => {
  const {memory, lock} = start()
  const first = await memory().claim(entry)
  expect(first).toBeDefined()
  expect(await memory().claim(entry)).toBeUndefined()
  expect(await memory().discard(keyOf(entry))).toBe(false)
  writeFileSync(lock, signed(String(GONE)))
  expect(await memory().claim(entry)).toBeDefined()
})

test('another process with the number of a dead one owns nothing', async () => {
  const {memory, lock} = start()
  expect(await memory().claim(entry)).toBeDefined()
  expect(await memory().claim(entry)).toBeUndefined()
  writeFileSync(lock, signed(`${process.pid} early`))
  expect(await memory().claim(entry)).toBeDefined()
})

test.each([
  {name: 'that works holds it', owner: markOfProcess(process.pid)!, isFree: false},
  {name: 'that is gone holds nothing', owner: String(GONE), isFree: true},
  {name: 'whose number another has holds nothing', owner: `${process.pid} 1`, isFree: true},
])('written by an earlier version, a process $name', async ({owner, isFree}) => {
  const {directory, memory, lock} = start()
  mkdirSync(directory)
  writeFileSync(lock, owner)
  expect((await memory().claim(entry)) !== undefined).toBe(isFree)
})

test('a file that is not an entry is ignored', async () => {
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

test('leftovers of a killed process are removed, those of a running one are kept', async () => {
  const {directory, memory, lock} = start()
  const claim = (await memory().claim(entry))!
  await claim.save(entry)
  const names = readdirSync(directory)
  const living = markOfProcess(process.pid)!
  writeFileSync(join(directory, `${keyOf(entry)}.tmp`), '{')
  writeFileSync(join(directory, 'ffffffffffffffff.tmp'), '')
  writeFileSync(join(directory, 'eeeeeeeeeeeeeeee.lock'), String(GONE))
  writeFileSync(join(directory, 'dddddddddddddddd.lock'), living)
  const draft = (pid: number) => `cccccccccccccccc.lock.${pid}.0123abcd-123456789.tmp`
  const older = (pid: number) => `cccccccccccccccc.${pid}.${randomUUID()}.own`
  const dead = [draft(GONE), older(GONE)]
  const drafts = [draft(process.pid), older(process.pid)]
  for (const name of [...dead, ...drafts]) writeFileSync(join(directory, name), '')
  expect(await memory().list()).toHaveLength(1)
  expect(readdirSync(directory).sort()).toEqual(
    [...names, `${keyOf(entry)}.tmp`, 'dddddddddddddddd.lock', ...drafts].sort(),
  )
  for (const name of drafts) rmSync(join(directory, name))
  for (const name of [lock, join(directory, 'dddddddddddddddd.lock')]) {
    writeFileSync(name, signed(String(GONE)))
  }
  expect(await memory().list()).toHaveLength(1)
  expect(readdirSync(directory)).toEqual([`${keyOf(entry)}.json`])
})

test('an empty lock counts for half a minute, and a new one names its owner at once', async () => {
  const {directory, memory, lock} = start()
  mkdirSync(directory)
  writeFileSync(lock, '')
  expect(await memory().claim(entry)).toBeUndefined()
  const old = new Date(Date.now() - 31_000)
  utimesSync(lock, old, old)
  const claim = await memory().claim(entry)
  expect(claim).toBeDefined()
  expect(readdirSync(directory)).toEqual([`${keyOf(entry)}.lock`])
  expect(JSON.parse(readFileSync(lock, 'utf8'))).toMatchObject({
    process: markOfProcess(process.pid),
  })
  await claim!.release()
  expect(readdirSync(directory)).toEqual([])
})

test('entries older than a week are removed', async () => {
  const {directory, memory} = start()
  const claim = (await memory().claim(entry))!
  await claim.save(entry)
  await claim.release()
  const sixDays = NOW + 6 * 24 * 3600 * 1000
  expect(await memory(sixDays).list()).toHaveLength(1)
  const eightDays = NOW + 8 * 24 * 3600 * 1000
  expect(await memory(eightDays).list()).toEqual([])
  expect(readdirSync(directory)).toEqual([])
})

test('an unwritable disk ends no transfer, nor the cleanup after it', async () => {
  const {directory, memory} = start()
  const real = memory()
  await (await real.claim(entry))!.release()
  // A killed process left this file, and the lock for removing it cannot be taken.
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
