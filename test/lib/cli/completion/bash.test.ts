import {execFileSync} from 'node:child_process'
import {expect, test} from 'vitest'
import {quotedForBash, readBashLine} from '#lib/cli/completion/bash-line.js'

const plain = {words: ['x'], current: 'y', kept: '', quote: '', isRedirection: false}

test.each<[line: string, replaced: string, read: object]>([
  ['drv x y', 'y', {}],
  ['A=1 B="2 3" drv x y', 'y', {}],
  ['drv x ', '', {current: ''}],
  ['echo a; drv x y', 'y', {}],
  ['cat $(drv x y', 'y', {}],
  ['drv x > out y', 'y', {}],
  ['drv x 2>err y', 'y', {}],
  ['drv x &>out y', 'y', {}],
  ['drv x >out', 'out', {current: 'out', isRedirection: true}],
  ['drv x > ', '', {current: '', isRedirection: true}],
  ['drv x 2>&1 y', 'y', {}],
  ['drv x <in y', 'y', {}],
  ['drv x /My\\ Re', '/My\\ Re', {current: '/My Re'}],
  ['drv x "/My Re', '/My Re', {current: '/My Re', quote: '"'}],
  ["drv x 'it is", 'it is', {current: 'it is', quote: "'"}],
  ['drv x "a\\"b\\c $d"', 'a\\"b\\c $d"', {current: 'a"b\\c $d', quote: '"'}],
  ['drv x drive:My\\ Dr', 'My\\ Dr', {current: 'drive:My Dr', kept: 'drive:'}],
  ['drv x --format=js', 'js', {current: '--format=js', kept: '--format='}],
  ["drv x 'a b'/c", '/c', {current: 'a b/c', kept: 'a b'}],
  ["drv 'x' y", 'y', {}],
  ['drv $(touch harm) y', 'y', {words: [], current: 'y'}],
])('%s', (line, replaced, read) => {
  expect(readBashLine(line, replaced)).toEqual({...plain, ...read})
})

const NAMES = [
  'a b',
  'a$(x)`y`',
  'a\'b"c',
  'a!!',
  'a\\b',
  'a*?[x]{y,z}',
  'a~#',
  'a;|&<>()',
  'äöü',
  'a/b:c,d@e%f+g=h',
]

test.each(['', '"', "'"] as const)('bash reads back text that is quoted after %j', quote => {
  const texts = quotedForBash(NAMES, quote, true)
  const words = texts.map(text => `${quote}${text}${quote}`).join(' ')
  const read = execFileSync('bash', ['-c', `printf '%s\\0' ${words}`], {encoding: 'utf8'})
  expect(read.split('\0').slice(0, -1)).toEqual(NAMES)
})

test.each<[texts: string[], quote: '' | '"', written: string[]]>([
  [['a b', 'a(b', "a'b"], '', ['a\\ b', "a'('b", `a"'"b`]],
  [['a b', 'a c'], '', ['a\\ b', 'a\\ c']],
  [['a$', 'a`'], '"', ['a\\$', 'a"\'`\'"']],
  [['~/a b'], '', ['~/a\\ b']],
])('%j have no common prefix that ends within a character', (texts, quote, written) => {
  expect(quotedForBash(texts, quote, true)).toEqual(written)
})
