import {afterEach, beforeEach, expect, test} from 'vitest'
import {searchHandlers} from '#lib/service/handlers/files.js'
import {labelsHandlers as handlers} from '#lib/service/handlers/labels.js'
import {type Bench, type CallOptions, grant, openBench} from './calls.js'

let bench: Bench
let fileId: string
beforeEach(() => {
  bench = openBench()
  fileId = bench.file()
})
afterEach(() => bench.close())

const list = (params: Record<string, string> = {}, options?: CallOptions) =>
  bench.call(handlers['files.listLabels'], 'files.listLabels', {fileId, ...params}, options)
const modify = (labelModifications: unknown, options: CallOptions = {}) =>
  bench.call(
    handlers['files.modifyLabels'],
    'files.modifyLabels',
    {fileId},
    {...options, body: {labelModifications}},
  )
const set = (labelId: string, ...fieldModifications: object[]) => ({labelId, fieldModifications})
const ids = (answer: {items: {id: string}[]}) => answer.items.map(({id}) => id)
const version = () =>
  bench.store.get<{version: number}>('SELECT version FROM files WHERE id = :fileId', {fileId})!
    .version

test('a label holds values of every type', () => {
  const answer = modify([
    set(
      'L',
      {fieldId: 'd', setDateValues: ['2024-02-29']},
      {fieldId: 'i', setIntegerValues: ['9223372036854775807', 5]},
      {fieldId: 's', setSelectionValues: ['a', 'b']},
      {fieldId: 't', setTextValues: ['text']},
      {fieldId: 'u', setUserValues: ['local@example.com', 'far@away.example']},
    ),
  ])
  const field = (id: string, valueType: string, values: unknown) => ({
    kind: 'drive#labelField',
    id,
    valueType,
    [valueType]: values,
  })
  const label = {
    kind: 'drive#label',
    id: 'L',
    revisionId: expect.any(String),
    fields: {
      d: field('d', 'dateString', ['2024-02-29']),
      i: field('i', 'integer', ['9223372036854775807', '5']),
      s: field('s', 'selection', ['a', 'b']),
      t: field('t', 'text', ['text']),
      u: field('u', 'user', [
        expect.objectContaining({emailAddress: 'local@example.com', isAuthenticatedUser: true}),
        {
          kind: 'drive#user',
          displayName: 'far@away.example',
          emailAddress: 'far@away.example',
          isAuthenticatedUser: false,
        },
      ]),
    },
  }
  expect(answer).toEqual({kind: 'drive#modifyLabelsResponse', modifiedLabels: [label]})
  expect(list()).toEqual({kind: 'drive#labelList', items: [label]})
})

test('the response has the added and changed labels, each with a new revision', () => {
  const [first] = modify([set('A'), set('B')]).modifiedLabels
  const answer = modify([
    set('A', {fieldId: 'f', setTextValues: ['x']}),
    set('B'),
    set('C'),
    {labelId: 'D', removeLabel: true},
  ])
  expect(answer.modifiedLabels.map((label: {id: string}) => label.id)).toEqual(['A', 'C'])
  expect(answer.modifiedLabels[0].revisionId).not.toBe(first.revisionId)
  const before = version()
  expect(modify([{labelId: 'A', removeLabel: true}]).modifiedLabels).toEqual([])
  expect(ids(list())).toEqual(['B', 'C'])
  expect(version()).toBe(before + 1)
})

test('fields are set, changed and emptied', () => {
  modify([set('L', {fieldId: 'a', setTextValues: ['1']}, {fieldId: 'b', setTextValues: ['2']})])
  modify([set('L', {fieldId: 'a', unsetValues: true}, {fieldId: 'b', setTextValues: ['3']})])
  expect(list().items[0].fields).toEqual({b: expect.objectContaining({text: ['3']})})
  modify([set('L', {fieldId: 'b', setTextValues: []})])
  expect(list().items[0].fields).toEqual({})
  modify([set('L', {fieldId: 'b', setIntegerValues: ['4']})])
  expect(list().items[0].fields.b.valueType).toBe('integer')
})

test.each<[string, unknown]>([
  ['another type of value', [set('L', {fieldId: 'f', setIntegerValues: ['1']})]],
  [
    'two kinds of values',
    [set('L', {fieldId: 'g', setTextValues: ['1'], setIntegerValues: ['1']})],
  ],
  ['values and none', [set('L', {fieldId: 'f', setTextValues: ['1'], unsetValues: true})]],
  ['nothing to do', [set('L', {fieldId: 'f'})]],
  ['no label', [{fieldModifications: []}]],
  ['no field', [set('L', {setTextValues: ['1']})]],
  ['no such day', [set('L', {fieldId: 'd', setDateValues: ['2026-02-30']})]],
  ['no number', [set('L', {fieldId: 'i', setIntegerValues: ['one']})]],
  ['no address', [set('L', {fieldId: 'u', setUserValues: ['me']})]],
  [
    'fields of a label that goes',
    [{...set('L', {fieldId: 'f', unsetValues: true}), removeLabel: true}],
  ],
  ['too many labels', ['1', '2', '3', '4', '5'].map(id => set(id))],
])('one failing change fails all: %s', (_, modifications) => {
  modify([set('L', {fieldId: 'f', setTextValues: ['x']})])
  const before = [list(), version()]
  expect(() => modify([set('new'), ...(modifications as object[])])).toThrow(
    expect.objectContaining({status: 400}),
  )
  expect([list(), version()]).toEqual(before)
})

test('five labels are allowed after the whole request', () => {
  modify(['1', '2', '3', '4', '5'].map(id => set(id)))
  modify([set('6'), {labelId: '1', removeLabel: true}])
  expect(ids(list())).toEqual(['2', '3', '4', '5', '6'])
})

test('a list in pages', () => {
  modify(['a', 'b', 'c', 'd'].map(id => set(id)))
  const first = list({maxResults: '2'})
  modify([{labelId: 'b', removeLabel: true}, set('a1')])
  const second = list({maxResults: '2', pageToken: first.nextPageToken})
  expect([ids(first), ids(second), second.nextPageToken]).toEqual([
    ['a', 'b'],
    ['c', 'd'],
    undefined,
  ])
  expect(() => list({pageToken: 'x'})).toThrow('Invalid Value')
})

test('readers see labels and writers set them', () => {
  grant(bench, fileId, {login: 'ann'})
  modify([set('L')])
  expect(ids(list({}, {login: 'ann'}))).toEqual(['L'])
  expect(() => modify([set('M')], {login: 'ann'})).toThrow(expect.objectContaining({status: 403}))
  expect(() => list({}, {login: 'eve'})).toThrow(expect.objectContaining({status: 404}))
})

test('files include the requested labels', () => {
  modify([set('L', {fieldId: 'f', setTextValues: ['x']}), set('M')])
  const shown = (params: Record<string, string>) =>
    bench
      .call(searchHandlers['files.list'], 'files.list', params)
      .items[0].labelInfo?.labels?.map((label: {id: string}) => label.id)
  expect(shown({includeLabels: 'L, N'})).toEqual(['L'])
  expect(shown({})).toBeUndefined()
})
