import {operation} from '#lib/api/operations.js'
import {isObject} from '#lib/api/validate.js'
import type {PlanStep} from '#lib/cli/plan-file/format.js'
import type {Page} from '#lib/client/client.js'
import {parentIds} from '#lib/transfer/remote/records.js'

/** Compares items with what a plan found and wants. Pure. */

/** The result of a comparison: the step can be sent, it is done already, or its item has changed. */
export type Verdict = 'open' | 'done' | {readonly conflict: string}

/** Whether the item is still as the plan found it; `record` is `undefined` if it no longer exists. */
export function isAsFound({etag, found}: PlanStep, record: Page | undefined): boolean {
  if (!record) return false
  if (etag !== undefined && record.etag !== undefined) {
    return plainTag(String(record.etag)) === plainTag(etag)
  }
  return !found || includes(record, found)
}

/** What to do with a step whose item is no longer as the plan found it. */
export function judgeStep(step: PlanStep, record: Page | undefined): Verdict {
  if (isReached(step, record)) return 'done'
  if (!record) return {conflict: 'it no longer exists'}
  const {labels} = record
  if (isObject(labels) && labels.trashed === true && step.operation !== 'files.untrash') {
    return {conflict: 'it is in the trash'}
  }
  return {conflict: 'it changed after the plan was made'}
}

/** Whether the item is already as the step would leave it. */
export function isReached(
  {operation: id, params = {}, body, local}: PlanStep,
  record: Page | undefined,
): boolean {
  if (id === undefined) return false
  if (operation(id).httpMethod === 'DELETE') return !record
  if (!record) return false
  const labels = isObject(record.labels) ? record.labels : {}
  if (id === 'files.trash') return labels.trashed === true
  if (id === 'files.untrash') return labels.trashed === false
  if (id === 'drives.hide') return record.hidden === true
  if (id === 'drives.unhide') return record.hidden === false
  const parents = parentIds(record)
  const added = idsIn(params.addParents)
  const removed = idsIn(params.removeParents)
  const {id: _, parents: wanted, modifiedDate, ...fields} = body ?? {}
  const own = Array.isArray(wanted) ? wanted.map(one => (isObject(one) ? one.id : undefined)) : []
  const isNamed = Object.keys(fields).length + added.length + own.length > 0 || local !== undefined
  return (
    (isNamed || modifiedDate !== undefined) &&
    (isNamed || isSameTime(record.modifiedDate, modifiedDate)) &&
    includes(record, fields) &&
    [...added, ...own].every(one => one === 'root' || parents.includes(one)) &&
    removed.every(one => !parents.includes(one)) &&
    (local === undefined || record.md5Checksum === local.md5)
  )
}

/** Whether a value has all fields of another one. */
function includes(value: unknown, wanted: unknown): boolean {
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

function isSameTime(one: unknown, other: unknown): boolean {
  const [time, another] = [one, other].map(value =>
    typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) ? Date.parse(value) : NaN,
  )
  return time === another
}

function idsIn(value: unknown): unknown[] {
  return typeof value === 'string' && value !== '' ? value.split(',') : []
}

/** A tag without the mark of a weak one. */
function plainTag(tag: string): string {
  return tag.replace(/^W\//, '')
}
