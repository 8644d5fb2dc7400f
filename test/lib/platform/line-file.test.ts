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
      const content = given.join('\n') + (isWhole ? '\n' : '')
      writeFileSync(path, content)
      const file = openLineFile(path)
      const lines = [...file.lines(0)]
      const texts = lines.map(({text, isWhole: hasEnd}) => text + (hasEnd ? '\n' : ''))
      expect(texts.join('')).toBe(Buffer.from(content).toString())
      for (const {text, at} of lines.toReversed()) {
        expect(text).not.toContain('\n')
        expect(file.lineAt(at)).toBe(text)
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
