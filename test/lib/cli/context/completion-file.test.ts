import {mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterEach, beforeEach, expect, test} from 'vitest'
import {completionFor} from '#lib/cli/completion/answer.js'
import {
  knownListing,
  matchingNames,
  parentPath,
  parseTypedPath,
  saveListing,
} from '#lib/cli/completion/folders.js'
import {
  completionFile,
  isKeychainOpen,
  listedIds,
  removeCompletionFiles,
  saveKeychainState,
  saveShownList,
  shownListOf,
} from '#lib/cli/context/completion-file.js'
import type {Settings} from '#lib/config/settings.js'

let caches: string
beforeEach(() => {
  caches = mkdtempSync(join(tmpdir(), 'drv-kept-'))
})
afterEach(() => rmSync(caches, {recursive: true}))

const settings: Settings = {
  profile: 'work',
  embedded: false,
  clientId: 'drv',
  binding: 'https://files.example.com',
  signIn: {store: 'keychain', user: {login: 'alice'}},
}
const bob: Settings = {...settings, signIn: {store: 'keychain', user: {login: 'bob'}}}

test('the entries of a folder are cached for a minute, per account', async () => {
  const kept = completionFile(caches, settings, 'places')
  const listing = {entries: [{id: '1', title: 'a', isFolder: true}], isCut: false}
  await saveListing(kept, '/', listing, 1000)
  await saveListing(kept, '/a/', {entries: [], isCut: true, driveId: 'd'}, 2000)
  expect(knownListing(kept, '/', 60_999)).toEqual({...listing, driveId: undefined})
  expect(knownListing(kept, '/a/', 2000)).toEqual({entries: [], isCut: true, driveId: 'd'})
  expect(knownListing(kept, '/', 61_000)).toBeUndefined()
  expect(knownListing(kept, '/', 999)).toBeUndefined()
  expect(knownListing(completionFile(caches, bob, 'places'), '/', 2000)).toBeUndefined()
  await removeCompletionFiles(caches, 'work')
  expect(knownListing(kept, '/', 2000)).toBeUndefined()
})

test('the keychain is read if it returned a token within the last hour', async () => {
  const now = Date.now()
  expect(await isKeychainOpen(caches, settings, now)).toBe(false)
  await saveKeychainState(caches, settings, now)
  expect(await isKeychainOpen(caches, settings, now + 59 * 60_000)).toBe(true)
  expect(await isKeychainOpen(caches, settings, now + 61 * 60_000)).toBe(false)
  expect(await isKeychainOpen(caches, bob, now)).toBe(false)
})

test.each([
  ['/', {place: '/', name: ''}],
  ['/Rep', {place: '/', name: 'Rep'}],
  ['/Reports/q', {place: '/Reports/', name: 'q'}],
  ['drive:Fin', {place: 'drive:', name: 'Fin'}],
  ['drive:Finance/q', {place: 'drive:Finance/', name: 'q'}],
  ['trash:o', {place: 'trash:', name: 'o'}],
  ['ID/q', {place: 'ID/', name: 'q'}],
  ['id:ID/q', undefined],
  ['https://example.com/d/x', undefined],
  ['Rep', undefined],
])('%s leads there', (text, way) => {
  expect(parseTypedPath(text)).toEqual(way)
})

test.each([
  ['/', undefined],
  ['drive:', undefined],
  ['/a/', {place: '/', name: 'a'}],
  ['/a/b/', {place: '/a/', name: 'b'}],
  ['drive:F/', {place: 'drive:', name: 'F'}],
  ['ID/', undefined],
])('%s is in that place', (place, way) => {
  expect(parentPath(place)).toEqual(way)
})

test('omits names that cannot be part of a path', () => {
  const titles = ['..', '.', '', 'a/b', 'a b', 'b']
  const entries = titles.map(title => ({id: title, title, isFolder: false}))
  const found = matchingNames({place: '/x/', name: ''}, {entries})
  expect(found.map(({value}) => value)).toEqual(['/x/a b', '/x/b'])
})

test('omits control characters from names and descriptions', () => {
  const values = ['a\nb', 'a\u001b[2J', 'a\tb', 'a\u202eb', ' a', 'ok']
  const candidates = values.map(value => ({value, about: 'x\ny\u001b[1m'}))
  expect(completionFor('zsh', {candidates, isFiles: false})).toBe('words\n+ok\tx y [1m\n')
})

test('saves the last hundred IDs of a list with their names', async () => {
  const kept = completionFile(caches, settings, 'listed')
  const rows = Array.from({length: 150}, (_, at) => ({id: `i${at}`, title: `T${at}\n`}))
  await saveShownList(kept, {
    of: 'file',
    rows: [...rows, {id: 'x\ny'}, {id: '-dash'}, {title: 'no ID'}],
  })
  const found = listedIds(kept, 'file', undefined)
  expect(found).toHaveLength(98)
  expect(found[0]).toEqual({value: 'i53', about: 'T53'})
  expect(found.at(-1)).toEqual({value: 'id:-dash'})
  expect(listedIds(kept, 'drive', undefined)).toEqual([])
})

test('offers IDs of items of a file for that file only', async () => {
  const kept = completionFile(caches, settings, 'listed')
  await saveShownList(kept, {of: 'revision', file: ['ID', '/a'], rows: [{id: 'r'}]})
  await saveShownList(kept, {of: 'property', file: ['ID'], rows: [{key: 'k', value: 'v'}]})
  expect(listedIds(kept, 'revision', '/a')).toEqual([{value: 'r'}])
  expect(listedIds(kept, 'property', 'ID')).toEqual([{value: 'k', about: 'v'}])
  expect(listedIds(kept, 'revision', '/b')).toEqual([])
  expect(listedIds(kept, 'revision', undefined)).toEqual([])
})

test('maps resources to kinds of IDs', () => {
  const resources = ['files', 'children', 'parents', 'drives', 'properties', 'revisions', 'about']
  expect(resources.map(shownListOf)).toEqual([
    ...['file', 'file', 'file', 'drive', 'property', 'revision', undefined],
  ])
})
