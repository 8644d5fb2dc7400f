import {spawnSync} from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {beforeEach, describe, expect, test} from 'vitest'
import type {Parsed} from '#lib/cli/input/call-input.js'
import {openCheckpoint} from '#lib/cli/run/checkpoint.js'
import {fillDisk, missingMount, mountDisk} from '../../../support/mount.js'

const folder = mkdtempSync(join(tmpdir(), 'drv-'))
const newPath = () => join(mkdtempSync(join(tmpdir(), 'drv-')), 'checkpoint')
const about = {operation: 'files.trash', service: 'https://drive.example.com'}
const given = (id: string, flags: Parsed['flags'] = {}): Parsed => ({args: {file_id: id}, flags})

test('shows done and reserved steps, readable by its owner only', async () => {
  const path = newPath()
  const first = await openCheckpoint(path, about)
  const [a, b] = [first.nameOf(given('A')), first.nameOf(given('B'))]
  await first.reserve([[b, 'ID']])
  await first.done(a)
  await first.close()
  expect(statSync(path).mode & 0o777).toBe(0o600)
  const second = await openCheckpoint(path, about)
  expect(second.nameOf(given('A'))).toBe(a)
  expect([second.isDone(a), second.isDone(b)]).toEqual([true, false])
  expect([second.reserved(a), second.reserved(b)]).toEqual([undefined, 'ID'])
  await second.close()
})

test('equal inputs have two keys, and execution details do not affect keys', async () => {
  const checkpoint = await openCheckpoint(newPath(), about)
  const names = [
    given('A'),
    given('A'),
    given('A', {title: 't'}),
    {...given('A'), document: {title: 't'}},
  ].map(one => checkpoint.nameOf(one))
  expect(new Set(names).size).toBe(4)
  await checkpoint.close()
  const again = await openCheckpoint(newPath(), about)
  const manner = {json: true, concurrency: '1', checkpoint: 'x', yes: true, 'limit-rate': '1M'}
  expect(again.nameOf(given('A', manner))).toBe(names[0])
  expect(again.nameOf({args: {file_id: 'A'}, flags: {title: undefined}})).toBe(names[1])
  await again.close()
})

test('an incomplete last line is ignored, and later lines are separate', async () => {
  const path = newPath()
  const first = await openCheckpoint(path, about)
  const [a, b] = [first.nameOf(given('A')), first.nameOf(given('B'))]
  await first.done(a)
  await first.close()
  writeFileSync(path, `${readFileSync(path, 'utf8')}{"done":"${b}`)
  const second = await openCheckpoint(path, about)
  expect([second.isDone(a), second.isDone(b)]).toEqual([true, false])
  await second.done(b)
  await second.close()
  const third = await openCheckpoint(path, about)
  expect(third.isDone(b)).toBe(true)
  await third.close()
})

test('an incomplete first line is completed', async () => {
  const path = newPath()
  await (await openCheckpoint(path, about)).close()
  const head = readFileSync(path, 'utf8')
  for (const size of [0, 1, Math.floor(head.length / 2), head.length - 1]) {
    writeFileSync(path, head.slice(0, size))
    const checkpoint = await openCheckpoint(path, about)
    await checkpoint.done('a')
    await checkpoint.close()
    expect(readFileSync(path, 'utf8')).toBe(`${head}{"done":"a"}\n`)
  }
})

test('a checkpoint of another operation or service, or another file, is rejected and kept', async () => {
  const path = newPath()
  await (await openCheckpoint(path, about)).close()
  const before = readFileSync(path, 'utf8')
  await expect(openCheckpoint(path, {...about, operation: 'files.delete'})).rejects.toRead()
  await expect(openCheckpoint(path, {...about, service: 'x'})).rejects.toRead()
  expect(readFileSync(path, 'utf8')).toBe(before)
  for (const text of ['{"title": "x"}\n', 'id,title\n', '\n']) {
    writeFileSync(path, text)
    await expect(openCheckpoint(path, about)).rejects.toRead()
    expect(readFileSync(path, 'utf8')).toBe(text)
  }
})

test('two concurrent uses are rejected, and a failed one leaves no lock', async () => {
  const path = newPath()
  const first = await openCheckpoint(path, about)
  await expect(openCheckpoint(path, about)).rejects.toRead()
  await first.close()
  await expect(openCheckpoint(path, {...about, service: 'x'})).rejects.toThrow()
  await (await openCheckpoint(path, about)).close()
  await expect(openCheckpoint(folder, about)).rejects.toRead()
})

describe('anything else in its place is reported at once', () => {
  test.each<[string, (path: string) => unknown]>([
    ['a named pipe', path => spawnSync('mkfifo', [path])],
    ['a directory', path => mkdirSync(path)],
    ['a symbolic link', path => symlinkSync(join(folder, 'nothing'), path)],
  ])('%s', async (kind, make) => {
    const path = newPath()
    if (kind !== 'a symbolic link') {
      make(path)
      await expect(openCheckpoint(path, about)).rejects.toMatchObject({
        name: 'UsageError',
        message: `Cannot read ${path}: it is ${kind}, not a regular file.`,
      })
      expect(existsSync(`${path}.lock`)).toBe(false)
      rmSync(path, {recursive: true})
    }
    make(`${path}.lock`)
    await expect(openCheckpoint(path, about)).rejects.toMatchObject({
      name: 'UsageError',
      message: `Cannot write ${path}.lock: it is ${kind}, not a regular file.`,
    })
  })

  test('a link to a missing file is a checkpoint of that name', async () => {
    const path = newPath()
    symlinkSync(`${path} target`, path)
    await (await openCheckpoint(path, about)).close()
    expect(statSync(`${path} target`).size).toBeGreaterThan(0)
  })

  test.each([
    ['only the beginning of its head', '{"checkpoint":{"op'],
    ['zeros', '\0'.repeat(20)],
  ])('a file with %s is a new checkpoint', async (_, text) => {
    const path = newPath()
    writeFileSync(path, text)
    const checkpoint = await openCheckpoint(path, about)
    await checkpoint.done('a')
    await checkpoint.close()
    const again = await openCheckpoint(path, about)
    expect(again.isDone('a')).toBe(true)
    await again.close()
  })
})

describe('a full disk is reported with the file that cannot be written', () => {
  beforeEach(({skip}) => skip(missingMount !== undefined, missingMount))

  const full = (path: string) => ({
    name: 'CommandError',
    exit: 'failed',
    message: `Cannot write ${path}: the disk is full.`,
    hint: expect.stringContaining('run the same command again') as string,
  })

  test('at the start', async () => {
    const disk = mountDisk(newPath(), 'size=64k')
    const path = join(disk, 'cp')
    fillDisk(disk)
    await expect(openCheckpoint(path, about)).rejects.toMatchObject(full(`${path}.lock`))
  })

  test('and later, when earlier lines still count', async () => {
    const disk = mountDisk(newPath(), 'size=64k')
    const path = join(disk, 'cp')
    const checkpoint = await openCheckpoint(path, about)
    const [a, b] = [checkpoint.nameOf(given('A')), checkpoint.nameOf(given('B'))]
    await checkpoint.done(a)
    fillDisk(disk)
    const fillPage = async () => {
      for (;;) await checkpoint.reserve([[b, 'ID'.repeat(1000)]])
    }
    await expect(fillPage()).rejects.toMatchObject(full(path))
    await expect(checkpoint.done('x'.repeat(5000))).rejects.toMatchObject(full(path))
    await checkpoint.close()
    rmSync(join(disk, 'fill'))
    const again = await openCheckpoint(path, about)
    expect([again.isDone(a), again.isDone(b)]).toEqual([true, false])
    await again.close()
  })
})
