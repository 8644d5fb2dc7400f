import {describe, expect, test} from 'vitest'
import {encodeSegment, expandPath, literalSegments, matchUrlPath} from '#lib/api/url-paths.js'

test.each([
  ['plain-._~', 'plain-._~'],
  ['a/b', 'a%2Fb'],
  ['ada+x@example.com', 'ada%2Bx%40example.com'],
  ['a b', 'a%20b'],
  ["!'()*", '%21%27%28%29%2A'],
  ['ü', '%C3%BC'],
  ['%41', '%2541'],
])('encodeSegment(%j)', (value, encoded) => {
  expect(encodeSegment(value)).toBe(encoded)
})

describe('expandPath', () => {
  const template = 'files/{fileId}/parents/{parentId}'

  test('replaces every name', () => {
    expect(expandPath(template, {fileId: 'a/b', parentId: 'c'})).toBe('files/a%2Fb/parents/c')
  })

  test.each<Record<string, string>>([{fileId: 'a'}, {fileId: 'a', parentId: ''}])(
    'refuses %j',
    values => {
      expect(() => expandPath(template, values)).toRead()
    },
  )
})

test.each<[template: string, path: string, values: Record<string, string> | undefined]>([
  ['files/{fileId}', 'files/a%2Fb', {fileId: 'a/b'}],
  ['files/{fileId}', 'files/', undefined],
  ['files/{fileId}', 'files/a/b', undefined],
  ['files/{fileId}', 'folders/a', undefined],
  ['files/{fileId}', 'files/%', undefined],
  ['files/trash', 'files/trash', {}],
  ['files/trash', 'files/tr%61sh', {}],
])('matchPath(%j, %j)', (template, path, values) => {
  expect(matchUrlPath(template, path)).toEqual(values)
})

test('literal segments rank templates', () => {
  expect(literalSegments('files/trash')).toBeGreaterThan(literalSegments('files/{fileId}'))
})
