import {badRequest, conflict} from '#lib/service/errors.js'
import {findRow, insertRow, updateRows} from './database/rows.js'
import {newFileId} from './ids.js'
import type {Store} from './index.js'
import {strongestRole} from './sharing/access.js'
import type {StoreCall} from './store-call.js'

/** The purpose of a generated ID, in the terms of files.generateIds. */
interface Purpose {
  readonly space: string
  readonly type: string
}

/** Generates and stores IDs with which a user can insert or copy files later. */
export function generateIds(
  store: Store,
  userId: number,
  {space, type}: Purpose,
  count: number,
): readonly string[] {
  const ids = Array.from({length: count}, () => newFileId(store.random))
  store.write(() => {
    for (const id of ids) insertRow(store, 'generated_ids', {id, user_id: userId, space, type})
  })
  return ids
}

/**
 * Marks a generated ID as used and returns it (reference: protocols.md, section 9). Throws 400 for an
 * ID that was not generated, and 409 for a used one, so that a client can safely retry an insert.
 */
export function takeGeneratedId(
  call: StoreCall,
  id: string,
  use: {readonly kind: string | undefined; readonly space: string},
): string {
  const {store, user} = call
  const own = {id, user_id: user.id}
  const known = findRow<Purpose & {readonly used: number}>(store, 'generated_ids', own)
  // An unused generated ID does not belong to a file yet.
  if (known ? known.used : strongestRole(store, user, id, call.now)) {
    throw conflict('fileIdInUse', 'A file already exists with the provided ID.')
  }
  const fits =
    known?.space === use.space &&
    use.kind !== 'editor' &&
    (known.type === 'shortcuts') === (use.kind === 'shortcut')
  if (!fits) {
    throw badRequest(
      'The provided file ID is not usable. Use one from files.generateIds for this space and type.',
      'id',
      'invalid',
    )
  }
  updateRows(store, 'generated_ids', {id}, {used: 1})
  return id
}
