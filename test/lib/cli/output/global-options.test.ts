import {describe, expect, test} from 'vitest'
import {globalOptions, isOnByDefault, wantsJson} from '#lib/cli/output/global-options.js'

type Environment = Record<string, string>

describe('a global flag', () => {
  test.each<[string, Environment, object]>([
    ['DRV_FORMAT', {DRV_FORMAT: 'ndjson'}, {format: 'ndjson'}],
    ['DRV_JSON', {DRV_JSON: '1'}, {format: 'json'}],
    ['DRV_QUIET', {DRV_QUIET: 'true'}, {quiet: true}],
    ['DRV_VERBOSE', {DRV_VERBOSE: 'yes'}, {verbose: true, debug: false}],
    ['DRV_DEBUG', {DRV_DEBUG: 'ON'}, {verbose: true, debug: true}],
    ['DRV_NO_INPUT', {DRV_NO_INPUT: '1'}, {noInput: true}],
    ['DRV_NO_COLOR', {DRV_NO_COLOR: '1'}, {noColor: true}],
    ['DRV_NO_PAGER', {DRV_NO_PAGER: '1'}, {noPager: true}],
    ['DRV_NO_PROBE', {DRV_NO_PROBE: '1'}, {probe: false}],
    ['DRV_TIMEOUT', {DRV_TIMEOUT: '1.5'}, {timeout: 1.5}],
    ['DRV_DRY_RUN', {DRV_DRY_RUN: '1'}, {dryRun: true}],
    ['DRV_READ_ONLY', {DRV_READ_ONLY: '1'}, {readOnly: ['environment']}],
  ])('has its variable %s', (_, environment, options) => {
    expect(globalOptions({}, environment)).toMatchObject(options)
  })

  test.each(['', '0', 'false', 'no', 'OFF'])('is off if its variable is %j', value => {
    const names = [
      'JSON',
      'QUIET',
      'VERBOSE',
      'DEBUG',
      'NO_INPUT',
      'NO_PROBE',
      'DRY_RUN',
      'READ_ONLY',
    ]
    const environment = Object.fromEntries(names.map(name => [`DRV_${name}`, value]))
    expect(globalOptions({}, environment)).toEqual(globalOptions({}, {}))
  })

  test.each<[object, Environment, object]>([
    [{format: 'tsv'}, {DRV_FORMAT: 'json'}, {format: 'tsv'}],
    [{format: 'table'}, {DRV_JSON: '1'}, {format: 'table'}],
    [{json: true}, {DRV_FORMAT: 'tsv'}, {format: 'json'}],
    [{}, {DRV_FORMAT: 'tsv', DRV_JSON: '1'}, {format: 'tsv'}],
    [{timeout: '2'}, {DRV_TIMEOUT: '1'}, {timeout: 2}],
    [{timeout: '2'}, {DRV_TIMEOUT: ''}, {timeout: 2}],
  ])('%j takes precedence over %j', (flags, environment, options) => {
    expect(globalOptions({...flags}, environment)).toMatchObject(options)
  })

  test.each<[Environment, RegExp]>([
    [{DRV_FORMAT: 'xml'}, /^Invalid DRV_FORMAT:.* table, tsv.* not "xml"\.$/],
    [{DRV_FORMAT: 'toString'}, /DRV_FORMAT/],
    [{DRV_TIMEOUT: 'soon'}, /^Invalid DRV_TIMEOUT: must be a number of seconds above 0/],
    [{DRV_TIMEOUT: '0'}, /DRV_TIMEOUT/],
    [{DRV_READ_ONLY: 'maybe'}, /^Invalid DRV_READ_ONLY: must be 1, true, 0, false or empty/],
    [{DRV_DRY_RUN: 'maybe'}, /^Invalid DRV_DRY_RUN: must be 1, true, 0, false or empty/],
    [{DRV_JSON: '2'}, /DRV_JSON/],
  ])('is reported as invalid: %j', (environment, words) => {
    expect(() => globalOptions({}, environment)).toThrow(words)
  })
})

test.each<[string, Environment, boolean]>([
  ['files list --json', {}, true],
  ['files list --format=ndjson', {}, true],
  ['files list --format json', {}, true],
  ['files list --format', {}, false],
  ['files list --format tsv', {DRV_JSON: '1'}, false],
  ['files list -- --json', {}, false],
  ['files list', {DRV_JSON: '1'}, true],
  ['files list', {DRV_FORMAT: 'json'}, true],
  ['files list', {DRV_FORMAT: 'tsv', DRV_JSON: '1'}, false],
  ['files list', {DRV_JSON: 'maybe'}, false],
])('errors of `%s` with %j are JSON: %j', (line, environment, isJson) => {
  expect(wantsJson(line.split(' '), environment)).toBe(isJson)
})

test('a flag counts even if parsing failed', () => {
  expect(isOnByDefault('debug', ['--nonsense', '--debug'], {})).toBe(true)
  expect(isOnByDefault('debug', ['--', '--debug'], {})).toBe(false)
  expect(isOnByDefault('debug', [], {DRV_DEBUG: '1'})).toBe(true)
})
