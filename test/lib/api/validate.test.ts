import {expect, test} from 'vitest'
import {operation, type OperationId} from '#lib/api/operations.js'
import type {Schema} from '#lib/api/types.js'
import {bodyProblems, parameterProblem, parameterValue} from '#lib/api/validate.js'

test.each<[schema: Schema, text: string, problem: string | undefined]>([
  [{type: 'boolean'}, 'true', undefined],
  [{type: 'boolean'}, 'yes', 'must be true or false, not "yes"'],
  [{type: 'integer', format: 'int32'}, '12', undefined],
  [{type: 'integer', format: 'int32'}, '-1', undefined],
  [{type: 'integer', format: 'int32'}, '1.5', 'must be a whole number, not "1.5"'],
  [{type: 'integer', format: 'int32'}, '', 'must be a whole number, not ""'],
  [
    {type: 'integer', format: 'int32'},
    '2147483648',
    'must be between -2147483648 and 2147483647, not 2147483648',
  ],
  [{type: 'integer', format: 'int32', minimum: '1'}, '0', 'must be 1 or more, not 0'],
  [
    {type: 'integer', format: 'int32', minimum: '1', maximum: '100'},
    '101',
    'must be between 1 and 100, not 101',
  ],
  [{type: 'string', format: 'int64'}, '9223372036854775807', undefined],
  [{type: 'string', format: 'int64'}, 'x', 'must be a whole number, not "x"'],
  [{type: 'number'}, '0.5', undefined],
  [{type: 'number'}, 'half', 'must be a number, not "half"'],
  [{type: 'string', enum: ['A', 'B']}, 'A', undefined],
  [{type: 'string', enum: ['A', 'B']}, 'a', 'must be one of A, B, not "a"'],
  [{type: 'string', format: 'date-time'}, '2026-11-21T09:30:00.5+01:00', undefined],
  [
    {type: 'string', format: 'date-time'},
    '2026-11-21',
    'must be a time such as 2026-11-21T09:30:00Z, not "2026-11-21"',
  ],
  [
    {type: 'string', format: 'date'},
    '21.11.2026',
    'must be a date such as 2026-11-21, not "21.11.2026"',
  ],
  [
    {type: 'string', format: 'date-time'},
    '2026-02-30T00:00:00Z',
    'must be a time such as 2026-11-21T09:30:00Z, not "2026-02-30T00:00:00Z"',
  ],
  [
    {type: 'string', format: 'date'},
    '2026-02-29',
    'must be a date such as 2026-11-21, not "2026-02-29"',
  ],
  [{type: 'string', format: 'date'}, '2028-02-29', undefined],
  [{type: 'string'}, 'a\0b', 'must not have the character U+0000'],
  [{type: 'string', pattern: 'a+'}, 'aab', 'must look like a+, not "aab"'],
  [{type: 'string', format: 'byte'}, 'YQ-_', undefined],
  [{type: 'string', format: 'byte'}, 'a b', 'must be base64'],
])('parameterProblem(%j, %j)', (schema, text, problem) => {
  expect(parameterProblem('name', schema, text)?.text).toBe(problem)
})

test('values keep 64-bit numbers as text', () => {
  expect(parameterValue({type: 'boolean'}, 'false')).toBe(false)
  expect(parameterValue({type: 'integer', format: 'int32'}, '7')).toBe(7)
  expect(parameterValue({type: 'string', format: 'int64'}, '7')).toBe('7')
})

test.each<[id: OperationId, body: unknown, problems: string[]]>([
  ['files.insert', {}, []],
  ['files.insert', {title: 'x', labels: {starred: true}}, []],
  ['files.insert', {title: null}, []],
  ['files.insert', {unknownField: 1, id: 'x'}, []],
  ['files.insert', {title: 1}, ['title must be text']],
  ['files.insert', {labels: {starred: 'yes'}}, ['labels.starred must be true or false']],
  ['files.insert', {parents: {id: 'x'}}, ['parents must be a list']],
  ['files.insert', {parents: [{id: 1}]}, ['parents[0].id must be text']],
  ['files.insert', {parents: [null]}, ['parents[0] must not be null']],
  ['files.insert', {parents: null}, []],
  ['files.insert', {title: 'a\0b'}, ['title must not have the character U+0000']],
  ['files.insert', {fileSize: {}}, []],
  ['files.insert', [], [' must be an object']],
  ['files.patch', {constructor: {}}, []],
  ['parents.insert', {}, ['id is required']],
  ['permissions.insert', {role: 'reader'}, ['type is required']],
  ['permissions.patch', {}, []],
  [
    'permissions.update',
    {expirationDate: 'soon'},
    ['expirationDate must be a time such as 2026-11-21T09:30:00Z, not "soon"'],
  ],
  ['changes.watch', {id: 'a', address: 'x', expiration: 12}, []],
  ['files.get', 'anything', []],
])('bodyProblems(%s, %j)', (id, body, problems) => {
  const found = bodyProblems(operation(id), body).map(({at, text}) => `${at} ${text}`)
  expect(found).toEqual(problems)
})
