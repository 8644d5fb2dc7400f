import {describe, expect, test} from 'vitest'
import {commandsToKeep, nameFor, outdated, pack, unpack} from '#lib/start/compiled.js'

const code = Buffer.from([0, 10, 13, 255, 10, 1])

describe('the content of a file', () => {
  test('is read back', () => {
    for (const commands of [[], ['files:get'], ['files:get', 'local:user:create']]) {
      expect(unpack(pack({code, commands}))).toEqual({code, commands})
    }
  })

  test('is empty if a single bit has changed', () => {
    const whole = pack({code, commands: ['files:get']})
    for (let at = 0; at < whole.length; at++) {
      const damaged = Buffer.from(whole)
      damaged[at]! ^= 1
      expect(unpack(damaged), String(at)).toBeUndefined()
    }
    for (let length = 0; length < whole.length; length++) {
      expect(unpack(whole.subarray(0, length)), String(length)).toBeUndefined()
    }
    expect(unpack(Buffer.concat([whole, Buffer.from('\n')]))).toBeUndefined()
  })
})

test('each file belongs to one source, Node version, V8 with its flags, and processor', () => {
  const fit = {node: 'v20.19.0', arch: 'x64', v8: 7, source: Buffer.from('one')}
  const names = [
    fit,
    {...fit, node: 'v20.19.1'},
    {...fit, arch: 'arm64'},
    {...fit, v8: 8},
    // V8 itself compares only the length.
    {...fit, source: Buffer.from('two')},
  ].map(nameFor)
  expect(names[0]).toMatch(/^v20\.19\.0-x64-00000007-[0-9a-f]{8}$/)
  expect(new Set(names).size).toBe(names.length)
})

test('code is saved again when a command ran that it did not contain', () => {
  const kept = {code, commands: ['files:get', 'push']}
  expect(commandsToKeep(undefined, ['push'])).toEqual(['push'])
  // `drv --version` loads no command, but still compiles code.
  expect(commandsToKeep(undefined, [])).toEqual([])
  expect(commandsToKeep(kept, ['pull', 'push'])).toEqual(['files:get', 'push', 'pull'])
  expect(commandsToKeep(kept, ['push'])).toBeUndefined()
  expect(commandsToKeep(kept, [])).toBeUndefined()
})

test('the newest eight files are kept', () => {
  const files = [5, 1, 9, 3, 7, 2, 8, 4, 10, 6].map(modified => ({name: `f${modified}`, modified}))
  expect(outdated(files)).toEqual(['f2', 'f1'])
  expect(outdated(files.slice(0, 8))).toEqual([])
})
