import {expect, test} from 'vitest'
import {jsonErrorAt, positionIn} from '#lib/cli/input/json-input.js'

test.each([
  ['', 0],
  ['   ', 3],
  ['{', 1],
  ['{"a": 1', 7],
  ['{a: 1}', 1],
  ['{"a" 1}', 5],
  ['{"a": }', 6],
  ['{"a": 1,}', 8],
  ['{"a": 1 "b": 2}', 8],
  ["{'a': 1}", 1],
  ['[1,]', 3],
  ['[1 2]', 3],
  ['[1}', 2],
  ['{]', 1],
  ['01', 1],
  ['nul', 0],
  ['"open', 0],
  ['"a\nb"', 0],
  ['{} {}', 3],
  ['{"a": tru}', 6],
  ['[[], {"a": [}]', 12],
  ['{"a":\u00a01}', 5],
])('%j is invalid at %i', async (text, offset) => {
  expect(() => JSON.parse(text)).toThrow()
  expect(await jsonErrorAt(text)).toBe(offset)
})

test.each([['{"a": [1, -2.5e3, {"b": null}], "c\\u00e9": "\\n"}'], ['[]'], ['"x"'], [' true ']])(
  '%j is valid',
  async text => {
    JSON.parse(text)
    expect(await jsonErrorAt(text)).toBe(text.length)
  },
)

test('positions start at 1', () => {
  expect(positionIn('ab\ncd', 0)).toBe('line 1, column 1')
  expect(positionIn('ab\ncd', 4)).toBe('line 2, column 2')
})
