import {expect, test} from 'vitest'
import {cleanSchema} from '#lib/api/document/clean.js'
import {parameterProblem} from '#lib/api/validate.js'
import {matchesPattern} from '#lib/cli/input/call-input.js'

test.each([
  ['[a-z]+', 'abc', true],
  ['[a-z]+', 'abc1', false],
  ['a|b', 'ab', false],
  ['', '', true],
  ["^it's$", "it's", true],
  // Syntax that only Java supports is left to the service.
  ['a++', 'b', true],
])('%s matches %s: %s', (pattern, text, matches) => {
  expect(matchesPattern(pattern, text)).toBe(matches)
})

test.each([
  String.raw`(\w+\s?)+`,
  '(a*)*b',
  '(a|aa)+b',
  '(?=(a+)+b)a',
  '(.*)'.repeat(20) + 'x',
  `${'a{0,60000}'.repeat(20)}b`,
])('%s is stopped after a moment, once, and left to the service', pattern => {
  const text = `${'a'.repeat(5000)}!`
  const before = process.cpuUsage()
  for (let count = 0; count < 20; count++) {
    expect(parameterProblem('id', {type: 'string', pattern}, text, matchesPattern)).toBeUndefined()
  }
  expect(process.cpuUsage(before).user / 1e6).toBeLessThan(1.5)
})

test('a limit with a million digits is ignored', () => {
  const digits = '9'.repeat(1_000_000)
  expect(cleanSchema({type: 'integer', maximum: digits})).not.toHaveProperty('maximum')
  expect(cleanSchema({type: 'integer', maximum: '-99'})).toMatchObject({maximum: '-99'})
})
