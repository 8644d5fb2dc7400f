import {describe, expect, test} from 'vitest'
import {operation} from '#lib/api/operations.js'
import {callVerb} from '#lib/cli/document/call.js'
import {pickColumns} from '#lib/cli/output/columns.js'
import {verb} from '#lib/cli/run/verb.js'
import {commandNames, loadCommand, outcomeOf, outcomeOfClass} from '../../../parse/command.js'

const file = {kind: 'drive#file', id: 'i', title: 'a', labels: {starred: true, trashed: false}}
const pages = [{kind: 'drive#fileList', items: [file], nextPageToken: 't'}]

const list = (...argv: string[]) => outcomeOf('files list', argv, {pages})
const get = (...argv: string[]) =>
  outcomeOf('files get', ['ID', ...argv], {answers: {'files.get': file}})

describe('--columns', () => {
  test.each([
    ['tsv', 'true\ti\n'],
    ['csv', 'labels.starred,id\r\ntrue,i\r\n'],
    ['ndjson', '{"labels":{"starred":true},"id":"i"}\n'],
    ['yaml', '- labels:\n    starred: true\n  id: i\n'],
    ['ids', 'true\n'],
  ])('selects and orders columns in %s', async (format, expected) => {
    const {stdout, input} = await list('--columns', 'labels.starred,id', '--format', format)
    expect(stdout).toBe(expected)
    expect(input?.params.fields).toBe('nextPageToken,items(labels/starred,id)')
  })

  test('keeps JSON nested, in order, with the other fields of the list', async () => {
    const {stdout} = await list('--columns', 'labels.starred,id', '--json')
    expect(JSON.stringify(JSON.parse(stdout))).toBe(
      '{"items":[{"labels":{"starred":true},"id":"i"}],"kind":"drive#fileList","nextPageToken":"t"}',
    )
  })

  test('requests only the selected fields of one record', async () => {
    const {stdout, input} = await get('--columns', 'title,id', '--json')
    expect(JSON.stringify(JSON.parse(stdout))).toBe('{"title":"a","id":"i"}')
    expect(input?.params.fields).toBe('title,id')
    expect((await get('--columns', 'title,id', '--format', 'tsv')).stdout).toBe('a\ti\n')
  })

  test('with --fields only selects', async () => {
    const {stdout, input} = await list('--fields', 'items(id,title)', '--columns', 'title')
    expect(stdout).toBe('a\n')
    expect(input?.params.fields).toBe('items(id,title)')
  })

  test.each(['json', 'ndjson', 'yaml'])(
    'without it, all columns are requested in %s',
    async format => {
      expect((await list('--format', format)).input?.params).not.toHaveProperty('fields')
    },
  )

  test('with IDs, only IDs are requested', async () => {
    const {stdout, input} = await list('--format', 'ids')
    expect(stdout).toBe('i\n')
    expect(input?.params.fields).toBe('nextPageToken,items(id)')
  })

  test.each([
    ['files list', ['--columns', 'titel'], 'Did you mean "title"?'],
    ['files list', ['--columns', 'labels.trashd'], 'Did you mean "trashed"?'],
    ['files get', ['ID', '--columns', 'id,mimetype'], 'Did you mean "mimeType"?'],
    ['permissions list', ['ID', '--columns', 'path'], 'To list all columns, pass --columns help.'],
    [
      'files list',
      ['--columns', 'id,,'],
      'Example: --columns id,labels.trashed. To list all columns, pass --columns help.',
    ],
  ])('%s %j is rejected before a request', async (name, argv, hint) => {
    const outcome = await outcomeOf(name, argv)
    expect(outcome).toMatchObject({exit: 2, hint, stdout: ''})
    expect(outcome.id).toBeUndefined()
  })

  test('help lists all columns, and sends nothing', async () => {
    const {stdout, id, error} = await list('--columns', 'help')
    expect(stdout.split('\n')).toEqual(
      expect.arrayContaining(['id', 'title', 'labels.trashed', 'owners.displayName', 'path']),
    )
    expect([id, error]).toEqual([undefined, undefined])
    expect((await outcomeOf('permissions list', ['ID', '--columns', 'help'])).stdout).not.toMatch(
      /^path$/m,
    )
  })

  test('path shows the paths of files, and requests the fields it needs', async () => {
    const at = (id: string, title: string) => ({
      ...file,
      id,
      title,
      labels: {trashed: false},
      parents: [{id: 'root', isRoot: true}],
    })
    const two = [{items: [at('1', 'a')], nextPageToken: 't'}, {items: [at('2', 'b')]}]
    const argv = ['--all', '--columns', 'path,id', '--format', 'csv']
    const {stdout, input} = await outcomeOf('files list', argv, {pages: two})
    expect(stdout).toBe('path,id\r\n/a,1\r\n/b,2\r\n')
    expect(input?.params.fields).toContain('parents(id,isRoot)')
  })

  test.each([
    ['items(id)', 'items(id),items(id,title,driveId,labels/trashed,parents(id,isRoot))'],
    ['id', 'items(id),items(id,title,driveId,labels/trashed,parents(id,isRoot))'],
  ])(
    'path with --fields %s requests the fields it needs, without showing them',
    async (fields, sent) => {
      const items = [{id: '1', title: 'a', parents: [{id: 'root', isRoot: true}]}]
      const argv = ['--columns', 'path', '--fields', fields, '--format', 'ndjson']
      const {stdout, input} = await outcomeOf('files list', argv, {pages: [{items}]})
      expect(stdout).toBe('{"path":"/a"}\n')
      expect(input?.params.fields).toBe(sent)
    },
  )

  test('path of one record with --fields', async () => {
    const {stdout, input} = await get('--columns', 'path', '--fields', 'id', '--json')
    expect(JSON.parse(stdout)).toEqual({path: 'shared:/a'})
    expect(input?.params.fields).toBe('id,id,title,driveId,labels/trashed,parents(id,isRoot)')
  })

  test('are never dropped on a narrow terminal: names are cut, IDs and checksums are not', async () => {
    const whole = ['i'.repeat(33), 'm'.repeat(32), 's'.repeat(64)]
    const [id, md5Checksum, sha256Checksum] = whole
    const long = {...file, id, md5Checksum, sha256Checksum, title: 't'.repeat(90)}
    const names = 'title,id,md5Checksum,sha256Checksum'
    const {stderr, stdout} = await outcomeOf(
      'files list',
      ['--columns', names, '--format', 'table'],
      {pages: [{items: [long]}], isTerminal: true},
    )
    expect(stderr).toBe('')
    expect(stdout.trimEnd().split('\n')[1]!.split(/ +/)).toEqual(['ttttttt…', ...whole])
  })

  test('of saved content are the reported values', async () => {
    const download = (column: string) =>
      outcomeOf('files get', ['ID', '-o', 'x', '--columns', column])
    expect(await download('title')).toMatchObject({exit: 2})
    expect((await download('help')).stdout).toBe('path\nsize\nmd5\nmimeType\nskipped\n')
  })

  /** A command line with all required inputs. */
  async function lineOf(name: string): Promise<string[]> {
    const {args = {}, flags = {}, baseFlags = {}} = await loadCommand(name)
    const needed = Object.entries({...baseFlags, ...flags}).flatMap(
      ([flag, {required, ...rest}]) =>
        required ? [`--${flag}`, ('options' in rest && rest.options?.[0]) || 'x'] : [],
    )
    // The columns come from a document, without a service.
    if ('built-in' in flags) needed.push('--built-in')
    const words = Object.values(args).flatMap(({required, options}) =>
      required ? [options?.[0] ?? 'x'] : [],
    )
    return [...words, ...needed]
  }

  // Those of `api call` are rejected by the command of the method.
  const names = commandNames.filter(name => name !== 'api call')
  test('drv api call rejects one that the response of the method does not have', async () => {
    const argv = ['ID', '--columns', 'nosuch', '--json']
    const outcome = await outcomeOfClass(
      verb(callVerb(operation('files.get'), argv)),
      'api call',
      argv,
    )
    expect(outcome).toMatchObject({exit: 2, stdout: ''})
    expect(outcome.error).toRead()
  })

  test.each(names)('drv %s rejects an unknown one before a request', async name => {
    const outcome = await outcomeOf(name, [
      ...(await lineOf(name)),
      '--columns',
      'nosuch',
      '--json',
    ])
    expect(outcome).toMatchObject({exit: 2, stdout: ''})
    expect(outcome.error).toRead()
    expect(outcome.id).toBeUndefined()
  })

  test.each([
    ['push', ['a', '/', '--columns', 'creatd'], 'Did you mean "created"?'],
    ['pull', ['/', 'a', '--columns', 'creatd'], 'Did you mean "created"?'],
    ['push', ['a', '/', '--dry-run', '--columns', 'acton'], 'Did you mean "action"?'],
    ['transfers list', ['--columns', 'stat'], 'Did you mean "state"?'],
    ['local user list', ['--columns', 'logn'], 'Did you mean "login"?'],
    ['auth list', ['--columns', 'user.logn'], 'Did you mean "user.login"?'],
    ['files url', ['/x', '--columns', 'alternatelnk'], 'Did you mean "alternateLink"?'],
    [
      'api describe',
      ['File', '--built-in', '--json', '--columns', 'propertis'],
      'Did you mean "properties"?',
    ],
  ])('drv %s %j gets a suggestion', async (name, argv, hint) => {
    expect(await outcomeOf(name, argv)).toMatchObject({exit: 2, hint, stdout: ''})
  })
})

test.each([
  [['b', 'a'], '{"b":[{"c":1,"d":2}],"a":1}'],
  [['b.d', 'a', 'b.c'], '{"b":[{"d":2,"c":1}],"a":1}'],
  [['b.c', 'b'], '{"b":[{"c":1,"d":2}]}'],
  [['b', 'b.c'], '{"b":[{"c":1,"d":2}]}'],
  [['x', 'constructor'], '{}'],
])('%j of a record', (paths, expected) => {
  expect(JSON.stringify(pickColumns({a: 1, b: [{c: 1, d: 2}]}, paths))).toBe(expected)
})

describe('--jq', () => {
  test.each<[string[], string]>([
    [['--jq', '.items[].title'], 'a\n'],
    [['--jq', '.nextPageToken, (.items | length)'], 't\n1\n'],
    [['--json', '--jq', '.items[0].labels | keys'], '[\n  "starred",\n  "trashed"\n]\n'],
    [['--format', 'ndjson', '--jq', '.title'], 'a\n'],
    [['--jq', '.items[]', '--columns', 'id'], '{\n  "id": "i"\n}\n'],
    [['--jq', 'empty'], ''],
  ])('%j filters the output of --json', async (argv, expected) => {
    expect(await list(...argv)).toMatchObject({stdout: expected})
  })

  test('works for one record, and for an operation without a response', async () => {
    expect((await get('--jq', '.labels.starred')).stdout).toBe('true\n')
    expect((await outcomeOf('files delete', ['ID', '--yes', '--jq', '. == {}'])).stdout).toBe(
      'true\n',
    )
  })

  test.each([
    ['.items[', /^--jq failed: jq: error: syntax error, unexpected end of file/],
    ['nonsense', /nonsense\/0 is not defined/],
    ['', /Top-level program not given/],
  ])('%j is rejected with the message of jq before a request', async (expression, words) => {
    const {error, exit, id} = await list('--jq', expression)
    expect(error).toMatch(words)
    expect([exit, id]).toEqual([2, undefined])
  })

  test('reports a failing value, also after valid ones', async () => {
    const items = [{id: 1}, {id: 'x'}, {id: 3}]
    const argv = ['--format', 'ndjson', '--jq', '.id + 1']
    const {error, exit} = await outcomeOf('files list', argv, {pages: [{items}]})
    expect(error).toRead()
    expect(exit).toBe(2)
  })

  test.each(['table', 'tsv', 'csv', 'yaml', 'ids'])(
    'and --format %s cannot be combined',
    async f => {
      expect(await list('--jq', '.', '--format', f)).toMatchObject({exit: 2, stdout: ''})
    },
  )

  test('processes megabytes in linear time', async () => {
    const items = Array.from({length: 3000}, (_, id) => ({id, title: 'x'.repeat(1000)}))
    const {stdout} = await outcomeOf('files list', ['--jq', '.items[].title'], {pages: [{items}]})
    expect(stdout).toHaveLength(3000 * 1001)
  })
})
