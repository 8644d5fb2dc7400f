import {afterAll, beforeAll, expect, test} from 'vitest'
import {COMMAND_LINES, filledLine} from '#lib/cli/output/command-lines.js'
import {splitLine} from '#lib/config/aliases.js'
import {runHere} from '../../support/here.js'
import {startWorld, type World} from '../../support/world.js'

/** Each word of the table gets a hint with a command line, and each line works. */

let world: World
beforeAll(async () => {
  world = await startWorld({}, runHere)
  const folder = await world.make('tree', 'root')
  await world.make('a.txt', folder, 'one\n')
  await world.drv('files update', '/tree/a.txt', world.file('v2', 'two\n'))
  await world.drv('push', world.file('same.txt', 'same\n'), '/')
  await world.drv('drives insert', '--name', 'Team')
  const page = world.file('page.txt', 'text\n')
  await world.drv('files insert', page, '--title', 'page', '--parent', '/tree', '--convert')
  await world.drv('rm', await world.make('gone.txt', folder, 'x'))
})
afterAll(() => world.close())

const FILE = '/tree/a.txt'

/** Arguments for the lines, and flags that make them end. */
const TYPED: Readonly<Record<string, readonly string[]>> = {
  '--version': [],
  ls: ['/tree'],
  'ls -l': ['/tree'],
  'ls --json': ['/tree'],
  'ls trash:': [],
  find: ['a'],
  'find --content $1=TEXT': ['two'],
  'find $1=/ --duplicates': [],
  cp: [FILE, '/tree/b.txt'],
  mv: [FILE, '/tree/b.txt'],
  'rm --permanently': [FILE, '--yes'],
  mkdir: ['/new'],
  touch: ['/tree/new.txt'],
  'files insert': ['v2'],
  'ln -s': [FILE, '/tree/link'],
  restore: ['/tree/gone.txt'],
  'restore $1=FILE --revision $2=head~1': [FILE],
  'files empty-trash': ['--yes'],
  'files get $1=FILE --revision-id $2=REVISION --output -': [FILE, 'head'],
  'push $1=LOCAL $2=/': ['v2'],
  'pull $1=REMOTE $2=.': [FILE],
  'pull $2=REMOTE/ $1=LOCAL && drv push $1=LOCAL/ $2=REMOTE': ['here', '/tree'],
  'push $1=LOCAL $2=/ --convert': ['page.txt'],
  'files export $1=FILE --mime-type $2=TYPE': ['/tree/page', 'text/plain'],
  check: ['same.txt', '/'],
  df: [],
  share: [FILE],
  'share $1=FILE $2=WHO': [FILE, 'ada@example.com'],
  'unshare $1=FILE $2=WHO': [FILE, 'eve@example.com'],
  'share $2=FILE WHO --role reader': ['644', FILE],
  'share $2=FILE $1=WHO --role owner': ['ada@example.com', FILE],
  'share $1=FILE $2=WHO --role owner': [FILE, 'ada@example.com'],
  'drives list': [],
  'drives insert --name $1=NAME': ['Finance'],
  'drives update $1=DRIVE --name $2=NAME': ['Team', 'Crew'],
  'properties insert $1=FILE --key $2=KEY --value $3=VALUE': [FILE, 'kind', 'plan'],
  'changes list --since 1d': [],
  'files update': [FILE, 'v2'],
  'auth logout': [],
  'auth status': [],
  'auth list': [],
  'auth switch': ['other'],
  'auth doctor': [],
  'auth token': [],
  'auth login': [],
  'transfers list': [],
  'transfers resume': [],
  'local serve': [],
  'local approve': ['ABCD-EFGH'],
  'alias list': [],
  'alias set': ['x', 'ls'],
  'api get': ['files/root'],
  completion: ['bash'],
}

/** Lines that wait, or need a browser, an editor, a profile or a code: their help exists. */
const WAITING = /^(auth (login|logout|switch|token)|local|edit|open|transfers resume)/

/** Lines that only read run unchanged; all others run with --dry-run. */
const CHANGING =
  /^(cp|mv|rm|mkdir|touch|ln|restore|push|pull|share .*\$2|share .*--public|unshare|drives (insert|update)|properties|files (insert|update|empty)|alias set)/

test.each(Object.entries(COMMAND_LINES))('%s', async (line, words) => {
  const typed = TYPED[line] ?? [FILE]
  const meant = filledLine(line, typed)
  for (const word of words) {
    const topic = word.replace(' /', '')
    const {code, stderr} = await world.run(topic, [...typed])
    expect(code, word).toBe(2)
    expect(stderr, word).toContain(`\`drv ${meant}\``)
    expect(stderr.split('\n')[0], word).toMatch(/^Error: Unknown command `drv [^` ]+( [^`]*)?`\.$/)
  }
  const [command = ''] = meant.replace(' WHO', ' ada@example.com').split(/ \| | && /)
  const dry = WAITING.test(line) ? ['--help'] : CHANGING.test(line) ? ['--dry-run'] : []
  const [first = '', ...rest] = splitLine(command)!
  const result = await world.run(first, [...rest, ...dry])
  expect(result).toMatchObject({code: 0})
})

test.each([
  ['drives create Finance', 'drives insert --name Finance'],
  ['drives rename Team Crew', 'drives update Team --name Crew'],
  ['channels frobnicate', undefined],
  ['file info /tree/a.txt', 'stat /tree/a.txt'],
  ['drives view Team', 'drives get Team'],
  ['Upload /tree/a.txt', 'push /tree/a.txt'],
  ['uplaod a.txt /', 'push a.txt /'],
  ['drives remove Team', 'drives delete Team'],
  ['permissions edit /tree/a.txt', 'permissions patch /tree/a.txt'],
  ['alias rm x', 'alias delete x'],
  ['erase trash:/a:b', 'rm trash:/a:b'],
  ['-q erase /a', 'rm -q /a'],
])('%s', async (line, meant) => {
  const {code, stderr} = await world.run(line)
  expect(code).toBe(2)
  if (meant) expect(stderr).toContain(`Did you mean \`drv ${meant}\`?`)
  else expect(stderr).toRead()
})

test('only the first word is repeated if there is no such topic', async () => {
  const {stderr} = await world.run('frobnicate set ll')
  expect(stderr).toBe(
    'Error: Unknown command `drv frobnicate`.\nRun `drv --help` to see all commands.\n',
  )
})

test('changes list --since omits earlier changes, from all pages', async () => {
  const ids = await Promise.all(['one', 'two', 'three'].map(name => world.make(name, 'root')))
  const newest = await world.run('changes list --since 1h --max-results 1 --format ndjson')
  const found = newest.stdout
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line).fileId as string)
  expect(found).toEqual(expect.arrayContaining(ids))
  expect(await world.run('changes list --since 2100-01-01 --format ndjson')).toMatchObject({
    code: 0,
    stdout: '',
  })
  const wrong = await world.run('changes list --since soon')
  expect(wrong.code).toBe(2)
  expect(wrong.stderr).toRead()
})

test('there is no --fields if the response has no fields', async () => {
  expect((await world.run('files empty-trash --help-all')).stdout).not.toContain('--fields')
  expect((await world.run('files trash --help-all')).stdout).toMatch(
    /--fields .* such as id,title\./,
  )
})
