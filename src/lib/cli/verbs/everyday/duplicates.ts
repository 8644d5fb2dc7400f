import {groupBy} from '#lib/platform/groups.js'
import type {Row} from '#lib/cli/output/format.js'

/** What tells whether content is the same. */
export const CONTENT_FIELDS = ['md5Checksum']

/** Files of the same content, by MD5 and size, those of a group behind each other; none that is alone. */
export function duplicatesAmong(rows: readonly Row[]): Row[][] {
  const withContent = rows.filter(({md5Checksum}) => typeof md5Checksum === 'string')
  const groups = groupBy(withContent, ({md5Checksum, fileSize}) =>
    JSON.stringify([String(md5Checksum).toLowerCase(), String(fileSize)]),
  )
  return [...groups.values()].filter(group => group.length > 1)
}
