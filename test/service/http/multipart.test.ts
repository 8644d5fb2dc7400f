import {afterEach, describe, expect, test, vi} from 'vitest'
import {multipartBoundary, multipartParts} from '#lib/service/http/multipart.js'

/** Multipart bodies, received in pieces of any size. */

const MB = 1024 * 1024

afterEach(() => {
  vi.restoreAllMocks()
})

/** A body in pieces of this size, and the number of pieces that were read. */
function source(body: Buffer, size = body.length) {
  const asked = {count: 0}
  async function* pieces(): AsyncGenerator<Buffer> {
    for (let at = 0; at < body.length; at += size) {
      asked.count++
      yield body.subarray(at, at + size)
    }
  }
  return {asked, pieces: pieces()}
}

async function partsOf(body: string | Buffer, size?: number) {
  const found: {headers: object; text: string}[] = []
  for await (const part of multipartParts(source(Buffer.from(body), size).pieces, 'b')) {
    let text = ''
    for await (const piece of part.body) text += piece.toString('latin1')
    found.push({headers: part.headers, text})
  }
  return found
}

const lines = (...all: string[]) => all.join('\r\n')

describe('the parts', () => {
  const body = lines(
    'A preamble with --b in it',
    '--bb',
    '--b ',
    'X-Long: one',
    '  two',
    'x-other:2',
    '',
    'first',
    '--b',
    '',
    'no headers\r\n\r\n-- b',
    '--b\t',
    'Only: headers',
    '',
    '',
    '--b--',
    'An epilogue',
    '--b',
  )
  const expected = [
    {headers: {'x-long': 'one two', 'x-other': '2'}, text: 'first'},
    {headers: {}, text: 'no headers\r\n\r\n-- b'},
    {headers: {only: 'headers'}, text: ''},
  ]

  test.each([1, 2, 3, 5, 8, 13, 1000])('in pieces of %i bytes', async size => {
    expect(await partsOf(body, size)).toEqual(expected)
  })

  test('with lines that end in LF', async () => {
    const found = await partsOf(body.replaceAll('\r\n', '\n'))
    expect(found.map(({text}) => text)).toEqual(['first', 'no headers\n\n-- b', ''])
  })

  test.each([
    ['nothing', ''],
    ['no boundary', 'nothing'],
    ['no end', lines('--b', '', 'text')],
    ['an end within the headers', lines('--b', 'A: b')],
    ['something behind a boundary', lines('--b', '', 'text', '--bc', '')],
    ['a header without a name', lines('--b', ': x', '', '', '--b--')],
    ['endless headers', lines('--b', `A: ${'x'.repeat(20_000)}`, '', '', '--b--')],
  ])('a body with %s is malformed', async (_, malformed) => {
    await expect(partsOf(malformed)).rejects.toMatchObject({status: 400})
    await expect(partsOf(malformed, 1)).rejects.toMatchObject({status: 400})
  })
})

describe('a boundary', () => {
  test.each([
    ['multipart/related; boundary=abc', 'abc'],
    ['Multipart/Related; type="a/b"; boundary="a b;c"', 'a b;c'],
    ['multipart/mixed; boundary=abc', undefined],
    ['multipart/related', undefined],
    ['multipart/related; boundary=""', undefined],
    [`multipart/related; boundary=${'x'.repeat(70)}`, 'x'.repeat(70)],
    [`multipart/related; boundary=${'x'.repeat(71)}`, undefined],
    [undefined, undefined],
  ])('of %j', (header, boundary) => {
    expect(multipartBoundary(header, 'multipart/related')).toBe(boundary)
  })
})

describe('text around the parts', () => {
  const sound = '--b\r\n\r\ntext\r\n--b--\r\n'

  test('is allowed up to a limit', async () => {
    const some = 'x\n'.repeat(25_000)
    expect(await partsOf(some + sound + some)).toHaveLength(1)
    const much = 'x\n'.repeat(50_000)
    await expect(partsOf(much + sound)).rejects.toMatchObject({status: 400})
    await expect(partsOf(sound + much)).rejects.toMatchObject({status: 400})
  })

  test.each(['x\n', '\n', 'x', '--b', '\n--b', '\n--b-'])(
    'is rejected early if it repeats %j',
    async text => {
      const {pieces, asked} = source(Buffer.alloc(2 * MB, text), 16 * 1024)
      await expect(multipartParts(pieces, 'b').next()).rejects.toMatchObject({status: 400})
      expect(asked.count).toBeLessThanOrEqual(5)
    },
  )

  test('is searched in blocks, not line by line', async () => {
    const indexOf = vi.spyOn(Buffer.prototype, 'indexOf')
    await partsOf(Buffer.concat([Buffer.alloc(50_000, '\n'), Buffer.from(sound)]))
    expect(indexOf.mock.calls.length).toBeLessThan(20)
  })
})

test('many parts in one piece are not copied repeatedly', async () => {
  const body = Buffer.from(
    `${Array.from({length: 100}, () => lines('--b', '', 'x'.repeat(20_000), '')).join('')}--b--`,
  )
  const concat = vi.spyOn(Buffer, 'concat')
  await partsOf(body)
  const copied = concat.mock.results.reduce((sum, {value}) => sum + (value as Buffer).length, 0)
  expect(copied).toBeLessThan(2 * body.length)
})
