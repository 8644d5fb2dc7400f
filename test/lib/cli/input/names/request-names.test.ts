import {describe, expect, test} from 'vitest'
import {operation, type OperationId} from '#lib/api/operations.js'
import type {Kind} from '#lib/cli/input/names/file-kinds.js'
import {
  acceptedForms,
  isName,
  kindOfParameter,
  namedItems,
} from '#lib/cli/input/names/request-names.js'

describe('a word that is resolved', () => {
  test.each<[kind: Kind, text: string]>([
    ['file', '/Reports'],
    ['file', 'drive:Finance'],
    ['file', 'https://example.com/file/d/1abc'],
    ['file', 'id:1abc'],
    ['file', 'report.pdf'],
    ['file', '1abc/Reports'],
    ['files', '/A,/B'],
    ['drive', 'My Team'],
    ['drive', 'drive:Finance'],
    ['permission', 'ann@example.com'],
    ['permission', 'example.com'],
    ['permission', 'anyone'],
    ['revision', 'head'],
  ])('as a %s: %s', (kind, text) => {
    expect(isName(kind, text)).toBe(true)
  })

  test.each<[kind: Kind, text: string]>([
    ['file', '1abc'],
    ['file', 'a'],
    ['file', 'root'],
    ['file', ''],
    ['file', '..'],
    ['file', '%2e%2e'],
    ['file', 'trash'],
    ['file', 'Trash/'],
    ['files', '1abc,2def'],
    ['drive', 'Finance'],
    ['drive', ''],
    ['permission', '0123'],
    ['permission', 'anyoneWithLink'],
    ['permission', '..'],
    ['revision', '12'],
  ])('and one that is not, as a %s: %j', (kind, text) => {
    expect(isName(kind, text)).toBe(false)
  })
})

test.each<[OperationId, args: object, flags: object, positions: string[]]>([
  ['files.get', {file_id: 'A'}, {'revision-id': 'head'}, ['params.fileId', 'params.revisionId']],
  ['files.insert', {}, {parent: '/', id: 'new'}, ['body.parents.0.id']],
  ['parents.insert', {file_id: 'A'}, {id: '/B'}, ['params.fileId', 'body.id']],
  ['files.patch', {file_id: 'A'}, {'add-parents': '/B'}, ['params.fileId', 'params.addParents']],
  ['changes.list', {}, {'drive-id': 'Finance', fields: 'id'}, ['params.driveId']],
  ['apps.get', {app_id: 'A'}, {}, []],
])('%s takes names for %j %j', (id, args, flags, positions) => {
  const words = namedItems(operation(id), {...args}, {...flags})
  expect(words.map(({position}) => position.join('.'))).toEqual(positions)
})

test('the help says what can be used instead of an ID', () => {
  expect(
    ['fileId', 'driveId', 'fields'].map(name =>
      acceptedForms(kindOfParameter(operation('files.get'), name)),
    ),
  ).toEqual(['path, link or ID', 'ID or name', undefined])
})
