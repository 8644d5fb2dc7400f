import {badRequest, conflict} from '#lib/service/errors.js'
import {findRow, insertRow, updateRows} from './database/rows.js'
import {newFileId} from './ids.js'
import type {Store} from './index.js'
import {roleOf} from './sharing/access.js'
import type {StoreCall} from './store-call.js'

/** What a generated ID is for, in the words of files.generateIds. */
interface Purpose {
  readonly space: string
  readonly type: string
}

/** Makes IDs with which a user can insert or copy files later. */
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

/** Takes an ID that generateIds gave: 400 for any other, 409 for a used one, so that an insert can be repeated (reference: protocols.md, section 9). */
export function takeGeneratedId(
  call: StoreCall,
  id: string,
  use: {readonly kind: string | undefined; readonly space: string},
): string {
  const {store, user} = call
  const own = {id, user_id: user.id}
  const known = findRow<Purpose & {readonly used: number}>(store, 'generated_ids', own)
  // One that was given out and not used is nobody's.
  if (known ? known.used : roleOf(store, user, id, call.now)) {
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
