import {parseFields, select} from '#lib/api/fields.js'
import type {Page, ParameterTexts} from './client.js'
import {ServiceError} from './errors.js'

/**
 * Recognising what an earlier attempt did, though its answer never came (reference: protocols.md,
 * section 14: a conflict on the own ID is success). Pure.
 */

/** What tells whether a file is the one that was sent. */
export interface Sent {
  readonly body?: Readonly<Record<string, unknown>>
  /** In hexadecimal; `undefined` for a request without content. */
  readonly md5?: string
}

/** Whether a failure says that the ID of the request is taken. */
export function isIdTaken(error: unknown): boolean {
  return error instanceof ServiceError && error.status === 409
}

/** Whether a failure says that there is no such thing. */
export function isNotFound(error: unknown): boolean {
  return error instanceof ServiceError && error.status === 404
}

/**
 * Whether `record` has the title and the content that were sent; where there was no content, which
 * may be given another type, the type has to be the same as well.
 */
export function isSame(record: Page, {body = {}, md5}: Sent): boolean {
  if (md5 !== undefined && record.md5Checksum !== md5) return false
  const names = md5 === undefined ? ['title', 'mimeType'] : ['title']
  return names.every(name => body[name] === undefined || body[name] === record[name])
}

/** What a selection of fields must have beside what was asked for, to tell whose file it is. */
const TELLING = 'id,title,mimeType,md5Checksum,fileSize'

/** The selection, widened so that `isSame` can decide; `undefined` selects everything. */
export function widened(fields: string | undefined): string | undefined {
  return fields && `${fields},${TELLING}`
}

/** The parameters that read a file back, with what was asked for and what tells whose it is. */
export function readBack(fileId: string, fields: string | undefined): ParameterTexts {
  const wide = widened(fields)
  return {fileId, supportsAllDrives: 'true', ...(wide && {fields: wide})}
}

/** What is left of a record that was read with `widened(fields)`. */
export function narrowed(record: Page, fields: string | undefined): Page {
  return fields ? (select(parseFields(fields), record) as Page) : record
}
