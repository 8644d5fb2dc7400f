import {describe, expect, test} from 'vitest'
import {
  hasLimits,
  isLooser,
  limitsOf,
  parsePolicies,
  type Policies,
  PolicyError,
  policyText,
  type PolicyValues,
} from '#lib/config/policy.js'

const MIB = 1024 ** 2

test.each<[given: unknown, values: PolicyValues]>([
  [{}, {}],
  [{'max-delete': 0}, {'max-delete': 0}],
  [{'max-changes': '50'}, {'max-changes': 50}],
  [{'max-bytes': '10M'}, {'max-bytes': 10 * MIB}],
  [{'max-bytes': '10 MiB'}, {'max-bytes': 10 * MIB}],
  [{'max-bytes': '10MB'}, {'max-bytes': 10 * MIB}],
  [{'max-bytes': '500'}, {'max-bytes': 500}],
  [{'max-bytes': '500 B'}, {'max-bytes': 500}],
  [{'max-bytes': 7}, {'max-bytes': 7}],
  [{only: '/Reports'}, {only: [{path: '/Reports'}]}],
  [{only: ['/A', {path: '/B', id: 'ID'}]}, {only: [{path: '/A'}, {path: '/B', id: 'ID'}]}],
  [{'no-share-outside': '@Example.com'}, {'no-share-outside': ['example.com']}],
  [
    {'no-share-outside': ['a.example', 'b.example']},
    {'no-share-outside': ['a.example', 'b.example']},
  ],
  [{'no-public': true, 'require-plan': false}, {'no-public': true}],
  [{'read-only': true}, {'read-only': true}],
])('%j is read', (given, values) => {
  expect(parsePolicies(given)).toEqual({values})
})

test.each<[given: unknown, problem: string]>([
  [undefined, 'is not a mapping'],
  [null, 'is not a mapping'],
  [['max-delete'], 'is not a mapping'],
  [{'max-delte': 1}, 'unknown policy "max-delte"'],
  [{maxDelete: 1}, 'unknown policy'],
  [{constructor: 1}, 'unknown policy'],
  [{'max-delete': -1}, 'invalid "max-delete"'],
  [{'max-delete': 1.5}, 'invalid "max-delete"'],
  [{'max-delete': null}, 'invalid "max-delete"'],
  [{'max-delete': ''}, 'invalid "max-delete"'],
  [{'max-changes': '1e3'}, 'invalid "max-changes"'],
  [{'max-bytes': '10 apples'}, 'invalid "max-bytes"'],
  [{'max-bytes': -1}, 'invalid "max-bytes"'],
  [{only: []}, 'invalid "only"'],
  [{only: ''}, 'invalid "only"'],
  [{only: [{path: '/A'}]}, 'invalid "only"'],
  [{only: [{path: '/A', id: 'B', more: 1}]}, 'invalid "only"'],
  [{'no-share-outside': []}, 'invalid "no-share-outside"'],
  [{'no-share-outside': 'a@example.com'}, 'invalid "no-share-outside"'],
  [{'no-share-outside': 'a b'}, 'invalid "no-share-outside"'],
  [{'no-public': 'yes'}, 'invalid "no-public"'],
  [{'require-plan': 1}, 'invalid "require-plan"'],
])('%j is refused', (given, problem) => {
  expect(parsePolicies(given)).toEqual({problem: expect.stringContaining(problem)})
})

const profile = (values: PolicyValues): Policies => ({
  source: {kind: 'profile', name: 'work'},
  values,
})
const file = (values: PolicyValues): Policies => ({
  source: {kind: 'file', name: 'ci.yaml'},
  values,
})

describe('the strictest of all counts', () => {
  test('of numbers the smallest, with its source', () => {
    const {maxDelete, maxBytes} = limitsOf([
      profile({'max-delete': 5, 'max-bytes': 1}),
      file({'max-delete': 3}),
    ])
    expect(maxDelete).toMatchObject({value: 3, source: {kind: 'file'}})
    expect(maxBytes).toMatchObject({value: 1, source: {kind: 'profile'}})
  })

  test('of folders and domains, all lists', () => {
    const both = {only: [{path: '/A'}], 'no-share-outside': ['a.example']}
    const {only, noShareOutside} = limitsOf([profile(both), file(both)])
    expect([only.length, noShareOutside.length]).toEqual([2, 2])
  })

  test('a switch that one source sets', () => {
    const {noPublic, requirePlan} = limitsOf([
      profile({'no-public': true}),
      file({'require-plan': true}),
    ])
    expect([noPublic?.value, requirePlan?.value]).toEqual([true, true])
  })

  test('read-only mode alone needs no check of plans', () => {
    expect(hasLimits(limitsOf([profile({'read-only': true})]))).toBe(false)
    expect(hasLimits(limitsOf([profile({'max-delete': 0})]))).toBe(true)
    expect(hasLimits(limitsOf([file({only: [{path: '/'}]})]))).toBe(true)
  })
})

test.each<[before: PolicyValues['max-delete'] | unknown, after: unknown, looser: boolean]>([
  [undefined, 5, false],
  [5, undefined, true],
  [5, 6, true],
  [5, 5, false],
  [5, 4, false],
  [true, true, false],
  [['a.example'], ['a.example', 'b.example'], true],
  [['a.example', 'b.example'], ['b.example'], false],
  [[{path: '/A', id: '1'}], [{path: '/B', id: '1'}], false],
  [[{path: '/A', id: '1'}], [{path: '/A', id: '2'}], true],
])('from %j to %j allows more: %s', (before, after, looser) => {
  expect(isLooser(before as number, after as number)).toBe(looser)
})

test.each([
  ['max-delete', 50, 'max-delete 50'],
  ['max-bytes', 10 * MIB, 'max-bytes 10 MiB'],
  ['max-bytes', 1536, 'max-bytes 1536 B'],
  ['max-bytes', 0, 'max-bytes 0 B'],
  ['only', [{path: '/A', id: 'x'}, {path: 'drive:B'}], 'only /A, drive:B'],
  ['no-public', true, 'no-public'],
] as const)('%s %j in words', (name, value, text) => {
  expect(policyText(name, value)).toBe(text)
})

test('the error names the limit, its value and where it is set', () => {
  const limit = {name: 'max-delete', value: 2, source: {kind: 'profile', name: 'work'}} as const
  const {message, hint} = new PolicyError(limit, 'this command would delete at least 3 items')
  expect(`${message} ${hint}`).toRead()
  const inFile = {...limit, source: {kind: 'file', name: 'ci.yaml'}} as const
  expect(new PolicyError(inFile, 'no').message).toRead()
})
