import {readFileSync} from 'node:fs'
import {expect, test} from 'vitest'
import {operation} from '#lib/api/operations.js'
import {knownValues} from '#lib/api/validate.js'
import {columnNames} from '#lib/cli/output/columns-flag.js'
import {COMMAND_LINES, filledLine} from '#lib/cli/output/command-lines.js'
import {formats} from '#lib/cli/output/formats.js'
import {HINTS, hintsFor} from '#lib/cli/output/hints.js'
import {
  SEARCH_FLAGS,
  suggestionFor,
  withFlag,
  withSearch,
  withValues,
} from '#lib/cli/output/suggestion.js'
import {IF_EXISTS} from '#lib/transfer/resolve-conflict.js'

interface Known {
  readonly flags: Readonly<
    Record<
      string,
      {
        readonly options?: readonly string[]
        readonly aliases?: readonly string[]
      }
    >
  >
}
const manifest = new URL('../../../../oclif.manifest.json', import.meta.url)
const {commands} = JSON.parse(readFileSync(manifest, 'utf8')) as {
  readonly commands: Readonly<Record<string, Known>>
}
const flags = Object.values(commands).map(command => command.flags)

test('every line starts with a command or a flag, and no word is a command', () => {
  const names = Object.keys(commands).map(id => id.replaceAll(':', ' '))
  for (const [line, words] of Object.entries(COMMAND_LINES)) {
    const isThere = (name: string) => line === name || line.startsWith(`${name} `)
    expect(line.startsWith('--') || names.some(isThere), line).toBe(true)
    expect(names.filter(name => words.includes(name))).toEqual([])
  }
})

test.each([
  ['rm', ['/a b', '-f'], "rm '/a b' -f"],
  ['rm', [], 'rm'],
  ['restore $1=FILE --revision $2=head~1', ['/a', '3'], 'restore /a --revision 3'],
  ['restore $1=FILE --revision $2=head~1', [], 'restore FILE --revision head~1'],
  ['share $2=FILE $1=WHO --role owner', ['ada', '/a', '/b'], 'share /a ada --role owner /b'],
  ['cat $1=FILE | head', ['-n', '5', '/a'], 'cat /a | head'],
  ['cat $1=FILE | head', ['-n', '5'], 'cat FILE | head'],
  ['cat $1=FILE | head', ['5', '/a', '-n'], 'cat /a | head'],
  ['pull $2=REMOTE/ $1=LOCAL', ['a', '/b'], 'pull /b/ a'],
  ['pull $2=REMOTE/ $1=LOCAL', [], 'pull REMOTE/ LOCAL'],
  ['stat $1=FILE', ['$(rm x)'], "stat '$(rm x)'"],
])('%s with %j is %s', (line, typed, filled) => {
  expect(filledLine(line, typed)).toBe(filled)
})

test('every word suggests a flag, value or field that exists', () => {
  const lacking = (all: Readonly<Record<string, readonly string[]>>, known: readonly string[]) =>
    Object.entries(all)
      .filter(([, names]) => !names.some(name => known.includes(name.split(' ')[0]!)))
      .map(([word]) => word)
  expect(lacking(HINTS.flags, flags.flatMap(Object.keys))).toEqual([])
  const options = flags.flatMap(all => Object.values(all).flatMap(flag => flag.options ?? []))
  const words = ['folder', ...Object.keys(formats), ...IF_EXISTS, ...options]
  expect(lacking(HINTS.values, [...words, ...Object.values(knownValues).flat()])).toEqual([])
  const records = ['files.list', 'permissions.list', 'revisions.list', 'drives.list'] as const
  expect(
    lacking(
      HINTS.fields,
      records.flatMap(id => columnNames(operation(id))),
    ),
  ).toEqual([])
})

test.each([
  ['flags', 'max-depth', ['depth'], 'depth'],
  ['flags', 'maxDepth', ['depth'], 'depth'],
  ['flags', 'L', ['limit'], 'limit'],
  ['flags', 'l', ['limit'], undefined],
  ['flags', 'overwrite', ['if-exists'], 'if-exists replace'],
  // An existing name, misspelled, that no other tool has.
  ['flags', 'feilds', ['fields'], 'fields'],
  ['values', 'Viewer', ['reader', 'writer'], 'reader'],
  ['values', 'size', ['quotaBytesUsed', 'title'], 'quotaBytesUsed'],
  ['fields', 'created_time', ['createdDate'], 'createdDate'],
  ['fields', 'nonsense', ['createdDate'], undefined],
] as const)('%s: %s of %j is %s', (of, word, known, meant) => {
  expect(suggestionFor(of, word, known)).toBe(meant)
})

test('an unknown word gets no suggestion', () => {
  expect(hintsFor('commands', 'toString')).toEqual([])
})

test.each([
  [
    ['ls', '/name', '--columns', 'name,id'],
    [['name', 'title']],
    ['ls', '/name', '--columns', 'title,id'],
  ],
  [
    ['ls', '--columns=a,b'],
    [
      ['a', 'x'],
      ['b', 'y'],
    ],
    ['ls', '--columns=x,y'],
  ],
  [['ls', '/name'], [['name', 'title']], undefined],
  [
    ['files', 'list', '--q', "filename = 'name'"],
    [['name', 'title']],
    ['files', 'list', '--q', "filename = 'title'"],
  ],
] as const)('%j with %j', (line, meant, mended) => {
  expect(withValues(line, meant)).toEqual(mended)
})

test.each([
  [['tree', '-L', '2'], '-L', 'depth', ['tree', '--depth', '2']],
  [['ls', '--max=5'], '--max', 'limit', ['ls', '--limit=5']],
  [['ls', '--csv'], '--csv', 'format csv', ['ls', '--format', 'csv']],
  [['ls', '-lt'], '-t', 'sort', undefined],
] as const)('%j with another flag than %s', (line, spelling, flag, mended) => {
  expect(withFlag(line, spelling, flag)).toEqual(mended)
})

test.each([
  ['rm /logs --older 30d', '--older', 'find /logs --older 30d --format ids | rm -'],
  [
    'pull /a docs --type=doc --export pdf',
    '--type',
    'find /a --type=doc --format ids | pull - docs --export pdf',
  ],
  ['rm trash: --older 1y', '--older', 'find trash: --older 1y --format ids | rm - --permanently'],
  ['rm --older 30d', '--older', undefined],
  ['rm /a --bogus 1', '--bogus', undefined],
])('a condition for another command is suggested as a search: %s', (line, spelling, expected) => {
  const words = line.split(' ')
  const both = withSearch(words, words[0]!, spelling)
  expect(both?.map(one => one.join(' ')).join(' | ')).toBe(expected)
})

test('every condition is a flag of find', () => {
  const known = Object.entries(commands.find!.flags).flatMap(([name, {aliases = []}]) => [
    name,
    ...aliases,
  ])
  expect(known).toEqual(expect.arrayContaining(SEARCH_FLAGS))
})
