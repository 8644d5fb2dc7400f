import {deleteRows, findRow, insertRow, rowsAfter} from '#lib/service/store/database/rows.js'
import {newOpaqueId} from '#lib/service/store/ids.js'
import type {Store} from '#lib/service/store/index.js'

export type ValueType = 'dateString' | 'integer' | 'selection' | 'text' | 'user'

/** The stored values of a label field: numbers as text, users by email address. */
interface LabelFieldValues {
  readonly valueType: ValueType
  readonly values: readonly string[]
}

/** The fields of a label by ID. */
export type LabelFields = Readonly<Record<string, LabelFieldValues>>

/** A label on a file as stored. */
export interface LabelRow {
  readonly label_id: string
  readonly revision_id: string
  /** JSON of `LabelFields`. */
  readonly fields: string
}

export function parseLabelFields({fields}: Pick<LabelRow, 'fields'>): LabelFields {
  return JSON.parse(fields) as LabelFields
}

export function findLabel(store: Store, fileId: string, labelId: string): LabelRow | undefined {
  return findRow(store, 'file_labels', {file_id: fileId, label_id: labelId})
}

/** The first `limit` labels on a file after the ID `after`, in the order of IDs (default: all). */
export function labelsOf(
  store: Store,
  fileId: string,
  after = '',
  limit = -1,
): readonly LabelRow[] {
  const ofFile = 'SELECT * FROM file_labels WHERE file_id = :fileId'
  return rowsAfter(store, ofFile, 'label_id', {fileId, after, limit})
}

/** Sets a label with these fields on a file, with a new revision ID. Replaces the label with the same ID. */
export function saveLabel(
  store: Store,
  fileId: string,
  labelId: string,
  fields: LabelFields,
): void {
  const named = {file_id: fileId, label_id: labelId, revision_id: newOpaqueId(store.random)}
  const row = {...named, fields: JSON.stringify(fields)}
  insertRow(store, 'file_labels', row, {replace: true})
}

/** Removes a label from a file, if it exists. */
export function removeLabel(store: Store, fileId: string, labelId: string): void {
  deleteRows(store, 'file_labels', {file_id: fileId, label_id: labelId})
}
