import {expect, test} from 'vitest'
import {checkFields, parseFields, select} from '#lib/api/fields.js'
import {operation, responseSchema} from '#lib/api/operations.js'

const list = {
  kind: 'drive#fileList',
  nextPageToken: 'more',
  items: [
    {
      id: '1',
      title: 'one',
      labels: {trashed: false, starred: true},
      parents: [{id: 'p', isRoot: true}],
    },
    {id: '2', title: 'two'},
  ],
}

test.each<[selector: string, selected: unknown]>([
  ['nextPageToken', {nextPageToken: 'more'}],
  ['items(id)', {items: [{id: '1'}, {id: '2'}]}],
  ['items/id', {items: [{id: '1'}, {id: '2'}]}],
  [
    'items(id, labels/trashed),kind',
    {
      kind: 'drive#fileList',
      items: [{id: '1', labels: {trashed: false}}, {id: '2'}],
    },
  ],
  ['items/parents(id)', {items: [{parents: [{id: 'p'}]}]}],
  ['items(parents/id)', {items: [{parents: [{id: 'p'}]}]}],
  ['items/labels/*', {items: [{labels: {trashed: false, starred: true}}]}],
  ['items(labels,labels/trashed)', {items: [{labels: {trashed: false, starred: true}}]}],
  ['items(labels/trashed,labels)', {items: [{labels: {trashed: false, starred: true}}]}],
  ['*', list],
  ['*/id', {items: [{id: '1'}, {id: '2'}]}],
  ['etag', {}],
])('select %s', (selector, selected) => {
  expect(select(parseFields(selector), list)).toEqual(selected)
})

test.each(['', ',', 'items(', 'items()', 'items)', 'items//id', 'items id', 'a,'])(
  '%j is not a selector',
  selector => {
    expect(() => parseFields(selector)).toRead()
  },
)

test.each<[selector: string, unknownName: string | undefined]>([
  ['items(id,labels/trashed),nextPageToken', undefined],
  ['items/exportLinks/anything', undefined],
  ['*', undefined],
  ['nope', 'nope'],
  ['items(id,nope)', 'nope'],
  ['items/labels/nope', 'nope'],
  ['constructor', 'constructor'],
  ['items/id/nope', 'nope'],
])('checkFields %s', (selector, unknownName) => {
  const list = operation('files.list')
  const {schemas} = list.document
  const check = () => checkFields(parseFields(selector), responseSchema(list)!, schemas)
  if (unknownName) expect(check).toRead()
  else expect(check).not.toThrow()
})
