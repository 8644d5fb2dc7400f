import {afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi} from 'vitest'
import {searchHandlers} from '#lib/service/handlers/files.js'
import type {Parameters} from '#lib/service/store/database/database.js'
import {setUserFile} from '#lib/service/store/files/files.js'
import {indexFile} from '#lib/service/store/files/fulltext.js'
import {type Bench, NOW, openBench} from '../calls.js'

/** The query plans of searches: they use indexes, regardless of the number of files. */

let bench: Bench
const open = () => void (bench = openBench())
const close = () => bench.close()

/** A bench for each test. */
function fresh(): void {
  beforeEach(open)
  afterEach(close)
}

const DRIVES = {supportsAllDrives: 'true', includeItemsFromAllDrives: 'true'}

/** More files than a search sorts, so that lists are read in the order of an index. */
function fill(count = 2100): void {
  bench.store.write(() => {
    bench.folder({id: 'folder'})
    for (let n = 0; n < count; n++) {
      bench.file({title: `Report ${n}`, parent: 'folder', modifiedAt: NOW - n, createdAt: NOW})
    }
  })
}

/** A step of a plan with its substeps. */
interface Step {
  readonly detail: string
  readonly steps: Step[]
}

/** The query plan of each statement of a list that reads files. */
function plan(
  params: Record<string, string>,
  operation: 'files.list' | 'children.list' = 'files.list',
): Step[] {
  const statements: [string, Parameters][] = []
  const spies = (['all', 'get'] as const).map(name => {
    const ask = bench.store[name]
    return vi
      .spyOn(bench.store, name)
      .mockImplementation((sql: string, parameters?: Parameters) => {
        statements.push([sql, parameters ?? {}])
        return ask(sql, parameters) as never
      })
  })
  bench.call(searchHandlers[operation], operation, params)
  for (const spy of spies) spy.mockRestore()
  return statements
    .filter(([sql]) => /\bfiles\b/.test(sql))
    .flatMap(([sql, parameters]) => {
      const rows = bench.store.all<{id: number; parent: number; detail: string}>(
        `EXPLAIN QUERY PLAN ${sql}`,
        parameters,
      )
      const below = (parent: number): Step[] =>
        rows
          .filter(row => row.parent === parent)
          .map(({id, detail}) => ({detail, steps: below(id)}))
      return below(0)
    })
}

/** All steps, each with its siblings. */
function* flat(steps: readonly Step[]): Generator<{detail: string; beside: string[]}> {
  const beside = steps.map(({detail}) => detail)
  for (const {detail, steps: below} of steps) {
    yield {detail, beside}
    yield* flat(below)
  }
}

const details = (steps: readonly Step[]) => [...flat(steps)].map(({detail}) => detail)

/** Steps that scan a table whose size grows with the data. */
const reads = (steps: readonly Step[]) =>
  details(steps).filter(step =>
    /^SCAN (?!(c|up|down|shut|page|\(|CONSTANT|.* VIRTUAL ))/.test(step),
  )

const ORDERS = [
  'createdDate',
  'folder',
  'lastViewedByMeDate',
  'modifiedByMeDate',
  'modifiedDate',
  'quotaBytesUsed',
  'recency',
  'sharedWithMeDate',
  'starred',
  'title',
  'title_natural',
]

describe('no list reads all rows', () => {
  beforeAll(() => {
    open()
    fill()
  })
  afterAll(close)

  test.each<[string, Record<string, string>]>([
    ['title', {q: "title = 'report 7'"}],
    ['words of a title', {q: "title contains 'rep'"}],
    ['a rare word of a title', {q: "title contains '77'"}],
    ['a folder', {q: "'folder' in parents"}],
    ['folders', {q: "'folder' in parents or 'root' in parents"}],
    ['a date', {q: "modifiedDate > '2026-11-21T09:29:59'", orderBy: 'title'}],
    ['the trash', {q: 'trashed'}],
    ['text', {q: "fullText contains 'report 7'"}],
    ['a type', {q: "mimeType = 'text/html'"}],
    ['stars', {q: 'starred'}],
    ['what was shared', {q: 'sharedWithMe'}],
    ['shared drives', DRIVES],
    ['the domain', {corpora: 'domain'}],
  ])('%s', (_, params) => {
    const steps = plan(params)
    expect(reads(steps)).toEqual([])
    expect(details(steps).join('\n')).toMatch(/SEARCH .* USING (COVERING )?INDEX/)
  })

  test.each(['report 77', 'report 77 x', '77 report'])(
    'rare words of a title use an index: %s',
    words => {
      const steps = details(plan({q: `title contains '${words}'`})).join('\n')
      expect(steps).toMatch(/SCAN t VIRTUAL TABLE INDEX/)
    },
  )

  test('a list of a full folder', () => {
    expect(reads(plan({folderId: 'folder'}, 'children.list'))).toEqual([])
  })
})

describe('own files are read in the order of an index', () => {
  fresh()

  /** The siblings of a step that uses an index for an order. */
  const ordered = (steps: readonly Step[]) =>
    [...flat(steps)].filter(({detail}) =>
      /INDEX (files_held_by|user_files_(by_(?!file)|shared|starred))|u USING PRIMARY KEY \(user_id=\?( AND file_id>\?)?\)/.test(
        detail,
      ),
    )
  const isSort = (detail: string) => detail.includes('TEMP B-TREE')

  test.each(ORDERS)('%s, in both directions, the first page and later ones', order => {
    fill(300)
    const natural = order.startsWith('title') || order === 'folder' ? order : `${order} desc`
    const other = natural === order ? `${order} desc` : order
    for (const orderBy of [natural, other]) {
      const params = {orderBy, maxResults: '7'}
      const first = plan(params)
      const {nextPageToken: pageToken} = bench.call(
        searchHandlers['files.list'],
        'files.list',
        params,
      )
      const second = plan({...params, pageToken})
      expect([...reads(first), ...reads(second)]).toEqual([])
      for (const steps of [ordered(first), ordered(second)]) {
        expect(steps).not.toEqual([])
        if (orderBy === natural) expect(steps.filter(({beside}) => beside.some(isSort))).toEqual([])
        // The index finds the last row of the page. Fewer rows than a page are sorted; rows equal to the last one are already in order.
        else expect(steps.some(({beside}) => !beside.some(isSort))).toBe(true)
      }
    }
  })

  test('own files are not read to find those of others', () => {
    fill(300)
    expect(details(plan({}))).toContain('SEARCH v USING INDEX user_files_visited (user_id=?)')
  })
})

describe('derived data', () => {
  fresh()

  test('follows the files', () => {
    const {store} = bench
    bench.folder({id: 'folder'})
    bench.file({id: 'file', parent: 'folder', title: 'one two'})
    const bob = bench.user('bob').id
    const words = (pattern: string) =>
      store.all(
        `SELECT w.file_id FROM text_words t JOIN file_words w ON w.key = t.rowid
         WHERE t.text_words MATCH :pattern`,
        {pattern},
      ).length
    const guests = () => store.all('SELECT host_id, file_id FROM guests')
    const mine = (user: number) =>
      store.get(
        "SELECT own, recent_at FROM user_files WHERE file_id = 'file' AND user_id = :user",
        {
          user,
        },
      )
    store.run("UPDATE files SET title_words = ' two three ' WHERE id = 'file'")
    expect(['one', 'two', 'three'].map(word => words(`title : ${word}`))).toEqual([0, 1, 1])
    store.run(
      "UPDATE files SET owner_id = :bob, modified_at = 5, created_at = 4 WHERE id = 'file'",
      {
        bob,
      },
    )
    expect(guests()).toEqual([{host_id: bench.user().id, file_id: 'file'}])
    expect(mine(bob)).toMatchObject({own: 1, recent_at: 5})
    expect(mine(bench.user().id)).toMatchObject({own: 0, recent_at: 5})
    setUserFile(store, bob, 'file', {viewed_at: 9})
    expect(mine(bob)).toMatchObject({own: 1, recent_at: 9})
    store.run("UPDATE files SET owner_id = :bob WHERE id = 'folder'", {bob})
    expect(guests()).toEqual([{host_id: bench.user().id, file_id: 'folder'}])
    indexFile(store, 'file', {content: 'secret'})
    expect(words('secret')).toBe(1)
    store.run("DELETE FROM files WHERE id = 'file'")
    expect(['three', 'secret'].map(words)).toEqual([0, 0])
    expect(store.all("SELECT rowid FROM text_words WHERE text_words MATCH 'secret'")).toEqual([])
  })
})
