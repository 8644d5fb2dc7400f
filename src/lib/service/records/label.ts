import type {Call} from '#lib/service/call.js'
import {fieldsOf, type LabelRow} from '#lib/service/store/files/labels.js'
import {userByEmail} from '#lib/service/store/users.js'
import {userRecord} from './common.js'

/** The Label record (reference: resources.md, Labels): each field has only the values of its own type. */
export function labelRecord(call: Pick<Call, 'store' | 'user' | 'origin'>, row: LabelRow) {
  const fields = Object.entries(fieldsOf(row)).map(([id, {valueType, values}]) => {
    const shown = valueType === 'user' ? values.map(address => userOf(call, address)) : values
    return [id, {kind: 'drive#labelField', id, valueType, [valueType]: shown}] as const
  })
  return {
    kind: 'drive#label',
    id: row.label_id,
    revisionId: row.revision_id,
    fields: Object.fromEntries(fields),
  }
}

/** A day such as 2024-05-06, if there is such a day; `undefined` for any other text. */
export function readDate(text: string): string | undefined {
  const midnight = /^\d{4}-\d\d-\d\d$/.test(text) ? new Date(`${text}T00:00:00Z`) : undefined
  if (!midnight || Number.isNaN(midnight.getTime())) return undefined
  // A day that its month does not have is taken for one of the next month.
  return midnight.toISOString().startsWith(text) ? text : undefined
}

/** A label may name people who have no account here. */
function userOf(call: Pick<Call, 'store' | 'user' | 'origin'>, address: string) {
  const account = userByEmail(call.store, address)
  if (account) return userRecord(account, call)
  return {
    kind: 'drive#user',
    displayName: address,
    isAuthenticatedUser: false,
    emailAddress: address,
  }
}
