import {operation, type OperationId} from './operations.js'
import {isObject} from './validate.js'

/** Whether an item is already as a request would leave it. Pure. */

/** The parts of a request that say what it changes. */
export interface ChangeRequest {
  readonly id: OperationId
  readonly params: Readonly<Record<string, unknown>>
  readonly body?: Readonly<Record<string, unknown>>
  /** The MD5 of the content that it sends. */
  readonly md5?: string
}

type Fields = Readonly<Record<string, unknown>>

/** Whether `record` shows what the request sets; `undefined` is an item that no longer exists. */
export function isReached(
  {id, params, body, md5}: ChangeRequest,
  record: Fields | undefined,
): boolean {
  if (operation(id).httpMethod === 'DELETE') return !record
  if (!record) return false
  const labels = isObject(record.labels) ? record.labels : {}
  // An item in a folder that is in the trash is not in the trash itself.
  if (id === 'files.trash') return (record.explicitlyTrashed ?? labels.trashed) === true
  if (id === 'files.untrash') return labels.trashed === false
  if (id === 'drives.hide') return record.hidden === true
  if (id === 'drives.unhide') return record.hidden === false
  const parents = parentIds(record)
  const {id: _, parents: wanted, modifiedDate, ...fields} = body ?? {}
  const added = [...idsIn(params.addParents), ...parentIds({parents: wanted})]
  const isNamed = Object.keys(fields).length + added.length > 0 || md5 !== undefined
  return (
    (isNamed || modifiedDate !== undefined) &&
    (isNamed || isSameTime(record.modifiedDate, modifiedDate)) &&
    includes(record, fields) &&
    added.every(one => one === 'root' || parents.includes(one)) &&
    idsIn(params.removeParents).every(one => !parents.includes(one)) &&
    (md5 === undefined || record.md5Checksum === md5)
  )
}

/** Whether a value has all fields of another one. */
export function includes(value: unknown, wanted: unknown): boolean {
  if (isObject(wanted)) {
    const fields = isObject(value) ? value : {}
    return Object.entries(wanted).every(([name, inner]) => includes(fields[name], inner))
  }
  if (Array.isArray(wanted)) {
    const items: readonly unknown[] = Array.isArray(value) ? value : []
    return items.length === wanted.length && wanted.every((one, at) => includes(items[at], one))
  }
  if (wanted === null) return value === undefined || value === null
  return value === wanted || String(value) === String(wanted) || isSameTime(value, wanted)
}

/** The IDs of the parents in a record or in the body of a request. */
export function parentIds({parents}: Fields): string[] {
  const found = Array.isArray(parents) ? parents.filter(isObject) : []
  return found.flatMap(({id}) => (typeof id === 'string' ? [id] : []))
}

function isSameTime(one: unknown, other: unknown): boolean {
  const [time, another] = [one, other].map(value =>
    typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) ? Date.parse(value) : NaN,
  )
  return time === another
}

function idsIn(value: unknown): string[] {
  return typeof value === 'string' && value !== '' ? value.split(',') : []
}
