import {createBrotliCompress, createGzip} from 'node:zlib'
import {describe, expect, test} from 'vitest'
import {createClient} from '#lib/client/index.js'
import {checkValues} from '#lib/client/limits.js'
import {jsonObject} from '#lib/client/responses.js'
import {serve} from '../../support/serve.js'

const URL = 'https://drive.example.com/drive/v2/files'

describe('the number of values in a response', () => {
  test.each([
    ['records with a field', '{"id":"a"},', 350_001],
    ['empty records', '{},', 350_001],
    ['empty lists', '[],', 350_001],
    ['IDs of 20 digits', '{"id":"12345678901234567890"},', 350_001],
    ['numbers', '1,', 700_001],
    ['levels', '[', 700_001],
  ])('%s', (_, piece, count) => {
    const text = `{"items":[${piece.repeat(count)}`.padEnd(5_242_881)
    expect(() => checkValues(text, URL)).toRead()
  })

  test('of a short text counts lists and objects', () => {
    const text = (piece: string) => `[${piece.repeat(700_001)}`
    expect(() => checkValues(text('[]'), URL)).toRead()
    expect(() => checkValues(text('1,'), URL)).not.toThrow()
  })

  test('a full page of complete records, each with fifty permissions, is far below the limit', () => {
    const permission = {kind: 'drive#permission', id: '1', selfLink: URL, name: 'Some One'}
    const rest = {emailAddress: 'a@example.com', role: 'writer', type: 'user', deleted: false}
    const permissions = Array.from({length: 50}, () => ({...permission, ...rest}))
    const items = Array.from({length: 1000}, () => ({description: 'd'.repeat(5000), permissions}))
    const text = JSON.stringify({items})
    expect(text.length).toBeGreaterThan(10_000_000)
    expect(() => checkValues(text, URL)).not.toThrow()
  })
})

describe('the shape of a response', () => {
  const read = (text: string) => jsonObject(text, {'content-type': 'application/json'}, URL)
  const lists = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
  const objects = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
  const names = (count: number) =>
    JSON.stringify(Object.fromEntries(Array.from({length: count}, (_, n) => [`k${n}`, n])))

  test.each([
    ['99 lists in the record', `{"a":${lists(99)}}`],
    ['99 objects in the record', `{"a":${objects(99)}}`],
    ['10,000 names', `{"a":${names(10_000)}}`],
    ['a list of 10,001', `{"a":[${'1,'.repeat(10_000)}1]}`],
  ])('%s', (_, text) => {
    expect(read(text)).toEqual(JSON.parse(text))
  })

  test.each([
    ['100 lists in the record', `{"a":${lists(100)}}`],
    ['100 objects in the record', `{"a":${objects(100)}}`],
    ['levels without number', `{"a":${lists(900_000)}}`],
    ['10,001 names', `{"a":${names(10_001)}}`],
  ])('not %s', (_, text) => {
    expect(() => read(text)).toRead()
  })
})

test.each([
  ['gzip', createGzip],
  ['br', createBrotliCompress],
])('decompressed data counts, with %s', async (encoding, pack) => {
  const {url: baseUrl} = await serve((_, response) => {
    response.writeHead(200, {'content-type': 'application/json', 'content-encoding': encoding})
    const packing = pack()
    packing.pipe(response)
    const more = () => {
      while (packing.write(Buffer.alloc(1024 * 1024, 0x20)));
    }
    packing.on('drain', more)
    response.on('close', () => packing.off('drain', more).destroy())
    more()
  })
  const client = createClient({baseUrl, token: async () => 'token'})
  await expect(client.call('files.list', {params: {}})).rejects.toRead()
})
