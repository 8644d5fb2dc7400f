import {expect, test} from 'vitest'
import {FIRST_USE, type FirstUse, isFirstUseNoticeDue} from '#lib/cli/context/embedded-service.js'

const first: FirstUse = {
  options: {quiet: false},
  environment: {},
  config: {profiles: {}},
  isSeen: true,
  isKnown: false,
}

test.each<[what: string, facts: Partial<FirstUse>, isShown: boolean]>([
  ['a first command', {}, true],
  ['a table', {options: {quiet: false, format: 'table'}}, true],
  ['rows for a pipe', {options: {quiet: false, format: 'tsv'}}, true],
  ['an empty variable', {environment: {DRV_PROFILE: '', DRV_TOKEN: ''}}, true],
  ['a later command', {isKnown: true}, false],
  ['no terminal', {isSeen: false}, false],
  ['--quiet', {options: {quiet: true}}, false],
  ['--json', {options: {quiet: false, format: 'json'}}, false],
  ['--format ndjson', {options: {quiet: false, format: 'ndjson'}}, false],
  ['--format yaml', {options: {quiet: false, format: 'yaml'}}, false],
  ['--profile', {options: {quiet: false, profile: 'local'}}, false],
  ['DRV_PROFILE', {environment: {DRV_PROFILE: 'local'}}, false],
  ['DRV_TOKEN', {environment: {DRV_TOKEN: 'token'}}, false],
  ['a chosen profile', {config: {profile: 'local', profiles: {}}}, false],
  ['a sign-in', {config: {profiles: {local: {tokens: {local: {store: 'file'}}}}}}, false],
])('with %s: %j', (_, facts, isShown) => {
  expect(isFirstUseNoticeDue({...first, ...facts})).toBe(isShown)
})

test('the notice fits a terminal of 80 columns', () => {
  expect(FIRST_USE.split('\n').filter(line => line.length > 80)).toEqual([])
})
