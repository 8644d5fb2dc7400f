import {FOLDER_TYPE} from '../../../api/wire.js'
import type {Call} from '../../call.js'
import {newFileId} from '../ids.js'
import {searchWords, titleKey} from '../files/words.js'

const TITLE = 'Application Data'

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
  store.run(
    `INSERT INTO files (id, owner_id, space, client_id, title, title_key, title_words, mime_type,
       created_at, modified_at)
     VALUES (:id, :userId, 'appDataFolder', :clientId, :title, :key, :words, :type, :now, :now)`,
    {
      id,
      userId: user.id,
      clientId,
      title: TITLE,
      key: titleKey(TITLE),
      words: searchWords(TITLE),
      type: FOLDER_TYPE,
      now,
    },
  )
  return id
}
