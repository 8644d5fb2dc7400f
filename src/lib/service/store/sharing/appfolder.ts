import {FOLDER_TYPE} from '../../../api/wire.js'
import type {Call} from '../../call.js'
import {newFileId} from '../ids.js'
import {insertFile} from '../files/files.js'

/** The hidden folder of the calling app for the calling user, made at its first use. */
export function ensureAppFolder(
  call: Pick<Call, 'store' | 'user' | 'now'> & {readonly clientId?: string | undefined},
): string {
  const {store, user, now} = call
  const clientId = call.clientId ?? null
  const known = store.get<{id: string}>(
    `SELECT id FROM files WHERE space = 'appDataFolder' AND parent_id IS NULL
     AND owner_id = :userId AND client_id IS :clientId`,
    {userId: user.id, clientId},
  )
  if (known) return known.id
  const id = newFileId(store.random)
  insertFile(store, {
    id,
    owner_id: user.id,
    space: 'appDataFolder',
    client_id: clientId,
    title: 'Application Data',
    mime_type: FOLDER_TYPE,
    created_at: now,
    modified_at: now,
  })
  return id
}
