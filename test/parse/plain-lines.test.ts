import {expect, test} from 'vitest'
import {plainLines} from '../support/plain-lines.js'

const variables = {HOME: '/home/me', ID: 'f1', TITLE: 'two words'}
const plain = (...args: readonly string[]) => [{args, env: {}}]

test.each([
  ['drv ls /', [plain('ls', '/')]],
  ["drv find / 'two words' --q='a b'", [plain('find', '/', 'two words', '--q=a b')]],
  ["drv find \"it's $TITLE\" '$ID'", [plain('find', "it's two words", '$ID')]],
  ['# A comment\n\n  drv ls\n  drv stat /a  # one', [plain('ls'), plain('stat', '/a')]],
  ['drv stat $ID x$ID ~/a', [plain('stat', 'f1', 'xf1', '/home/me/a')]],
  ['drv ls && drv ls', [plain('ls'), plain('ls')]],
  ['drv ls|drv rm -', [[...plain('ls'), ...plain('rm', '-')]]],
  [
    'drv ls < a > b',
    [[{args: ['ls'], env: {}, source: 'a', target: {path: 'b', isAppended: false}}]],
  ],
  ['drv ls >>~/b', [[{args: ['ls'], env: {}, target: {path: '/home/me/b', isAppended: true}}]]],
  ["A='b c' drv ls D=e", [[{args: ['ls', 'D=e'], env: {A: 'b c'}}]]],
  ['drv local user list', [plain('local', 'user', 'list')]],
  ['', []],
])('%j needs no shell', (script, commands) => {
  expect(plainLines(script, variables)).toEqual(commands)
})

test.each([
  'drv ls | head',
  'drv push *.txt /',
  'drv cat a~/x',
  'drv stat "$NONE"',
  'drv stat $TITLE',
  'drv stat "$(drv url /)"',
  'drv stat "a\\b"',
  'drv ls; drv ls',
  'drv ls || drv ls',
  'drv ls &',
  'drv ls 2> log',
  'drv ls >',
  'drv ls |',
  'drv ls a#b',
  'A=b',
  'ls',
  "drv ls 'open",
  'drv ls \\',
  'drv local serve',
  'drv local reset --yes',
  'drv auth login --web',
  'drv follow /',
  'drv push a / --follow',
  'drv files watch /a --listen',
  'drv ls\nls',
])('%j needs one', script => {
  expect(plainLines(script, variables)).toBeUndefined()
})
