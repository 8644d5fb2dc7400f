import {expect, test} from 'vitest'
import {operation} from '#lib/api/operations.js'
import {listFields} from '#lib/cli/output/list-fields.js'

test.each([
  ['files.list', 'id', 'items(id)'],
  [
    'files.list',
    'id,labels/trashed,owners(displayName)',
    'items(id,labels/trashed,owners(displayName))',
  ],
  ['files.list', 'items(id),nextPageToken', 'items(id),nextPageToken'],
  ['files.list', 'items/id', 'items/id'],
  ['files.list', 'nextPageToken', 'nextPageToken'],
  ['files.list', '*', '*'],
  ['files.list', 'id,nonsense', 'items(id,nonsense)'],
  ['files.list', 'nonsense', 'nonsense'],
  ['files.list', 'id,(', 'id,('],
  ['permissions.list', 'role,emailAddress', 'items(role,emailAddress)'],
  ['changes.list', 'fileId,file/title', 'items(fileId,file/title)'],
] as const)('%s: %s requests %s', (id, text, asked) => {
  expect(listFields(operation(id), text)).toBe(asked)
})
