import {expect, test} from 'vitest'
import {treeDrawing} from '#lib/cli/verbs/everyday/drawing.js'
import {rowFieldsFor} from '#lib/cli/verbs/everyday/file-rows.js'
import {contentsOf, createListedRecords, rowsOf} from '#lib/cli/verbs/everyday/list-places.js'
import {diskUsageRows, sumText} from '#lib/cli/verbs/everyday/usage.js'
import {fakeClient, type FakeFile, FOLDER} from '../../../transfer/remote/client.js'

/** Folders that are not trees: cycles, and items in two folders. */

const files: readonly FakeFile[] = [
  {id: 'A', title: 'a', parent: 'T', mimeType: FOLDER},
  {id: 'B', title: 'b', parent: 'T', mimeType: FOLDER},
  {id: 'S', title: 'shared', parent: 'A', alsoIn: 'B', mimeType: FOLDER},
  {id: 'X', title: 'x.bin', parent: 'S', fileSize: '1000'},
  {id: 'Y', title: 'y.bin', parent: 'A', alsoIn: 'B', fileSize: '24'},
  // The top folder is also inside one of its subfolders.
  {id: 'T', title: 'top', parent: 'S', mimeType: FOLDER},
  {id: 'L', title: 'link', parent: 'B', mimeType: 'application/vnd.google-apps.shortcut'},
]

const listing = (depth: number) => {
  const {signal} = new AbortController()
  return {fields: rowFieldsFor({}), depth, listed: createListedRecords(), signal}
}

async function listTop(depth = Infinity) {
  const {client, counts} = fakeClient(files)
  const top = {id: 'T', path: '/top', isTrash: false}
  const [contents] = await contentsOf(client, [top], listing(depth))
  return {...contents!, nodes: contents!.nodes(), requests: counts.requests}
}

test('a cycle ends, and a folder in two folders is shown in both, with its contents once', async () => {
  const {nodes, requests} = await listTop()
  expect(treeDrawing('/top', nodes)).toBe(
    [
      '/top',
      '├── a/',
      '│   ├── shared/',
      '│   │   ├── top/  (see above)',
      '│   │   └── x.bin  1000 B',
      '│   └── y.bin  24 B',
      '└── b/',
      '    ├── link',
      '    ├── shared/  (see above)',
      '    └── y.bin  24 B',
      '',
    ].join('\n'),
  )
  expect(requests).toBe(3)
  expect(rowsOf(nodes).map(({path}) => path)).toContain('/top/b/shared')
})

test('sections follow the tree, and show the contents of a folder once', async () => {
  const {sections} = await listTop()
  const found = Array.from(sections('/top'), ({head, rows}) => [
    head,
    ...rows.map(({path}) => path),
  ])
  expect(found).toEqual([
    ['/top', '/top/a', '/top/b'],
    ['/top/a', '/top/a/shared', '/top/a/y.bin'],
    ['/top/a/shared', '/top/a/shared/top', '/top/a/shared/x.bin'],
    ['/top/b', '/top/b/link', '/top/b/shared', '/top/b/y.bin'],
  ])
})

test('each item is counted once, in its first folder', async () => {
  const {nodes, sections} = await listTop()
  const seen = {kind: 'nodes', head: '/top', id: 'T', nodes: () => nodes, sections} as const
  const rows = diskUsageRows(seen, 2)
  expect(rows.map(({size, path, files: count}) => [size, path, count])).toEqual([
    [1000, '/top/a/shared', 1],
    [24, '/top/a/y.bin', 1],
    [1024, '/top/a', 2],
    [0, '/top/b/link', 1],
    [0, '/top/b', 1],
    [1024, '/top', 3],
  ])
  expect(sumText((await listTop(1)).nodes)).toBe('2 folders, 0 files, 0 B')
})

test('control characters in titles are removed', async () => {
  const {client} = fakeClient([{id: 'E', title: 'a\u001b[31m\nb\u202e', parent: 'T'}])
  const top = {id: 'T', path: '/t', isTrash: false}
  const [contents] = await contentsOf(client, [top], listing(1))
  expect(treeDrawing('/t', contents!.nodes())).toBe('/t\n└── a [31m b\n')
})

test('folders of the same drive are listed together', async () => {
  const {client, counts} = fakeClient(files)
  const folders = ['A', 'B', 'S'].map(id => ({id, path: `/${id}`, isTrash: false}))
  const inEach = await contentsOf(client, folders, listing(1))
  expect(inEach.map(({nodes}) => nodes().map(({row}) => row.path))).toEqual([
    ['/A/shared', '/A/y.bin'],
    ['/B/link', '/B/shared', '/B/y.bin'],
    ['/S/top', '/S/x.bin'],
  ])
  expect(counts.requests).toBe(1)
})
