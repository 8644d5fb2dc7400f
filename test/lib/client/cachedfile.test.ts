import {mkdtempSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterAll, expect, test} from 'vitest'
import {cachedFile} from '../../../src/lib/client/cachedfile.js'

const directory = mkdtempSync(join(tmpdir(), 'drv-'))
afterAll(() => rmSync(directory, {recursive: true}))

test.each([
  {name: 'a moment later', later: 49, read: 'old'},
  {name: 'later', later: 50, read: 'new'},
  {name: 'when the clock was set back', later: -1, read: 'new'},
])('$name the $read text is read', ({later, read}) => {
  let clock = 1000
  const file = join(directory, 'note')
  writeFileSync(file, 'old')
  const look = cachedFile(() => clock, file)
  expect(look()).toBe('old')
  writeFileSync(file, 'new')
  clock += later
  expect(look()).toBe(read)
})

test('what is not there, or no file, has no text', () => {
  expect(cachedFile(() => 0, join(directory, 'none'))()).toBe('')
  expect(cachedFile(() => 0, directory)()).toBe('')
})
