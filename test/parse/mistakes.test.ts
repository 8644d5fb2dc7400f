import {expect, test} from 'vitest'
import {outcomeOf, words} from './command.js'

/** Command lines that are rejected before a request is sent. */
const cases: readonly string[] = [
  'files trash',
  'children get FOLDER',
  'files trash ""',
  'files trash "  "',
  // -q is not --q.
  'files list -q "title contains report"',
  'files get ID -q .title',
  `files list --q "title contans 'x'"`,
  'drives list --q "nam"',
  // IDs that would lead to another path.
  'files delete trash --yes',
  'files get generateIds',
  'files get Trash/',
  'changes get startPageToken',
  'parents delete F ..',
  'children delete F %2e%2E',
  'files insert --title t --parent ..',
  'files empty-trash --drive-id "" --yes',
  'files get ID --download --revision-id ..',
  'properties insert ID --key ..',
  'files copy ID --parent ""',
  'files insert --id trash',
  'children insert F --id .',
  `files insert --body '{"parents": [{"id": ".."}]}'`,
  'files list more',
  'files list --nonsense',
  'files list --nonsense=1',
  'files list --max-results',
  'files list --max-results ten',
  'files list --max-results -1',
  'drives list --max-results 0',
  'drives list --max-results 101',
  'about get --start-change-id 9223372036854775808',
  'files list --corpus MINE',
  'config get history.dayz',
  'auth login --callback http://127.0.0.1:8085/callback',
  'files list --limit 0',
  'files list --limit x',
  'files list --limit 3 --all',
  'files list --max-results 3 --max-results 4',
  'files export ID',
  // Bodies.
  'children insert FOLDER',
  'permissions insert ID --role reader',
  'files watch ID',
  'channels stop --id c',
  'files insert --body [1]',
  `files insert --body '{"title": }'`,
  `files insert --body '{"title": "x"'`,
  `files insert --body '{"title": 5}'`,
  `files insert --body '{"parents": [{"id": 5}]}'`,
  `files insert --body '{"labels": {"starred": "yes"}}'`,
  'files insert --created-date someday',
  'files insert --body @/nowhere/body.json',
  'files insert --body @/',
  'local serve --faults /nowhere/f.json',
  'local serve --faults /',
  'local serve --faults ""',
  'files insert --body @',
  'files insert --body ""',
  'files insert ""',
  'files insert --convert=maybe',
  'files insert --no-convert=maybe',
  'files get ID --json=false',
  'files get ID --quiet=loud',
  'files watch ID --address a --expiration soon',
  // Content.
  'files insert /nowhere/a.txt',
  'files insert /',
  'files insert - --body -',
  'files update ID - --body -',
  'files patch ID - --body -',
  'files patch ID /nowhere/a.txt',
  'files get ID --force',
  'files get ID --revision-id R',
  'files get ID --download - --fields id',
  'files get --download',
  // Global flags.
  'about get --format xml',
  'about get --json --format tsv',
  'about get --timeout soon',
  'about get --timeout 0',
  // Tokens have no flag.
  'about get --access-token t',
  'about get --key k',
]

test.each(cases)('%s', async line => {
  const [resource, verb, ...argv] = words(line)
  const {error, exit, id, stdout} = await outcomeOf(`${resource} ${verb}`, argv)
  expect(error).toRead()
  expect(exit).toBe(2)
  expect(id).toBeUndefined()
  expect(stdout).toBe('')
})

test.each([
  ['push', ['.', '..']],
  ['push', ['.', 'trash/Reports']],
  ['pull', ['%2e%2e/', '.']],
  ['pull', ['generateIds', '.']],
])('%s %j is an invalid remote path', async (name, argv) => {
  const {error, exit, id} = await outcomeOf(name, argv)
  expect(error).toRead()
  expect(exit).toBe(2)
  expect(id).toBeUndefined()
})

test('-q with a value suggests --q and --jq', async () => {
  const {exit, hint} = await outcomeOf('files list', ['-q', 'x'])
  expect(exit).toBe(2)
  expect(hint).toRead()
  expect((await outcomeOf('files get', ['-q', 'ID'])).id).toBe('files.get')
})
