import {readFileSync} from 'node:fs'
import {expect, test} from 'vitest'
import {completionSource} from '#lib/cli/completion/decide.js'
import {manifestOf} from '#lib/cli/help/manifest.js'

const read = (file: string) =>
  JSON.parse(readFileSync(new URL(`../../../../${file}`, import.meta.url), 'utf8')) as unknown
const manifest = manifestOf(read('oclif.manifest.json'), read('package.json'))

/** The kinds of completions of the last word of a line. */
function kindsOf(line: string): {kept: string; text: string; what: string[]} {
  const words = line.split(' ')
  const {kept, text, wanted, candidates} = completionSource(
    words.slice(0, -1),
    words.at(-1)!,
    manifest,
  )
  const kinds = wanted.map(one => {
    if (one.kind === 'words') return one.words.join('|')
    if (one.kind !== 'ids') return one.kind
    return [one.of, 'IDs', ...(one.file === undefined ? [] : ['of', one.file])].join(' ')
  })
  return {kept, text, what: [...candidates.map(({value}) => value), ...kinds]}
}

const ROLES = 'owner|organizer|fileOrganizer|writer|reader'
const FORMATS = 'table|tsv|csv|json|ndjson|yaml|ids'

test.each<[line: string, what: string[], kept?: string]>([
  ['chan', ['changes', 'channels']],
  ['local u', ['user']],
  ['local:u', []],
  ['local user c', ['create']],
  ['--json --profile work files tou', ['touch']],
  ['files:tou', []],
  ['help files tou', ['touch']],
  ['help exi', ['exit-codes']],
  ['nothing of this li', []],
  ['files list --max', ['--max-results']],
  ['files list --max-results 5 --max', []],
  ['files update --new', ['--new-revision']],
  ['files update --no-new', ['--no-new-revision']],
  ['files update --conv', []],
  ['files list --format ', [FORMATS]],
  ['files list --format=j', [FORMATS], '--format='],
  ['files list --columns ', ['columns']],
  ['files list --columns=id,labels.t', ['columns'], '--columns=id,'],
  ['--profile ', ['profiles']],
  ['files list --profile=w', ['profiles'], '--profile='],
  ['permissions insert /x --role ', [ROLES]],
  ['find --new', ['--newer']],
  ['md5sum -c ', ['files']],
  ['md5sum ', ['remote', 'file IDs']],
  ['upload ', ['files']],
  ['drives create --na', ['--name']],
  ['files get ', ['remote', 'file IDs']],
  ['files get /a ', ['remote', 'file IDs']],
  ['files get -qo out ', ['remote', 'file IDs']],
  ['files get -oout ', ['remote', 'file IDs']],
  ['files get --output ', ['files']],
  ['files get -- --x', ['remote', 'file IDs']],
  ['files insert ', ['files']],
  ['files insert a b', ['files']],
  ['files insert --body ', ['@']],
  ['files insert --body @x', ['files'], '@'],
  ['files insert --parent ', ['remote', 'file IDs']],
  ['files trash --from ', ['files']],
  ['files trash --checkpoint ', ['files']],
  ['files patch /x --add-parents /a,/b', ['remote', 'file IDs'], '/a,'],
  ['files insert --title ', ['files']],
  ['push ', ['files']],
  ['push a ', ['files', 'remote', 'file IDs']],
  ['pull ', ['remote', 'file IDs']],
  ['pull /a ', ['remote', 'file IDs', 'files']],
  ['drives get ', ['drives', 'drive IDs']],
  ['files list --drive-id ', ['drives', 'drive IDs']],
  ['permissions get /x ', ['permission IDs of /x', 'anyone']],
  ['revisions get /x ', ['revision IDs of /x', 'head']],
  ['children delete /x ', ['remote', 'file IDs']],
  ['changes get ', ['change IDs']],
  ['apps get ', ['app IDs']],
  ['properties get /x ', ['property IDs of /x']],
  ['auth switch ', ['profiles']],
  // Flags that are familiar from shell commands.
  ...['edit ', 'touch ', 'star ', 'unstar ', 'restore ', 'rename s/a/b/ ', 'ln -s ', 'md5sum ']
    .concat(['check . ', 'revisions prune ', 'find ', 'unshare /a '])
    .map((line): [string, string[]] => [line, ['remote', 'file IDs']]),
  ['check ', ['files']],
  ['ls --sort ', ['name|size|modified|created']],
  ['find --type ', ['folder|image|audio|video|doc|sheet|slides|text|archive']],
  ['find --newer ', ['today|yesterday|1d|7d|30d|1y']],
  ['find --older=', ['today|yesterday|1d|7d|30d|1y'], '--older='],
  ['find --min-size ', ['100K|1M|10M|100M|1G']],
  ['find --owner ', ['me']],
  ['find --shared-with ', ['anyone']],
  ['share /a ada --expires ', ['7d|30d|90d']],
  ['restore /a --revision ', ['head~1']],
  ['push --bwlimit ', ['100K|1M|10M|100M|1G']],
  ['pull --export pdf,', ['docx|xlsx|pptx|pdf|html|txt|csv'], 'pdf,'],
  ['ls --limit ', []],
  ['files patch /x --labels.', ['--labels.starred', '--labels.trashed', '--labels.viewed']],
  ['completion ', ['bash|zsh|fish']],
  ['local check --data ', ['files']],
])('%s', (line, what, kept = '') => {
  expect(kindsOf(line)).toEqual({kept, text: line.split(' ').at(-1)!.slice(kept.length), what})
})

test('one-word commands complete remote files', () => {
  const flags = {}
  const verbs = 'ls tree find stat du cat mkdir cp mv rm share unshare open url'.split(' ')
  const args = {things: {name: 'things', multiple: true}, target: {name: 'target'}}
  const commands = Object.fromEntries(
    verbs.map(id => [id, {id, effect: 'reads' as const, flags, args}]),
  )
  for (const verb of verbs) {
    const {wanted} = completionSource([verb, '/a'], '/b', {
      version: '',
      commands,
      topics: {},
      operationTopics: [],
    })
    expect(new Set(wanted.map(({kind}) => kind)), verb).toEqual(new Set(['remote', 'ids']))
  }
})

test('candidates have descriptions, also for topics', () => {
  const {candidates} = completionSource([], 'fil', manifest)
  expect(candidates).toEqual([
    {value: 'files', about: 'Manage files and folders: content and metadata.'},
  ])
})

test('uses the profile in the command line', () => {
  expect(completionSource(['files', 'get', '--profile', 'work'], '/', manifest).profile).toBe(
    'work',
  )
  expect(completionSource(['--profile=work', 'files', 'get'], '/', manifest).profile).toBe('work')
})
