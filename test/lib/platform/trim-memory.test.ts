import {spawnSync} from 'node:child_process'
import {expect, test} from 'vitest'
import {trimMemory} from '#lib/platform/trim-memory.js'

test('functions still work after their code was dropped, and V8 knows the flags', () => {
  const sum = (count: number): number => (count === 0 ? 0 : count + sum(count - 1))
  expect(sum(3)).toBe(6)
  trimMemory()
  expect(sum(4)).toBe(10)
  const script = trimMemory.toString()
  const flags = [...script.matchAll(/["']([a-z]+(?:-[a-z]+)+)["']/g)].map(([, flag]) => `--${flag}`)
  const {stderr} = spawnSync(process.execPath, [...flags, '-e', '0'], {encoding: 'utf8'})
  expect({flags: flags.length, stderr}).toEqual({flags: 3, stderr: ''})
})
