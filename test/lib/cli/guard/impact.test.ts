import {expect, test} from 'vitest'
import type {OperationId} from '#lib/api/operations.js'
import {FOLDER_TYPE} from '#lib/api/wire.js'
import type {Context} from '#lib/cli/context/context.js'
import type {ImpactKind} from '#lib/cli/guard/destroys.js'
import {describeImpact} from '#lib/cli/guard/impact.js'
import type {CallInput, Page} from '#lib/client/client.js'

const HOSTILE = 'x \u001b]0;pwned\u0007 \u001b[2J\u009b31m\u202egnp.\r\n\tForged: all is well'

/** A service in which every name contains control characters. */
function contextOf(record: Page): Context {
  const client = {
    call: async () => ({user: {permissionId: 'own'}, permissionId: 'own', ...record}),
    batch: async (calls: readonly unknown[]) => calls.map(() => ({record})),
    async *pages() {
      yield {items: [record]}
    },
  }
  return {client: async () => client, directories: {}, environment: {}} as unknown as Context
}

const named: Page = {id: 'ID', title: HOSTILE, name: HOSTILE, originalFilename: HOSTILE}
const input = (params: CallInput['params'], body?: CallInput['body']): CallInput => ({params, body})

test.each<[ImpactKind, OperationId, CallInput, Page?]>([
  ['files', 'files.delete', input({fileId: 'ID'})],
  ['files', 'files.delete', input({fileId: 'ID'}), {...named, mimeType: FOLDER_TYPE}],
  ['trash', 'files.emptyTrash', input({})],
  ['drives', 'drives.delete', input({driveId: 'ID'})],
  ['revisions', 'revisions.delete', input({fileId: 'ID', revisionId: 'R'})],
  ['places', 'children.delete', input({folderId: 'F', childId: 'ID'})],
  [
    'ownership',
    'permissions.patch',
    input({fileId: 'ID', permissionId: 'P', transferOwnership: 'true'}, {role: 'owner'}),
  ],
  ['access', 'permissions.delete', input({fileId: 'ID', permissionId: 'own'})],
])(
  'the impact of %s (%s) is one line, whatever the names',
  async (loss, id, one, record = named) => {
    for (const inputs of [[one], [one, one], Array.from({length: 8}, () => one)]) {
      const text = await describeImpact(contextOf(record), loss, id, inputs)
      expect(text).toContain('Forged')
      expect(text).not.toMatch(/[\p{Cc}\u2028-\u202e]/u)
    }
  },
)
