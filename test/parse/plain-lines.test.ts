import {expect, test} from 'vitest'
import {plainLines} from '../support/plain-lines.js'

test.each([
  ['drv ls /', [['ls', '/']]],
  ["drv find / 'two words' --q='a b'", [['find', '/', 'two words', '--q=a b']]],
  ['# A comment\n\n  drv ls\n  drv stat /a', [['ls'], ['stat', '/a']]],
  ['', []],
])('%j needs no shell', (script, commands) => {
  expect(plainLines(script)).toEqual(commands)
})

test.each([
  'drv ls | head',
  'drv ls > list',
  'drv push *.txt /',
  'drv cat ~/x',
  'drv stat "$ID"',
  'drv ls; drv ls',
  'drv ls && drv ls',
  'DRV_TOKEN=x drv ls',
  'ls',
  "drv ls 'open",
  'drv ls \\',
  'drv local serve',
  'drv auth login --web',
  'drv ls\nls',
])('%j needs one', script => {
  expect(plainLines(script)).toBeUndefined()
})
