import {dirname} from 'node:path'
import {groupBy} from '#lib/platform/values.js'
import {stringsOf} from './source-texts.js'

/** The messages of source files, as the source has them: a template's expressions appear as `${…}`. */

/** SQL, search queries, markup, scripts and headers. */
const CODE =
  /\b(?:AND|AS|ASC|CASE|COLLATE|DESC|IN|INDEXED|INTEGER|IS|JOIN|LIMIT|NULL|SELECT|UNION|WHEN|WHERE|charset|default-src)\b|[=:]:?\w+Id|:now|<\w|^\w+_|^(?:Basic|Bearer|ROLLBACK)|\w\(\w|^#|= ['$:]|; ?\w+=|coalesce|;$|\", \w+=\"|= true|\bin (?:parents|owners|readers)$| contains \$|JSON\.stringify/

/** The messages with at least three words, by folder; folders without messages are omitted. */
export function messagesByFolder(
  files: readonly string[],
): ReadonlyArray<readonly [folder: string, messages: string]> {
  return [...groupBy(files, dirname)]
    .map(([folder, members]) => [folder, messagesOf(members)] as const)
    .filter(([, messages]) => messages !== '')
}

function messagesOf(members: readonly string[]): string {
  const texts = members.flatMap(stringsOf).map(({text}) => text.replaceAll(/\s+/g, ' ').trim())
  return [...new Set(texts)].filter(text => / .* /.test(text) && !CODE.test(text)).join('\n')
}
