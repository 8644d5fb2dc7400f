import {expect, test} from 'vitest'
import {outcomeOf, words} from './command.js'

/** Command lines that nothing is sent for, and the sentence that says why. */
const cases: ReadonlyArray<readonly [line: string, sentence: string]> = [
  ['files trash', 'FILE is missing: ID of the file or folder (ID, path or link).'],
  [
    'children get FOLDER',
    'CHILD_ID is missing: ID of the file or folder in it (ID, path or link).',
  ],
  ['files trash ""', 'FILE must not be empty.'],
  ['files trash "  "', 'FILE must not be empty.'],
  // -q is not --q.
  [
    'files list -q "title contains report"',
    '-q is short for --quiet and takes no value, such as "title contains report".',
  ],
  ['files get ID -q .title', '-q is short for --quiet and takes no value, such as ".title".'],
  [`files list --q "title contans 'x'"`, '--q is no query: look at contans.'],
  ['drives list --q "nam"', '--q is no query: look at nam.'],
  // IDs that would make another path.
  [
    'files delete trash --yes',
    'FILE must not be "trash", which leads to another operation: files.emptyTrash.',
  ],
  [
    'files get generateIds',
    'FILE must not be "generateIds", which leads to another operation: files.generateIds.',
  ],
  [
    'files get Trash/',
    'FILE must not be "Trash/", which leads to another operation: files.emptyTrash.',
  ],
  [
    'changes get startPageToken',
    'CHANGE_ID must not be "startPageToken", which leads to another operation: changes.getStartPageToken.',
  ],
  [
    'parents delete F ..',
    'PARENT_ID must not be "..": a service may take it for a step to another path.',
  ],
  [
    'children delete F %2e%2E',
    'CHILD_ID must not be "%2e%2E": a service may take it for a step to another path.',
  ],
  [
    'files insert --title t --parent ..',
    '--parent must not be "..": a service may take it for a step to another path.',
  ],
  ['files empty-trash --drive-id "" --yes', '--drive-id must not be empty.'],
  [
    'files get ID --download --revision-id ..',
    '--revision-id must not be "..": a service may take it for a step to another path.',
  ],
  [
    'properties insert ID --key ..',
    '--key must not be "..": a service may take it for a step to another path.',
  ],
  ['files copy ID --parent ""', '--parent must not be empty.'],
  [
    'files insert --id trash',
    '--id must not be "trash", which leads to another operation: files.emptyTrash.',
  ],
  [
    'children insert F --id .',
    '--id must not be ".": a service may take it for a step to another path.',
  ],
  [
    `files insert --body '{"parents": [{"id": ".."}]}'`,
    '"parents[0].id" in --body must not be "..": a service may take it for a step to another path.',
  ],
  ['files list more', 'One argument too many: "more".'],
  ['files list --nonsense', 'There is no flag --nonsense.'],
  ['files list --nonsense=1', 'There is no flag --nonsense.'],
  ['files list --max-results', 'Flag --max-results expects a value.'],
  ['files list --max-results ten', '--max-results must be a whole number, not "ten".'],
  ['files list --max-results -1', '--max-results must be 0 or more, not -1.'],
  ['drives list --max-results 0', '--max-results must be between 1 and 100, not 0.'],
  ['drives list --max-results 101', '--max-results must be between 1 and 100, not 101.'],
  [
    'about get --start-change-id 9223372036854775808',
    '--start-change-id must be between -9223372036854775808 and 9223372036854775807, not 9223372036854775808.',
  ],
  ['files list --corpus MINE', '--corpus must be one of DEFAULT, DOMAIN, not "MINE".'],
  ['files list --limit 0', '--limit must be a whole number above 0, not "0".'],
  ['files list --limit x', '--limit must be a whole number above 0, not "x".'],
  ['files list --limit 3 --all', '--limit=3 cannot also be provided when using --all.'],
  ['files list --max-results 3 --max-results 4', 'Flag --max-results can only be specified once.'],
  ['files export ID', '--mime-type is missing.'],
  // Bodies.
  ['children insert FOLDER', '--id is missing: this needs it, or "id" in --body.'],
  ['permissions insert ID --role reader', '--type is missing: this needs it, or "type" in --body.'],
  ['files watch ID', '--address is missing: this needs it, or "address" in --body.'],
  ['channels stop --id c', '--resource-id is missing: this needs it, or "resourceId" in --body.'],
  ['files insert --body [1]', '--body must be a JSON object, such as {"title": "Report"}.'],
  [`files insert --body '{"title": }'`, '--body is no valid JSON: look at line 1, column 11.'],
  [
    `files insert --body '{"title": "x"'`,
    '--body is no valid JSON: it ends too early, at line 1, column 14.',
  ],
  [`files insert --body '{"title": 5}'`, '"title" in --body must be text.'],
  [`files insert --body '{"parents": [{"id": 5}]}'`, '"parents[0].id" in --body must be text.'],
  [
    `files insert --body '{"labels": {"starred": "yes"}}'`,
    '"labels.starred" in --body must be true or false.',
  ],
  [
    'files insert --created-date someday',
    '--created-date must be a time such as 2026-11-21T09:30:00Z, not "someday".',
  ],
  [
    'files insert --body @/nowhere/body.json',
    'Cannot read the body from /nowhere/body.json: no such file or directory.',
  ],
  ['files insert --body @/', 'Cannot read the body from /: it is a directory.'],
  [
    'local serve --faults /nowhere/f.json',
    'Cannot read the faults from /nowhere/f.json: no such file or directory.',
  ],
  ['local serve --faults /', 'Cannot read the faults from /: it is a directory.'],
  ['local serve --faults ""', '--faults must not be empty.'],
  ['files insert --body @', '--body @ lacks the path of a file behind the @.'],
  ['files insert --body ""', '--body is empty: a JSON object belongs there.'],
  ['files insert ""', 'PATH must not be empty.'],
  ['files insert --convert=maybe', '--convert must be true or false, not "maybe".'],
  ['files insert --no-convert=maybe', '--no-convert takes no value.'],
  ['files get ID --json=false', '--json takes no value.'],
  ['files get ID --quiet=loud', '--quiet takes no value.'],
  [
    'files watch ID --address a --expiration soon',
    '--expiration must be a whole number, not "soon".',
  ],
  // Content.
  ['files insert /nowhere/a.txt', 'Cannot read /nowhere/a.txt: no such file or directory.'],
  ['files insert /', '/ is a directory: only files can be uploaded.'],
  ['files insert - --body -', 'Standard input can be read only once, not by --body - and by -.'],
  ['files update ID - --body -', 'Standard input can be read only once, not by --body - and by -.'],
  ['files patch ID - --body -', 'Standard input can be read only once, not by --body - and by -.'],
  ['files patch ID /nowhere/a.txt', 'Cannot read /nowhere/a.txt: no such file or directory.'],
  ['files get ID --force', '--force works only together with --output.'],
  ['files get ID --revision-id R', '--revision-id works only together with --output.'],
  [
    'files get ID --download - --fields id',
    '--fields chooses metadata, and --output writes the content.',
  ],
  ['files get --download', 'FILE is missing: ID of the file or folder (ID, path or link).'],
  // Global flags.
  [
    'about get --format xml',
    '--format must be one of table, tsv, csv, json, ndjson, yaml, ids, not "xml".',
  ],
  ['about get --json --format tsv', '--json and --format tsv exclude each other.'],
  ['about get --timeout soon', '--timeout must be a number of seconds above 0, not "soon".'],
  ['about get --timeout 0', '--timeout must be a number of seconds above 0, not "0".'],
  // Tokens have no flag.
  ['about get --access-token t', 'There is no flag --access-token.'],
  ['about get --key k', 'There is no flag --key.'],
]

test.each(cases)('%s', async (line, sentence) => {
  const [resource, verb, ...argv] = words(line)
  const {error, exit, id, stdout} = await outcomeOf(`${resource} ${verb}`, argv)
  expect(error).toBe(sentence)
  expect(exit).toBe(2)
  expect(id).toBeUndefined()
  expect(stdout).toBe('')
})

test.each([
  ['push', ['.', '..']],
  ['push', ['.', 'trash/Reports']],
  ['pull', ['%2e%2e/', '.']],
  ['pull', ['generateIds', '.']],
])('%s %j names no place', async (name, argv) => {
  const {error, exit, id} = await outcomeOf(name, argv)
  expect(error).toRead()
  expect(exit).toBe(2)
  expect(id).toBeUndefined()
})

test('-q with a word behind it names the flags that were meant', async () => {
  expect(await outcomeOf('files list', ['-q', 'x'])).toMatchObject({
    exit: 2,
    hint: 'Did you mean another flag? A search is `--q TEXT`, a filter of JSON is `--jq EXPR`.',
  })
  expect((await outcomeOf('files get', ['-q', 'ID'])).id).toBe('files.get')
})
