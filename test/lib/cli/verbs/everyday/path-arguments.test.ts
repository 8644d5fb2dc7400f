import {describe, expect, test} from 'vitest'
import {nameCriterion} from '#lib/cli/verbs/everyday/criteria.js'
import {byName, byPath} from '#lib/cli/verbs/everyday/file-rows.js'
import {parseRemoteTarget, pathOfFolder, recordPath} from '#lib/cli/verbs/everyday/places.js'
import {typeCriterion} from '#lib/cli/verbs/everyday/type-criterion.js'
import {parseBytes} from '#lib/platform/values.js'
import {isBareWord, parseRemotePath} from '#lib/transfer/remote/remote-path.js'

/** Arguments of the everyday verbs, and the order of results. */

test.each([
  ['0', 0],
  ['1.5K', 1536],
  ['10M', 10 * 1024 ** 2],
  ['2g', 2 * 1024 ** 3],
  ['1T', 1024 ** 4],
  ['', undefined],
  ['M', undefined],
  ['-1', undefined],
  ['1 M', undefined],
  ['1P', undefined],
])('%s are %s bytes', (text, bytes) => {
  expect(parseBytes(text)).toBe(bytes)
})

describe('a place', () => {
  test.each([
    ['/', 'top'],
    ['root', 'top'],
    ['drive:', 'drives'],
    ['trash:/', 'trash'],
    ['shared:', 'shared'],
    ['shared:/x', 'path'],
    ['/Reports', 'path'],
  ])('%s', (text, of) => {
    expect(parseRemoteTarget(text).of).toBe(of)
  })

  test.each([
    ['/', '/a'],
    ['/Reports/', '/Reports/a'],
    ['root/Reports', '/Reports/a'],
    ['drive:Finance', 'drive:Finance/a'],
    ['drive:', 'drive:a'],
    ['trash:', 'trash:/a'],
    ['shared:/x', 'shared:/x/a'],
    ['1abc', '1abc/a'],
    ['1abc/Reports', '1abc/Reports/a'],
    ['id:1abc', 'F/a'],
    ['https://files.example.com/folders/1abc', 'F/a'],
  ])('an item in %s has the path %s', (text, path) => {
    // For a link or an ID, the ID in the response counts.
    const folder = pathOfFolder(parseRemoteTarget(text), text === '1abc' ? '1abc' : 'F')
    expect(recordPath(folder, {id: 'A', title: 'a'})).toBe(path)
    expect(parseRemotePath(path).names.at(-1) ?? 'a').toBe('a')
  })

  test('a title that cannot be part of a path is replaced by the ID', () => {
    expect(recordPath('/Reports', {id: 'A', title: 'a/b'})).toBe('id:A')
    expect(recordPath('/Reports', {id: 'A', title: '..'})).toBe('id:A')
    expect(recordPath('id:A', {id: 'B', title: 'b'})).toBe('A/b')
  })
})

test.each([
  ['budget', true],
  ['q3 report.pdf', true],
  ['*.pdf', true],
  ['annual-budget-2026-draft', true],
  ['/budget', false],
  ['a/b', false],
  ['drive:Finance', false],
  ['trash:', false],
  ['id:abc', false],
  ['https://files.example.com/folders/1abc', false],
  ['1hQ8Zk3yXo4bT9vRpL2mNcWdEfGaJsKuI', false],
  ['root', false],
  ['-', false],
  ['', false],
])('%j is a bare word: %j', (text, expected) => {
  expect(isBareWord(text)).toBe(expected)
})

test('names are in natural order, paths name by name', () => {
  const titles = ['q10', 'Q2', 'a', 'Ä', 'q1', 'B']
  const rows = titles.map(title => ({title, id: title, path: `/${title}`}))
  expect(rows.toSorted(byName).map(({title}) => title)).toEqual(['a', 'Ä', 'B', 'q1', 'Q2', 'q10'])
  const paths = ['/a b', '/a/c', '/a', '/a-', '/a/b10', '/a/b9'].map(path => ({path}))
  expect(
    paths
      .toSorted(byPath)
      .map(({path}) => path)
      .join(' | '),
  ).toBe('/a | /a/b9 | /a/b10 | /a/c | /a b | /a-')
})

describe('--name', () => {
  test.each([
    ['q*.pdf', 'Q3.PDF', true],
    ['q*.pdf', 'q3.pdf.txt', false],
    ['*a*', 'b/a', true],
    ['a/*', 'a/b', true],
    ['..', '..', true],
    ['*', '.', true],
    ['!a', '!a', true],
    ['#a', '#a', true],
    ['a ', 'a ', true],
    ['a ', 'a', false],
    ['[ab]?', 'b1', true],
    ['[!ab]*', 'c', true],
    ['[!ab]*', 'a', false],
    ['\\*', '*', true],
    ['\\*', 'a', false],
    ['report', 'report 3', false],
    ['cafe\u0301*', 'caf\u00e9.txt', true],
    ['a**b', 'axxb', true],
    ['*', 'two\nlines', true],
  ])('%j and %j: %j', async (glob, title, fits) => {
    expect((await nameCriterion(glob)).matches?.({title})).toBe(fits)
  })

  test.each([
    ["it's", "title = 'it\\'s'"],
    ['q3 rep*', "title contains 'q3'"],
    ['*q3', undefined],
    ['\u00e4*', undefined],
    ['[ab]*', undefined],
  ])('%j has the search term %j', async (glob, term) => {
    expect((await nameCriterion(glob)).term).toBe(term)
  })
})

describe('--type', () => {
  const GOOGLE = 'application/vnd.google-apps.'
  test.each([
    ['folder', `${GOOGLE}folder`, 'x', true],
    ['doc', `${GOOGLE}document`, 'x', true],
    ['doc', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'x', true],
    ['sheet', 'text/csv', 'x.csv', false],
    ['csv', 'text/csv', 'x', true],
    ['.csv', 'text/plain', 'x.CSV', true],
    ['csv', `${GOOGLE}folder`, 'x.csv', false],
    ['image', 'image/png', 'x', true],
    ['image/*', 'image/png', 'x', true],
    ['image/png', 'image/jpeg', 'x', false],
    ['PDF', 'application/pdf', 'x', true],
    ['archive', 'application/zip', 'x', true],
    ['text', 'application/json', 'x', true],
    ['nosuchending', 'application/octet-stream', 'x.nosuchending', true],
  ])('%s and %s, %s: %j', async (type, mimeType, title, fits) => {
    expect((await typeCriterion(type)).matches?.({mimeType, title})).toBe(fits)
  })
})
