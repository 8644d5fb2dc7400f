import {mkdtempSync, rmSync, writeFileSync} from 'node:fs'
import {type FileHandle, open} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {expect, test, vi} from 'vitest'
import {openContent} from '#lib/transfer/content.js'
import {bytes, md5} from './world.js'

type Read = (
  this: FileHandle,
  buffer: Buffer,
  offset: number,
  length: number,
  position: number,
) => ReturnType<FileHandle['read']>

/** A file system that returns less than requested, as some network file systems do. */
async function readLittle() {
  const handle = await open(import.meta.filename)
  const prototype = Object.getPrototypeOf(handle) as {read: Read}
  await handle.close()
  const {read} = prototype
  return vi.spyOn(prototype, 'read').mockImplementation(function (
    this: FileHandle,
    buffer,
    offset,
    length,
    position,
  ) {
    return read.call(this, buffer, offset, Math.min(length, 100_000), position)
  })
}

test('a file is sent in large chunks even if each read returns little', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'drv-'))
  try {
    const path = join(directory, 'source')
    const content = bytes(3 * 1024 * 1024 + 17)
    writeFileSync(path, content)
    const reads = await readLittle()
    const source = await openContent({path})
    const piece = await source.piece(0)
    const taken: Buffer[] = []
    const sizes: number[] = []
    for await (const chunk of piece.bytes() as AsyncIterable<Buffer>) {
      // Copy, because the buffer of a piece is reused.
      taken.push(Buffer.from(chunk))
      sizes.push(chunk.length)
    }
    expect(md5(Buffer.concat(taken))).toBe(md5(content))
    expect(source.md5()).toBe(md5(content))
    expect(reads.mock.calls.length).toBeGreaterThan(30)
    for (const size of sizes.slice(0, -1)) expect(size).toBeGreaterThanOrEqual(512 * 1024)
    await source.close()
  } finally {
    rmSync(directory, {recursive: true, force: true})
  }
})
