import {join} from 'node:path'
import {indexFile} from '#lib/service/store/files/fulltext.js'
import {searchWords, titleSortKey} from '#lib/service/store/files/words.js'
import {openStore, type Store} from '#lib/service/store/index.js'
import {userByLogin} from '#lib/service/store/users.js'
import type {Bench} from './service.js'
import {median, row} from './table.js'

const NOW = Date.UTC(2026, 10, 21)
const SECOND = 1000

/** The queries: `q` and `orderBy`. */
const ASKED: readonly (readonly [q: string, orderBy?: string])[] = [
  [''],
  ["title = 'report 7'"],
  ["title contains 'rep'"],
  ["title contains '77'"],
  ["'folder-7' in parents"],
  ["modifiedDate > '2026-11-20T23:59:00Z'", 'title'],
  ['trashed = true'],
  ["fullText contains 'unusual'"],
  ['starred'],
  ...[
    'createdDate',
    'folder,title',
    'lastViewedByMeDate desc',
    'modifiedByMeDate desc',
    'modifiedDate',
    'quotaBytesUsed desc',
    'recency desc',
    'sharedWithMeDate desc',
    'starred desc',
    'title',
    'title_natural',
  ].map(orderBy => ['', orderBy] as const),
]

/** Measures the time of lists by the number of files in the service. */
export async function search(bench: Bench, sizes: readonly number[], rounds: number) {
  const store = openStore(join(bench.directory, 'service'))
  const columns: string[][] = []
  let held = 0
  for (const size of sizes) {
    fill(store, held, size)
    held = size
    columns.push([])
    for (const [q, orderBy] of ASKED) {
      const query = new URLSearchParams({fields: 'items(id),nextPageToken'})
      if (q !== '') query.set('q', q)
      if (orderBy !== undefined) query.set('orderBy', orderBy)
      const times: number[] = []
      for (let round = 0; round < 3 + 4 * rounds; round++) {
        const start = performance.now()
        await bench.call('GET', `files?${query}`)
        if (round > 2) times.push(performance.now() - start)
      }
      columns.at(-1)!.push(median(times).toFixed(1))
    }
  }
  store.close()
  row('a page of files, ms', ...sizes.map(size => `${size} files`))
  for (const [index, [q, orderBy = '']] of ASKED.entries()) {
    row(`${q} ${orderBy}`.trim() || 'all', ...columns.map(column => column[index]!))
  }
}

/**
 * Creates the files from `start` to `end` of one user: one folder for each 20 files; some are starred or trashed.
 */
function fill(store: Store, start: number, end: number): void {
  const {id: userId, root_id: rootId} = userByLogin(store, 'local')!
  store.write(() => {
    for (let n = start; n < end; n++) {
      const isFolder = n % 20 === 0
      const title = `Report ${n}`
      const id = isFolder ? `folder-${n / 20}` : `file-${n}`
      store.run(
        `INSERT INTO files (id, owner_id, parent_id, title, title_key, title_words, mime_type,
           created_at, modified_at, trashed, quota_bytes)
         VALUES (:id, :userId, :parent, :title, :key, :words, :type, :at, :at, :trashed, :n)`,
        {
          id,
          userId,
          parent: isFolder ? rootId : `folder-${Math.floor(n / 20)}`,
          title,
          key: titleSortKey(title),
          words: searchWords(title),
          type: isFolder ? 'application/vnd.google-apps.folder' : 'text/plain',
          at: NOW - ((n * 7919) % 1_000_003) * SECOND,
          trashed: Number(n % 500 === 1),
          n,
        },
      )
      store.run(
        `INSERT INTO user_files (user_id, file_id, starred, viewed_at, modified_at)
         VALUES (:userId, :id, :starred, :at, :at)`,
        {userId, id, starred: Number(n % 500 === 2), at: NOW - n * SECOND},
      )
      indexFile(store, id, {content: n % 500 === 3 ? 'something unusual' : `the text of ${n}`})
    }
  })
}
