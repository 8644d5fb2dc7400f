import type {Database, Parameters, Value} from './database.js'

/** Statements that say no more than which columns have which values. Names are always the code's own. */

/** By the column's name; what is `undefined` is left out. */
type Columns = Readonly<Record<string, Value | boolean | undefined>>
type Key = Readonly<Record<string, Value>>

/** Adds a row, with `replace` in place of the one that has its key. Returns its number. */
export function insertRow(
  {run}: Pick<Database, 'run'>,
  table: string,
  row: Columns,
  {replace = false} = {},
): number {
  const values = valuesOf(row)
  const names = Object.keys(values)
  const verb = replace ? 'INSERT OR REPLACE' : 'INSERT'
  const text = `${verb} INTO ${table} (${names.join(', ')}) VALUES (:${names.join(', :')})`
  return run(text, values).lastId
}

/** Writes these columns of the rows with a key. Returns how many there are. */
export function updateRows(
  {run}: Pick<Database, 'run'>,
  table: string,
  key: Key,
  columns: Columns,
): number {
  const values = valuesOf(columns)
  const text = `UPDATE ${table} SET ${equations(values, ', ')} WHERE ${equations(key, ' AND ')}`
  return run(text, {...values, ...key}).changes
}

/** Returns how many there were. */
export function deleteRows({run}: Pick<Database, 'run'>, table: string, key: Key): number {
  return run(`DELETE FROM ${table} WHERE ${equations(key, ' AND ')}`, key).changes
}

export function findRow<Row>(
  {get}: Pick<Database, 'get'>,
  table: string,
  key: Key,
): Row | undefined {
  return get(`SELECT * FROM ${table} WHERE ${equations(key, ' AND ')}`, key)
}

/** The values of a query for one column. */
export function column<V extends Value>(
  {all}: Pick<Database, 'all'>,
  query: string,
  parameters: Parameters = {},
): V[] {
  return all<Record<string, V>>(query, parameters).flatMap(row => Object.values(row))
}

/** The first `limit` rows of a query, which ends in a condition, whose `name` is behind `after`, in its order. */
export function rowsBehind<Row>(
  {all}: Pick<Database, 'all'>,
  query: string,
  name: string,
  {after, limit, ...parameters}: Parameters & {readonly after: Value; readonly limit: number},
): Row[] {
  const page = `${query} AND ${name} > :after ORDER BY ${name} LIMIT :limit`
  return all<Row>(page, {...parameters, after, limit})
}

function valuesOf(columns: Columns): Parameters {
  const values: Record<string, Value> = {}
  // Not by way of pairs: every request writes several rows.
  for (const name of Object.keys(columns)) {
    const value = columns[name]
    if (value !== undefined) values[name] = typeof value === 'boolean' ? Number(value) : value
  }
  return values
}

function equations(columns: Key, between: string): string {
  return Object.keys(columns)
    .map(name => `${name} = :${name}`)
    .join(between)
}
