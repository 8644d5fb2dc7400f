import {expect, test} from 'vitest'
import {isMutating, operations, pathParameters} from '#lib/api/operations.js'
import {extentOfItem, foundState, itemKey, itemRequest} from '#lib/cli/plan-file/found-item.js'

/** The operation that reads the item of each operation; `undefined` for items without a state to compare. */
const READS = {
  'children.delete': undefined,
  'children.insert': undefined,
  'drives.delete': 'drives.get',
  'drives.hide': 'drives.get',
  'drives.insert': undefined,
  'drives.unhide': 'drives.get',
  'drives.update': 'drives.get',
  'files.copy': 'files.get',
  'files.delete': 'files.get',
  'files.emptyTrash': undefined,
  'files.insert': undefined,
  'files.modifyLabels': 'files.get',
  'files.patch': 'files.get',
  'files.touch': 'files.get',
  'files.trash': 'files.get',
  'files.untrash': 'files.get',
  'files.update': 'files.get',
  'parents.delete': undefined,
  'parents.insert': undefined,
  'permissions.delete': 'permissions.get',
  'permissions.insert': undefined,
  'permissions.patch': 'permissions.get',
  'permissions.update': 'permissions.get',
  'properties.delete': 'properties.get',
  'properties.insert': undefined,
  'properties.patch': 'properties.get',
  'properties.update': 'properties.get',
  'revisions.delete': 'revisions.get',
  'revisions.patch': 'revisions.get',
  'revisions.update': 'revisions.get',
}

test.each(
  operations.filter(isMutating).map(operation => [operation.operationId, operation] as const),
)('the request for the item of %s', (id, operation) => {
  const params = Object.fromEntries(pathParameters(operation).map(name => [name, 'x']))
  const request = itemRequest(id, {...params, fields: 'id'})
  expect(request?.id).toBe((READS as Record<string, string | undefined>)[id])
  const state = id.startsWith('drives.')
    ? 'name,hidden,restrictions'
    : expect.stringMatching(/^etag\b/)
  if (request) expect(request.input.params.fields).toEqual(state)
  expect(Object.keys(READS)).toContain(id)
})

test('shared drives and visibility are passed on, other parameters are not', () => {
  const params = {fileId: 'f', supportsAllDrives: 'true', addParents: 'p'}
  expect(itemRequest('files.patch', params)).toEqual({
    id: 'files.get',
    input: {params: {fileId: 'f', supportsAllDrives: 'true', fields: expect.any(String)}},
  })
  const property = {fileId: 'f', propertyKey: 'k', visibility: 'PUBLIC'}
  expect(itemRequest('properties.delete', property)?.input.params).toMatchObject(property)
})

test('requests for the same item have the same key', () => {
  const keyOf = (...args: Parameters<typeof itemRequest>) => itemKey(itemRequest(...args)!)
  expect(keyOf('files.trash', {fileId: 'f'})).toBe(
    keyOf('files.patch', {fileId: 'f', supportsAllDrives: 'true'}),
  )
  const of = {fileId: 'f', permissionId: 'p'}
  expect(keyOf('permissions.delete', of)).not.toBe(keyOf('files.trash', {fileId: 'f'}))
  const [secret, open] = ['PRIVATE', 'PUBLIC'].map(visibility =>
    keyOf('properties.delete', {fileId: 'f', propertyKey: 'k', visibility}),
  )
  expect(secret).not.toBe(open)
})

test.each([
  [{etag: '"a"', version: '7'}, {etag: '"a"'}],
  [{version: '7'}, {found: {version: '7'}}],
  [{id: 'd', name: 'Team', hidden: false, themeId: 'x'}, {found: {name: 'Team', hidden: false}}],
  [{}, {}],
])('the state of %j is %j', (record, state) => {
  expect(foundState(record)).toEqual(state)
})

test('the extent of a folder is open', () => {
  expect(extentOfItem({mimeType: 'text/plain', fileSize: '5'})).toEqual({
    files: 1,
    folders: 0,
    bytes: 5,
  })
  expect(extentOfItem({mimeType: 'application/vnd.google-apps.folder'})).toMatchObject({
    folders: 1,
    isMore: true,
  })
})
