import {appendFileSync} from 'node:fs'
import {join} from 'node:path'
import {expect} from 'vitest'
import {COLLECT, masked, readRoom, roomOf} from './texts.js'

declare module 'vitest' {
  interface Matchers<T> {
    /**
     * Asserts that a text, the message of an error, or that of the error that a function throws equals its entry
     * in `test/texts`, except for ports, paths, times and IDs. `npm run texts` updates the entries.
     */
    toRead(): T
  }
}

/** The number of texts that each test has asserted so far. */
const counts = new WeakMap<object, number>()

/** The text itself, the message of an error, or that of the error that a function throws. */
function textOf(received: unknown): string {
  if (typeof received === 'string') return received
  if (received instanceof Error) return received.message
  if (typeof received !== 'function') throw new TypeError('toRead takes a text or an error')
  try {
    received()
  } catch (error) {
    return textOf(error)
  }
  throw new Error('toRead: nothing was thrown')
}

expect.extend({
  toRead(received: unknown) {
    const {testPath = '', currentTestName = '', task, equals} = this
    const text = masked(textOf(received)).trimEnd()
    const owner = task ?? this
    const count = (counts.get(owner) ?? 0) + 1
    counts.set(owner, count)
    const path = testPath.slice(testPath.lastIndexOf('/test/') + '/test/'.length)
    const key = `${path} › ${masked(currentTestName).replaceAll('\n', ' ')}${count > 1 ? ` (${count})` : ''}`
    const room = roomOf(testPath)
    const folder = process.env[COLLECT]
    if (folder) {
      appendFileSync(
        join(folder, `${process.pid}.ndjson`),
        `${JSON.stringify({room, key, text})}\n`,
      )
      return {pass: true, message: () => 'not to read'}
    }
    const expected = readRoom(room).get(key)
    return {
      pass: equals(text, expected),
      actual: text,
      expected,
      message: () =>
        `The text differs from test/texts/${room}.md, "## ${key}". If it is meant so: npm run texts`,
    }
  },
})
