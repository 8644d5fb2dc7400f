import {isObject} from '#lib/api/validate.js'
import type {Call, Handlers} from '#lib/service/call.js'
import {badRequest, invalid, invalidValue, required} from '#lib/service/errors.js'
import {labelRecord, readDate} from '#lib/service/records/parts.js'
import {recordChange} from '#lib/service/store/changes.js'
import {
  findLabel,
  type LabelFields,
  labelsOf,
  parseLabelFields,
  removeLabel,
  saveLabel,
  type ValueType,
} from '#lib/service/store/files/labels.js'
import {requireFile} from '#lib/service/store/sharing/access.js'
import {pageOf, readPageToken} from './paging.js'

/** Maximum number of labels on a file (reference: resources.md, Labels). */
const LABEL_LIMIT = 5

/** The lists of a LabelFieldModification, with the value type that each one sets. */
const SETTERS: Readonly<Record<string, ValueType>> = {
  setDateValues: 'dateString',
  setIntegerValues: 'integer',
  setSelectionValues: 'selection',
  setTextValues: 'text',
  setUserValues: 'user',
}

/**
 * Labels on files (reference: operations.md, resources.md). The API cannot define labels, so every
 * label ID is valid, and the first modification of a field sets its type.
 */
export const labelsHandlers = {
  'files.listLabels'(call) {
    const {maxResults = 100} = call.params
    const file = requireFile(call, call.params.fileId, 'canReadLabels')
    const binding = ['labels', call.user.id, file.id]
    const after = readPageToken(call.params.pageToken, binding) ?? ''
    if (typeof after !== 'string') throw invalidValue('pageToken')
    const found = labelsOf(call.store, file.id, after, maxResults + 1)
    const {rows, ...next} = pageOf(found, maxResults, binding, last => last.label_id)
    return {kind: 'drive#labelList', ...next, items: rows.map(row => labelRecord(call, row))}
  },

  'files.modifyLabels'(call) {
    const file = requireFile(call, call.params.fileId, 'canModifyLabels')
    const modifications = records(call.body.labelModifications)
    const changed = new Set<string>()
    for (const modification of modifications) {
      const {labelId, removeLabel: removes} = modification
      const fields = records(modification.fieldModifications)
      if (typeof labelId !== 'string' || labelId === '') throw required('labelId')
      if (removes === true && fields.length > 0) {
        throw badRequest(
          'removeLabel cannot be combined with fieldModifications. Send only one of them.',
          'removeLabel',
        )
      }
      // Removing a missing label succeeds.
      if (removes === true) removeLabel(call.store, file.id, labelId)
      else if (applyLabel(call, file.id, labelId, fields)) changed.add(labelId)
    }
    if (labelsOf(call.store, file.id).length > LABEL_LIMIT) {
      throw badRequest(
        `A file can have at most ${LABEL_LIMIT} labels. Remove one first.`,
        'labelModifications',
      )
    }
    if (modifications.length > 0) recordChange(call.store, call.now, file.id, 'update')
    const rows = [...changed].flatMap(labelId => findLabel(call.store, file.id, labelId) ?? [])
    return {
      kind: 'drive#modifyLabelsResponse',
      modifiedLabels: rows.map(row => labelRecord(call, row)),
    }
  },
} satisfies Partial<Handlers<'files'>>

/** Adds a missing label and changes its fields. Returns whether anything changed. */
function applyLabel(
  call: Call,
  fileId: string,
  labelId: string,
  modifications: readonly Readonly<Record<string, unknown>>[],
): boolean {
  const known = findLabel(call.store, fileId, labelId)
  if (known && modifications.length === 0) return false
  const fields = modifications.reduce(withField, known ? parseLabelFields(known) : {})
  saveLabel(call.store, fileId, labelId, fields)
  return true
}

/** The fields of a label after one modification. Throws 400 for an invalid one. */
function withField(
  fields: LabelFields,
  modification: Readonly<Record<string, unknown>>,
): LabelFields {
  const {fieldId} = modification
  if (typeof fieldId !== 'string' || fieldId === '') throw required('fieldId')
  const {[fieldId]: known, ...others} = fields
  const setters = Object.keys(SETTERS).filter(name => Array.isArray(modification[name]))
  const unset = modification.unsetValues === true
  if (setters.length + Number(unset) !== 1) {
    throw badRequest(
      `Field ${fieldId} needs either unsetValues or the new values of one type.`,
      'fieldModifications',
    )
  }
  if (unset) return others
  const [setter] = setters as [string]
  const valueType = SETTERS[setter]!
  if (known && known.valueType !== valueType) {
    throw badRequest(
      `Field ${fieldId} has values of type ${known.valueType}, so ${setter} cannot set it.`,
      setter,
    )
  }
  const values = (modification[setter] as unknown[]).map(String)
  for (const value of values) checkValue(setter, valueType, value)
  return values.length === 0 ? others : {...others, [fieldId]: {valueType, values}}
}

function checkValue(setter: string, valueType: ValueType, value: string): void {
  const fits =
    valueType === 'dateString'
      ? readDate(value) !== undefined
      : valueType === 'integer'
        ? /^[+-]?\d+$/.test(value)
        : valueType === 'user'
          ? /^[^@\s]+@[^@\s]+$/.test(value)
          : true
  if (!fits) throw invalid(`Invalid value for ${setter}: "${value}".`, setter)
}

/** The objects in a list of a validated body; `[]` if there is no list. */
function records(value: unknown): Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}
