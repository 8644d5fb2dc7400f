import {describe, expect, test} from 'vitest'
import {parseSubstitution, substitute} from '#lib/cli/input/substitution.js'

describe('a substitution', () => {
  test.each([
    ['s/new/old/', 'new new.txt', 'old new.txt'],
    ['s/new/old/g', 'new new.txt', 'old old.txt'],
    ['s/NEW/old/gi', 'new New', 'old old'],
    ['s/none/x/', 'new', 'new'],
    ['s/^/2026-/', 'a.txt', '2026-a.txt'],
    ['s/\\.jpe?g$/.jpg/i', 'A.JPEG', 'A.jpg'],
    ['s/(\\w+) (\\w+)/\\2 $1/', 'one two three', 'two one three'],
    ['s/(?<a>.)(x)?/${1}-$2-\\0-$&/', 'ab', 'a--a-ab'],
    ['s/.*/\\L$&/', 'ABC.TXT', 'abc.txt'],
    ['s/(.)(.*)/\\U$1\\L$2\\E!x/', 'aBC', 'Abc!x'],
    ['s|a/b|c|', 'a/b', 'c'],
    ['s/a\\/b/c\\/d/', 'a/b', 'c/d'],
    ['s/ / & /', 'a b', 'a & b'],
    ['s/\\\\/x/', 'a\\b', 'axb'],
    ['s/.$/x/', 'a😀', 'ax'],
    ['s/x*/-/g', 'abc', '-a-b-c-'],
    ['s/$/$/', 'a', 'a$'],
    ['s,a,,', 'abc', 'bc'],
  ])('%s turns %j into %j', (expression, text, result) => {
    expect(substitute(parseSubstitution(expression), [text])).toEqual([result])
  })

  test.each([
    's/a',
    's/a/b',
    's//b/',
    's/a/b/x',
    's/a/b/c/',
    'y/a/b/',
    'a',
    '',
    'sxaxbx',
    's/(/b/',
  ])('%j is refused', expression => {
    expect(() => parseSubstitution(expression)).toRead()
  })

  test('has a time limit', () => {
    const slow = parseSubstitution('s/^(\\w+\\s?)+$/x/')
    const before = Date.now()
    expect(() => substitute(slow, [`${'a'.repeat(5000)}!`])).toRead()
    expect(Date.now() - before).toBeLessThan(10_000)
  })
})
