import {afterEach, beforeEach, describe, expect, test} from 'vitest'
import {startTestService, type TestService} from './harness.js'

const FOLDER = 'application/vnd.google-apps.folder'
const DRIVES = {supportsAllDrives: 'true', includeItemsFromAllDrives: 'true'}

let service: TestService
let ann: string
let bob: string

beforeEach(async () => {
  service = await startTestService()
  ann = service.token('ann')
  bob = service.token('bob')
})
afterEach(() => service.close())

type Query = Record<string, string>

function send(method: string, path: string, body?: unknown, query?: Query, token = ann) {
  return service.json(method, path, {token, body, query})
}

async function newItem(body: object = {title: 'a'}, query?: Query): Promise<string> {
  return (await send('POST', 'files', body, query)).body.id
}

async function startToken(query?: Query, token = ann): Promise<string> {
  return (await send('GET', 'changes/startPageToken', undefined, query, token)).body.startPageToken
}

function list(query: Query = {}, token = ann) {
  return send('GET', 'changes', undefined, query, token)
}

const ERROR = (status: number, reason: string, location?: string) => ({
  status,
  body: {error: {errors: [{reason, ...(location && {location})}]}},
})

async function newDrive(): Promise<string> {
  return (await send('POST', 'drives', {name: 'Plans'}, {requestId: 'one'})).body.id
}

test('a file is complete in a list, however all fields are requested', async () => {
  const token = await startToken()
  await newItem()
  const [whole] = (await list({pageToken: token})).body.items
  expect(whole.file).toMatchObject({labels: {}, owners: [{}], parents: [{}]})
  expect(whole.file.permissions).toBeUndefined()
  for (const fields of ['items', '*', 'items(*)', 'items/file', '*/file', 'kind,items/*,etag']) {
    const [item] = (await list({pageToken: token, fields})).body.items
    const {permissions, ...rest} = item.file
    expect(rest, fields).toEqual(whole.file)
    expect(permissions, fields).toMatchObject([{role: 'owner'}])
  }
  const {body} = await send('GET', `changes/${whole.id}`, undefined, {fields: 'file'})
  expect(body.file).toEqual({...whole.file, permissions: [expect.anything()]})
})

test('the ETag of a list is the same for any fields', async () => {
  const token = await startToken()
  await newItem()
  const whole = await list({pageToken: token})
  for (const fields of ['etag', 'etag,items/file/id']) {
    const {body} = await list({pageToken: token, fields})
    expect(body.etag, fields).toBe(whole.body.etag)
  }
})

test('a start token returns later changes, each item once, in its newest state', async () => {
  await newItem()
  const token = await startToken()
  expect(token).toMatch(/^\d+$/)
  expect((await list({pageToken: token})).body).toMatchObject({
    kind: 'drive#changeList',
    items: [],
    newStartPageToken: token,
    largestChangeId: String(Number(token) - 1),
  })
  const first = await newItem({title: 'first'})
  const second = await newItem({title: 'second'})
  service.clock.now += 1000
  await send('PATCH', `files/${first}`, {title: 'renamed'})
  await send('POST', `files/${second}/trash`)
  const {body} = await list({pageToken: token})
  expect(body.items).toMatchObject([
    {
      kind: 'drive#change',
      changeType: 'file',
      type: 'file',
      fileId: first,
      deleted: false,
      modificationDate: '2026-11-21T09:30:01.000Z',
      file: {kind: 'drive#file', id: first, title: 'renamed'},
    },
    {fileId: second, deleted: false, file: {labels: {trashed: true}}},
  ])
  expect(body.nextPageToken).toBeUndefined()
  expect(body.newStartPageToken).toBe(await startToken())
  for (const {id, selfLink} of body.items)
    expect(selfLink).toBe(`${service.url}/drive/v2/changes/${id}`)
})

test('a permanent deletion is a removal, unless removals are excluded', async () => {
  const id = await newItem()
  await send('DELETE', `files/${id}`)
  const {body} = await list()
  expect(body.items).toMatchObject([{fileId: id, deleted: true}])
  expect(body.items[0].file).toBeUndefined()
  expect((await list({includeDeleted: 'false'})).body.items).toEqual([])
})

test('pages continue after the last one, with either a next page token or a new start token', async () => {
  for (let n = 0; n < 7; n++) await newItem({title: `f${n}`})
  const seen: string[] = []
  let query: Query = {maxResults: '3', startChangeId: '1'}
  for (let page = 1; page <= 3; page++) {
    const {body} = await list(query)
    seen.push(...body.items.map(({file}: {file: {title: string}}) => file.title))
    expect([body.nextPageToken, body.newStartPageToken].filter(Boolean)).toHaveLength(1)
    if (page === 3) break
    const next = new URL(body.nextLink)
    expect(Object.fromEntries(next.searchParams)).toEqual({...query, pageToken: body.nextPageToken})
    query = {...query, pageToken: body.nextPageToken}
  }
  expect(seen).toEqual(['f0', 'f1', 'f2', 'f3', 'f4', 'f5', 'f6'])
})

test('startChangeId is inclusive', async () => {
  await newItem()
  const id = await newItem()
  const {body} = await list()
  const last = body.items.at(-1)
  expect(last.fileId).toBe(id)
  expect((await list({startChangeId: last.id})).body.items).toHaveLength(1)
})

test.each(['x', '-1', '1.5', '999999', '99999999999999999999'])(
  'the token %s is rejected',
  async pageToken => {
    expect(await list({pageToken})).toMatchObject(ERROR(400, 'invalid', 'pageToken'))
  },
)

test('spaces has few values', async () => {
  expect(await list({spaces: 'attic'})).toMatchObject(ERROR(400, 'invalid', 'spaces'))
})

test('everyone has a separate list of changes', async () => {
  const id = await newItem()
  expect((await list({}, bob)).body.items).toEqual([])
  const share = {type: 'user', role: 'reader', value: 'bob@example.com'}
  const {body: permission} = await send('POST', `files/${id}/permissions`, share)
  expect((await list({}, bob)).body.items).toMatchObject([{fileId: id, deleted: false}])
  await send('POST', `files/${id}/permissions`, {type: 'anyone', role: 'reader'})
  await send('DELETE', `files/${id}/permissions/${permission.id}`)
  const {body} = await list({}, bob)
  expect(body.items).toMatchObject([{fileId: id, deleted: true}])
  expect(body.items[0].file).toBeUndefined()
  const removals = await list({includeCorpusRemovals: 'true'}, bob)
  expect(removals.body.items).toMatchObject([{fileId: id, deleted: true, file: {id}}])
})

test('includeSubscribed=false includes only My Drive', async () => {
  const folder = await newItem({title: 'f', mimeType: FOLDER})
  const shared = await newItem({title: 'a', parents: [{id: folder}]})
  const share = {type: 'user', role: 'reader', value: 'bob@example.com'}
  await send('POST', `files/${shared}/permissions`, share)
  const own = (await send('POST', 'files', {title: 'b'}, undefined, bob)).body.id
  const ids = async (query: Query) =>
    (await list(query, bob)).body.items.map(({fileId}: {fileId: string}) => fileId)
  expect(await ids({})).toEqual([shared, own])
  expect(await ids({includeSubscribed: 'false'})).toEqual([own])
})

test('the app folder is visible only to its app', async () => {
  const hidden = await newItem({title: 'h', parents: [{id: 'appDataFolder'}]})
  const ids = async (token: string, query: Query = {}) =>
    (await list(query, token)).body.items.map(({fileId}: {fileId: string}) => fileId)
  expect(await ids(ann)).toContain(hidden)
  expect(await ids(ann, {spaces: 'drive'})).not.toContain(hidden)
  expect(await ids(ann, {spaces: 'appDataFolder'})).toContain(hidden)
  expect(await ids(service.token('ann', ['drive']))).not.toContain(hidden)
  await send('DELETE', `files/${hidden}`)
  expect(await ids(service.token('ann', ['drive']))).not.toContain(hidden)
  expect(await ids(ann)).toContain(hidden)
})

describe('shared drives', () => {
  test('are omitted unless requested', async () => {
    const drive = await newDrive()
    const id = await newItem({title: 'a', parents: [{id: drive}]}, {supportsAllDrives: 'true'})
    expect((await list()).body.items).toEqual([])
    const {body} = await list(DRIVES)
    const files = body.items.filter(({changeType}: {changeType: string}) => changeType === 'file')
    expect(files.at(-1)).toMatchObject({fileId: id, driveId: drive, teamDriveId: drive})
    expect(
      body.items.find(({changeType}: {changeType: string}) => changeType === 'drive'),
    ).toMatchObject({
      driveId: drive,
      deleted: false,
      drive: {kind: 'drive#drive', id: drive, name: 'Plans'},
      teamDrive: {kind: 'drive#teamDrive', capabilities: {canDeleteTeamDrive: true}},
    })
  })

  test('have separate lists of changes', async () => {
    const drive = await newDrive()
    const token = await startToken({driveId: drive, supportsAllDrives: 'true'})
    await newItem({title: 'elsewhere'})
    const id = await newItem({title: 'a', parents: [{id: drive}]}, {supportsAllDrives: 'true'})
    const {body} = await list({...DRIVES, driveId: drive, pageToken: token})
    expect(body.items).toMatchObject([{fileId: id}])
    expect(new URL(body.items[0].selfLink).searchParams.get('driveId')).toBe(drive)
    expect(await list({...DRIVES, driveId: drive}, bob)).toMatchObject(
      ERROR(404, 'notFound', 'driveId'),
    )
  })

  test.each([
    [{driveId: 'ID'}, 'supportsAllDrives'],
    [{driveId: 'ID', supportsAllDrives: 'true'}, 'includeItemsFromAllDrives'],
    [{includeItemsFromAllDrives: 'true'}, 'supportsAllDrives'],
  ])('%j needs %s', async (query, location) => {
    const drive = await newDrive()
    const real = 'driveId' in query ? {...query, driveId: drive} : query
    expect(await list(real)).toMatchObject(ERROR(403, 'teamDriveSupportRequired', location))
  })

  test('a member who is removed sees the removal of the drive', async () => {
    const drive = await newDrive()
    const member = {type: 'user', role: 'reader', value: 'bob@example.com'}
    const {body} = await send('POST', `files/${drive}/permissions`, member, {
      supportsAllDrives: 'true',
    })
    const ofDrive = async () =>
      (await list(DRIVES, bob)).body.items.filter(
        ({changeType}: {changeType: string}) => changeType === 'drive',
      )
    expect(await ofDrive()).toMatchObject([{driveId: drive, deleted: false, drive: {id: drive}}])
    await send('DELETE', `files/${drive}/permissions/${body.id}`, undefined, {
      supportsAllDrives: 'true',
    })
    expect(await ofDrive()).toMatchObject([{driveId: drive, deleted: true}])
  })
})

test('changes.get shows one change until a newer one takes its place', async () => {
  const id = await newItem()
  const {id: change} = (await list()).body.items[0]
  expect(await send('GET', `changes/${change}`)).toMatchObject({
    status: 200,
    body: {id: change, fileId: id},
  })
  expect((await send('GET', `changes/${change}`, undefined, undefined, bob)).status).toBe(404)
  await send('POST', `files/${id}/touch`)
  expect(await send('GET', `changes/${change}`)).toMatchObject(ERROR(404, 'notFound', 'changeId'))
})
