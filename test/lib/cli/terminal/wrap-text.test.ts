import {readdirSync} from 'node:fs'
import {expect, test} from 'vitest'
import {createSay} from '#lib/cli/terminal/say.js'
import {displayWidth} from '#lib/cli/terminal/width.js'
import {wrapText} from '#lib/cli/terminal/wrap-text.js'
import {readRoom} from '../../../support/texts.js'

/** Messages on a terminal are wrapped between words. */

const texts = readdirSync(new URL('../../../texts', import.meta.url)).flatMap(file => [
  ...readRoom(file.replace('.md', '')).values(),
])

test.each([40, 60, 80, 100, 120])('no sentence is cut inside a word at %s columns', width => {
  expect(texts.length).toBeGreaterThan(100)
  for (const text of texts) {
    const lines = wrapText(text, width).split('\n')
    expect(lines.join('\n').split(/\s+/)).toEqual(text.split(/\s+/))
    for (const line of lines.filter(line => displayWidth(line) > width && !line.startsWith('{'))) {
      expect(line.trim().split(' '), line).toHaveLength(1)
    }
  }
})

test.each([
  ['a bc d', 4, 'a bc\nd'],
  ['  a bc d', 6, '  a bc\n  d'],
  ['Run `drv ls -l` now', 12, 'Run\n`drv ls -l`\nnow'],
  ['Run `drv ls -l /very/long` now', 12, 'Run `drv ls\n-l\n/very/long`\nnow'],
  ['/a/path/longer/than/a/line', 10, '/a/path/longer/than/a/line'],
  ['one  two', 20, 'one  two'],
  ['{"a": "b c d e"}', 5, '{"a": "b c d e"}'],
  ['first line\n\nsecond line\n', 6, 'first\nline\n\nsecond\nline\n'],
  ['日本語 日本語', 7, '日本語\n日本語'],
])('%j at %s columns', (text, width, wrapped) => {
  expect(wrapText(text, width)).toBe(wrapped)
})

test('only a terminal gets wrapped lines', () => {
  const said = (stderr: {isTTY?: boolean; columns?: number}) => {
    let text = ''
    createSay({...stderr, write: (chunk: string) => (text += chunk)}, {})('three short words')
    return text
  }
  expect(said({isTTY: true, columns: 12})).toBe('three short\nwords\n')
  expect(said({columns: 12})).toBe('three short words\n')
})
