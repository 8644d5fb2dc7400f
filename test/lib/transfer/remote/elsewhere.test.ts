import {describe, expect, test} from 'vitest'
import {parseRemotePath} from '#lib/transfer/remote/remote-path.js'
import {findRemotePath} from '#lib/transfer/remote/resolve.js'
import {failureText} from '../../../support/failure-text.js'
import {fakeClient, type FakeFile, FOLDER} from './client.js'

const trashed = {labels: {trashed: true}}
const sharedWithMeDate = '2026-01-01T00:00:00.000Z'
const files: readonly FakeFile[] = [
  {id: 'root', title: 'My Drive', parent: '', mimeType: FOLDER},
  {id: 'r', title: 'Reports', parent: 'root', mimeType: FOLDER},
  {id: 'kept', title: 'old.txt', parent: 'root'},
  {id: 'o', title: 'old.txt', parent: 'r', ...trashed},
  {id: 'g', title: 'gone', parent: 'root', mimeType: FOLDER, ...trashed},
  {id: 't1', title: 'twice.txt', parent: 'g', ...trashed},
  {id: 't2', title: 'twice.txt', parent: 'r', ...trashed},
  {id: 's', title: 'From Ann', parent: '', mimeType: FOLDER, sharedWithMeDate},
  {id: 'sa', title: 'a.txt', parent: 's'},
  {id: 'mine', title: 'a.txt', parent: 'root'},
  {id: 'd', title: 'Finance', parent: '', mimeType: FOLDER, driveId: 'd'},
  {id: 'y', title: '2026', parent: 'd', mimeType: FOLDER, driveId: 'd'},
  {id: 'q', title: 'q3.pdf', parent: 'y', driveId: 'd'},
]
const drives = [
  {id: 'd', name: 'Finance'},
  {id: 'e1', name: 'Twins', createdDate: '2026-01-02T03:04:05.000Z'},
  {id: 'e2', name: 'Twins'},
]

function find(text: string) {
  const {client, asked} = fakeClient(files, {drives})
  return {asked, found: findRemotePath(client, parseRemotePath(text))}
}

describe('an item', () => {
  test.each([
    ['in a shared drive', 'drive:Finance/2026/q3.pdf', 'q', 2],
    ['at the top of one', 'drive:Finance', 'd', 1],
    ['in the trash, by its name', 'trash:/old.txt', 'o', 1],
    ['in the trash, by its old path', 'trash:/Reports/old.txt', 'o', 1],
    ['in a folder in the trash', 'trash:/gone/twice.txt', 't1', 1],
    ['with what others share', 'shared:/From Ann', 's', 1],
    ['in a folder that others share', 'shared:/From Ann/a.txt', 'sa', 1],
    ['in My Drive, with a namesake elsewhere', '/a.txt', 'mine', 2],
  ])('%s', async (_, text, id, requests) => {
    const {found, asked} = find(text)
    expect(await found).toMatchObject({entry: {id}, missing: []})
    expect(asked).toHaveLength(requests)
  })

  test('in the trash is not found by a plain path', async () => {
    await expect(find('/Reports/old.txt').found).rejects.toMatchObject({
      kind: 'missing',
      message: 'There is no "old.txt" in /Reports.',
    })
  })
})

describe('with several matches is reported with their paths', () => {
  test('in the trash', async () => {
    await expect(find('trash:/twice.txt').found).rejects.toMatchObject({
      kind: 'ambiguous',
      candidates: [
        {id: 't1', path: 'trash:/gone/twice.txt', size: 0},
        {id: 't2', path: 'trash:/Reports/twice.txt', size: 0},
      ],
    })
  })

  test('shared drives', async () => {
    await expect(find('drive:Twins/a').found).rejects.toMatchObject({
      kind: 'ambiguous',
      candidates: [
        {id: 'e1', path: 'drive:Twins', date: '2026-01-02T03:04:05.000Z'},
        {id: 'e2', path: 'drive:Twins'},
      ],
    })
  })
})

describe('a missing item gets a suggestion', () => {
  test.each([
    '/Report/2026',
    '/reports',
    'drive:finance/a',
    'drive:Finance/2027/q3.pdf',
    'drive:Finance/2026/q4.pdf',
    'r/nothing',
    'trash:/kept',
    'shared:/Reports',
  ])('%s', async text => {
    await expect(find(text).found).rejects.toMatchObject({kind: 'missing'})
    expect(await failureText(() => find(text).found)).toRead()
  })
})

test('the chosen one of several is followed', async () => {
  const twins: readonly FakeFile[] = [
    files[0]!,
    {id: 'a1', title: 'a', parent: 'root', mimeType: FOLDER},
    {id: 'a2', title: 'a', parent: 'root', mimeType: FOLDER},
    {id: 'b', title: 'b', parent: 'a2'},
  ]
  const {client} = fakeClient(twins)
  const {entry} = await findRemotePath(client, parseRemotePath('/a/b'), async (_, all) => all[1]!)
  expect(entry.id).toBe('b')
})
