import {describe, expect, test} from 'vitest'
import {operation, type OperationId} from '#lib/api/operations.js'
import type {Parsed} from '#lib/cli/input/call-input.js'
import {
  applyRecord,
  type RecordCommand,
  refuseUnknownNames,
} from '#lib/cli/input/items/fill-records.js'
import {argsOf, flagsOf} from '#lib/cli/input/operation-flags.js'

function fillable(id: OperationId): RecordCommand {
  const described = operation(id)
  return {operation: described, args: argsOf(described), flags: flagsOf(described)}
}

const nothing: Parsed = {args: {}, flags: {}}
const row = (record: object) => ({record: record as Record<string, unknown>, isRow: true})
const json = (record: object) => ({record: record as Record<string, unknown>, isRow: false})
const insert = fillable('permissions.insert')
const patch = fillable('files.patch')

describe('a record fills', () => {
  test.each<[string, RecordCommand, ReturnType<typeof row>, Partial<Parsed>]>([
    ['an argument by its name', patch, row({fileId: 'A'}), {args: {file_id: 'A'}}],
    ['in kebab case', patch, row({'file-id': 'A'}), {args: {file_id: 'A'}}],
    ['by what records call it', patch, row({id: 'A'}), {args: {file_id: 'A'}}],
    ['by a path', patch, row({path: '/a'}), {args: {file_id: '/a'}}],
    [
      'the ID before other names of it',
      patch,
      row({fileId: 'A', title: 't'}),
      {args: {file_id: 'A'}},
    ],
    ['flags in camel case', patch, row({newRevision: 'FALSE'}), {flags: {'new-revision': false}}],
    ['flags in kebab case', patch, row({'new-revision': 'true'}), {flags: {'new-revision': true}}],
    ['numbers as texts', insert, json({fileId: 7}), {args: {file_id: '7'}}],
    ['fields of the body', patch, row({title: 't'}), {flags: {title: 't'}}],
    [
      'fields within others',
      patch,
      row({'labels.starred': 'true', 'labels.hidden': 'false'}),
      {document: {labels: {starred: true, hidden: false}}},
    ],
    [
      'nested records',
      patch,
      json({labels: {starred: true}}),
      {document: {labels: {starred: true}}},
    ],
    ['lists', patch, row({parents: '[{"id": "F"}]'}), {document: {parents: [{id: 'F'}]}}],
    ['nothing for an empty cell', patch, row({id: 'A', title: ''}), {flags: {}}],
    ['nothing of a flag for null', patch, json({newRevision: null}), {flags: {}}],
    ['a field with null', patch, json({labels: null}), {document: {labels: null}}],
  ])('%s', (_, command, record, wanted) => {
    expect(applyRecord(command, nothing, record)).toMatchObject(wanted)
  })

  test('only what the command line leaves open', () => {
    const given: Parsed = {
      args: {file_id: 'A'},
      flags: {'new-revision': false},
      document: {labels: {starred: false}},
    }
    const record = row({newRevision: 'true', 'labels.starred': 'true', 'labels.hidden': 'true'})
    expect(applyRecord(patch, given, record)).toEqual({
      args: {file_id: 'A'},
      flags: {'new-revision': false},
      document: {labels: {starred: false, hidden: true}},
    })
  })
})

test.each<[RecordCommand, ReturnType<typeof row>]>([
  [patch, row({titel: 'x'})],
  [patch, row({'labels.stared': 'x'})],
  [patch, row({'labels.starred': 'perhaps'})],
  [patch, row({newRevision: 'yes'})],
  [patch, json({fileId: {id: 'A'}})],
  [patch, row({parents: 'F'})],
  [patch, row({constructor: 'x'})],
])('an invalid record is rejected: %#', (command, record) => {
  expect(() => applyRecord(command, nothing, record)).toRead()
})

test('an unknown field gets a suggestion', () => {
  expect(() => applyRecord(patch, nothing, row({titel: 'x'}))).toThrow(
    expect.objectContaining({hint: 'Did you mean "title"?'}),
  )
})

test('names of a header are refused before any row', () => {
  expect(() => refuseUnknownNames(insert, nothing, ['fileId', 'role', 'typ'])).toThrow('"typ"')
  expect(() => refuseUnknownNames(insert, nothing, ['fileId', 'role', 'type'])).not.toThrow()
})
