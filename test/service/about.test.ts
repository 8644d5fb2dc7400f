import {afterEach, beforeEach, expect, test} from 'vitest'
import {permissionIdFor} from '#lib/service/store/ids.js'
import {startTestService, type TestService} from './harness.js'

let service: TestService
/** Free space of the disk in bytes. */
let free = Infinity

beforeEach(async () => {
  free = 1000
  service = await startTestService({freeSpace: () => free})
})
afterEach(() => service.close())

async function about(query: Record<string, string> = {}) {
  return (await service.json('GET', 'about', {query})).body
}

async function upload(text: string): Promise<string> {
  const answer = await service.json('POST', '/upload/drive/v2/files', {
    query: {uploadType: 'media'},
    headers: {'content-type': 'text/plain'},
    body: text,
  })
  expect(answer.status).toBe(200)
  return answer.body.id
}

test('shows the caller and the capabilities of the service', async () => {
  const body = await about()
  expect(body).toMatchObject({
    kind: 'drive#about',
    selfLink: `${service.url}/drive/v2/about`,
    name: 'local',
    user: {kind: 'drive#user', displayName: 'local', isAuthenticatedUser: true},
    permissionId: permissionIdFor('local@example.com'),
    quotaType: 'LIMITED',
    quotaBytesTotal: '1000',
    canCreateDrives: true,
    isCurrentAppInstalled: false,
    maxUploadSizes: [{type: '*', size: '5497558138880'}],
    additionalRoleInfo: [
      {type: '*', roleSets: [{primaryRole: 'reader', additionalRoles: ['commenter']}]},
    ],
  })
  expect(body.folderColorPalette).toHaveLength(24)
  expect(body.importFormats.length).toBeGreaterThan(0)
  expect(body.exportFormats.length).toBeGreaterThan(0)
  const {body: root} = await service.json('GET', 'files/root')
  expect(body.rootFolderId).toBe(root.id)
})

test('counts the storage of the files, including the trash', async () => {
  await upload('12345')
  const trashed = await upload('1234567')
  await service.json('POST', `files/${trashed}/trash`)
  const before = await about()
  expect(before).toMatchObject({
    quotaBytesUsed: '12',
    quotaBytesUsedAggregate: '12',
    quotaBytesUsedInTrash: '7',
    quotaBytesByService: [{serviceName: 'DRIVE', bytesUsed: '12'}],
  })
  await service.json('DELETE', 'files/trash')
  const after = await about()
  expect(after).toMatchObject({quotaBytesUsed: '5', quotaBytesUsedInTrash: '0'})
  expect(after.etag).not.toBe(before.etag)
})

test('the total is the used storage plus the free space of the disk', async () => {
  await upload('12345')
  expect(await about()).toMatchObject({quotaBytesUsed: '5', quotaBytesTotal: '1005'})
  free = 0
  expect(await about()).toMatchObject({quotaType: 'LIMITED', quotaBytesTotal: '5'})
  free = Infinity
  const body = await about()
  expect(body.quotaType).toBe('UNLIMITED')
  expect(body).not.toHaveProperty('quotaBytesTotal')
})

test('the free space of the disk is used by default', async () => {
  const other = await startTestService({freeSpace: undefined})
  try {
    const {body} = await other.json('GET', 'about')
    expect(body.quotaType).toBe('LIMITED')
    expect(Number(body.quotaBytesTotal)).toBeGreaterThan(0)
    expect(body.quotaBytesTotal).toMatch(/^\d+$/)
  } finally {
    await other.close()
  }
})

test('counts the remaining changes', async () => {
  for (let n = 0; n < 4; n++) await service.json('POST', 'files', {body: {title: `f${n}`}})
  const largest = Number((await about()).largestChangeId)
  expect(largest).toBeGreaterThanOrEqual(4)
  const remaining = async (query: Record<string, string>) =>
    Number((await about(query)).remainingChangeIds)
  expect(await remaining({})).toBe(1)
  expect(await remaining({maxChangeIdCount: '3'})).toBe(3)
  expect(await remaining({maxChangeIdCount: '100'})).toBe(4)
  expect(await remaining({maxChangeIdCount: '100', startChangeId: String(largest)})).toBe(1)
  expect(await remaining({maxChangeIdCount: '100', startChangeId: String(largest + 1)})).toBe(0)
  const wrong = await service.json('GET', 'about', {query: {maxChangeIdCount: '-1'}})
  expect(wrong).toMatchObject({
    status: 400,
    body: {error: {errors: [{location: 'maxChangeIdCount'}]}},
  })
})

test('changes outside My Drive count only with includeSubscribed', async () => {
  const ann = service.token('ann')
  const {body: file} = await service.json('POST', 'files', {token: ann, body: {title: 'a'}})
  await service.json('POST', `files/${file.id}/permissions`, {
    token: ann,
    body: {type: 'user', role: 'reader', value: 'local@example.com'},
  })
  const query = {maxChangeIdCount: '10'}
  expect((await about(query)).remainingChangeIds).toBe('1')
  expect((await about({...query, includeSubscribed: 'false'})).remainingChangeIds).toBe('0')
})
