import {FINDABLE, GRANT_COUNTS} from '#lib/service/store/sharing/access.js'
import {inheriting} from './file-fields.js'

/**
 * What a search may show of the things that are not the caller's own. Each way is here twice: as a
 * query for all of it, for lists that begin there, and as a condition on a file `f` that climbs to
 * the folders above, for those that begin elsewhere.
 */

/** The same as a query: each way has an index. */
const FINDABLE_ITEMS = [
  'p WHERE p.id = :permissionId',
  "p INDEXED BY permissions_findable WHERE p.type = 'anyone'",
  "p INDEXED BY permissions_findable WHERE p.type = 'domain' AND p.domain = :mailDomain",
]
  .map(
    some => `SELECT p.file_id FROM permissions ${some}
      AND p.with_link = 0 AND (p.expires_at IS NULL OR p.expires_at > :now)`,
  )
  .join(' UNION ALL ')

/** What is open to those who know of it: those who have been there do. */
const CLIMB_OPEN = climb(`EXISTS (SELECT 1 FROM permissions p
  WHERE p.file_id = up.id AND p.with_link = 1 AND ${GRANT_COUNTS})`)

/**
 * Items of others that permissions open to the caller, with what others have put into the caller's
 * folders; not by being a member of one of the shared drives in `:memberDrives`. Something open to
 * everyone who has the link is found only by those who have been there.
 */
export const REACHED = `${inheriting(`
  SELECT g.id FROM (${FINDABLE_ITEMS}) p CROSS JOIN files g ON g.id = p.file_id
  WHERE g.owner_id IS NOT :userId AND g.id NOT IN (SELECT value FROM json_each(:memberDrives))
    AND (:inDrives OR g.drive_id IS NULL)
  UNION
  SELECT g.file_id FROM guests g CROSS JOIN files o ON o.id = g.file_id
  WHERE g.host_id = :userId AND o.inherits = 1`)}
  UNION
  SELECT f.id FROM user_files v INDEXED BY user_files_visited CROSS JOIN files f ON f.id = v.file_id
  WHERE v.user_id = :userId AND v.own = 0 AND v.viewed_at IS NOT NULL AND ${CLIMB_OPEN}`

/** Whether `f`, of which `u` says what the caller did with it, is reached at all, by being a member of a shared drive too. */
export const IS_REACHED = climb(`(up.owner_id = :userId OR EXISTS (
  SELECT 1 FROM permissions p
  WHERE p.file_id = up.id AND (p.with_link = 0 OR u.viewed_at IS NOT NULL) AND ${GRANT_COUNTS}))`)

export const SHARED_WITH_DOMAIN = inheriting(
  `SELECT p.file_id FROM permissions p WHERE p.type = 'domain' AND ${FINDABLE}`,
)

export const IS_SHARED_WITH_DOMAIN = climb(`EXISTS (SELECT 1 FROM permissions p
  WHERE p.file_id = up.id AND p.type = 'domain' AND ${FINDABLE})`)

/** Whether a member of the shared drive `drive` finds `f` in it: not what is closed to members, unless something else opens it. */
export function isOpenIn(drive: string): string {
  return `(f.id NOT IN (
      WITH RECURSIVE shut(id) AS (
        SELECT s.id FROM files s WHERE coalesce(s.drive_id, s.owner_id) = ${drive} AND s.inherits = 0
        UNION
        SELECT c.id FROM shut CROSS JOIN files c ON c.parent_id = shut.id
      ) SELECT id FROM shut)
    OR f.id IN (${REACHED}))`
}

/** Whether `f`, or a folder above from which it inherits, is an `up` for which a condition holds. */
function climb(condition: string): string {
  return `EXISTS (
    WITH RECURSIVE up(id, parent_id, owner_id, inherits) AS (
      SELECT f.id, f.parent_id, f.owner_id, f.inherits
      UNION ALL
      SELECT a.id, a.parent_id, a.owner_id, a.inherits
      FROM up CROSS JOIN files a ON a.id = up.parent_id WHERE up.inherits = 1
    ) SELECT 1 FROM up WHERE ${condition})`
}
