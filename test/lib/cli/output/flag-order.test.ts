import {expect, test} from 'vitest'
import {flagsLast, flagsOfAny, GLOBAL_FLAGS} from '#lib/cli/output/global-flags.js'
import {baseFlags, operationBaseFlags} from '#lib/cli/run/read-line.js'
import {readArgv} from '#lib/cli/terminal/read-argv.js'
import {commandNames, loadCommand} from '../../../parse/command.js'

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
  ['-q files list', 'files list -q'],
  ['files list -q title=a', 'files list -q title=a'],
  ['--json ls /a', 'ls --json /a'],
  ['-qJ files list', 'files list -qJ'],
  ['-L 5 files list', 'files list -L 5'],
  ['-L5 files -a list', 'files list -L5 -a'],
  ['-n files trash ID', 'files trash ID -n'],
  ['-x files list', '-x files list'],
  ['- files', '- files'],
  ['--version', '--version'],
  ['--help', '--help'],
  ['--json', '--json'],
  ['--toString files list', '--toString files list'],
  ['', ''],
])('%s', (line, ordered) => {
  const split = (text: string) => text.split(' ').filter(Boolean)
  expect(flagsLast(split(line))).toEqual(split(ordered))
})

test.each([
  ['-q', 'quiet', true],
  ['-qJ', 'json', true],
  ['-Jo', 'json', true],
  ['-oJ', 'json', false],
  ['--q', 'quiet', false],
  ['-L5', 'quiet', false],
])('%s has %s in it: %s', (word, flag, isThere) => {
  expect(readArgv([word], flagsOfAny)[0]!.names.includes(flag)).toBe(isThere)
})

const shortFlags = Object.fromEntries(
  Object.entries(flagsOfAny).flatMap(([name, {char}]) => (char ? [[char, name]] : [])),
)

/** Short flags that only everyday verbs have, like the commands of a shell. */
const verbFlags: Readonly<Record<string, string>> = {f: 'force', p: 'parents', r: 'recursive'}

/** Letters of verbs named after shell commands, with the meaning they have there. */
const shellFlags: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'alias set': {s: 'shell'},
  df: {h: 'human-readable'},
  du: {d: 'depth', h: 'human-readable', s: 'summarize'},
  find: {r: 'reverse'},
  ln: {s: 'symbolic'},
  ls: {
    1: 'names',
    S: 'by-size',
    d: 'directory',
    h: 'human-readable',
    r: 'reverse',
    t: 'by-time',
  },
  md5sum: {c: 'check'},
  touch: {c: 'no-create'},
  tree: {L: 'depth'},
}

test('a letter has the same meaning in every command, and every command with the flag has the letter', async () => {
  const long = new Map(Object.entries(shortFlags).map(([char, name]) => [name, char]))
  for (const command of commandNames) {
    const {flags = {}, baseFlags = {}} = await loadCommand(command)
    for (const [name, {char}] of Object.entries({...baseFlags, ...flags})) {
      const letters = {...verbFlags, ...shellFlags[command]}
      const isOfVerb = char !== undefined && letters[char] === name
      expect([command, name, char]).toEqual([command, name, isOfVerb ? char : long.get(name)])
    }
  }
})

test('a letter of the verbs has no other meaning elsewhere', () => {
  expect(Object.keys(verbFlags).filter(letter => letter in shortFlags)).toEqual([])
})

test('every global flag is known, and whether it takes a value', () => {
  const all = {...baseFlags, ...operationBaseFlags}
  const kinds = (flags: Readonly<Record<string, {readonly type: string}>>) =>
    Object.entries(flags).map(([name, {type}]) => [name, type])
  expect(kinds(GLOBAL_FLAGS)).toEqual(kinds(all))
})
