import {expect, test} from 'vitest'
import {findArgv} from '#lib/cli/input/find-argv.js'

test.each([
  ['/ -mtime -1', '/ --newer 1d'],
  ['/ -mtime +30', '/ --older 30d'],
  ['/ --mmin -90', '/ --newer 90m'],
  ['/ -size +10k -size -1M', '/ --larger 10k --smaller 1M'],
  ['/ --size +100c', '/ --larger 100'],
  ['/ -name *.csv -type d', '/ --name *.csv --type d'],
  ['/ -iname a', '/ --name a'],
  ['/ -size 10k', '/ -size 10k'],
  ['/ -size big -perm 7', '/ -size big -perm 7'],
  ['/ -name', '/ -name'],
  ['-- -name x', '-- -name x'],
])('%s', (line, expected) => {
  expect(findArgv(line.split(' ')).join(' ')).toBe(expected)
})
