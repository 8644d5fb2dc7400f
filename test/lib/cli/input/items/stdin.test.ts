import {Readable} from 'node:stream'
import {setImmediate} from 'node:timers/promises'
import {expect, test} from 'vitest'
import {groupsOf, linesOf} from '#lib/cli/input/items/records.js'
import {limitedLinesOfStdin, namesOfStdin} from '#lib/cli/input/items/stdin-names.js'

async function* pieces(texts: readonly string[]) {
  yield* texts
}

async function gathered<T>(source: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const one of source) all.push(one)
  return all
}

test.each([
  [['a\nb\n'], ['a', 'b']],
  [
    ['a\r', '\nb'],
    ['a', 'b'],
  ],
  [
    ['a', 'b\n', '\n \n', 'c\r'],
    ['ab', 'c'],
  ],
  [[' a b \n'], [' a b ']],
  [['\n\r\n'], []],
  [[], []],
])('the lines of %j', async (texts, lines) => {
  expect(await gathered(linesOf(pieces(texts), 'x'))).toEqual(lines)
})

test('a line without an end is rejected instead of buffered', async () => {
  async function* endless() {
    for (;;) yield 'x'.repeat(64 * 1024)
  }
  await expect(gathered(linesOf(endless(), 'standard input'))).rejects.toRead()
})

test('available lines are returned together, without waiting for later ones', async () => {
  let more = () => {}
  async function* source() {
    yield* [1, 2, 3]
    await new Promise<void>(resolve => (more = resolve))
    yield* [4, 5]
  }
  const groups = groupsOf(source(), 10)
  expect((await groups.next()).value).toEqual([1, 2, 3])
  more()
  expect((await groups.next()).value).toEqual([4, 5])
  expect((await groups.next()).done).toBe(true)
})

test('no more is read ahead than requested', async () => {
  let read = 0
  async function* source() {
    for (; read < 100; read++) yield read
  }
  const groups = groupsOf(source(), 10)
  const first = await groups.next()
  expect(first.value).toHaveLength(10)
  for (let turn = 0; turn < 20; turn++) await setImmediate()
  expect(read).toBeLessThanOrEqual(20)
  const rest = await gathered(groups)
  expect([...first.value!, ...rest.flat()]).toEqual(Array.from({length: 100}, (_, n) => n))
  expect(Math.max(...rest.map(group => group.length))).toBeLessThanOrEqual(10)
})

test('lines before a failure are returned before it is thrown', async () => {
  async function* source() {
    yield 1
    throw new Error('broken')
  }
  const groups = groupsOf(source(), 10)
  expect((await groups.next()).value).toEqual([1])
  await expect(groups.next()).rejects.toThrow('broken')
})

test('the number of buffered lines is limited', async () => {
  const few = (text: string, most?: number) => {
    const stdin = Object.assign(Readable.from([Buffer.from(text)]), {isTTY: true})
    const context = {io: {stdin}, options: {}} as unknown as Parameters<
      typeof limitedLinesOfStdin
    >[0]
    return gathered(limitedLinesOfStdin(context, most))
  }
  expect(await few('a\nb\n\nc')).toEqual(['a', 'b', 'c'])
  expect(await few('a\nb\nc\n', 3)).toEqual(['a', 'b', 'c'])
  await expect(few('a\nb\nc\nd', 3)).rejects.toRead()
})

test.each([
  ['one\0two\0', ['one', 'two']],
  ['/a\nb\0/c\r\n\0', ['/a\nb', '/c\r\n']],
  ['\0\0 \0last', [' ', 'last']],
  ['', []],
])('with --null %j is %j', async (text, names) => {
  const halves = [text.slice(0, text.length / 2), text.slice(text.length / 2)]
  const stdin = Object.assign(Readable.from(halves.map(half => Buffer.from(half))), {isTTY: true})
  const context = {io: {stdin}, options: {null: true}} as unknown
  expect(await gathered(namesOfStdin(context as Parameters<typeof namesOfStdin>[0]))).toEqual(names)
})

test('names that end with NUL are refused without --null', async () => {
  await expect(gathered(linesOf(pieces(['/a\0/b\0']), 'standard input'))).rejects.toRead()
})
