import {isObject} from '#lib/api/validate.js'
import type {BatchCall, CallInput, Page, ParameterTexts} from '#lib/client/client.js'

/** The types and helpers of the table of reversals. */

/** A change that was sent, as the history records it. */
export interface SentChange {
  readonly params: ParameterTexts
  readonly body: Page
  readonly hasContent?: boolean
  /** The previous state, as far as known. */
  readonly before?: Page
  /** Facts from the response. */
  readonly result?: Page
}

/** How to reverse a change. */
export type Reverse =
  | {
      /** The calls, in order; none if the change had no effect. */
      readonly calls: readonly BatchCall[]
      /** Restores the content before the revision that the change made, first. */
      readonly restores?: {readonly fileId: string}
      /** What the calls do not reverse. */
      readonly note?: string
    }
  /** Why it cannot be reversed. */
  | {readonly reason: string}

/** How the changes of one operation are reversed. Pure. */
export interface Reversal {
  /** What undo does, for the guide. */
  readonly words: string
  /** The call that reads the previous state; `undefined` if it is not needed. */
  readonly before?: (change: SentChange) => BatchCall | undefined
  /** Whether it can be reversed without the previous state, which is then not read by default. */
  readonly isBeforeOptional?: true
  /** Whether it is read in a request of its own for a change that is sent alone, because drv cannot tell without it what to undo. */
  readonly isBeforeNeeded?: true
  /** The call that reads what the change affected; `undefined` if it cannot be read. */
  readonly now?: (change: SentChange) => BatchCall | undefined
  /** Whether a record read with `now` is as the change left it; `undefined` if it was not found. */
  readonly isAsLeft?: (change: SentChange, record: Page | undefined) => boolean
  /** The facts of the response, from a record read with `now`, if the response was lost (default: the record). */
  readonly resultIn?: (change: SentChange, record: Page) => Page | undefined
  /** The state that the change left, from which undo is reversed in turn. */
  readonly left?: (change: SentChange) => Page | undefined
  readonly reverse: (change: SentChange) => Reverse
}

export const WITH_SHARED_DRIVES = {supportsAllDrives: 'true'} as const

/** A call without a body. */
export function callOf(id: BatchCall['id'], params: CallInput['params'], body?: Page): BatchCall {
  return {id, input: {params, ...(body && {body})}}
}

export function readFile(fileId: string, fields: string): BatchCall {
  return callOf('files.get', {fileId, fields: `id,${fields},etag`, ...WITH_SHARED_DRIVES})
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** The ID of the file that a change names; '' without one. */
export function fileIn({params}: SentChange): string {
  return textOf(params.fileId)
}

/** The reason why a change of unknown origin cannot be reversed. */
export const UNKNOWN_BEFORE = 'the previous state is unknown'

/** Whether `record` has all values of `wanted`; nested objects may have more fields. */
export function hasValues(record: unknown, wanted: unknown): boolean {
  if (isObject(wanted)) {
    return (
      isObject(record) &&
      Object.entries(wanted).every(([name, value]) => hasValues(record[name], value))
    )
  }
  if (Array.isArray(wanted)) {
    const values: unknown[] = Array.isArray(record) ? record : []
    return wanted.every((value, index) => hasValues(values[index], value))
  }
  if (wanted === null || wanted === undefined || wanted === '' || wanted === false) {
    return (
      record === undefined ||
      record === wanted ||
      record === null ||
      record === '' ||
      record === false
    )
  }
  const isSameTime = Date.parse(String(record)) === Date.parse(String(wanted))
  return record === wanted || (typeof wanted === 'string' && isSameTime && /^\d{4}-/.test(wanted))
}

/** The values of some fields; `null` for a field without a value, which clears it. */
export function valuesOf(record: Page, names: readonly string[]): Page {
  return Object.fromEntries(names.map(name => [name, record[name] ?? null]))
}
