import {expect, test} from 'vitest'
import {BaseCommand} from '../../../../src/lib/cli/command/base.js'
import {globalFlags, wordsFirst} from '../../../../src/lib/cli/command/flagorder.js'
import {OperationCommand} from '../../../../src/lib/cli/command/operation.js'

test.each([
  ['--json files list', 'files list --json'],
  ['files --json list', 'files list --json'],
  ['files list --json', 'files list --json'],
  ['--profile work files get ID', 'files get ID --profile work'],
  ['--profile=work --quiet files get ID', 'files get ID --profile=work --quiet'],
  ['--dry-run push a b c', 'push a b --dry-run c'],
  ['push --delete --json a /b', 'push --delete --json a /b'],
  ['--format json files list --all --limit 3', 'files list --format json --all --limit 3'],
  ['--json -- files list', '--json -- files list'],
  ['files -- --json list', 'files -- --json list'],
  ['--version', '--version'],
  ['--help', '--help'],
  ['--json', '--json'],
  ['--toString files list', '--toString files list'],
  ['', ''],
])('%s', (line, ordered) => {
  const split = (text: string) => text.split(' ').filter(Boolean)
  expect(wordsFirst(split(line))).toEqual(split(ordered))
})

test('every global flag is known, with whether it takes a value', () => {
  const all = {...BaseCommand.baseFlags, ...OperationCommand.baseFlags}
  const kinds = Object.entries(all).map(([name, {type}]) => [
    name,
    type === 'boolean' ? 'boolean' : 'value',
  ])
  expect(globalFlags).toEqual(Object.fromEntries(kinds))
})
