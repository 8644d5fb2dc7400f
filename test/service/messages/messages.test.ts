import {dirname} from 'node:path'
import {expect, test} from 'vitest'
import {groupBy} from '#lib/platform/values.js'
import {sourceFiles, stringsOf} from '../../support/source-texts.js'

/**
 * The messages of the local service and of the checks of descriptions, as the source has them: most of them
 * reach people as the words of another program, so few tests read them. Its pages are in `service-pages`.
 */

const files = [...sourceFiles('src/lib/service'), ...sourceFiles('src/lib/api/document')].filter(
  file => !/\/(?:pages|types|handlers\/index)\/|\/(?:layout|documents)\.ts$/.test(file),
)

/** SQL, markup and headers. */
const CODE =
  /\b(?:AND|AS|ASC|CASE|COLLATE|DESC|IN|INDEXED|INTEGER|IS|JOIN|LIMIT|NULL|SELECT|UNION|WHEN|WHERE|charset|default-src)\b|[=:]:?\w+Id|:now|<\w|^\w+_|^(?:Basic|Bearer|ROLLBACK)|\w\(\w|^#|= ['$:]|; ?\w+=|coalesce|;$|\", \w+=\"/

function messagesOf(members: readonly string[]): string {
  const texts = members.flatMap(stringsOf).map(({text}) => text.replaceAll(/\s+/g, ' ').trim())
  return [...new Set(texts)].filter(text => / .* /.test(text) && !CODE.test(text)).join('\n')
}

const rooms = [...groupBy(files, dirname)]
  .map(([folder, members]) => [folder, messagesOf(members)] as const)
  .filter(([, messages]) => messages !== '')

test.each(rooms)('%s', (_, messages) => {
  expect(messages).toRead()
})
