import {mkdtempSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {Readable} from 'node:stream'
import {describe, expect, test} from 'vitest'
import {readRecords} from '#lib/cli/input/items/records.js'

const folder = mkdtempSync(join(tmpdir(), 'drv-'))

/** Standard input that comes in pieces. */
function inputOf(pieces: ReadonlyArray<string | Buffer>) {
  const waits = {
    begin: () => ({renew: () => {}, pause: () => {}, end: () => {}}),
    longest: () => undefined,
  }
  const stdin = Readable.from(pieces.map(piece => Buffer.from(piece)))
  return {io: {stdin}, waits} as unknown as Parameters<typeof readRecords>[1]
}

async function read(name: string, content: string | Buffer) {
  const path = join(folder, name)
  writeFileSync(path, content)
  const all = []
  for await (const record of readRecords(path, inputOf([]))) all.push(record)
  return all
}

/** The records with the lines they end at. */
const contents = async (name: string, content: string | Buffer) =>
  (await read(name, content)).map(one => {
    const place = one.place.replace(join(folder, name), '')
    return [place, 'error' in one ? one.error.message.replace(folder, '') : one.record]
  })

describe('a file', () => {
  test.each<[string, string | Buffer, unknown[]]>([
    ['a.csv', 'a,b\r\n1,2\r\n', [[', line 2', {a: '1', b: '2'}]]],
    ['bom.csv', '\uFEFFa,b\n1,2', [[', line 2', {a: '1', b: '2'}]]],
    [
      'blank.csv',
      'a\n\n1\n\n\n2\n',
      [
        [', line 3', {a: '1'}],
        [', line 6', {a: '2'}],
      ],
    ],
    ['quotes.csv', 'a,b\n"x, ""y""","1\n2"\n', [[', line 3', {a: 'x, "y"', b: '1\n2'}]]],
    ['spaces.csv', ' a , b \n 1,2 \n', [[', line 2', {a: ' 1', b: '2 '}]]],
    ['a.tsv', 'a\tb\nx "y"\t1,2\n', [[', line 2', {a: 'x "y"', b: '1,2'}]]],
    [
      'a.ndjson',
      '\uFEFF{"a": 1}\r\n\r\n{"a": {"b": null}}',
      [
        [', record 1', {a: 1}],
        [', record 2', {a: {b: null}}],
      ],
    ],
    ['a.JSONL', '{"a": 1}\n', [[', record 1', {a: 1}]]],
    ['by-content', '\n {"a": 1}\n', [[', record 1', {a: 1}]]],
    ['by-content.txt', 'a\tb\n1\t2\n', [[', line 2', {a: '1', b: '2'}]]],
    ['by-content.dat', 'a,b\n1,2\n', [[', line 2', {a: '1', b: '2'}]]],
    ['one-column', 'id\nA\n', [[', line 2', {id: 'A'}]]],
    ['empty.csv', '', []],
    ['blank.ndjson', '\n \r\n', []],
    ['header.csv', 'a,b\n', []],
    [
      'broken.ndjson',
      '{"a": 1}\n[1]\n{"a"\n{"a": 2}\n',
      [
        [', record 1', {a: 1}],
        [', record 2', 'Invalid record: not a JSON object.'],
        [', record 3', 'Invalid record: not valid JSON.'],
        [', record 4', {a: 2}],
      ],
    ],
  ])('%s', async (name, content, records) => {
    expect(await contents(name, content)).toEqual(records)
  })

  test.each<[string, string | Buffer]>([
    ['few.csv', 'a,b\n1,2\n3\n'],
    ['many.tsv', 'a\tb\n1\t2\t3\n'],
    ['open.csv', 'a,b\n1,"2\n3,4\n'],
    ['middle.csv', 'a,b\n1,x"2\n'],
    ['double.csv', 'a,b, a\n'],
    ['unnamed.csv', 'a,,b\n1,2,3\n'],
    ['latin.csv', Buffer.from('title\nüber\n', 'latin1')],
    ['wide.ndjson', Buffer.from('\uFEFF{"a": 1}', 'utf16le')],
    ['cut.csv', Buffer.from('title\nü').subarray(0, 7)],
    ['array.json', '[{"a": 1}, {"a": 2}]'],
    ['pretty.json', '{\n  "a": 1\n}\n'],
  ])('%s is rejected', async (name, content) => {
    const error = await read(name, content).catch((error: unknown) => error)
    expect((error as Error).message.replace(folder, '')).toRead()
  })

  test('that does not exist, or is a folder, is named', async () => {
    for (const path of [join(folder, 'none'), folder]) {
      const first = readRecords(path, inputOf([])).next()
      await expect(first).rejects.toRead()
    }
  })
})

test('standard input may arrive byte by byte', async () => {
  const bytes = [...Buffer.from('\uFEFFtitle,n\r\n"ä\r\n😀",1\r\n')].map(byte =>
    Buffer.from([byte]),
  )
  const all = []
  for await (const one of readRecords('-', inputOf(bytes))) all.push(one)
  expect(all).toMatchObject([{record: {title: 'ä\r\n😀', n: '1'}, isRow: true}])
})
