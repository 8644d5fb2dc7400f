import {describe, expect, test} from 'vitest'
import {operation} from '#lib/api/operations.js'
import {driveQueryFields, fileQueryFields} from '#lib/api/query/query.js'
import {everydayQuery} from '#lib/cli/input/everyday-query.js'
import {withTimes} from '#lib/cli/input/everyday-values.js'
import {refuseUnreadableQuery} from '#lib/cli/input/query-check.js'
import {columnNames} from '#lib/cli/output/columns-flag.js'
import {everydayNames, fieldFor} from '#lib/cli/output/everyday-names.js'

const NOW = Date.UTC(2026, 10, 30, 12)

describe('a query in everyday words', () => {
  test.each([
    ["name contains 'name'", "title contains 'name'"],
    ["name = 'a' and type contains 'image/'", "title = 'a' and mimeType contains 'image/'"],
    ["modified > '7d'", "modifiedDate > '2026-11-23T12:00:00.000Z'"],
    ["createdTime<'2026-01-31'", "createdDate<'2026-01-31'"],
    ["owner = 'me'", "'me' in owners"],
    [`not owner="x@y.z" and trashed`, `not "x@y.z" in owners and trashed`],
    ["'me' in owner", "'me' in owners"],
    ["parent = 'root' or parents = 'x'", "'root' in parents or 'x' in parents"],
    [
      String.raw`title = 'it\'s name' or name = 'b'`,
      String.raw`title = 'it\'s name' or title = 'b'`,
    ],
    ["properties has {key='name' and value='7d'}", "properties has {key='name' and value='7d'}"],
    ["labels/name.type = 'x'", "labels/name.type = 'x'"],
    ["title contains 'open", "title contains 'open"],
    ['', ''],
  ])('%s', (text, expected) => {
    expect(everydayQuery(text, fileQueryFields, NOW)).toBe(expected)
  })

  test('shared drives have names', () => {
    const text = "name contains 'x' and created > '1y'"
    expect(everydayQuery(text, driveQueryFields, NOW)).toBe(
      "name contains 'x' and createdDate > '2025-11-30T12:00:00.000Z'",
    )
  })

  test.each(['size > 100', "path = '/x'"])('%s suggests find', text => {
    expect(() => refuseUnreadableQuery(operation('files.list'), text)).toThrow(
      expect.objectContaining({
        hint: expect.stringContaining('`drv find'),
      }),
    )
  })
})

test.each([
  ['files.list', 'name', 'title'],
  ['files.list', 'size', 'fileSize'],
  ['files.list', 'owner', 'ownerNames'],
  ['files.list', 'path', 'path'],
  ['files.list', 'modified', 'modifiedDate'],
  ['files.list', 'created', 'createdDate'],
  ['files.list', 'starred', 'labels.starred'],
  ['files.list', 'title', 'title'],
  ['files.list', 'nope', 'nope'],
  ['files.list', 'constructor', 'constructor'],
  ['drives.list', 'name', 'name'],
  ['drives.list', 'title', 'name'],
  ['changes.list', 'name', 'file.title'],
  ['permissions.list', 'expires', 'expirationDate'],
  ['revisions.list', 'size', 'fileSize'],
] as const)('a column of %s: %s is %s', (id, column, field) => {
  expect(fieldFor(column, columnNames(operation(id)))).toBe(field)
})

test('only names with an API field of another name are offered', () => {
  expect(everydayNames(['id', 'name', 'createdDate'])).toEqual(['title', 'created'])
})

describe('times in flags', () => {
  test.each([
    [
      'permissions.insert',
      {'expiration-date': '30d'},
      {'expiration-date': '2026-12-30T12:00:00.000Z'},
    ],
    [
      'permissions.patch',
      {'expiration-date': '-1h'},
      {'expiration-date': '2026-11-30T11:00:00.000Z'},
    ],
    [
      'files.patch',
      {'modified-date': '2d', title: '30d'},
      {'modified-date': '2026-11-28T12:00:00.000Z', title: '30d'},
    ],
    [
      'files.patch',
      {'modified-date': '2026-01-01T00:00:00Z'},
      {'modified-date': '2026-01-01T00:00:00Z'},
    ],
    ['files.patch', {'modified-date': 'x'}, {'modified-date': 'x'}],
    ['files.watch', {expiration: '1d'}, {expiration: String(NOW + 86_400_000)}],
    ['files.watch', {expiration: '1793000000000'}, {expiration: '1793000000000'}],
  ] as const)('%s %j', (id, flags, expected) => {
    expect(withTimes(operation(id), flags, NOW)).toEqual(expected)
  })
})
