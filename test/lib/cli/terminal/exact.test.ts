import {execFileSync, spawnSync} from 'node:child_process'
import {parse as parseCsv} from 'csv-parse/sync'
import {describe, expect, test} from 'vitest'
import {parse as parseYaml} from 'yaml'
import {type FormatName, formats} from '#lib/cli/output/formats.js'

/** Output for programs: exact values, read back with independent parsers. */

const titles = [
  'plain',
  'a\tb\nc\r\nd\\e\\t',
  '"quoted", and; more',
  ' blanks ',
  '',
  'yes',
  'No',
  'null',
  '~',
  '1e3',
  '1_000',
  '0x1F',
  '017',
  '12:30:45',
  '2026-01-01',
  '2026-01-01T00:00:00Z',
  '=1+1',
  '- dash: # not a comment',
  '*alias',
  '日本 😀 e\u0301 \u202edab',
  '\u001b[31m\u009b\u0085\u2028x\u007f',
  '\ufefffirst',
  'forged\nid-of-another,row',
  'a\rb',
  'a\u000bb\u000cc\u0000d',
  'a,b',
  ' leads',
  'trails ',
  '\ttab',
  'a\tb',
  'a \t b',
  'tab\tin lines\n\tof a block\n',
  '=',
  '<<',
  'no character: \ufffe\uffff',
]

const records = titles.map((title, index) => ({
  kind: 'drive#file',
  id: `id${index}`,
  title,
  mimeType: 'text/plain',
  fileSize: '9007199254740993',
  modifiedDate: '2026-11-21T09:30:00.000Z',
}))

const header = ['id', 'title', 'mimeType', 'fileSize', 'modifiedDate'] as const
const rows = records.map(record => header.map(name => record[name]))
const layout = {width: 20}

/** A list of two pages. */
async function written(format: FormatName): Promise<string> {
  const {rows: write, end} = formats[format].list(layout)
  const pieces = [await write(records.slice(0, 3)), await write(records.slice(3))]
  return [...pieces, await end?.({})].join('')
}

const ESCAPED: Readonly<Record<string, string>> = {t: '\t', n: '\n', r: '\r', '\\': '\\'}

function parseTsv(text: string): string[][] {
  const unescaped = (value: string) => value.replace(/\\(.)/g, (_, char: string) => ESCAPED[char]!)
  return text
    .split('\n')
    .slice(0, -1)
    .map(line => line.split('\t').map(unescaped))
}

const hasPython = (module: string) => spawnSync('python3', ['-c', `import ${module}`]).status === 0

const python = (program: string, input: string) =>
  JSON.parse(execFileSync('python3', ['-c', program], {input}).toString()) as unknown

describe('a list', () => {
  test('as CSV has field names in the header, and rows that end with CR LF', async () => {
    const text = await written('csv')
    expect(text.split('\r\n')[0]).toBe(header.join(','))
    expect(parseCsv(text, {record_delimiter: '\r\n'})).toEqual([header, ...rows])
  })

  test.runIf(hasPython('csv'))('as CSV can be read by Python', async () => {
    const program =
      "import csv,io,json,sys; print(json.dumps(list(csv.reader(io.StringIO(sys.stdin.buffer.read().decode(), newline='')))))"
    expect(python(program, await written('csv'))).toEqual([header, ...rows])
  })

  test('as CSV quotes each value with a line end, a quote, the delimiter or outer blanks', async () => {
    const bare = /^[^\s",]$|^[^\s",][^\r\n",]*[^\s",]$/
    const text = await written('csv')
    const quoted = (value: string) => `"${value.replaceAll('"', '""')}"`
    for (const {id, title} of records) {
      if (!bare.test(title) && title !== '') expect(text).toContain(`\n${id},${quoted(title)},`)
    }
  })

  test('as tab-separated rows keeps tabs, line breaks and backslashes', async () => {
    const text = await written('tsv')
    expect(text).toContain('id1\ta\\tb\\nc\\r\\nd\\\\e\\\\t\ttext/plain\t')
    expect(parseTsv(text)).toEqual(rows)
  })

  test('as YAML is one sequence, in which strings stay strings', async () => {
    const text = await written('yaml')
    expect(parseYaml(text)).toEqual(records)
    expect(parseYaml(text, {version: '1.1'})).toEqual(records)
    expect(text).not.toMatch(/[\u007f-\u009f\u202e\u2028]/)
  })

  test.runIf(hasPython('yaml'))('as YAML can be read by Python', async () => {
    const program = 'import json,sys,yaml; print(json.dumps(yaml.safe_load(sys.stdin.buffer)))'
    expect(python(program, await written('yaml'))).toEqual(records)
  })

  test.runIf(hasPython('yaml'))(
    'as YAML with tabs in field names can be read by Python',
    async () => {
      const record = {'a\tb': 'x', '=': 'y', 'plain name': ['a\tb', {'c \td': '='}]}
      const program = 'import json,sys,yaml; print(json.dumps(yaml.safe_load(sys.stdin.buffer)))'
      expect(python(program, await formats.yaml.record(record, layout))).toEqual(record)
    },
  )

  test('as IDs has one per line', async () => {
    expect(await written('ids')).toBe(records.map(({id}) => `${id}\n`).join(''))
  })

  test('as JSON', async () => {
    expect(JSON.parse(await written('json'))).toEqual({items: records})
    const lines = (await written('ndjson')).trimEnd().split('\n')
    expect(lines.map(line => JSON.parse(line) as unknown)).toEqual(records)
  })

  test('that is empty is an empty document, or nothing', async () => {
    const ends = (format: FormatName) => formats[format].list(layout).end?.({})
    expect(await ends('yaml')).toBe('[]\n')
    expect(await formats.csv.records([], layout)).toBe('')
    expect(await formats.ids.records([], layout)).toBe('')
  })
})

describe('one record', () => {
  const record = {...records[1], labels: {starred: true}, parents: [{id: 'p'}], size: 12}

  test('as CSV, with lists and objects as JSON', async () => {
    const columns = ['title', 'labels', 'labels.starred', 'parents', 'size', 'nothing']
    const text = await formats.csv.record(record, {...layout, columns})
    expect(parseCsv(text, {record_delimiter: '\r\n'})).toEqual([
      columns,
      [record.title, '{"starred":true}', 'true', '[{"id":"p"}]', '12', ''],
    ])
  })

  test('as CSV, if its only value is empty', async () => {
    const text = await formats.csv.record({title: ''}, {...layout, columns: ['title']})
    expect(text).toBe('title\r\n""\r\n')
  })

  test('as YAML', async () => {
    expect(parseYaml(await formats.yaml.record(record, layout))).toEqual(record)
  })

  test.each([
    [{id: 'i', key: 'k'}, 'i\n'],
    [{kind: 'drive#property', key: 'k', value: 'v'}, 'k\n'],
    [{fileId: 'f'}, 'f\n'],
    [{kind: 'drive#generatedIds', ids: ['a', 'b']}, 'a\nb\n'],
  ])('%j prints its ID', (named, expected) => {
    expect(formats.ids.record(named, layout)).toBe(expected)
  })

  test.each(['a\nid-of-another', 'a\rb', 'a\u2028b', 'a\u000bb', 'a\u0085b'])(
    'is rejected as an ID of more than one line: %j',
    value => {
      const severalLines = expect.objectContaining({
        name: 'UsageError',
        hint: expect.stringContaining('--format ndjson'),
      })
      const columns = ['path', 'title']
      const write = (record: Record<string, unknown>) => () =>
        formats.ids.record(record, {...layout, columns})
      expect(write({title: value})).toThrow(severalLines)
      expect(write({path: ['fine', value]})).toThrow(severalLines)
      expect(write({path: {name: value}})()).toMatch(/^[^\n]*\n$/)
      expect(() => formats.ids.records([{id: 'fine'}, {id: value}], layout)).toThrow(severalLines)
    },
  )

  test('without an ID is rejected', () => {
    expect(() => formats.ids.record({kind: 'drive#about'}, layout)).toRead()
    expect(formats.ids.record({name: 'Ada'}, {...layout, columns: ['name']})).toBe('Ada\n')
  })
})
