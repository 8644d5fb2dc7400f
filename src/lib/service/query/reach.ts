import {FINDABLE, GRANT_APPLIES} from '#lib/service/store/sharing/access.js'
import {withInheriting} from './file-fields.js'

/**
 * The items of others that a search can show. Each set exists twice: as a query for IDs, and as a
 * condition on a file `f` that checks the folders above it. Which one is faster depends on the index
 * that a list starts from.
 */

/** Items with a permission that makes them findable for the caller. Each part uses an index. */
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

/** The condition for items that everyone with the link can open. Users who viewed one have the link. */
const CLIMB_OPEN = climb(`EXISTS (SELECT 1 FROM permissions p
  WHERE p.file_id = up.id AND p.with_link = 1 AND ${GRANT_APPLIES})`)

/**
 * A query for items of others: those with permissions for the caller, and those in the caller's
 * folders. Leaves out access through membership of the shared drives in `:memberDrives`. Items that
 * everyone with the link can open are included only if the caller has viewed them.
 */
export const REACHED = `${withInheriting(`
  SELECT g.id FROM (${FINDABLE_ITEMS}) p CROSS JOIN files g ON g.id = p.file_id
  WHERE g.owner_id IS NOT :userId AND g.id NOT IN (SELECT value FROM json_each(:memberDrives))
    AND (:inDrives OR g.drive_id IS NULL)
  UNION
  SELECT g.file_id FROM guests g CROSS JOIN files o ON o.id = g.file_id
  WHERE g.host_id = :userId AND o.inherits = 1`)}
  UNION
  SELECT f.id FROM user_files v INDEXED BY user_files_visited CROSS JOIN files f ON f.id = v.file_id
  WHERE v.user_id = :userId AND v.own = 0 AND v.viewed_at IS NOT NULL AND ${CLIMB_OPEN}`

/** The condition for a file `f` to be findable for the caller, including as a member of its shared drive. `u` has the caller's marks. */
export const IS_REACHED = climb(`(up.owner_id = :userId OR EXISTS (
  SELECT 1 FROM permissions p
  WHERE p.file_id = up.id AND (p.with_link = 0 OR u.viewed_at IS NOT NULL) AND ${GRANT_APPLIES}))`)

/** A query for items that are shared with the caller's domain and can be found by search. */
export const SHARED_WITH_DOMAIN = withInheriting(
  `SELECT p.file_id FROM permissions p WHERE p.type = 'domain' AND ${FINDABLE}`,
)

/** The condition for an item in `SHARED_WITH_DOMAIN`. */
export const IS_SHARED_WITH_DOMAIN = climb(`EXISTS (SELECT 1 FROM permissions p
  WHERE p.file_id = up.id AND p.type = 'domain' AND ${FINDABLE})`)

/** The condition for a member of the shared drive `drive` to find `f`: `f` inherits the membership, or has another permission. */
export function isOpenIn(drive: string): string {
  return `(f.id NOT IN (
      WITH RECURSIVE shut(id) AS (
        SELECT s.id FROM files s WHERE coalesce(s.drive_id, s.owner_id) = ${drive} AND s.inherits = 0
        UNION
        SELECT c.id FROM shut CROSS JOIN files c ON c.parent_id = shut.id
      ) SELECT id FROM shut)
    OR f.id IN (${REACHED}))`
}

/** A condition on `f` or a folder that it inherits from. `condition` refers to this item as `up`. */
function climb(condition: string): string {
  return `EXISTS (
    WITH RECURSIVE up(id, parent_id, owner_id, inherits) AS (
      SELECT f.id, f.parent_id, f.owner_id, f.inherits
      UNION ALL
      SELECT a.id, a.parent_id, a.owner_id, a.inherits
      FROM up CROSS JOIN files a ON a.id = up.parent_id WHERE up.inherits = 1
    ) SELECT 1 FROM up WHERE ${condition})`
}
