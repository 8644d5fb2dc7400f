import {newOpaqueId} from '../ids.js'
import type {Store} from '../index.js'

export const VALUE_TYPES = ['dateString', 'integer', 'selection', 'text', 'user'] as const
export type ValueType = (typeof VALUE_TYPES)[number]

/** The values of a label's field as stored: numbers as text, users by address. */
export interface LabelFieldValues {
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

export function fieldsOf({fields}: Pick<LabelRow, 'fields'>): LabelFields {
  return JSON.parse(fields) as LabelFields
}

/** The label of this ID on a file. */
export function findLabel(store: Store, fileId: string, labelId: string): LabelRow | undefined {
  return store.get<LabelRow>(
    'SELECT * FROM file_labels WHERE file_id = :fileId AND label_id = :labelId',
    {fileId, labelId},
  )
}

/** The labels on a file, by ID. */
export function labelsOf(store: Store, fileId: string): readonly LabelRow[] {
  return labelsBehind(store, fileId, '', -1)
}

/** The first `limit` labels on a file with IDs behind `after`; all where it is negative. */
export function labelsBehind(
  store: Store,
  fileId: string,
  after: string,
  limit: number,
): readonly LabelRow[] {
  return store.all<LabelRow>(
    `SELECT * FROM file_labels WHERE file_id = :fileId AND label_id > :after
     ORDER BY label_id LIMIT :limit`,
    {fileId, after, limit},
  )
}

/** How many labels a file has. */
export function countLabels(store: Store, fileId: string): number {
  return store.get<{count: number}>(
    'SELECT count(*) AS count FROM file_labels WHERE file_id = :fileId',
    {fileId},
  )!.count
}

/** Puts a label with these fields on a file, in place of the one of its ID, as a revision of its own. */
export function saveLabel(
  store: Store,
  fileId: string,
  labelId: string,
  fields: LabelFields,
): void {
  store.run(
    `INSERT OR REPLACE INTO file_labels (file_id, label_id, revision_id, fields)
     VALUES (:fileId, :labelId, :revisionId, :fields)`,
    {fileId, labelId, revisionId: newOpaqueId(store.random), fields: JSON.stringify(fields)},
  )
}

/** Takes a label off a file; one that is not there is no error. */
export function removeLabel(store: Store, fileId: string, labelId: string): void {
  store.run('DELETE FROM file_labels WHERE file_id = :fileId AND label_id = :labelId', {
    fileId,
    labelId,
  })
}
