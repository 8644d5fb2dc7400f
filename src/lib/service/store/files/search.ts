import type {Parameters, Value} from '#lib/service/store/database/database.js'
import type {Store} from '#lib/service/store/index.js'
import {type FileRow, SELECT_FILE} from './files.js'

/** How many rows these queries have together; `limit + 1` where there are more than `limit`. */
export function countRows(
  store: Store,
  queries: readonly string[],
  limit: number,
  parameters: Parameters,
): number {
  const some = queries.map(query => `SELECT * FROM (${query})`).join(' UNION ALL ')
  return store.get<{count: number}>(
    `SELECT count(*) AS count FROM (${some || 'SELECT 1 WHERE FALSE'} LIMIT ${limit + 1})`,
    parameters,
  )!.count
}

/** What a query for one column, `edge`, has behind so many rows; `undefined` where it has no more. */
export function edgeBehind(
  store: Store,
  query: string,
  count: number,
  parameters: Parameters,
): Value | undefined {
  const text = `${query} LIMIT 1 OFFSET :count`
  return store.get<{edge: Value}>(text, {...parameters, count})?.edge
}

/** The first `limit` of the files that these queries find, each in the order of `orderBy`, with the columns of the queries. */
export function firstFiles(
  store: Store,
  queries: readonly string[],
  orderBy: (table: string) => string,
  limit: number,
  parameters: Parameters,
): ReadonlyArray<FileRow & Record<string, Value>> {
  if (queries.length === 0) return []
  const found = queries.map(query => `SELECT * FROM (${query} LIMIT :limit)`).join(' UNION ALL ')
  return store.all(
    `WITH page AS MATERIALIZED (${found} ORDER BY ${orderBy('')} LIMIT :limit)
    SELECT file.*, page.* FROM page CROSS JOIN (${SELECT_FILE}) file ON file.id = page.id
    ORDER BY ${orderBy('page.')}`,
    {...parameters, limit},
  )
}
