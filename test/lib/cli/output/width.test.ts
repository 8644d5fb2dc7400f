import stringWidth from 'string-width'
import {describe, expect, test} from 'vitest'
import {sheet} from '#lib/cli/output/sheet.js'
import {displayWidth, fit, pad, wrap} from '#lib/cli/terminal/width.js'

/** Characters of all kinds: single, combining, wide, zero-width, right-to-left. */
const ALPHABET = [
  ...'aZ 9~.éßΩЖ…—─│中あア한！ｱﾞ',
  '\u00ad\u0301\u200b\u200d\ufe0f\u20e3\u05d0\u0600\u0e33\u0903\u0915\u094d\u1100\u1161\u11a8\u302a\u3099',
  '👩',
  '🏽',
  '🇩',
  '❤',
  '\ud83d',
].flatMap(text => [...text])

/** Pseudo-random texts, the same at each run. */
function* texts(count: number): Generator<string> {
  let state = 1
  const next = (below: number) => {
    state = (state * 48271) % 2147483647
    return state % below
  }
  for (let at = 0; at < count; at += 1) {
    yield Array.from({length: next(24)}, () => ALPHABET[next(ALPHABET.length)]).join('')
  }
}

/** Blocks of characters of one kind: CJK ideographs, Hangul syllables with and without a final, private use. */
const BLOCKS = [
  [0x3400, 0x9fff],
  [0xac00, 0xd7a3],
  [0xe000, 0xf8ff],
] as const

/** Whether a code unit represents its neighbors in such a block, as each ninth and both ends do. */
const isSample = (code: number) =>
  BLOCKS.every(([first, last]) => code <= first || code >= last || (code - first) % 9 === 0)

// Takes 1 s alone, and up to 160 s late in a run of all tests: once a process has 16 MB of machine code, V8 compiles
// regular expressions without optimization, and the one for emoji in `string-width` has thousands of alternatives.
test(
  'every code unit has the width of string-width, and each kind between letters',
  {timeout: 300_000},
  () => {
    for (let code = 0x20; code < 0x10000; code += 1) {
      const character = String.fromCharCode(code)
      // Both would treat it as the start of an escape sequence.
      if (character === '\u009b') continue
      if (displayWidth(character) !== stringWidth(character)) expect.fail(code.toString(16))
      if (!isSample(code)) continue
      const text = `${character}a${character}中${character}`
      if (displayWidth(text) !== stringWidth(text)) expect.fail(code.toString(16))
    }
  },
)

test('mixed texts have the width of string-width', () => {
  for (const text of texts(5000)) expect(displayWidth(text)).toBe(stringWidth(text))
})

const graphemes = new Intl.Segmenter(undefined, {granularity: 'grapheme'})

describe.each([1, 2, 7, 20, Infinity])('at %d columns', width => {
  test('a wrapped text keeps its characters and its width', () => {
    for (const text of texts(1000)) {
      const lines = wrap(text, width)
      expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''))
      for (const line of lines) {
        const isOne = [...graphemes.segment(line)].length === 1
        expect(isOne || stringWidth(line) <= width, JSON.stringify({text, line})).toBe(true)
      }
    }
  })

  test('a text that is cut fits', () => {
    for (const text of texts(1000)) {
      const cut = fit(text, width)
      expect(stringWidth(cut)).toBeLessThanOrEqual(width)
      expect(text.startsWith(cut.replace(/…$/, ''))).toBe(true)
      expect(stringWidth(pad(cut, 30))).toBeGreaterThanOrEqual(30)
    }
  })
})

describe('200,000 code units without a blank', () => {
  const LENGTH = 200_000
  const words = {
    letters: 'a',
    'Chinese characters': '中',
    'letters with accents': 'e\u0301',
    'accents on one letter': '\u0301',
    emoji: '👩🏽‍🚀',
    'flags of half a pair': '🇩',
    syllables: '\u1100\u1161\u11a8',
    'characters that are joined': '👩\u200d',
    'letters from right to left': 'ܐ',
    'different letters with accents': Array.from(
      {length: 5000},
      (_, at) => `${String.fromCharCode(0x4e00 + at)}\u0301`,
    ).join(''),
  }
  test.each(Object.entries(words))('of %s are laid out in linear time', (_, word) => {
    const text = word.repeat(LENGTH / word.length)
    const before = process.cpuUsage()
    for (const width of [1, 60, Infinity]) expect(wrap(text, width).join('')).toBe(text)
    expect(displayWidth(fit(text, 60))).toBeLessThanOrEqual(60)
    sheet({description: text}, {width: 80, color: false})
    const {user, system} = process.cpuUsage(before)
    //
    expect((user + system) / 1e6).toBeLessThan(10)
  })
})
