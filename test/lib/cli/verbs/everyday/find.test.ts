import {expect, test} from 'vitest'
import type {Row} from '#lib/cli/output/format.js'
import {rowFieldsFor} from '#lib/cli/verbs/everyday/file-rows.js'
import {findBelow} from '#lib/cli/verbs/everyday/find.js'
import type {OpenFolder} from '#lib/cli/verbs/everyday/places.js'
import type {Client, Page} from '#lib/client/client.js'

/** The number of records that a search reads. */

const PAGES = 5
const SIZE = 4

/** A service whose lists have pages of this many files; `requests` counts them. */
function service(size = SIZE) {
  let requests = 0
  async function* pages(): AsyncGenerator<Page> {
    for (let page = 0; page < PAGES; page++) {
      requests += 1
      const items = Array.from({length: size}, (_, index) => ({
        id: `${page}-${index}`,
        title: `file ${page}-${index}`,
        mimeType: 'text/plain',
        fileSize: String(index),
        parents: [{id: 'top', isRoot: true}],
      }))
      yield {items}
    }
  }
  return {client: {pages} as unknown as Client, requests: () => requests}
}

const TOP: OpenFolder = {id: 'root', path: '', isTrash: false}
const FOLDER: OpenFolder = {id: 'top', path: '/folder', isTrash: false}
const LARGEST = {matches: ({fileSize}: Page) => Number(fileSize) === SIZE - 1}

test.each([
  ['a search', TOP, [], undefined, PAGES, PAGES * SIZE],
  ['a search', TOP, [], 3, 1, 3],
  ['a search', TOP, [], SIZE, 1, SIZE],
  ['a search', TOP, [], SIZE + 1, 2, SIZE + 1],
  ['a search with a criterion that drv checks', TOP, [LARGEST], 3, 3, 3],
  ['a search with a criterion that drv checks', TOP, [LARGEST], undefined, PAGES, PAGES],
  ['a listed folder', FOLDER, [], undefined, PAGES, PAGES * SIZE],
  ['a listed folder', FOLDER, [LARGEST], 2, 2, 2],
])('%s with %o and limit %o', async (_, folder, criteria, limit, requests, rows) => {
  const {client, requests: sent} = service()
  const {signal} = new AbortController()
  const fields = rowFieldsFor({})
  const found: Row[] = []
  const onRow = (row: Row) => found.push(row)
  const wanted = {criteria, fields, signal, onRow}
  await findBelow(client, folder, {...wanted, ...(limit !== undefined && {limit})})
  expect(found).toHaveLength(rows)
  expect(sent()).toBe(requests)
})

test('a search of more files than stay in memory finds each of them once', async () => {
  const {client} = service(10_000)
  const found: Row[] = []
  const onRow = (row: Row) => found.push(row)
  const {signal} = new AbortController()
  const wanted = {criteria: [], fields: rowFieldsFor({}), signal, onRow}
  expect(await findBelow(client, TOP, wanted)).toBe(PAGES * 10_000)
  expect(new Set(found.map(({id}) => id)).size).toBe(PAGES * 10_000)
  expect(found.at(-1)).toMatchObject({path: '/file 4-9999', fileSize: '9999'})
})
