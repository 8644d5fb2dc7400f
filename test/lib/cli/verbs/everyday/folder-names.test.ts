import {PassThrough} from 'node:stream'
import {expect, test} from 'vitest'
import {createNames, ifExistsAt, settle} from '#lib/cli/verbs/everyday/folder-names.js'
import type {IfExists} from '#lib/transfer/resolve-conflict.js'
import type {RemoteEntry} from '#lib/transfer/tree/entries.js'

const file = (id: string, title: string): RemoteEntry => ({kind: 'file', id, title, size: 1})
const folder = (id: string, title: string): RemoteEntry => ({kind: 'folder', id, title})

const settled = async (
  entry: RemoteEntry,
  there: readonly RemoteEntry[],
  choice: IfExists,
): Promise<unknown> =>
  settle(entry, entry.title, createNames(there), async () => choice).catch(({exit}) => exit)

const mine = file('mine', 'a.txt')
const theirs = file('theirs', 'a.txt')

test.each<[string, RemoteEntry, readonly RemoteEntry[], IfExists, unknown]>([
  ['a free name', mine, [file('b', 'b.txt')], 'fail', {title: 'a.txt'}],
  ['other capitals', mine, [file('b', 'A.txt')], 'fail', {title: 'a.txt'}],
  ['a taken name', mine, [theirs], 'fail', 'conflict'],
  ['a taken name, to be left', mine, [theirs], 'skip', {kept: theirs}],
  ['a taken name, to be replaced', mine, [theirs], 'replace', {title: 'a.txt', replaces: theirs}],
  ['itself', mine, [mine], 'replace', 'conflict'],
  ['a folder in the way of a file', mine, [folder('d', 'a.txt')], 'replace', 'conflict'],
  ['a file in the way of a folder', folder('d', 'a.txt'), [theirs], 'replace', 'conflict'],
  ['two of the name', mine, [theirs, file('c', 'a.txt')], 'replace', 'conflict'],
  ['a number', mine, [theirs, file('c', 'a (1).txt')], 'rename', {title: 'a (2).txt'}],
])('%s', async (_, entry, there, choice, outcome) => {
  expect(await settled(entry, there, choice)).toEqual(outcome)
})

test.each<[IfExists, unknown]>([
  ['fail', 'conflict'],
  ['replace', 'conflict'],
  ['skip', 'conflict'],
  ['rename', {title: 'a (1).txt'}],
])('with %s what the same command puts there is not replaced', async (choice, outcome) => {
  const names = createNames([])
  const asked = async () => choice
  expect(await settle(mine, 'a.txt', names, asked)).toEqual({title: 'a.txt'})
  const second = settle(theirs, 'a.txt', names, asked).catch(({exit}) => exit as unknown)
  expect(await second).toEqual(outcome)
})

test('all names are asked for only where a free one is needed, and once', async () => {
  let asked = 0
  const names = createNames([theirs], async () => {
    asked += 1
    return [theirs, file('c', 'a (1).txt')]
  })
  expect(await settle(mine, 'a.txt', names, async () => 'skip')).toEqual({kept: theirs})
  expect(asked).toBe(0)
  expect(await settle(mine, 'a.txt', names, async () => 'rename')).toEqual({title: 'a (2).txt'})
  expect(await settle(mine, 'a.txt', names, async () => 'rename')).toEqual({title: 'a (3).txt'})
  expect(asked).toBe(1)
})

test('the question about a name that is taken shows the name on one line', async () => {
  const stderr = new PassThrough()
  const stdin = new PassThrough()
  let asked = ''
  stderr.on('data', (chunk: Buffer) => {
    if (asked === '') setImmediate(() => stdin.write('2\n'))
    asked += chunk.toString()
  })
  const io = {stdin, stderr, interactive: true, isDumb: true}
  const {signal} = new AbortController()
  const ask = ifExistsAt({io, signal, options: {}} as never, undefined)
  expect(await ask('a\u001b]0;pwned\u0007\nForged')).toBe('skip')
  expect(asked).toContain('a ]0;pwned Forged is there already.')
})
