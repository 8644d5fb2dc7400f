import {mkdtempSync, rmSync, writeFileSync} from 'node:fs'
import type {FileHandle} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {expect, test, vi} from 'vitest'
import {openContent} from '../../../src/lib/transfer/content.js'
import {bytes, md5} from './world.js'

// A file system that gives less than is asked for, as some do that are not of this machine.
vi.mock('node:fs/promises', async importOriginal => {
  const real = await importOriginal<typeof import('node:fs/promises')>()
  const open: typeof real.open = async (...wish) => {
    const handle = await real.open(...wish)
    const read = handle.read.bind(handle) as FileHandle['read']
    const shortRead = (buffer: Buffer, offset: number, length: number, position: number) =>
      read(buffer, offset, Math.min(length, 100_000), position)
    return Object.assign(handle, {read: shortRead})
  }
  return {...real, open}
})

test('a file goes out in large pieces also where each read gives little', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'drv-'))
  try {
    const path = join(directory, 'source')
    const content = bytes(3 * 1024 * 1024 + 17)
    writeFileSync(path, content)
    const source = await openContent({path})
    const piece = await source.piece(0)
    const taken: Buffer[] = []
    const sizes: number[] = []
    for await (const chunk of piece.bytes() as AsyncIterable<Buffer>) {
      // A copy, for the memory of a piece is used again.
      taken.push(Buffer.from(chunk))
      sizes.push(chunk.length)
    }
    expect(md5(Buffer.concat(taken))).toBe(md5(content))
    expect(source.md5()).toBe(md5(content))
    for (const size of sizes.slice(0, -1)) expect(size).toBeGreaterThanOrEqual(512 * 1024)
    await source.close()
  } finally {
    rmSync(directory, {recursive: true, force: true})
  }
})
