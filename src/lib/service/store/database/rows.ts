import type {Database, Parameters, SqlValue} from './database.js'

/** Simple statements on rows. Names of tables and columns must come from the code. */

/** Values by column name; `undefined` values are omitted. */
type Columns = Readonly<Record<string, SqlValue | boolean | undefined>>
type Key = Readonly<Record<string, SqlValue>>

/** Inserts a row. With `replace`, replaces the row with the same key. Returns its row ID. */
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

/** Updates columns of the rows with a key. Returns the number of rows. */
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

/** Deletes the rows with a key. Returns the number of rows. */
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

/** The rows with a key, in the order of these columns. */
export function findRows<Row>(
  {all}: Pick<Database, 'all'>,
  table: string,
  key: Key,
  order: string,
): Row[] {
  const condition = equations(key, ' AND ') || 'TRUE'
  return all<Row>(`SELECT * FROM ${table} WHERE ${condition} ORDER BY ${order}`, key)
}

/** The values of a query for one column. */
export function column<V extends SqlValue>(
  {all}: Pick<Database, 'all'>,
  query: string,
  parameters: Parameters = {},
): V[] {
  return all<Record<string, V>>(query, parameters).flatMap(row => Object.values(row))
}

/** The first `limit` rows of a query whose column `name` is greater than `after`, in the order of this column. The query must end with a condition. */
export function rowsAfter<Row>(
  {all}: Pick<Database, 'all'>,
  query: string,
  name: string,
  {after, limit, ...parameters}: Parameters & {readonly after: SqlValue; readonly limit: number},
): Row[] {
  const page = `${query} AND ${name} > :after ORDER BY ${name} LIMIT :limit`
  return all<Row>(page, {...parameters, after, limit})
}

function valuesOf(columns: Columns): Parameters {
  const values: Record<string, SqlValue> = {}
  // Object.entries would be slower, and every request writes several rows.
  for (const name of Object.keys(columns)) {
    const value = columns[name]
    if (value !== undefined) values[name] = typeof value === 'boolean' ? Number(value) : value
  }
  return values
}

function equations(columns: Key, separator: string): string {
  return Object.keys(columns)
    .map(name => `${name} = :${name}`)
    .join(separator)
}
