import {expect, test} from 'vitest'
import {operation, type OperationId} from '#lib/api/operations.js'
import type {Schema} from '#lib/api/types.js'
import {bodyProblems, parameterProblem, parameterValue} from '#lib/api/validate.js'

test.each<[schema: Schema, text: string, rule: string | undefined]>([
  [{type: 'boolean'}, 'true', undefined],
  [{type: 'boolean'}, 'yes', 'type'],
  [{type: 'integer', format: 'int32'}, '12', undefined],
  [{type: 'integer', format: 'int32'}, '-1', undefined],
  [{type: 'integer', format: 'int32'}, '1.5', 'type'],
  [{type: 'integer', format: 'int32'}, '', 'type'],
  [{type: 'integer', format: 'int32'}, '2147483648', 'range'],
  [{type: 'integer', format: 'int32', minimum: '1'}, '0', 'range'],
  [{type: 'integer', format: 'int32', minimum: '1', maximum: '100'}, '101', 'range'],
  [{type: 'string', format: 'int64'}, '9223372036854775807', undefined],
  [{type: 'string', format: 'int64'}, 'x', 'type'],
  [{type: 'number'}, '0.5', undefined],
  [{type: 'number'}, 'half', 'type'],
  [{type: 'string', enum: ['A', 'B']}, 'A', undefined],
  [{type: 'string', enum: ['A', 'B']}, 'a', 'enum'],
  [{type: 'string', format: 'date-time'}, '2026-11-21T09:30:00.5+01:00', undefined],
  [{type: 'string', format: 'date-time'}, '2026-11-21', 'type'],
  [{type: 'string', format: 'date'}, '21.11.2026', 'type'],
  [{type: 'string', format: 'date-time'}, '2026-02-30T00:00:00Z', 'type'],
  [{type: 'string', format: 'date'}, '2026-02-29', 'type'],
  [{type: 'string', format: 'date'}, '2028-02-29', undefined],
  [{type: 'string'}, 'a\0b', 'type'],
  [{type: 'string', pattern: 'a+'}, 'aab', 'pattern'],
  [{type: 'string', format: 'byte'}, 'YQ-_', undefined],
  [{type: 'string', format: 'byte'}, 'a b', 'type'],
])('parameterProblem(%j, %j)', (schema, text, rule) => {
  const problem = parameterProblem('name', schema, text)
  expect(problem?.rule).toBe(rule)
  if (problem) expect(problem.text).toRead()
})

test('64-bit numbers stay strings', () => {
  expect(parameterValue({type: 'boolean'}, 'false')).toBe(false)
  expect(parameterValue({type: 'integer', format: 'int32'}, '7')).toBe(7)
  expect(parameterValue({type: 'string', format: 'int64'}, '7')).toBe('7')
})

test.each<[id: OperationId, body: unknown, problems: string[]]>([
  ['files.insert', {}, []],
  ['files.insert', {title: 'x', labels: {starred: true}}, []],
  ['files.insert', {title: null}, []],
  ['files.insert', {unknownField: 1, id: 'x'}, []],
  ['files.insert', {title: 1}, ['title type']],
  ['files.insert', {labels: {starred: 'yes'}}, ['labels.starred type']],
  ['files.insert', {parents: {id: 'x'}}, ['parents type']],
  ['files.insert', {parents: [{id: 1}]}, ['parents[0].id type']],
  ['files.insert', {parents: [null]}, ['parents[0] type']],
  ['files.insert', {parents: null}, []],
  ['files.insert', {title: 'a\0b'}, ['title type']],
  ['files.insert', {fileSize: {}}, []],
  ['files.insert', [], [' type']],
  ['files.patch', {constructor: {}}, []],
  ['parents.insert', {}, ['id required']],
  ['permissions.insert', {role: 'reader'}, ['type required']],
  ['permissions.patch', {}, []],
  ['permissions.update', {expirationDate: 'soon'}, ['expirationDate type']],
  ['changes.watch', {id: 'a', address: 'x', expiration: 12}, []],
  ['files.get', 'anything', []],
])('bodyProblems(%s, %j)', (id, body, problems) => {
  const found = bodyProblems(operation(id), body).map(({at, rule}) => `${at} ${rule}`)
  expect(found).toEqual(problems)
})
