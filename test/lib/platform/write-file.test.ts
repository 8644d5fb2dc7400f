import {mkdtempSync, readdirSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {basename, join} from 'node:path'
import {afterEach, beforeEach, expect, test} from 'vitest'
import {isTemporaryFor, temporaryFor, writeWhole} from '#lib/platform/write-file.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'drv-write-'))
})
afterEach(() => rmSync(folder, {recursive: true}))

/** The temporary file of a process with the highest ID, which no process has; also on another machine. */
const leftoverOf = (name: string, machine?: string) =>
  basename(temporaryFor(join(folder, name)))
    .replace(`.${process.pid}.`, '.2147483647.')
    .replace(/[\da-f]{8}(?=-\d+\.tmp$)/, found => machine ?? found)

test('a write removes what killed processes of this machine left in the folder, and nothing else', async () => {
  const others = [
    // A process that is running.
    basename(temporaryFor(join(folder, 'state.json'))),
    leftoverOf('state.json', 'deadbeef'),
    'state.json.2147483647.123456789.tmp',
    'notes.2147483647.tmp',
    'state.json.tmp',
  ]
  for (const name of [leftoverOf('state.json'), leftoverOf('other.json.lock'), ...others]) {
    writeFileSync(join(folder, name), '{')
  }
  await writeWhole(join(folder, 'state.json'), '{}')
  expect(readdirSync(folder).sort()).toEqual(['state.json', ...others].sort())
})

test('a temporary path belongs to one file', () => {
  const path = temporaryFor('/a/state.json')
  expect(isTemporaryFor('/a/state.json', path)).toBe(true)
  expect(isTemporaryFor('/a/state', path)).toBe(false)
  expect(isTemporaryFor('/a/state.json', '/a/state.json')).toBe(false)
  expect(isTemporaryFor('/a/state.json', '/a/state.json.old.tmp')).toBe(false)
})
