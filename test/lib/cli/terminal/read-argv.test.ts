import {expect, test} from 'vitest'
import {readArgv, splitAtDashes} from '#lib/cli/terminal/read-argv.js'

const flags = {
  json: {type: 'boolean', char: 'J'},
  quiet: {type: 'boolean', char: 'q'},
  convert: {type: 'boolean', allowNo: true},
  limit: {type: 'option', char: 'L', aliases: ['most']},
  output: {type: 'option', char: 'o'},
} as const

/** A short form of a token: `limit=5`, `limit?` without its value, `unknown` in brackets. */
function told(line: string): readonly string[] {
  return readArgv(line.split(' ').filter(Boolean), flags).map(
    ({kind, words, spelling, names, isKnown, value, lacksValue}) => {
      if (kind !== 'flag') return `${kind} ${words.join(' ')}`
      const flag = isKnown ? names.join('+') : `(${spelling})${names.join('+')}`
      return `${flag}${value === undefined ? '' : `=${value}`}${lacksValue ? '?' : ''}`
    },
  )
}

test.each([
  ['', []],
  ['ls /a', ['argument ls', 'argument /a']],
  ['--json a', ['json', 'argument a']],
  ['--json=true', ['json=true']],
  ['--no-convert', ['convert']],
  ['--no-json', ['(--no-json)']],
  ['--limit 5 a', ['limit=5', 'argument a']],
  ['--limit=5 a', ['limit=5', 'argument a']],
  ['--limit= a', ['limit=', 'argument a']],
  ['--most 5', ['limit=5']],
  ['--limit', ['limit?']],
  ['--limit --json', ['limit?', 'json']],
  ['--limit -qJ', ['limit?', 'quiet+json']],
  ['--limit -5', ['limit=-5']],
  ['--limit --title', ['limit=--title']],
  ['--limit -- a', ['limit?', 'dashes --', 'behind a']],
  ['--title a', ['(--title)', 'argument a']],
  ['--title=a b', ['(--title)=a', 'argument b']],
  ['--toString --constructor=a', ['(--toString)', '(--constructor)=a']],
  ['-q', ['quiet']],
  ['-qJ a', ['quiet+json', 'argument a']],
  ['-L 5 a', ['limit=5', 'argument a']],
  ['-L5 a', ['limit=5', 'argument a']],
  ['-qL 5', ['quiet+limit=5']],
  ['-qL5', ['quiet+limit=5']],
  ['-oJ', ['output=J']],
  ['-o', ['output?']],
  ['-qx', ['(-qx)quiet']],
  ['-x 5', ['(-x)', 'argument 5']],
  ['-o -', ['output=-']],
  ['- a', ['argument -', 'argument a']],
  ['a -- --json -- -q', ['argument a', 'dashes --', 'behind --json', 'behind --', 'behind -q']],
])('%s', (line, tokens) => {
  expect(told(line)).toEqual(tokens)
})

test.each(['ls --limit 5 -qL5 -- --json', '-o', '--limit -- x', '- -x'])(
  'the words of all tokens of `%s` form the line, in order',
  line => {
    const argv = line.split(' ')
    const tokens = readArgv(argv, flags)
    expect(tokens.flatMap(({words}) => words)).toEqual(argv)
    for (const {at, words} of tokens) expect(argv[at]).toBe(words[0])
  },
)

test.each([
  [['a', '-q'], ['a', '-q'], []],
  [['a', '--', 'b', '--', 'c'], ['a'], ['--', 'b', '--', 'c']],
  [['--'], [], ['--']],
])('%j is split at its dashes', (argv, own, rest) => {
  expect(splitAtDashes(argv)).toEqual({own, rest})
})
