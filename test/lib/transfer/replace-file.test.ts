import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import {tmpdir} from 'node:os'
import {basename, join} from 'node:path'
import {afterEach, beforeEach, expect, test} from 'vitest'
import {holdFolder} from '#lib/transfer/local/held-folder.js'
import {FileChangedError, moveFile, replaceUnchanged} from '#lib/transfer/replace-file.js'
import {createKeptFiles} from '#lib/transfer/sync/kept-files.js'

let root: string
let now: number
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'drv-'))
  now = Date.UTC(2026, 4, 4)
})
afterEach(() => rmSync(root, {recursive: true}))

const at = (name: string) => join(root, name)
const contents = () =>
  Object.fromEntries(
    readdirSync(root)
      .filter(name => lstatSync(at(name)).isFile())
      .map(name => [name.replace(/20\d\d-\S+ \S+(?=\))/, 'TIME'), readFileSync(at(name), 'utf8')]),
  )

/** Replaces `a.txt` with `new`; `between` runs after its state was read. */
function replace(between: () => void = () => undefined) {
  const kept = createKeptFiles({root, now: () => now, host: 'laptop'})
  writeFileSync(at('a.txt'), 'old')
  writeFileSync(at('part'), 'new')
  const {size, mtimeMs, ino} = lstatSync(at('a.txt'))
  const state = {size, modified: Math.floor(mtimeMs), inode: ino}
  between()
  const folder = holdFolder(root)
  try {
    const replaced = kept.replacing(at('a.txt'), state)
    replaceUnchanged(folder, {part: at('part'), path: at('a.txt'), replaced})
  } finally {
    folder.close()
    rmSync(at('part'), {force: true})
  }
  return kept
}

test('an unchanged file is replaced, and kept for a while', () => {
  const kept = replace()
  expect(readFileSync(at('a.txt'), 'utf8')).toBe('new')
  expect(kept.check()).toEqual([])
  expect(readdirSync(root)).toEqual(['.drv-trash', 'a.txt'])
  now += 2000
  expect(kept.check()).toEqual([])
  expect(readdirSync(root)).toEqual(['a.txt'])
})

test.each([
  ['was written to', () => writeFileSync(at('a.txt'), 'saved')],
  [
    'was replaced',
    () => {
      writeFileSync(at('saving'), 'saved')
      renameSync(at('saving'), at('a.txt'))
    },
  ],
])('a file that %s stays', (_, change) => {
  expect(() => replace(change)).toThrow(FileChangedError)
  expect(contents()).toEqual({'a.txt': 'saved'})
})

test('a file that was removed is not created again', () => {
  expect(() => replace(() => rmSync(at('a.txt')))).toThrow(FileChangedError)
  expect(contents()).toEqual({})
})

test('a version that a program writes to the replaced file gets a name', () => {
  let descriptor = 0
  const kept = replace(() => (descriptor = openSync(at('a.txt'), 'r+')))
  writeSync(descriptor, 'saved later')
  const [rescued] = kept.check(true)
  expect(rescued!.path).toBe(at('a.txt'))
  expect(basename(rescued!.to)).toMatch(/^a \(conflict from laptop, /)
  expect(contents()).toEqual({
    'a.txt': 'new',
    'a (conflict from laptop, TIME).txt': 'saved later',
  })
})

test('a second such version does not replace the first one', () => {
  const first = openSync(at('a.txt'), 'w')
  const one = replace()
  writeSync(first, 'first')
  const second = openSync(at('a.txt'), 'r+')
  const other = replace()
  writeSync(second, 'second')
  one.check(true)
  other.check(true)
  expect(Object.values(contents()).sort()).toEqual(['first', 'new', 'second'])
})

test('a version of a file in a folder that is gone stays with the removed files', () => {
  mkdirSync(at('f'))
  writeFileSync(at('f/a.txt'), 'old')
  writeFileSync(at('f/part'), 'new')
  const kept = createKeptFiles({root, now: () => now, host: 'laptop'})
  const descriptor = openSync(at('f/a.txt'), 'r+')
  const {size, mtimeMs} = lstatSync(at('f/a.txt'))
  const replaced = kept.replacing(at('f/a.txt'), {size, modified: mtimeMs})
  const folder = holdFolder(at('f'))
  replaceUnchanged(folder, {part: at('f/part'), path: at('f/a.txt'), replaced})
  folder.close()
  rmSync(at('f'), {recursive: true})
  writeSync(descriptor, 'saved later')
  const [rescued] = kept.check(true)
  expect(rescued!.to).toContain('.drv-trash')
  expect(readFileSync(rescued!.to, 'utf8')).toBe('saved later')
})

test('a moved file keeps its content, and never replaces another one', () => {
  mkdirSync(at('to'))
  writeFileSync(at('a.txt'), 'content')
  const [from, to] = [holdFolder(root), holdFolder(at('to'))]
  moveFile({from, to}, {from: 'a.txt', to: 'b.txt', aside: '.aside'})
  expect(contents()).toEqual({})
  expect(readFileSync(at('to/b.txt'), 'utf8')).toBe('content')
  writeFileSync(at('c.txt'), 'other')
  const again = () => moveFile({from, to}, {from: 'c.txt', to: 'b.txt', aside: '.aside'})
  expect(again).toThrow(/EEXIST/)
  expect(contents()).toEqual({'c.txt': 'other'})
  expect(existsSync(at('.aside'))).toBe(false)
  from.close()
  to.close()
})
