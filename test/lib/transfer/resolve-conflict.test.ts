import {describe, expect, test} from 'vitest'
import {IF_EXISTS, type IfExists, resolveConflict} from '#lib/transfer/resolve-conflict.js'

const file = {kind: 'file', id: 'file'} as const
const other = {kind: 'other', id: 'other'} as const
const folder = {kind: 'folder', id: 'folder'} as const
const incoming = {kind: 'file', id: 'incoming'} as const

const title = 'a.txt'
const numbered = {title: 'a (1).txt'}
const freeName = () => numbered.title
type Thing = typeof file | typeof other | typeof folder | typeof incoming
type Row = readonly [
  state: string,
  names: {existing: readonly Thing[]; claimed?: boolean; incoming?: Thing},
  expected: Readonly<Record<IfExists, unknown>>,
]

const all = (one: unknown) => ({replace: one, skip: one, fail: one, rename: one})

const TABLE: readonly Row[] = [
  ['a free name', {existing: []}, all({title})],
  [
    'a file',
    {existing: [file]},
    {
      replace: {title, replaces: file},
      skip: {kept: file},
      fail: {conflict: 'exists'},
      rename: numbered,
    },
  ],
  [
    'a document without content',
    {existing: [other]},
    {
      replace: {title, replaces: other},
      skip: {kept: other},
      fail: {conflict: 'exists'},
      rename: numbered,
    },
  ],
  [
    'two of the name',
    {existing: [file, other]},
    {
      replace: {conflict: 'several'},
      skip: {kept: file},
      fail: {conflict: 'exists'},
      rename: numbered,
    },
  ],
  [
    'itself',
    {existing: [incoming]},
    {
      replace: {conflict: 'itself'},
      skip: {kept: incoming},
      fail: {conflict: 'exists'},
      rename: numbered,
    },
  ],
  [
    'a folder in the way of a file',
    {existing: [folder]},
    {
      replace: {conflict: 'folder'},
      skip: {kept: folder},
      fail: {conflict: 'exists'},
      rename: numbered,
    },
  ],
  [
    'a file in the way of a folder',
    {existing: [file], incoming: folder},
    {
      replace: {conflict: 'folder'},
      skip: {kept: file},
      fail: {conflict: 'exists'},
      rename: numbered,
    },
  ],
  [
    'a name that the same command gives away',
    {existing: [], claimed: true},
    {...all({conflict: 'claimed'}), rename: numbered},
  ],
  [
    'a file that the same command put there',
    {existing: [file], claimed: true},
    {...all({conflict: 'claimed'}), skip: {kept: file}, rename: numbered},
  ],
]

describe.each(TABLE)('%s', (_, names, expected) => {
  test.each(IF_EXISTS)('with %s', choice => {
    expect(resolveConflict(choice, {title, incoming, freeName, ...names})).toEqual(expected[choice])
  })
})

test('new content without an ID replaces a file without one', () => {
  const nameless = {kind: 'file'} as const
  expect(resolveConflict('replace', {title, existing: [nameless], freeName})).toEqual({
    title,
    replaces: nameless,
  })
})

test('an unused name is searched for only if needed', () => {
  let asked = 0
  for (const choice of IF_EXISTS) {
    resolveConflict(choice, {title, existing: [file], freeName: () => asked++})
  }
  expect(asked).toBe(1)
})
