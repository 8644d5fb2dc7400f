import {describe, expect, test} from 'vitest'
import {refuseDocument, wordOf} from '#lib/cli/input/items/record-names.js'

describe('the name in a line', () => {
  test.each([
    ['fileId', 'ID', 'ID'],
    ['fileId', '/Reports/a b', '/Reports/a b'],
    ['fileId', '{"id": "A-1_b"}', 'A-1_b'],
    ['fileId', ' {"fileId": "F", "id": "A", "path": "/p"}', 'F'],
    ['fileId', '{"path": "/p", "id": "A"}', 'A'],
    ['fileId', '{"id": "", "path": "/p/q"}', '/p/q'],
    ['fileId', '{"kind": "drive#file", "id": "A"}', 'A'],
    ['fileId', '{"kind": "drive#childReference", "id": "A"}', 'A'],
    // An ID stays an ID, whatever it looks like.
    ['fileId', '{"id": "a b"}', 'id:a b'],
    ['permissionId', '{"id": "123", "emailAddress": "a@example.com"}', '123'],
    ['permissionId', '{"permissionId": "123"}', '123'],
    ['childId', '{"kind": "drive#file", "id": "A"}', 'A'],
    ['propertyKey', '{"key": "color", "value": "red"}', 'color'],
    ['email', '{"emailAddress": "a@example.com"}', 'a@example.com'],
    ['driveId', '{"kind": "drive#drive", "id": "D"}', 'D'],
  ])('for %s: %s', (parameter, line, word) => {
    expect(wordOf(line, parameter)).toBe(word)
  })

  test.each([
    ['fileId', '{"title": "x"}'],
    ['fileId', '{"id": 7}'],
    ['fileId', '{"id": ""}'],
    ['fileId', '{"kind": "drive#permission", "id": "P"}'],
    ['permissionId', '{"kind": "drive#file", "id": "A"}'],
    ['driveId', '{"kind": "drive#file", "id": "A"}'],
    ['fileId', '{"id": '],
    ['fileId', '[{"id": "A"}]'],
  ])('for %s is missing in %s', (parameter, line) => {
    expect(() => wordOf(line, parameter)).toRead()
  })
})

test.each(['{', ' { ', '[', '[{', '[{"id": "A"}]', '{"items": [', '{"items":'])(
  'a multi-line JSON document is detected by its first line: %s',
  line => expect(() => refuseDocument(line)).toThrow(),
)

test.each(['{"id": "A"}', '{"id": "A"', '/a', 'ID', ''])('%j does not start one', line => {
  expect(() => refuseDocument(line)).not.toThrow()
})
