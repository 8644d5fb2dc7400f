import {CONTENT_DAMAGED} from '#lib/api/wire.js'
import type {Obstacle} from '#lib/platform/system-errors.js'
import {failure} from '#lib/service/errors.js'
import {DamagedContent} from '#lib/service/store/content/damage.js'
import {DiskError, inWords} from '#lib/service/store/database/disk.js'
import type {Store} from '#lib/service/store/index.js'
import {isContentUsed} from '#lib/service/store/upload-sessions.js'

/**
 * What a request is answered with when the disk keeps the service from its work. The reasons say
 * that another attempt would fail the same way. 507 is RFC 4918, section 11.5: what the request
 * wants kept cannot be; the reason for a full disk is that for any storage that is used up
 * (reference: protocols.md, section 14).
 */
const ANSWERS: Readonly<Partial<Record<Obstacle, readonly [status: number, reason: string]>>> = {
  full: [507, 'storageQuotaExceeded'],
  share: [507, 'storageQuotaExceeded'],
  readOnly: [507, 'storageNotWritable'],
  forbidden: [507, 'storageNotWritable'],
  closed: [507, 'storageNotWritable'],
  device: [507, 'storageFailed'],
  damaged: [500, 'databaseDamaged'],
  foreign: [500, 'databaseDamaged'],
}

/**
 * What to answer where the disk fails the store, or content is not as the database has it: 500
 * `contentDamaged`. The log hears of both, with the path. Any other error stays what it is, also
 * content whose row another process has removed meanwhile. Call it outside a transaction, which
 * would still see that row.
 */
export function storeFailure(store: Store, error: unknown, log: (error: unknown) => void): unknown {
  if (error instanceof DamagedContent && isContentUsed(store, error.id)) {
    log(error)
    return failure(500, CONTENT_DAMAGED, 'The content is damaged on the disk of the service.')
  }
  const told = inWords(error, store.directory)
  const answer = told instanceof DiskError && ANSWERS[told.obstacle]
  if (!answer) return error
  log(told)
  return failure(...answer, told.message)
}
