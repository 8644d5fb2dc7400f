import {describe, expect, test} from 'vitest'
import {operation, type OperationId, operations, pathParameters} from '#lib/api/operations.js'
import {bodyIdProblems, idProblem, pathProblem} from '#lib/api/path-values.js'

const parameters = operations.flatMap(described =>
  pathParameters(described).map(name => [described.operationId, name] as const),
)
const problemWith = (id: OperationId, name: string, text: string) =>
  pathProblem(operation(id), name, text)?.text

/** The operation named at the end of a problem. */
const operationIn = (problem = '') => / (\w+\.\w+)$/.exec(problem)?.[1]

describe.each(parameters)('the parameter of %s, %s,', (id, name) => {
  test.each(['1AbC-_xyz', 'root', 'ada+x@example.com', '...', '{x}', 'ü', '100%'])(
    'accepts %j',
    text => {
      expect(problemWith(id, name, text)).toBeUndefined()
    },
  )

  test.each(['', ' ', '\t'])('rejects the blank %j', text => {
    expect(problemWith(id, name, text)).toBeDefined()
  })

  test.each([
    '.',
    '..',
    ' .. ',
    '%2e%2e',
    '.%2E',
    '%252e%252e',
    '%2525252e.',
    '../x',
    'x/..',
    'x/./y',
    'x\\..\\y',
    'x%2F..%5cy',
    '/',
    '%2F',
    '//',
  ])('rejects %j, which leads to another path', text => {
    expect(problemWith(id, name, text)).toContain(JSON.stringify(text))
  })
})

/** The literal path segments at the position of another operation's parameter. */
const siblings = operations.flatMap(described =>
  pathParameters(described).flatMap(name => {
    const template = described.path.split('/')
    const at = template.indexOf(`{${name}}`)
    return operations
      .map(({path}) => path.split('/'))
      .filter(path => path.slice(0, at).join('/') === template.slice(0, at).join('/'))
      .flatMap(path => path[at] ?? [])
      .filter(segment => !segment.startsWith('{'))
      .map(literal => [described.operationId, name, literal] as const)
  }),
)

test('the description has such literals', () => {
  expect(siblings).toContainEqual(['files.delete', 'fileId', 'trash'])
  expect(siblings).toContainEqual(['files.copy', 'fileId', 'generateIds'])
  expect(siblings).toContainEqual(['children.list', 'folderId', 'trash'])
  expect(siblings).toContainEqual(['changes.get', 'changeId', 'startPageToken'])
  expect(siblings).toContainEqual(['changes.get', 'changeId', 'watch'])
})

test.each(siblings)('%s rejects the %s %j in every spelling', (id, name, literal) => {
  for (const text of [
    literal,
    literal.toUpperCase(),
    ` ${literal}`,
    `${literal}/`,
    `/${literal}`,
    `%${literal.charCodeAt(0).toString(16)}${literal.slice(1)}`,
    `%25${literal.charCodeAt(0).toString(16)}${literal.slice(1)}%2f`,
  ]) {
    expect(operationIn(problemWith(id, name, text)), text).toBeDefined()
  }
  expect(problemWith(id, name, `${literal}s`)).toBeUndefined()
})

test.each<[OperationId, string, string, string | undefined]>([
  ['files.delete', 'fileId', 'F/parents/P', 'parents'],
  ['files.get', 'fileId', 'F%2Fchildren', 'children'],
  ['files.get', 'fileId', 'F/Copy/', 'files'],
  ['files.get', 'fileId', 'F/x', undefined],
  ['properties.get', 'propertyKey', 'a key/with ?', undefined],
  ['properties.get', 'propertyKey', 'trash', undefined],
])('%s with the %s %j would lead to an operation of %s', (id, name, text, resource) => {
  expect(operationIn(problemWith(id, name, text))?.split('.')[0]).toBe(resource)
})

test.each<[OperationId, object, readonly string[]]>([
  ['files.insert', {id: 'trash'}, ['id']],
  ['files.insert', {parents: [{id: 'root'}, {id: '..'}]}, ['parents[1].id']],
  ['files.copy', {id: 'a', parents: [{id: ''}]}, ['parents[0].id']],
  ['parents.insert', {id: '.'}, ['id']],
  ['children.insert', {id: 'generateIds'}, ['id']],
  ['properties.insert', {key: '..'}, ['key']],
  ['properties.insert', {key: 'trash'}, []],
  ['files.insert', {title: 'trash', parents: null, id: 5}, []],
  ['changes.watch', {id: '..', address: 'x'}, []],
  ['permissions.insert', {id: '..'}, []],
])('the body of %s, %j, has invalid IDs at %j', (id, body, expected) => {
  expect(bodyIdProblems(operation(id), body).map(({at}) => at)).toEqual(expected)
})

test.each([
  ['fileId', 'generateIds', true],
  ['driveId', '', true],
  ['driveId', 'trash', false],
  ['q', '..', false],
])('the %s %j is invalid: %s', (name, text, isInvalid) => {
  expect(idProblem(name, text) !== undefined).toBe(isInvalid)
})
