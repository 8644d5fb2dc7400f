import {readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {expect, test} from 'vitest'

const SOURCE = fileURLToPath(new URL('../../src/', import.meta.url))

/** The folders of the library that contain source files: `lib/cli/output`. */
const rooms = readdirSync(join(SOURCE, 'lib'), {recursive: true, withFileTypes: true})
  .filter(entry => entry.isFile() && entry.name.endsWith('.ts'))
  .map(entry => entry.parentPath.slice(SOURCE.length).replaceAll('\\', '/'))

/** The rows of the map: a folder and its description. */
const map = new Map(
  readFileSync(join(SOURCE, 'README.md'), 'utf8')
    .split('\n')
    .flatMap(line => {
      const [, room, words] = /^\| `(lib\/[^`]+)` \| (.*) \|$/.exec(line) ?? []
      return room && words ? [[room, words] as const] : []
    }),
)

test('the map names every room, and no other', () => {
  expect([...map.keys()].sort()).toEqual([...new Set(rooms)].sort())
})

test('the map says of each room what belongs there, and what does not', () => {
  const sentences = (words: string) => words.split(/(?<=\.)\s/).filter(one => one.endsWith('.'))
  const short = [...map].filter(([, words]) => sentences(words).length < 2)
  expect(short).toEqual([])
})

test('no room has too many files', () => {
  const counts = new Map<string, number>()
  for (const room of rooms) counts.set(room, (counts.get(room) ?? 0) + 1)
  const large = [...counts].filter(([, count]) => count > 20)
  expect(large).toEqual([])
})

test('no file is too long', () => {
  const files = readdirSync(SOURCE, {recursive: true, encoding: 'utf8'})
  const long = files.filter(
    name =>
      name.endsWith('.ts') && readFileSync(join(SOURCE, name), 'utf8').split('\n').length > 301,
  )
  expect(long).toEqual([])
})
