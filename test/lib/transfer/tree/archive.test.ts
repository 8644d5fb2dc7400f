import {execFileSync} from 'node:child_process'
import {createHash} from 'node:crypto'
import {Readable} from 'node:stream'
import {expect, test} from 'vitest'
import type {Client} from '#lib/client/client.js'
import {type Archive, createArchive} from '#lib/transfer/tree/archive.js'
import type {RemoteFile} from '#lib/transfer/tree/entries.js'
import type {World} from '#lib/transfer/types.js'

const MIB = 1024 * 1024

/** A world whose service sends the content in pieces, and may break off after the last one. */
function worldOf(
  contents: Readonly<Record<string, () => AsyncIterable<Buffer> | Iterable<Buffer>>>,
): World {
  const client = {
    persist: (work: (progressed: () => void) => Promise<unknown>) => work(() => undefined),
    download: async (_: unknown, {params}: {params: {fileId: string}}) => ({
      stream: Readable.from(contents[params.fileId]!()),
      cancel: () => undefined,
    }),
  } as unknown as Client
  return {client, signal: new AbortController().signal}
}

const file = (id: string, content: Buffer): RemoteFile => ({
  ...{kind: 'file', id, title: id, size: content.length, modified: 1e12},
  md5: createHash('md5').update(content).digest('hex'),
})

function collected() {
  const chunks: Buffer[] = []
  const archive = createArchive(async bytes => void chunks.push(Buffer.from(bytes)))
  const tar = (...args: string[]) =>
    execFileSync('tar', args, {input: Buffer.concat(chunks), maxBuffer: 64 * MIB})
  return {archive, tar, chunks, names: () => tar('-tf', '-').toString().split('\n').filter(Boolean)}
}

const add = (archive: Archive, world: World, remote: RemoteFile, place = archive.place()) =>
  archive.addFile(world, place, {path: remote.title, remote, onProgress: () => undefined})

const small = Buffer.from('small')
const large = Buffer.alloc(3 * MIB + 7, 'large ')

test('entries are in order of their paths, however they arrive', async () => {
  let release = () => {}
  const held = new Promise<void>(resolve => (release = resolve))
  const world = worldOf({
    async *one() {
      await held
      yield small
    },
    two: () => [small],
    three: () => [large.subarray(0, MIB), large.subarray(MIB)],
  })
  const {archive, names, tar} = collected()
  const folder = archive.addFolder(archive.place(), 'folder')
  const one = add(archive, world, file('one', small))
  const two = add(archive, world, file('two', small))
  const three = add(archive, world, file('three', large))
  const end = archive.end()
  release()
  await Promise.all([folder, one, two, three, end])
  expect(await three).toBe(large.length)
  expect(names()).toEqual(['folder/', 'one', 'two', 'three'])
  expect(tar('-xOf', '-', 'three').equals(large)).toBe(true)
})

test('a small file that fails is not in the archive', async () => {
  const world = worldOf({
    good: () => [small],
    wrong: () => [Buffer.from('smell')],
    *short() {
      yield small.subarray(1)
    },
  })
  const {archive, names} = collected()
  await expect(add(archive, world, file('wrong', small))).rejects.toRead()
  await expect(add(archive, world, file('short', small))).rejects.toRead()
  await add(archive, world, file('good', small))
  await archive.end()
  expect(names()).toEqual(['good'])
})

test('a large file that breaks off is padded with zeros, and later entries are correct', async () => {
  const world = worldOf({
    broken: async function* () {
      yield large.subarray(0, MIB)
      throw new Error('gone')
    },
    // Fails before the first byte.
    absent: async function* () {
      throw new Error('forbidden')
    },
    good: () => [small],
  })
  const {archive, names, tar} = collected()
  await expect(add(archive, world, file('broken', large))).rejects.toThrow(
    'The file is incomplete in the archive: gone',
  )
  await expect(add(archive, world, file('absent', large))).rejects.toThrow('forbidden')
  await add(archive, world, file('good', small))
  await archive.end()
  expect(names()).toEqual(['broken', 'good'])
  const broken = tar('-xOf', '-', 'broken')
  expect(broken.length).toBe(large.length)
  expect(broken.subarray(0, MIB).equals(large.subarray(0, MIB))).toBe(true)
  expect(broken.subarray(MIB).every(byte => byte === 0)).toBe(true)
  expect(tar('-xOf', '-', 'good').toString()).toBe('small')
})

test('a closed reader ends it with the error of the stream', async () => {
  const gone = Object.assign(new Error('write EPIPE'), {code: 'EPIPE'})
  let written = 0
  const archive = createArchive(async bytes => {
    written += bytes.length
    if (written > MIB) throw gone
  })
  const world = worldOf({
    large: () => [large.subarray(0, MIB - 600), large.subarray(MIB - 600)],
    small: () => [small],
  })
  await expect(add(archive, world, file('large', large))).rejects.toBe(gone)
  await expect(add(archive, world, file('small', small))).rejects.toBe(gone)
})

test('the size of an export is known when it has arrived', async () => {
  const world = worldOf({sheet: () => [Buffer.from('a,b\n'), Buffer.from('1,2\n')]})
  const document = {kind: 'other', id: 'sheet', title: 'Sheet', what: 'an editor document'} as const
  const {archive, tar} = collected()
  const exported = {type: 'text/csv', document}
  const remote = {kind: 'file', id: 'sheet', title: 'Sheet.csv', size: 0, exported} as const
  expect(await add(archive, world, remote)).toBe(8)
  await archive.end()
  expect(tar('-xOf', '-', 'Sheet.csv').toString()).toBe('a,b\n1,2\n')
})
