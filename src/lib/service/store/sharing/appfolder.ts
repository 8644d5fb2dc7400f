import {FOLDER_TYPE} from '#lib/api/wire.js'
import {insertFile} from '#lib/service/store/files/files.js'
import {newFileId} from '#lib/service/store/ids.js'
import type {StoreCall} from '#lib/service/store/store-call.js'

/** The hidden folder of the calling app for the calling user, once there is one. */
export function findAppFolder({
  store,
  user,
  clientId = null,
}: Pick<StoreCall, 'store' | 'user'> & {readonly clientId?: string | null}): string | undefined {
  return store.get<{id: string}>(
    `SELECT id FROM files WHERE space = 'appDataFolder' AND parent_id IS NULL
     AND owner_id = :userId AND client_id IS :clientId`,
    {userId: user.id, clientId},
  )?.id
}

/** Makes that folder at its first use. */
export function ensureAppFolder(
  call: Pick<StoreCall, 'store' | 'user' | 'now' | 'clientId'>,
): void {
  const {store, user, now, clientId} = call
  if (findAppFolder(call) !== undefined) return
  insertFile(store, {
    id: newFileId(store.random),
    owner_id: user.id,
    space: 'appDataFolder',
    client_id: clientId,
    title: 'Application Data',
    mime_type: FOLDER_TYPE,
    created_at: now,
    modified_at: now,
  })
}
