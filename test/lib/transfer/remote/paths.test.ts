import {expect, test} from 'vitest'
import type {Page} from '#lib/client/client.js'
import {createPaths} from '#lib/transfer/remote/paths.js'
import {fakeClient, type FakeFile, FOLDER} from './client.js'

const files: readonly FakeFile[] = [
  {id: 'r', title: 'Reports', parent: 'root', mimeType: FOLDER},
  {id: 'y', title: '2026', parent: 'r', mimeType: FOLDER},
  {id: 'q', title: 'q3.pdf', parent: 'y'},
  {id: 'p', title: 'p.txt', parent: 'root'},
  {id: 'slash', title: 'a/b', parent: 'root', mimeType: FOLDER},
  {id: 'below', title: 'c', parent: 'slash'},
  {id: 'lines', title: 'innocent\nvictim', parent: 'root'},
  {id: 'return', title: 'a\rb', parent: 'root', mimeType: FOLDER},
  {id: 'in lines', title: 'c', parent: 'return'},
  {id: 'two', title: 'a\u2028b\u0085c', parent: 'r'},
  {id: 'turned', title: '\u200fשלום', parent: 'r'},
  {id: 'e1', title: 'in it', parent: 'e', driveId: 'e'},
  {id: 'e', title: 'Finance/in it', parent: '', driveId: 'e', mimeType: FOLDER},
  {id: 't', title: 'old.txt', parent: 'y', labels: {trashed: true}},
  {id: 'd1', title: 'in it', parent: 'd', driveId: 'd'},
  {id: 'd', title: 'Finance', parent: '', driveId: 'd', mimeType: FOLDER},
  {id: 's', title: 'From Ann', parent: '', mimeType: FOLDER},
  {id: 'sa', title: 'a.txt', parent: 's'},
  {id: 'lost', title: 'l', parent: 'not to be seen'},
  {id: 'a', title: 'a', parent: 'b', mimeType: FOLDER},
  {id: 'b', title: 'b', parent: 'a', mimeType: FOLDER},
]
const drives = [
  {id: 'd', name: 'Finance'},
  {id: 'e', name: 'Finance/in it'},
]

function world(options = {}) {
  const {client, asked} = fakeClient(files, {drives, ...options})
  const records = async (...ids: string[]) =>
    Promise.all(
      ids.map(async fileId => (await client.call('files.get', {params: {fileId}})) as Page),
    )
  return {paths: createPaths(client), records, asked}
}

test.each([
  ['q', '/Reports/2026/q3.pdf'],
  ['p', '/p.txt'],
  ['slash', 'id:slash'],
  ['below', 'id:below'],
  ['lines', 'id:lines'],
  ['return', 'id:return'],
  ['in lines', 'id:in lines'],
  ['two', 'id:two'],
  ['turned', '/Reports/\u200fשלום'],
  ['e1', 'id:e1'],
  ['e', 'id:e'],
  ['t', 'trash:/Reports/2026/old.txt'],
  ['d1', 'drive:Finance/in it'],
  ['d', 'drive:Finance'],
  ['s', 'shared:/From Ann'],
  ['sa', 'shared:/From Ann/a.txt'],
  ['lost', 'shared:/l'],
])('the path of %s', async (id, path) => {
  const {paths, records} = world()
  expect(await paths.of(await records(id))).toEqual([path])
})

test('folders in a circle end', async () => {
  const {paths, records} = world()
  const [path] = await paths.of(await records('a'))
  expect(path).toMatch(/^shared:/)
})

test.each([
  ['each level with one request', true, 2],
  ['one by one where there are no batches', false, 4],
])('many files request %s, and each folder once', async (_, hasBatches, requests) => {
  const {paths, records, asked} = world({hasBatches})
  const some = await records('q', 't', 'below', 'sa', 'p')
  asked.length = 0
  await paths.of(some)
  expect(asked).toHaveLength(requests)
  await paths.of(some)
  expect(asked).toHaveLength(requests)
})

test('the items below a folder are found by any parent, and circles end', async () => {
  const two = [...files, {id: 'two', title: 'two', parent: 's', alsoIn: 'y'}]
  const {client} = fakeClient(two, {drives})
  const paths = createPaths(client)
  const records = await Promise.all(
    ['q', 'y', 'r', 'p', 'sa', 'a', 'two', 'd1'].map(
      async fileId => (await client.call('files.get', {params: {fileId}})) as Page,
    ),
  )
  const below = async (id?: string) => {
    const are = await paths.areBelow(records, id)
    return records.filter((_, index) => are[index]).map(record => record.id)
  }
  expect(await below('r')).toEqual(['q', 'y', 'two'])
  expect(await below()).toEqual(['q', 'y', 'r', 'p', 'two'])
  expect(await below('d')).toEqual(['d1'])
})

test('known folders need no request, at any depth', async () => {
  const {client, counts} = fakeClient(files, {drives})
  const paths = createPaths(client)
  const known = files.filter(({mimeType, driveId}) => mimeType === FOLDER && !driveId)
  const page = client.pages('files.list', {params: {q: ''}})[Symbol.asyncIterator]()
  const {value} = (await page.next()) as {value: {items: Page[]}}
  paths.know(value.items.filter(({id}) => known.some(folder => folder.id === id)))
  const before = counts.requests
  const q = value.items.filter(({id}) => id === 'q')
  expect(await paths.of(q)).toEqual(['/Reports/2026/q3.pdf'])
  expect(counts.requests).toBe(before)
})
