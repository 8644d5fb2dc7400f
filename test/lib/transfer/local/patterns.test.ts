import {describe, expect, test} from 'vitest'
import {trimMemory} from '#lib/platform/trim-memory.js'
import {patternTest} from '#lib/transfer/local/patterns.js'

describe('many paths', () => {
  const COUNT = 100_000

  test('are all tested in the same way', async () => {
    const matches = await patternTest(['*.txt', '!keep.txt', 'build/'], {ignoreCase: false})
    for (let at = 0; at < COUNT / 10; at++) {
      const found = [`${at}.txt`, `${at}/keep.txt`, `${at}/build/keep.txt`, `${at}.TXT`].map(
        matches,
      )
      if (found.join() !== 'true,false,true,false') expect.fail(`${at}: ${found.join()}`)
    }
  })

  test('take no more memory than few', async () => {
    const matches = await patternTest(['*.txt'], {ignoreCase: false})
    /** The bytes in use after so many tests of different paths. */
    const memoryAt = (start: number, end: number) => {
      for (let at = start; at < end; at++) matches(`${at}.txt`)
      trimMemory()
      return process.memoryUsage().heapUsed
    }
    const few = memoryAt(0, COUNT / 10)
    expect(memoryAt(COUNT / 10, COUNT) - few).toBeLessThan(5_000_000)
  })
})
