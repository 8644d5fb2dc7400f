import {CONTENT_DAMAGED} from '../../../api/wire.js'
import {failure} from '../../errors.js'
import {DamagedContent} from '../../store/content/damage.js'
import type {Store} from '../../store/index.js'
import {isContentUsed} from '../../store/uploadsessions.js'

/**
 * What to answer where content is not as the database has it: 500 `contentDamaged`, and the log
 * hears of the path. Anything else stays what it is, also content whose row another process has
 * removed meanwhile. Call it outside a transaction, which would still see that row.
 */
export function damageRefusal(
  store: Store,
  error: unknown,
  log: (error: unknown) => void,
): unknown {
  if (!(error instanceof DamagedContent) || !isContentUsed(store, error.id)) return error
  log(error)
  return failure(500, CONTENT_DAMAGED, 'The content is damaged on the disk of the service.')
}
