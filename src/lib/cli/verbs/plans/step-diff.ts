import {operation} from '#lib/api/operations.js'
import {parentIds} from '#lib/api/reached.js'
import {isObject} from '#lib/api/validate.js'
import type {PlanStep} from '#lib/cli/plan-file/format.js'
import type {Page} from '#lib/client/client.js'

/** A field that a step changes; `undefined` where there is no value. */
export interface FieldChange {
  readonly field: string
  readonly before: unknown
  readonly after: unknown
}

/** The fields that a step changes, with their values in the record of its item as it is now. Pure. */
export function changedFields(step: PlanStep, record: Page | undefined): FieldChange[] {
  return fieldsOf(step, record ?? {}).filter(({before, after}) => text(before) !== text(after))
}

function fieldsOf(step: PlanStep, record: Page): FieldChange[] {
  const {operation: id, params = {}, body = {}, local, output, here} = step
  if (output) {
    const after = here === 'remove' ? undefined : output.path
    const before = here === 'remove' ? output.path : output.before && output.path
    if (here || !output.overwrite) return [{field: 'local path', before, after}]
    return [
      {field: 'local size', before: output.before?.size, after: output.size},
      {field: 'local modified', before: output.before?.modified, after: output.modified},
    ]
  }
  const labels = isObject(record.labels) ? record.labels : {}
  const trashed = (after: boolean) => [{field: 'labels.trashed', before: labels.trashed, after}]
  if (id === 'files.trash') return trashed(true)
  if (id === 'files.untrash') return trashed(false)
  if (id && operation(id).httpMethod === 'DELETE') {
    return [{field: 'id', before: record.id ?? lastId(id, params), after: undefined}]
  }
  const {id: newId, parents: wanted, ...fields} = body
  // The item of a copy is its source.
  const isNew = id === 'files.insert' || id === 'files.copy'
  const before = isNew ? {} : record
  const own = Array.isArray(wanted)
    ? wanted.map(one => (isObject(one) ? one.id : undefined))
    : undefined
  return [
    ...(newId === undefined ? [] : [{field: 'id', before: before.id, after: newId}]),
    ...flat('', fields, before),
    ...movedParents(params, before, own),
    ...(local
      ? [
          {field: 'fileSize', before: before.fileSize, after: local.size},
          {field: 'md5Checksum', before: before.md5Checksum, after: local.md5},
        ]
      : []),
  ]
}

function movedParents(
  {addParents, removeParents}: NonNullable<PlanStep['params']>,
  record: Page,
  own: readonly unknown[] | undefined,
): FieldChange[] {
  const before = parentIds(record)
  const [added, removed] = [addParents, removeParents].map(value =>
    typeof value === 'string' ? value.split(',') : [],
  )
  if (!own && added!.length + removed!.length === 0) return []
  const after = own ?? [...before.filter(id => !removed!.includes(String(id))), ...added!]
  return [{field: 'parents', before: before.join(',') || undefined, after: after.join(',')}]
}

/** The fields of an object, inner ones with the names of the outer ones. */
function flat(at: string, wanted: object, record: unknown): FieldChange[] {
  return Object.entries(wanted).flatMap(([name, after]) => {
    const field = at === '' ? name : `${at}.${name}`
    const before = isObject(record) ? record[name] : undefined
    return isObject(after) ? flat(field, after, before) : [{field, before, after: plain(after)}]
  })
}

const plain = (value: unknown) => (Array.isArray(value) ? JSON.stringify(value) : value)

function text(value: unknown): string {
  return value === undefined || value === null ? '' : String(plain(value))
}

/** The ID in the last parameter of a path. */
function lastId(id: NonNullable<PlanStep['operation']>, params: Page): unknown {
  return params[operation(id).parameterOrder.at(-1) ?? '']
}
