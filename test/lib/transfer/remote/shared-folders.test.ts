import {mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterEach, beforeEach, expect, test} from 'vitest'
import {shareFolders} from '#lib/transfer/remote/folders.js'
import {fakeClient, type FakeFile, FOLDER} from './client.js'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'drv-'))
})
afterEach(() => rmSync(directory, {recursive: true}))

const MAKES = [
  {path: 'a', parent: '', name: 'a'},
  {path: 'a/b', parent: 'a', name: 'b'},
]
const share = (client: ReturnType<typeof fakeClient>['client']) =>
  shareFolders(client, MAKES, {
    folders: new Map([['', 'top']]),
    file: join(directory, 'ids.json'),
    now: Date.now,
  })
const folder = (id: string, title: string, parent: string, trashed = false): FakeFile => ({
  id,
  title,
  parent,
  mimeType: FOLDER,
  labels: {trashed},
})

test('a later run gets the same IDs, and learns which folders exist', async () => {
  const files: FakeFile[] = []
  const {client} = fakeClient(files)
  const first = await share(client)
  expect([...first.values()].map(({isThere}) => isThere)).toEqual([false, false])
  const ids = [...first.values()].map(({id}) => id)
  files.push(folder(ids[0]!, 'a', 'top'))
  const second = await share(client)
  expect([...second]).toEqual([
    ['a', {id: ids[0], isThere: true}],
    ['a/b', {id: ids[1], isThere: false}],
  ])
})

test.each([
  ['went into the trash', (id: string) => folder(id, 'a', 'top', true)],
  ['was renamed', (id: string) => folder(id, 'other', 'top')],
  ['was moved', (id: string) => folder(id, 'a', 'elsewhere')],
])('a folder that %s gets another ID, the same for all runs', async (_, used) => {
  const files: FakeFile[] = []
  const {client} = fakeClient(files)
  const {id} = (await share(client)).get('a')!
  files.push(used(id))
  const both = await Promise.all([share(client), share(client)])
  expect(both[0].get('a')!.id).not.toBe(id)
  expect(both[0]).toEqual(both[1])
  expect(await share(client)).toEqual(both[0])
})
