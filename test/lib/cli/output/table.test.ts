import stringWidth from 'string-width'
import {describe, expect, test} from 'vitest'
import {operation, operations} from '#lib/api/operations.js'
import {kindPaths} from '#lib/cli/output/columns.js'
import type {Layout, Row} from '#lib/cli/output/format.js'
import {formats, tableFormat} from '#lib/cli/output/formats.js'
import {shownFields} from '#lib/cli/output/list-fields.js'
import {kindWord} from '#lib/cli/output/people.js'
import {shareAll, shareByRank} from '#lib/cli/terminal/column-widths.js'
import {isolated, wrap} from '#lib/cli/terminal/width.js'

const FOLDER = 'application/vnd.google-apps.folder'

const file = (title: string, more: object = {}): Row => ({
  kind: 'drive#file',
  id: '1'.repeat(33),
  title,
  mimeType: 'application/pdf',
  fileSize: '5324',
  modifiedDate: '2026-11-22T07:23:41.123Z',
  ownerNames: ['Ada Lovelace'],
  ...more,
})

async function linesOf(records: readonly Row[], layout: Layout): Promise<string[]> {
  const text = await tableFormat.records(records, layout)
  expect(text.endsWith('\n')).toBe(true)
  return text.slice(0, -1).split('\n')
}

/** The column of a mark in a line of the terminal. */
const columnOf = (line: string, mark: string) => stringWidth(line.slice(0, line.indexOf(mark)))

const long = 'The report of the third quarter with everything that anybody could want to know.pdf'

describe('a list of files', () => {
  test.each([
    [40, 'TITLE MODIFIED', 20],
    [80, 'TITLE KIND SIZE MODIFIED', 30],
    [120, 'TITLE KIND SIZE MODIFIED OWNER', 50],
    [200, 'TITLE KIND SIZE MODIFIED OWNER ID', 83],
  ])('at %i columns has %s', async (width, titles, least) => {
    const sheet = {mimeType: 'application/vnd.google-apps.spreadsheet'}
    const lines = await linesOf([file(long), file('x', sheet)], {width})
    expect(lines[0]!.split(/ +/).join(' ')).toBe(titles)
    const [, title = ''] = /^(.*?) {2,}/.exec(lines[1]!) ?? []
    expect(stringWidth(title)).toBeGreaterThanOrEqual(least)
    for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(width)
  })

  test('is shown in words for people', async () => {
    const records = [file('q3.pdf'), file('Reports', {mimeType: FOLDER, fileSize: undefined})]
    expect(await linesOf(records, {width: 80})).toEqual([
      'TITLE    KIND       SIZE  MODIFIED          OWNER',
      'q3.pdf   PDF     5.2 KiB  2026-11-22 07:23  Ada Lovelace',
      'Reports  folder           2026-11-22 07:23  Ada Lovelace',
    ])
  })

  test('has whole IDs if requested, and cuts the rest', async () => {
    const columns = ['id', 'title', 'mimeType']
    const lines = await linesOf([file(long)], {width: 60, columns})
    expect(lines[1]).toMatch(/^1{33} {2}The report.*… {2}application…|^1{33} {2}.*…/)
    for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(60)
  })

  test('has all requested columns, on any width', async () => {
    const columns = ['title', 'id', 'mimeType', 'fileSize', 'modifiedDate', 'ownerNames']
    const [head, line] = await linesOf([file(long)], {width: 40, columns})
    expect(head!.split(/ +/)).toHaveLength(columns.length)
    expect(line).toMatch(/^The rep… {2}1{33} {2}.*5\.2 KiB.*2026-11-22 07:23 {2}/)
  })

  test('in full has an ID at 80 columns, where names have room for a few letters', async () => {
    const lines = await linesOf([file(long, {shared: true})], {width: 80, name: 'file in full'})
    expect(lines[0]).toMatch(/^NAME .*OWNER .*SHARED .*ID$/)
    expect(lines[1]).toContain('1'.repeat(33))
  })

  test.each([1, 5, 10, 20, 40])('never has a line longer than %i columns', async width => {
    for (const line of await linesOf([file(long)], {width})) {
      expect(stringWidth(line)).toBeLessThanOrEqual(width)
    }
  })
})

const names = [
  'plain.txt',
  '日本語のファイル名.txt',
  '한글 문서.txt'.normalize('NFD'),
  'e\u0301te\u0301.txt',
  'नमस्ते.txt',
  'กำลัง.txt',
  'שלום עולם.pdf',
  'مرحبا بالعالم.pdf',
  '👩‍👩‍👧 family 🇩🇪.png',
  '1️⃣ first ❤️.png',
  'a\u001b[2Jb\tc\nd\re\u0007\u009b31m',
  '\u202eevil\u202c.exe',
  'zero\u200bwidth\ufeff.txt',
  'z\u0300\u0301\u0302\u0303\u0304\u0305algo',
]

describe.each([40, 80, 120])('names of all kinds at %i columns', width => {
  test('stay in their lines and columns', async () => {
    const both = names.flatMap(name => [name, name.repeat(12)])
    const lines = await linesOf(
      both.map(name => file(name)),
      {width},
    )
    expect(lines).toHaveLength(both.length + 1)
    expect(new Set(lines.slice(1).map(line => columnOf(line, '2026-11-22'))).size).toBe(1)
    for (const line of lines) {
      expect(stringWidth(line)).toBeLessThanOrEqual(width)
      expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/)
    }
  })

  test('stay in the lines of a record', async () => {
    for (const name of names) {
      const text = await tableFormat.record(file(name.repeat(12)), {width})
      const lines = text.slice(0, -1).split('\n')
      expect(lines[0]).toMatch(/^title {9}/)
      for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(width)
    }
  })
})

test('a name from right to left does not affect the rest of the line', async () => {
  const [, line] = await linesOf([file('שלום.pdf')], {width: 80})
  expect(line).toMatch(/^\u2068שלום\.pdf\u2069 {2}PDF/)
  expect(isolated('plain')).toBe('plain')
})

test('the first page decides the widths of all pages', async () => {
  const list = tableFormat.list({width: 60})
  const first = await list.rows([file('short.pdf')])
  const second = await list.rows([file(long)])
  const [title = '', ...more] = second.split('\n')
  expect(more).toEqual([''])
  expect(columnOf(title, '2026')).toBe(columnOf(first.split('\n')[1]!, '2026'))
  expect(title).toMatch(/^The repo…/)
})

test('a page of 10,000 rows looks like one table', async () => {
  const records = Array.from({length: 10_000}, (_, at) =>
    file(`${at % 2 ? 'Bericht é' : '报告'} ${at}`),
  )
  const lines = await linesOf(records, {width: 80})
  expect(lines).toHaveLength(10_001)
  expect(columnOf(lines[1]!, '2026')).toBe(columnOf(lines.at(-1)!, '2026'))
})

describe('colors', () => {
  const records = [file('Reports', {mimeType: FOLDER}), file('q3.pdf')]

  test('distinguish the header, folders and less important values', async () => {
    const lines = await linesOf(records, {width: 80, color: true})
    expect(lines[0]).toContain('\u001b[1mTITLE\u001b[22m')
    expect(lines[1]).toContain('\u001b[34mReports\u001b[39m')
    expect(lines[1]).toContain('\u001b[2mAda Lovelace\u001b[22m')
    expect(lines[2]).toMatch(/^q3\.pdf/)
  })

  test('take no columns', async () => {
    const plain = await linesOf(records, {width: 80})
    const coloured = await linesOf(records, {width: 80, color: true})
    expect(coloured.map(line => line.replace(/\u001b\[\d+m/g, ''))).toEqual(plain)
  })
})

test.each(
  operations
    .filter(({verb}) => verb === 'list')
    .map(({operationId}) => operationId)
    .filter(id => !['teamdrives.list', 'comments.list', 'replies.list'].includes(id)),
)('%s has its own columns', id => {
  expect(shownFields(operation(id), formats.table)).toContain('items(kind,')
})

test('a list of files marks those in the trash', async () => {
  const lines = await linesOf([file('kept'), file('gone', {labels: {trashed: true}})], {width: 80})
  expect(lines.map(line => line.includes('(trashed)'))).toEqual([false, false, true])
})

test('a list requests the fields that its table shows', () => {
  expect(shownFields(operation('files.list'), formats.table)).toRead()
  expect(shownFields(operation('files.list'), formats.tsv)).not.toContain('ownerNames')
  expect(kindPaths('drive#nonsense', true)).toBeUndefined()
})

describe('tables of other records', () => {
  test.each<[string, Row, string]>([
    [
      'drive#permission',
      {emailAddress: 'ada@example.org', role: 'writer', type: 'user', id: '77'},
      'ada@example.org  writer  user  77',
    ],
    ['drive#permission', {role: 'reader', type: 'anyone', id: 'anyone'}, 'anyone  reader  anyone'],
    [
      'drive#drive',
      {name: 'Finance', createdDate: '2026-11-22T07:23:00Z', id: 'D'},
      'Finance  2026-11-22 07:23',
    ],
    [
      'drive#change',
      {deleted: true, fileId: 'F', type: 'file', modificationDate: '2026-11-22T07:23:00Z'},
      'F  file  deleted  2026-11-22 07:23',
    ],
    [
      'drive#change',
      {deleted: false, file: {title: 'Reports', mimeType: FOLDER}},
      'Reports  folder  changed',
    ],
    [
      'drive#revision',
      {modifiedDate: '2026-11-22T07:23:00Z', fileSize: '12', id: 'R'},
      '2026-11-22 07:23  12 B',
    ],
    ['drive#parentReference', {id: 'P', isRoot: true}, 'P  My Drive'],
    ['drive#childReference', {id: 'C'}, 'C'],
    ['drive#property', {key: 'k', value: 'v', visibility: 'PRIVATE'}, 'k  v  PRIVATE'],
    ['drive#app', {name: 'App', installed: true, authorized: false, id: '1'}, 'App  yes'],
    ['drive#label', {id: 'L', revisionId: '3', fields: {a: {}, b: {}}}, 'L  3  a, b'],
  ])('%s', async (kind, record, words) => {
    const [, line = ''] = await linesOf([{kind, ...record}], {width: 80})
    expect(line.replace(/ {2,}/g, '  ')).toContain(words)
  })

  test('a transfer shows its progress', async () => {
    const transfer = {key: 'abc', kind: 'upload', state: 'interrupted', path: '/home/ada/film.mp4'}
    const rows = [
      {...transfer, done: 4_400_000, size: 10_485_760},
      {...transfer, done: undefined, size: 10_485_760},
      {...transfer, done: 2048, size: undefined},
    ]
    const lines = await linesOf(rows, {width: 120, name: 'transfer', columns: ['key', 'done']})
    expect(lines[0]).toMatch(/^PATH +KIND +STATE +DONE +SIZE +KEY$/)
    expect(lines[1]).toMatch(/interrupted +4\.2 MiB \(41 %\) +10\.0 MiB +abc$/)
    expect(lines[2]).toMatch(/interrupted +10\.0 MiB +abc$/)
    expect(lines[3]).toMatch(/interrupted +2\.0 KiB +abc$/)
  })
})

test.each([
  [FOLDER, 'folder'],
  ['application/vnd.google-apps.spreadsheet', 'spreadsheet'],
  ['application/vnd.google-apps.drive-sdk.1', 'file'],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'document'],
  ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'spreadsheet'],
  ['application/vnd.ms-powerpoint', 'presentation'],
  ['application/pdf', 'PDF'],
  ['text/plain; charset=utf-8', 'text'],
  ['application/json', 'text'],
  ['image/svg+xml', 'image'],
  ['video/mp4', 'video'],
  ['application/zip', 'archive'],
  ['application/octet-stream', 'file'],
])('%s is a %s', (type, word) => {
  expect(kindWord(type)).toBe(word)
})

describe('the columns of the terminal', () => {
  const all = (...needed: Array<[needed: number, isWhole: boolean]>) =>
    needed.map(([needed, isWhole]) => ({needed, isWhole, rank: 0}))

  test('are shared by all requested columns: the widest that can be cut is cut first', () => {
    const cut = all([10, false], [30, false], [20, false])
    expect(shareAll(cut, 64)).toEqual([10, 30, 20])
    expect(shareAll(cut, 54)).toEqual([10, 20, 20])
    const whole = all([40, true], [30, false], [20, false])
    expect(shareAll(whole, 64)).toEqual([40, 10, 10])
    expect(shareAll(whole, 50)).toEqual([40, 3, 3])
    expect(shareAll(whole, 20)).toEqual([14, 1, 1])
    expect(shareAll(whole, 4)).toEqual([1, 1, 0])
  })

  test('are given by rank: a column that does not fit beside the first is omitted', () => {
    const demand = (needed: number, rank: number) => ({needed, rank, isWhole: true})
    expect(shareByRank([demand(100, 0), demand(16, 1), demand(33, 2)], 80)).toEqual([62, 16, 0])
    expect(shareByRank([demand(10, 0), demand(16, 1), demand(33, 2)], 80)).toEqual([10, 16, 33])
    expect(shareByRank([demand(10, 0), demand(0, 1)], 80)).toEqual([10, 0])
  })
})

test.each([
  ['', 10, []],
  ['one two three', 7, ['one two', 'three']],
  ['abcdefghij', 4, ['abcd', 'efgh', 'ij']],
  ['日本語', 4, ['日本', '語']],
  ['日本', 1, ['日', '本']],
])('%j in %i columns is %j', (text, width, lines) => {
  expect(wrap(text, width)).toEqual(lines)
})

describe('a single record is a list of names and values', () => {
  const sheet = async (record: Row, width = 60) => tableFormat.record(record, {width})

  test('with times, sizes, people and nested values for people', async () => {
    const record = file('q3.pdf', {
      etag: '"e"',
      owners: [{kind: 'drive#user', displayName: 'Ada', emailAddress: 'ada@example.org'}],
      labels: {starred: true, trashed: false, viewed: true},
      parents: [{kind: 'drive#parentReference', id: 'F', isRoot: true}],
      exportLinks: {'text/plain': 'https://files.example.com/export?id=1&exportFormat=txt'},
      capabilities: {canEdit: false},
      description: '',
    })
    expect(await sheet(record)).toBe(`title         q3.pdf
id            ${'1'.repeat(33)}
mimeType      application/pdf
fileSize      5.2 KiB (5324 bytes)
modifiedDate  2026-11-22 07:23
ownerNames    Ada Lovelace
owners        Ada <ada@example.org>
labels        starred, viewed
parents
  id          F
  isRoot      true
exportLinks
  text/plain  https://files.example.com/export?id=1&exportFo
              rmat=txt
capabilities  none
`)
  })

  test('in which a long name has its own line', async () => {
    expect(await sheet({aVeryLongNameOfAField: 'value', b: 'x'}, 40)).toBe(
      'aVeryLongNameOfAField\n                  value\nb                 x\n',
    )
  })

  test('with its names in bold', async () => {
    const text = await tableFormat.record({name: 'Ada'}, {width: 40, color: true})
    expect(text).toBe('\u001b[1mname\u001b[22m  Ada\n')
  })
})

test('a folder has one trailing slash, including the root', async () => {
  const rows = ['/a', '/'].map(path => ({size: 1, files: 1, path, mimeType: FOLDER}))
  const lines = await linesOf(rows, {width: 80, name: 'usage'})
  expect(lines.slice(1).map(line => line.split(' ').at(-1))).toEqual(['/a/', '/'])
})
