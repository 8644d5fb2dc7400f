import {readFileSync} from 'node:fs'
import {fileURLToPath} from 'node:url'
import {expect, test} from 'vitest'
import {isMutating, isSafeMethod, operations} from '#lib/api/operations.js'
import {REVERSALS} from '#lib/history/reverse.js'

test('the guide says for every operation what undo does', () => {
  const guide = readFileSync(
    fileURLToPath(new URL('../../../docs/guides/undo.md', import.meta.url)),
    'utf8',
  )
  const rows = [...guide.matchAll(/^\| (`\w+\.\w+`.*) \| (.*) \|$/gm)].flatMap(([, ids, words]) =>
    [...ids!.matchAll(/`([^`]+)`/g)].map(([, id]) => [id, words]),
  )
  const known = Object.entries(REVERSALS).map(([id, {words}]) => [id, words])
  const watching = operations
    .filter(one => !isSafeMethod(one.httpMethod) && !isMutating(one))
    .map(({operationId}) => [
      operationId,
      'cannot be undone: not recorded, because no file changes',
    ])
  expect(watching.map(([id]) => id)).toContain('channels.stop')
  expect(rows.sort()).toEqual([...known, ...watching].sort())
})
