import {expect, test} from 'vitest'
import {readHelpRequest, withMethodHelp, withoutHelp} from '#lib/cli/help/help-request.js'

const TOPICS = ['files', 'local', 'local:user']

test.each([
  [['--help'], {words: [], isWhole: false}],
  [['-h'], {words: [], isWhole: false}],
  [['--help-all'], {words: [], isWhole: true}],
  [['files'], {words: ['files'], isWhole: false}],
  [['local', 'user'], {words: ['local', 'user'], isWhole: false}],
  [['files', '--json'], {words: ['files'], isWhole: false}],
  [['files', 'list', '--help'], {words: ['files', 'list'], isWhole: false}],
  [['files', 'get', '/x', '-h', '--quiet'], {words: ['files', 'get', '/x'], isWhole: false}],
  [['ls', '-h'], {words: ['ls'], isWhole: false}],
  [['du', '-h'], undefined],
  [['du', '-h', '--help'], {words: ['du'], isWhole: false}],
  [['ls', '--help-all'], {words: ['ls'], isWhole: true}],
  [['help', 'files', 'list', '--help-all'], {words: ['files', 'list'], isWhole: true}],
  [['help', '--help'], {words: ['help'], isWhole: false}],
  [[], undefined],
  [['files', 'list'], undefined],
  [['help'], undefined],
  [['help', 'files', '--json'], undefined],
  [['ls'], undefined],
  // Words after the dashes are for another program.
  [['local', 'run', '--', 'sh', '--help'], undefined],
])('%j requests %j', (argv, asked) => {
  expect(readHelpRequest(argv, TOPICS)).toEqual(asked)
})

test.each([
  [
    ['nope', '--help', '-q'],
    ['nope', '-q'],
  ],
  [
    ['local', '-h', 'run', '--', 'sh', '-h'],
    ['local', 'run', '--', 'sh', '-h'],
  ],
])('%j without the help flag is %j', (argv, rest) => {
  expect(withoutHelp(argv)).toEqual(rest)
})

test.each([
  ['api call files.list --help', 'api call files.list --method-help'],
  ['api call -h files.list', 'api call --method-help files.list'],
  ['api call files.list --help-all', 'api call files.list --method-help-all'],
  ['api call files.list -- --help', 'api call files.list -- --help'],
  ['api call --help', 'api call --help'],
  ['files list --help', 'files list --help'],
])('%s becomes %s', (line, expected) => {
  expect(withMethodHelp(line.split(' ')).join(' ')).toBe(expected)
})
