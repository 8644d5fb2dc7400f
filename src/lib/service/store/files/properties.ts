import {groupBy} from '#lib/platform/values.js'
import {badRequest} from '#lib/service/errors.js'
import {deleteRows, findRow} from '#lib/service/store/database/rows.js'
import type {Store} from '#lib/service/store/index.js'

/** Maximum number of properties of a file: in total, public, and private per app (reference: resources.md, Property). */
const LIMITS = {total: 100, PUBLIC: 30, PRIVATE: 30} as const
/** Maximum size of key and value together, in bytes of UTF-8. */
const SIZE_LIMIT = 124

/** A custom property as stored. */
export interface PropertyRow {
  readonly key: string
  readonly visibility: 'PRIVATE' | 'PUBLIC'
  /** The app of a private property; empty for a token without an app and for public properties. */
  readonly client_id: string
  readonly value: string
  readonly version: number
}

/** The key of a property. The same key can exist once as public and once as private per app. */
export interface PropertyName {
  readonly fileId: string
  readonly key: string
  readonly visibility: PropertyRow['visibility']
}

interface Context {
  readonly store: Store
  readonly clientId?: string
}

/** The properties of these files that an app can see, by file ID: public ones and its own. */
export function visiblePropertiesOf(
  store: Store,
  fileIds: readonly string[],
  clientId: string | undefined,
): ReadonlyMap<string, readonly PropertyRow[]> {
  const rows = store.all<PropertyRow & {file_id: string}>(
    `SELECT * FROM properties WHERE file_id IN (SELECT value FROM json_each(:ids))
     AND (visibility = 'PUBLIC' OR client_id = :clientId) ORDER BY key, visibility`,
    {ids: JSON.stringify(fileIds), clientId: clientId ?? ''},
  )
  return groupBy(rows, row => row.file_id)
}

export function findProperty(call: Context, name: PropertyName): PropertyRow | undefined {
  return findRow(call.store, 'properties', rowKey(call, name))
}

/** Creates or updates a property. Throws 400 above a limit. The caller must record the change of the file. */
export function setProperty(call: Context, name: PropertyName, value: string): PropertyRow {
  const size = Buffer.byteLength(name.key) + Buffer.byteLength(value)
  if (name.key === '') throw badRequest('A property needs a key.', 'key', 'invalid')
  if (size > SIZE_LIMIT) {
    throw badRequest(
      `The property ${name.key} is too large: key and value have ${size} bytes together (limit: ${SIZE_LIMIT}).`,
      'value',
      'invalid',
    )
  }
  if (!findProperty(call, name)) checkCounts(call, name)
  call.store.run(
    `INSERT INTO properties (file_id, key, visibility, client_id, value)
     VALUES (:file_id, :key, :visibility, :client_id, :value)
     ON CONFLICT DO UPDATE SET value = excluded.value, version = version + 1`,
    {...rowKey(call, name), value},
  )
  return findProperty(call, name)!
}

export function removeProperty(call: Context, name: PropertyName): void {
  deleteRows(call.store, 'properties', rowKey(call, name))
}

function rowKey({clientId = ''}: Context, {fileId, key, visibility}: PropertyName) {
  return {file_id: fileId, key, visibility, client_id: visibility === 'PRIVATE' ? clientId : ''}
}

function checkCounts(call: Context, name: PropertyName): void {
  const {key: _key, ...parameters} = rowKey(call, name)
  const {fileId, visibility} = name
  const {total, same} = call.store.get<{total: number; same: number}>(
    `SELECT count(*) AS total,
       count(*) FILTER (WHERE visibility = :visibility AND client_id = :client_id) AS same
     FROM properties WHERE file_id = :file_id`,
    parameters,
  )!
  if (same < LIMITS[visibility] && total < LIMITS.total) return
  const reached =
    same >= LIMITS[visibility]
      ? `${same} ${visibility.toLowerCase()} properties`
      : `${total} properties`
  throw badRequest(
    `File ${fileId} already has ${reached}, which is the limit. Delete one first.`,
    'key',
    'invalid',
  )
}
