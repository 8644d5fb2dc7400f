import {appendFileSync, mkdtempSync, renameSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import fc from 'fast-check'
import {afterAll, expect, test} from 'vitest'
import {openLineFile} from '#lib/platform/line-file.js'

const folder = mkdtempSync(join(tmpdir(), 'drv-lines-'))
afterAll(() => rmSync(folder, {recursive: true}))
const path = join(folder, 'lines')

const line = fc.oneof(
  fc.string({unit: 'binary'}).map(text => text.replaceAll('\n', '')),
  // Longer than what is read at a time.
  fc.integer({min: 15_000, max: 70_000}).map(length => 'ü'.repeat(length)),
)

test('each line is read in order, from any line on, and again by its position', () => {
  fc.assert(
    fc.property(fc.array(line, {maxLength: 20}), fc.boolean(), (given, isWhole) => {
      writeFileSync(path, given.join('\n') + (isWhole && given.length > 0 ? '\n' : ''))
      const file = openLineFile(path)
      const lines = [...file.lines(0)]
      const texts = Buffer.from(given.join('\n')).toString().split('\n')
      const last = texts.at(-1)
      expect(lines.map(({text}) => text)).toEqual(
        isWhole || last !== '' ? texts.slice(0, given.length) : texts.slice(0, -1),
      )
      for (const {text, at, isWhole: hasEnd} of lines.toReversed()) {
        expect(file.lineAt(at)).toBe(text)
        expect(hasEnd).toBe(isWhole || at !== lines.at(-1)!.at)
      }
      const middle = lines[lines.length >> 1]
      if (middle) expect([...file.lines(middle.end)]).toEqual(lines.slice((lines.length >> 1) + 1))
      file.close()
    }),
    {numRuns: 50},
  )
})

test('a file stays as it was when it was opened', () => {
  writeFileSync(path, 'one\ntwo\n')
  const file = openLineFile(path)
  appendFileSync(path, 'three\n')
  writeFileSync(`${path}.new`, 'other\n')
  renameSync(`${path}.new`, path)
  expect(Array.from(file.lines(0), ({text}) => text)).toEqual(['one', 'two'])
  expect(file.lineAt(4)).toBe('two')
  file.close()
})
