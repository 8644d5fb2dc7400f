import {expect, test} from 'vitest'
import {completedWords, expandAlias, splitLine} from '#lib/config/aliases.js'

test.each([
  ['ls -l /a', ['ls', '-l', '/a']],
  ['  ls  ', ['ls']],
  [`ls '/a b' "c d"e`, ['ls', '/a b', 'c de']],
  [`ls ''`, ['ls', '']],
  [
    String.raw`ls a\ b \"c "d\"e" "f\g" 'h\i'`,
    ['ls', 'a b', '"c', 'd"e', String.raw`f\g`, String.raw`h\i`],
  ],
  ['', []],
  [`ls 'a`, undefined],
])('%j is split into %j', (line, words) => expect(splitLine(line)).toEqual(words))

test.each([
  [['ls', '-l'], ['/a'], {argv: ['ls', '-l', '/a']}],
  [
    ['find', '$1', '--name', '*$2*'],
    ['/a', 'q', '-q'],
    {argv: ['find', '/a', '--name', '*q*', '-q']},
  ],
  [['find', '$2', '$1'], ['a'], {lacks: 2}],
  [['ls', '$1'], ['$1'], {argv: ['ls', '$1']}],
  [['ls'], [], {argv: ['ls']}],
])('%j with %j is %j', (words, rest, expansion) =>
  expect(expandAlias(words, rest)).toEqual(expansion),
)

test.each([
  [['mine'], ['find', '/', '--owner', 'me']],
  [
    ['mine', '/a'],
    ['find', '/', '--owner', 'me', '/a'],
  ],
  [['big'], ['find']],
  [
    ['big', '/a'],
    ['find', '/a', '--larger', '10M'],
  ],
  [
    ['top', '/a'],
    ['top', '/a'],
  ],
  [
    ['ls', '/a'],
    ['ls', '/a'],
  ],
  [[], []],
])('%j completes as %j', (words, completed) => {
  const aliases = {mine: 'find / --owner me', big: 'find $1 --larger 10M', top: '!drv ls | head'}
  expect(completedWords(aliases, words)).toEqual(completed)
})
