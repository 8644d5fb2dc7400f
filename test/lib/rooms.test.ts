import {readFileSync, readdirSync} from 'node:fs'
import {basename, join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {expect, test} from 'vitest'

const SOURCE = fileURLToPath(new URL('../../src/', import.meta.url))

/** The folders of the library that hold source, `lib/cli/output`, each with its files. */
const rooms = readdirSync(join(SOURCE, 'lib'), {recursive: true, withFileTypes: true})
  .filter(entry => entry.isDirectory())
  .map(entry => join(entry.parentPath, entry.name))
  .map(path => ({
    room: path.slice(SOURCE.length).replaceAll('\\', '/'),
    files: readdirSync(path).filter(file => file.endsWith('.ts')),
  }))
  .filter(({files}) => files.length > 0)

/** The rows of the map: the path of a floor, and what the row names in backticks. */
const map = readFileSync(join(SOURCE, 'README.md'), 'utf8')
  .split('\n')
  .filter(line => line.startsWith('|'))
  .map(line => [...line.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word))
  .flatMap(([floor, ...names]) => (floor?.startsWith('lib/') ? [{floor, names}] : []))

test('the map names every room', () => {
  const isNamed = (room: string) =>
    map.some(
      ({floor, names}) => `${room}/` === floor || names.some(name => room === `${floor}${name}`),
    )
  expect(rooms.map(({room}) => room).filter(room => !isNamed(room))).toEqual([])
})

test('the map names no room that is not there', () => {
  const known = new Set(rooms.map(({room}) => room))
  const named = map.flatMap(({floor, names}) => names.map(name => `${floor}${name}`))
  expect(named.filter(room => !known.has(room))).toEqual([])
})

/** The file that tells what a room is for. */
function headOf({room, files}: (typeof rooms)[number]): string {
  const [first = ''] = files.toSorted()
  const head = ['index.ts', `${basename(room)}.ts`].find(file => files.includes(file)) ?? first
  return `${room}/${head}`
}

/** The sentences of the first doc comment of a file. */
function sentencesOf(path: string): string[] {
  const [, comment = ''] = /\/\*\*(.*?)\*\//s.exec(readFileSync(join(SOURCE, path), 'utf8')) ?? []
  const text = comment.replace(/\s*\n\s*\*?/g, ' ')
  return text.split(/(?<=[.!?])\s/).filter(sentence => sentence.trim().endsWith('.'))
}

test.each(rooms.map(headOf))('%s says what lives in its room, and what does not', path => {
  expect(sentencesOf(path).length).toBeGreaterThanOrEqual(2)
})
