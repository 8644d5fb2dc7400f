import {PassThrough} from 'node:stream'
import {expect, test} from 'vitest'
import {createFolderNames, ifExistsAt, resolveTitle} from '#lib/cli/verbs/everyday/folder-names.js'
import type {IfExists} from '#lib/transfer/resolve-conflict.js'
import type {RemoteEntry} from '#lib/transfer/tree/entries.js'

const file = (id: string, title: string): RemoteEntry => ({kind: 'file', id, title, size: 1})
const folder = (id: string, title: string): RemoteEntry => ({kind: 'folder', id, title})

const settled = async (
  entry: RemoteEntry,
  existing: readonly RemoteEntry[],
  choice: IfExists,
): Promise<unknown> =>
  resolveTitle(entry, entry.title, createFolderNames(existing), async () => choice).catch(
    ({exit}) => exit,
  )

const mine = file('mine', 'a.txt')
const theirs = file('theirs', 'a.txt')

test.each<[string, RemoteEntry, readonly RemoteEntry[], IfExists, unknown]>([
  ['an unused name', mine, [file('b', 'b.txt')], 'fail', {title: 'a.txt'}],
  ['a name that differs only in case', mine, [file('b', 'A.txt')], 'fail', {title: 'a.txt'}],
  ['a conflict that fails', mine, [theirs], 'fail', 'conflict'],
  ['a conflict that skips', mine, [theirs], 'skip', {kept: theirs}],
  ['a conflict that replaces', mine, [theirs], 'replace', {title: 'a.txt', replaces: theirs}],
  ['itself', mine, [mine], 'replace', 'conflict'],
  ['a folder with the name of a file', mine, [folder('d', 'a.txt')], 'replace', 'conflict'],
  ['a file with the name of a folder', folder('d', 'a.txt'), [theirs], 'replace', 'conflict'],
  ['two items with the name', mine, [theirs, file('c', 'a.txt')], 'replace', 'conflict'],
  [
    'a conflict that renames',
    mine,
    [theirs, file('c', 'a (1).txt')],
    'rename',
    {title: 'a (2).txt'},
  ],
])('%s', async (_, entry, existing, choice, result) => {
  expect(await settled(entry, existing, choice)).toEqual(result)
})

test.each<[IfExists, unknown]>([
  ['fail', 'conflict'],
  ['replace', 'conflict'],
  ['skip', 'conflict'],
  ['rename', {title: 'a (1).txt'}],
])('with %s, items of the same command are not replaced', async (choice, result) => {
  const names = createFolderNames([])
  const choose = async () => choice
  expect(await resolveTitle(mine, 'a.txt', names, choose)).toEqual({title: 'a.txt'})
  const second = resolveTitle(theirs, 'a.txt', names, choose).catch(({exit}) => exit as unknown)
  expect(await second).toEqual(result)
})

test('the whole folder is listed once, and only to find an unused name', async () => {
  let lists = 0
  const names = createFolderNames([theirs], async () => {
    lists += 1
    return [theirs, file('c', 'a (1).txt')]
  })
  expect(await resolveTitle(mine, 'a.txt', names, async () => 'skip')).toEqual({kept: theirs})
  expect(lists).toBe(0)
  expect(await resolveTitle(mine, 'a.txt', names, async () => 'rename')).toEqual({
    title: 'a (2).txt',
  })
  expect(await resolveTitle(mine, 'a.txt', names, async () => 'rename')).toEqual({
    title: 'a (3).txt',
  })
  expect(lists).toBe(1)
})

test('the prompt for a conflict shows the name on one line', async () => {
  const stderr = new PassThrough()
  const stdin = new PassThrough()
  let prompt = ''
  stderr.on('data', (chunk: Buffer) => {
    if (prompt === '') setImmediate(() => stdin.write('2\n'))
    prompt += chunk.toString()
  })
  const io = {stdin, stderr, interactive: true, isDumb: true}
  const {signal} = new AbortController()
  const ask = ifExistsAt({io, signal, options: {}} as never, undefined)
  expect(await ask('a\u001b]0;pwned\u0007\nForged')).toBe('skip')
  expect(prompt).toContain('a ]0;pwned Forged')
})
