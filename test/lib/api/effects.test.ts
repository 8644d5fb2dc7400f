import {expect, test} from 'vitest'
import {isMutating, operations} from '#lib/api/operations.js'

/** Operations that change nothing: GET, except those that only register a notification channel. */
const HARMLESS = `
  about.get apps.get apps.list changes.get changes.getStartPageToken changes.list changes.watch
  channels.stop children.get children.list drives.get drives.list files.export files.generateIds
  files.get files.list files.listLabels files.watch parents.get parents.list permissions.get
  permissions.getIdForEmail permissions.list properties.get properties.list revisions.get
  revisions.list`
  .trim()
  .split(/\s+/)

test.each(operations.map(operation => [operation.operationId, operation] as const))(
  '%s changes something or not',
  (id, operation) => {
    expect(isMutating(operation)).toBe(!HARMLESS.includes(id))
  },
)

test('the table contains only operations', () => {
  const ids: readonly string[] = operations.map(({operationId}) => operationId)
  expect(HARMLESS.filter(id => !ids.includes(id))).toEqual([])
  expect(ids).toHaveLength(57)
})
