import {describe, expect, test} from 'vitest'
import {chooseFormat, type FormatName, formats} from '#lib/cli/output/formats.js'
import {cell, shortTime} from '#lib/cli/terminal/cell.js'
import {displayWidth, fit} from '#lib/cli/terminal/width.js'
import {safeJson} from '#lib/platform/sanitize.js'

const file = (id: string, title: string) => ({
  kind: 'drive#file',
  etag: '"e"',
  id,
  title,
  mimeType: 'text/plain',
  fileSize: '12',
  modifiedDate: '2026-11-21T09:30:00.000Z',
})

const layout = {width: 50}

async function written(
  format: FormatName,
  pages: ReadonlyArray<readonly object[]>,
  rest: object = {},
) {
  const list = formats[format].list(layout)
  let text = ''
  for (const page of pages.filter(page => page.length > 0)) {
    text += await list.rows(page as Array<Record<string, unknown>>)
  }
  return text + ((await list.end?.(rest as Record<string, unknown>)) ?? '')
}

test('a terminal gets a table, a pipe rows, unless another format is requested', () => {
  expect(chooseFormat(undefined, true)).toBe('table')
  expect(chooseFormat(undefined, false)).toBe('tsv')
  expect(chooseFormat('json', true)).toBe('json')
})

describe('cells', () => {
  test.each([
    [undefined, ''],
    [null, ''],
    [false, 'false'],
    [0, '0'],
    ['a\tb\nc', 'a b c'],
    // Joiners are part of the spelling of words and emoji.
    ['👩\u200d💻 می\u200cخواهم', '👩\u200d💻 می\u200cخواهم'],
    ['a\u200bb\u202ec', 'a b c'],
    ['\u001b[2Jx\u009b31m', '[2Jx 31m'],
    [['a', 'b'], 'a, b'],
    [{displayName: 'Ada', emailAddress: 'ada@example.org'}, 'Ada'],
    [[{kind: 'drive#parentReference', id: 'F'}], 'F'],
    [{starred: true}, '{"starred":true}'],
  ])('%j is %j', (value, expected) => {
    expect(cell(value)).toBe(expected)
  })

  test('times are short, in the time zone of the machine', () => {
    expect(shortTime('2026-11-21T09:30:00.000Z')).toBe('2026-11-21 09:30')
    expect(shortTime('2026-11-21')).toBe('2026-11-21')
    expect(shortTime('2026-99-21T09:30:00Z')).toBe('2026-99-21T09:30:00Z')
  })

  test('JSON has no control characters, and keeps the value', () => {
    const value = {title: '\u001b[31m\u009b\u202e\u2028x'}
    const text = safeJson(value)
    expect(text).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e\u2028]/)
    expect(JSON.parse(text)).toEqual(value)
  })
})

describe('widths', () => {
  test.each([
    ['abc', 3],
    ['日本', 4],
    ['e\u0301', 1],
    ['😀', 2],
  ])('%s takes %i columns', (text, width) => {
    expect(displayWidth(text)).toBe(width)
  })

  test.each([
    ['abcdef', 6, 'abcdef'],
    ['abcdef', 5, 'abcd…'],
    ['日本語', 5, '日本…'],
    ['日本語', 4, '日…'],
  ])('%s in %i is %s', (text, width, expected) => {
    expect(fit(text, width)).toBe(expected)
  })
})

describe('lists', () => {
  const pages = [[file('1', 'first'), file('2', 'a title that is rather long')], [file('3', 'x')]]

  test('as a table: one header, lines that fit', async () => {
    const lines = (await written('table', pages)).split('\n')
    expect(lines[0]).toMatch(/^TITLE +KIND +SIZE +MODIFIED +ID$/)
    expect(lines).toHaveLength(5)
    expect(lines[2]).toContain('…')
    for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(50)
  })

  test('as rows: tabs, no header, nothing cut', async () => {
    expect(await written('tsv', pages)).toBe(
      [
        '1\tfirst\ttext/plain\t12\t2026-11-21T09:30:00.000Z',
        '2\ta title that is rather long\ttext/plain\t12\t2026-11-21T09:30:00.000Z',
        '3\tx\ttext/plain\t12\t2026-11-21T09:30:00.000Z',
        '',
      ].join('\n'),
    )
  })

  test('as lines of JSON', async () => {
    const lines = (await written('ndjson', pages)).trimEnd().split('\n')
    expect(lines.map(line => JSON.parse(line))).toEqual(pages.flat())
  })

  test.each([
    [pages, {kind: 'drive#fileList', nextPageToken: 't'}],
    [pages, {}],
    [[], {}],
    [[[]], {kind: 'drive#fileList'}],
  ])('as one JSON document', async (some, rest) => {
    expect(JSON.parse(await written('json', some, rest))).toEqual({items: some.flat(), ...rest})
  })

  test('that are empty print nothing except JSON', async () => {
    expect(await written('table', [[]])).toBe('')
    expect(await written('tsv', [[]])).toBe('')
    expect(await written('ndjson', [[]])).toBe('')
  })

  test('of unknown records have the columns of the first one', async () => {
    const rows = [{kind: 'x', a: 1, b: 'two'}, {a: 3}]
    expect(await formats.tsv.records(rows, layout)).toBe('1\ttwo\n3\t\n')
    expect(await formats.tsv.records(rows, {...layout, columns: ['b']})).toBe('two\n\n')
    expect(JSON.parse(await formats.json.records(rows, layout))).toEqual(rows)
  })
})

describe('records', () => {
  const record = {kind: 'drive#about', name: 'Ada', user: {displayName: 'Ada L.'}, empty: []}

  test('as lines for people, without empty values', async () => {
    expect(await formats.table.record(record, layout)).toBe('name  Ada\nuser  Ada L.\n')
  })

  test('as rows', async () => {
    expect(await formats.tsv.record(record, layout)).toBe(
      'name\tAda\nuser\t{"displayName":"Ada L."}\nempty\t[]\n',
    )
    expect(await formats.tsv.record(record, {...layout, columns: ['user.displayName']})).toBe(
      'user.displayName\tAda L.\n',
    )
  })

  test('as JSON', async () => {
    expect(JSON.parse(await formats.json.record(record, layout))).toEqual(record)
    expect((await formats.ndjson.record(record, layout)).split('\n')).toHaveLength(2)
  })
})
