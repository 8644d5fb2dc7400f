import {afterEach, beforeEach, expect, test, vi} from 'vitest'
import {changesHandlers} from '#lib/service/handlers/changes.js'
import {drivesHandlers} from '#lib/service/handlers/drives.js'
import {searchHandlers} from '#lib/service/handlers/files.js'
import {recordChange} from '#lib/service/store/changes.js'
import {setUserFile} from '#lib/service/store/files/files.js'
import {type Bench, grant, NOW, openBench} from '../calls.js'

let bench: Bench

beforeEach(() => {
  bench = openBench()
})
afterEach(() => bench.close())

const DRIVES = {supportsAllDrives: 'true', includeItemsFromAllDrives: 'true'}

/** Files of all kinds, each in a separate folder: own ones, those of others, and in a shared drive. */
function makeFiles(count: number): void {
  const drive = bench.call(
    drivesHandlers['drives.insert'],
    'drives.insert',
    {requestId: String(count)},
    {body: {name: 'Plans'}},
  ).id as string
  bench.store.write(() => {
    for (let n = 0; n < count; n++) {
      const shared = bench.folder({owner: 'bob'})
      if (n % 2) grant(bench, shared, {login: 'local'}, 'writer')
      const files = [
        bench.file({parent: bench.folder()}),
        bench.file({owner: 'bob', parent: shared}),
        bench.file({owner: null, drive, parent: bench.folder({owner: null, drive})}),
      ]
      for (const id of files) {
        grant(bench, id, {login: 'local'})
        grant(bench, id, {anyone: 'find'})
        setUserFile(bench.store, bench.user().id, id, {starred: 1})
        bench.store.run(
          `INSERT INTO properties (file_id, key, visibility, client_id, value)
           VALUES (:id, 'k', 'PUBLIC', '', 'v')`,
          {id},
        )
        recordChange(bench.store, NOW, id, 'add')
      }
    }
  })
}

/** The number of statements while `work` runs. */
function statements(work: () => void): number {
  const spies = (['all', 'get', 'run'] as const).map(name => vi.spyOn(bench.store, name))
  work()
  const count = spies.reduce((sum, spy) => sum + spy.mock.calls.length, 0)
  for (const spy of spies) spy.mockRestore()
  return count
}

/** Every field, including those that need `fields`. */
const ALL = {fields: {'*': {}}}

test('a page of files needs as many statements as one file', () => {
  makeFiles(1)
  const list = (maxResults: string) => {
    const query = {q: "mimeType = 'text/plain'", maxResults, corpora: 'allDrives', ...DRIVES}
    const {items} = bench.call(searchHandlers['files.list'], 'files.list', query, ALL)
    const [first] = items
    expect(first).toMatchObject({capabilities: {}, userPermission: {}, properties: [{key: 'k'}]})
    return items.length as number
  }
  const few = statements(() => expect(list('100')).toBe(3))
  makeFiles(30)
  const many = statements(() => expect(list('100')).toBe(93))
  // A second shared drive with its own rules and members.
  expect(many).toBeLessThanOrEqual(few + 3)
})

test('and so does a page of changes', () => {
  makeFiles(1)
  const list = () => {
    const query = {maxResults: '100', ...DRIVES}
    const {items} = bench.call(changesHandlers['changes.list'], 'changes.list', query, ALL)
    return items.filter((item: {file?: object}) => item.file).length as number
  }
  const few = statements(() => expect(list()).toBe(3))
  makeFiles(30)
  const many = statements(() => expect(list()).toBe(93))
  // Two entries of a second shared drive itself.
  expect(many).toBeLessThanOrEqual(few + 6)
})
