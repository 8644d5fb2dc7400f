import {execFileSync} from 'node:child_process'
import {expect, test} from 'vitest'
import {breakLine, exampleLines} from '#lib/cli/help/command-entries.js'

test('purposes follow short examples, and precede long ones', () => {
  const short = [
    {description: 'One', command: '<%= config.bin %> ls'},
    {description: 'Two', command: '<%= config.bin %> ls /x'},
  ]
  expect(exampleLines(short, 80)).toEqual(['  drv ls     # One', '  drv ls /x  # Two'])
  expect(exampleLines(short, 14)).toEqual(['  # One', '  drv ls', '  # Two', '  drv ls /x'])
})

test.each([
  ['drv ls', 20],
  [`drv files list --q "title contains 'a b'" --all --format ids`, 30],
  [`drv help --jq '.commands[] | select(.isMutating).name' --json`, 40],
])('%s has the same meaning for a shell in lines of %i columns', (line, width) => {
  const words = (text: string) =>
    execFileSync('sh', ['-c', `drv() { printf '%s\\n' "$@"; }; ${text}`], {encoding: 'utf8'})
  const lines = breakLine(line, width)
  expect(words(lines.join('\n'))).toBe(words(line))
  for (const part of lines) if (!/["']/.test(part)) expect(part.length).toBeLessThanOrEqual(width)
})
