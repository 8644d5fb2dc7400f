import {spawnSync} from 'node:child_process'
import {mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync} from 'node:fs'
import {type FileHandle, open} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {Readable} from 'node:stream'
import {text} from 'node:stream/consumers'
import {setTimeout} from 'node:timers/promises'
import {afterAll, beforeEach, describe, expect, test} from 'vitest'
import {readFileChunks, readTextFile, requireRegularFile} from '#lib/platform/open-file.js'

const directory = mkdtempSync(join(tmpdir(), 'drv-'))
afterAll(() => rmSync(directory, {recursive: true}))

let count = 0
let path: string
beforeEach(() => {
  path = join(directory, `file ${count++}`)
})

test('reads a regular file, and fails with system errors', async () => {
  await expect(readTextFile(path)).rejects.toMatchObject({code: 'ENOENT'})
  writeFileSync(path, 'Grüße')
  expect(await readTextFile(path)).toBe('Grüße')
  expect(await readTextFile('/dev/null')).toBe('')
  await expect(readTextFile(directory)).rejects.toMatchObject({code: 'EISDIR'})
})

describe('a named pipe', () => {
  beforeEach(() => {
    expect(spawnSync('mkfifo', [path]).status).toBe(0)
  })

  /** Resolves once something reads the pipe; rejects if nothing does. */
  async function openForWriting(): Promise<FileHandle> {
    const {O_WRONLY, O_NONBLOCK} = (await import('node:fs')).constants
    for (let tries = 0; ; tries++) {
      const opened = await open(path, O_WRONLY | O_NONBLOCK).catch((error: unknown) => {
        if (tries === 100) throw error
      })
      if (opened) return opened
      await setTimeout(20)
    }
  }

  test.each([
    ['text', async () => readTextFile(path)],
    ['chunks', async () => text(Readable.from(readFileChunks(path)))],
  ])('is read as %s until its last writer has closed it', async (_, read) => {
    const content = read()
    const first = await openForWriting()
    const second = await openForWriting()
    await first.write('one, ')
    await first.close()
    await setTimeout(50)
    await second.write('two')
    await second.close()
    expect(await content).toBe('one, two')
  })

  test('without any writes is empty', async () => {
    const content = readTextFile(path)
    await (await openForWriting()).close()
    expect(await content).toBe('')
  })
})

test.each<[string, () => unknown, boolean, boolean]>([
  ['nothing', () => undefined, false, false],
  ['a regular file', () => writeFileSync(path, ''), false, false],
  ['a folder', () => mkdirSync(path), true, true],
  ['a pipe', () => spawnSync('mkfifo', [path]), true, true],
  ['a link to a device', () => symlinkSync('/dev/null', path), true, true],
  ['a link', () => symlinkSync(directory, path), false, true],
  ['a dangling link, followed,', () => symlinkSync(join(directory, 'no'), path), true, false],
])('%s in place of a file of drv', async (_, make, followsLinks, isRefused) => {
  make()
  const checked = requireRegularFile(path, followsLinks)
  if (!isRefused) return checked
  await expect(checked).rejects.toMatchObject({path})
  await expect(checked).rejects.toRead()
})
