import {mkdtemp, readdir, readFile, rm, writeFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {Readable, Writable} from 'node:stream'
import {afterEach, beforeEach, describe, expect, test} from 'vitest'
import {chooseTarget, copyDownload, saveDownload} from '../../../src/lib/cli/save.js'

let folder: string
let endings: Array<() => Promise<void>>
let controller: AbortController

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'drv-'))
  endings = []
  controller = new AbortController()
})
afterEach(() => rm(folder, {recursive: true}))

const download = (text: string, size?: number) => ({
  stream: Readable.from([Buffer.from(text)]),
  size,
})
const surroundings = () => ({
  signal: controller.signal,
  onEnd: (close: () => Promise<void>) => void endings.push(close),
})
const md5OfHello = '5d41402abc4b2a76b9719d911017c592'

describe('the target', () => {
  test('is the path that was named, and may be replaced', async () => {
    const path = join(folder, 'a.txt')
    await writeFile(path, 'old')
    expect(await chooseTarget(path, 'title', false)).toEqual({path, overwrite: true})
  })

  test('is the title, made safe, in a directory that was named', async () => {
    expect(await chooseTarget(folder, '../x/y', false)).toEqual({
      path: join(folder, '_x_y'),
      overwrite: false,
    })
  })

  test('made from a title replaces nothing unless forced', async () => {
    await writeFile(join(folder, 'a.txt'), 'old')
    await expect(chooseTarget(folder, 'a.txt', false)).rejects.toMatchObject({exit: 'conflict'})
    expect((await chooseTarget(folder, 'a.txt', true)).overwrite).toBe(true)
  })
})

describe('a download', () => {
  test('arrives whole under its name, and leaves nothing else', async () => {
    const path = join(folder, 'a.txt')
    const saved = await saveDownload(
      download('hello', 5),
      {path, overwrite: false},
      {md5: md5OfHello.toUpperCase()},
      surroundings(),
    )
    expect(saved).toMatchObject({path, size: 5})
    expect(await readFile(path, 'utf8')).toBe('hello')
    expect(await readdir(folder)).toEqual(['a.txt'])
  })

  test('replaces a file only when it may', async () => {
    const path = join(folder, 'a.txt')
    await writeFile(path, 'old')
    const save = (overwrite: boolean) =>
      saveDownload(download('hello'), {path, overwrite}, {}, surroundings())
    await expect(save(false)).rejects.toMatchObject({exit: 'conflict'})
    expect(await readFile(path, 'utf8')).toBe('old')
    await save(true)
    expect(await readFile(path, 'utf8')).toBe('hello')
    expect(await readdir(folder)).toEqual(['a.txt'])
  })

  test.each([
    ['too short', 9, undefined],
    ['other content', undefined, '00000000000000000000000000000000'],
  ])('that is damaged (%s) leaves the old file alone', async (_, size, md5) => {
    const path = join(folder, 'a.txt')
    await writeFile(path, 'old')
    await expect(
      saveDownload(download('hello', size), {path, overwrite: true}, {md5}, surroundings()),
    ).rejects.toMatchObject({exit: 'content'})
    expect(await readFile(path, 'utf8')).toBe('old')
    expect(await readdir(folder)).toEqual(['a.txt'])
  })

  test('that breaks off leaves nothing', async () => {
    const stream = Readable.from(
      (async function* () {
        yield Buffer.from('hel')
        throw new Error('reset')
      })(),
    )
    await expect(
      saveDownload({stream}, {path: join(folder, 'a'), overwrite: true}, {}, surroundings()),
    ).rejects.toThrow('reset')
    expect(await readdir(folder)).toEqual([])
  })

  test('that is interrupted leaves nothing', async () => {
    const stream = new Readable({read: () => undefined})
    stream.push('hel')
    const target = {path: join(folder, 'a'), overwrite: true}
    const saving = saveDownload({stream}, target, {}, surroundings())
    controller.abort()
    await expect(saving).rejects.toThrow()
    for (const close of endings) await close()
    expect(await readdir(folder)).toEqual([])
  })

  test('to a stream leaves it open', async () => {
    const chunks: Buffer[] = []
    const sink = new Writable({
      write(chunk: Buffer, _, done) {
        chunks.push(chunk)
        done()
      },
    })
    await copyDownload(download('hello', 5), sink, {md5: md5OfHello}, surroundings())
    expect(Buffer.concat(chunks).toString()).toBe('hello')
    expect(sink.writableEnded).toBe(false)
  })
})
