import {expect, test} from 'vitest'
import {isMutating, operation, type OperationId, operations} from '#lib/api/operations.js'
import type {CallInput} from '#lib/client/client.js'
import {type ChangeFacts, changeFacts} from '#lib/policy/change-facts.js'

const factsOf = (id: OperationId, input: Partial<CallInput>) =>
  changeFacts({id, input: {params: {}, ...input}}, operation(id))

test.each(operations.filter(isMutating).map(({operationId}) => operationId))(
  'drv knows what %s changes',
  id => {
    expect(factsOf(id, {}).isKnown).toBe(true)
  },
)

const item = (id: string, isForGood: boolean) => ({kind: 'item', id, isForGood})
const F = {fileId: 'F'}

test.each<[id: OperationId, input: Partial<CallInput>, facts: Partial<ChangeFacts>]>([
  ['files.insert', {}, {into: ['root'], bytes: 0}],
  ['files.insert', {body: {id: 'N', parents: [{id: 'P'}]}}, {into: ['P'], created: 'N'}],
  ['files.insert', {upload: {size: 5, open: () => Buffer.alloc(0)}}, {bytes: 5}],
  ['files.insert', {upload: {open: () => Buffer.alloc(0)}}, {bytes: undefined}],
  ['files.copy', {params: F}, {into: [], besides: 'F', changed: []}],
  ['files.copy', {params: F, body: {parents: [{id: 'P'}]}}, {into: ['P']}],
  ['files.patch', {params: F, body: {title: 'x'}}, {changed: ['F'], removed: [], into: []}],
  [
    'files.patch',
    {params: {...F, addParents: 'P,Q', removeParents: 'O'}},
    {removed: ['F'], into: ['P', 'Q']},
  ],
  ['files.update', {params: F, body: {parents: [{id: 'P'}]}}, {removed: ['F'], into: ['P']}],
  [
    'files.update',
    {params: F, body: {labels: {trashed: true}}},
    {removed: ['F'], deletions: [item('F', false)] as ChangeFacts['deletions']},
  ],
  ['files.trash', {params: F}, {removed: ['F'], deletions: [item('F', false)] as never}],
  ['files.delete', {params: F}, {removed: ['F'], deletions: [item('F', true)] as never}],
  ['files.untrash', {params: F}, {changed: ['F'], deletions: []}],
  ['files.emptyTrash', {}, {changed: ['root'], deletions: [{kind: 'trash'}]}],
  [
    'files.emptyTrash',
    {params: {driveId: 'D'}},
    {changed: ['D'], deletions: [{kind: 'trash', driveId: 'D'}]},
  ],
  ['children.insert', {params: {folderId: 'P'}, body: {id: 'F'}}, {changed: ['F'], into: ['P']}],
  ['children.delete', {params: {folderId: 'P', childId: 'F'}}, {removed: ['F']}],
  ['parents.insert', {params: F, body: {id: 'P'}}, {changed: ['F'], into: ['P']}],
  ['parents.delete', {params: {...F, parentId: 'P'}}, {changed: ['F', 'P'], removed: ['F']}],
  ['drives.insert', {}, {outside: 'a new shared drive'}],
  ['drives.delete', {params: {driveId: 'D'}}, {removed: ['D'], isBlind: true}],
  [
    'permissions.insert',
    {params: F, body: {type: 'user', value: 'a@b.example'}},
    {changed: ['F'], grants: [{type: 'user', value: 'a@b.example'}], isBlind: true},
  ],
  [
    'permissions.insert',
    {params: {...F, moveToNewOwnersRoot: 'true'}, body: {}},
    {removed: ['F'], grants: [{}]},
  ],
  [
    'permissions.patch',
    {params: {...F, permissionId: 'P'}, body: {role: 'writer'}},
    {grants: [], permission: {fileId: 'F', permissionId: 'P'}},
  ],
  ['permissions.delete', {params: {...F, permissionId: 'P'}}, {grants: [], deletions: []}],
  ['revisions.update', {params: F, body: {published: true}}, {isPublished: true}],
  ['revisions.patch', {params: F, body: {publishAuto: true}}, {isPublished: true}],
  ['revisions.patch', {params: F, body: {pinned: true}}, {isPublished: false}],
  ['revisions.delete', {params: F}, {changed: ['F'], deletions: [{kind: 'one'}]}],
])('%s %j', (id, input, facts) => {
  expect(factsOf(id, input)).toMatchObject(facts)
})

test('an operation of another API counts as a deletion of something unknown', () => {
  const {document, ...known} = operation('files.touch')
  const foreign = {...known, document: {...document, name: 'shelf'}}
  expect(changeFacts({id: 'files.touch', input: {params: {}}}, foreign)).toMatchObject({
    isKnown: false,
    deletions: [{kind: 'one'}],
  })
})
