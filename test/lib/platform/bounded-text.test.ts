import {Readable} from 'node:stream'
import {expect, test} from 'vitest'
import {boundedText, LONGEST_TEXT, TooLongError} from '#lib/platform/open-file.js'

const megabyte = Buffer.alloc(1024 * 1024, ' ')

/** An endless stream of bytes that counts how many were read. */
function endless() {
  const source = {given: 0}
  async function* chunks() {
    for (;;) {
      source.given += megabyte.length
      yield await Promise.resolve(megabyte)
    }
  }
  return {source, stream: Readable.from(chunks(), {highWaterMark: 1})}
}

test('a text is read completely, including multi-byte characters', async () => {
  const bytes = Buffer.from('ein Käse 🧀')
  const pieces = [...bytes].map(byte => Buffer.from([byte]))
  expect(await boundedText(Readable.from(pieces))).toBe('ein Käse 🧀')
  expect(await boundedText(Readable.from([megabyte]), megabyte.length)).toHaveLength(1024 * 1024)
})

test('an endless text is rejected at the limit', async () => {
  const {source, stream} = endless()
  await expect(boundedText(stream)).rejects.toThrow(TooLongError)
  expect(source.given).toBeLessThan(LONGEST_TEXT * 1.5)
  expect(stream.destroyed).toBe(true)
  await expect(boundedText(endless().stream)).rejects.toRead()
})
