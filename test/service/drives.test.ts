import {afterEach, beforeEach, describe, expect, test} from 'vitest'
import {permissionIdFor} from '#lib/service/store/ids.js'
import {type Answer, startTestService, type TestService} from './harness.js'

const FOLDER = 'application/vnd.google-apps.folder'
const ALL = {supportsAllDrives: 'true'}
const BOB = permissionIdFor('bob@example.com')
const ANN = permissionIdFor('ann@example.com')

let service: TestService
let ann: string
let bob: string

beforeEach(async () => {
  service = await startTestService()
  ann = service.token('ann')
  bob = service.token('bob')
})
afterEach(() => service.close())

type Who = {token?: string; query?: Record<string, string>}

function send(method: string, path: string, body?: unknown, {token = ann, query}: Who = {}) {
  return service.json(method, path, {token, body, query})
}

let requests = 0
async function newDrive(name = 'Plans', more: object = {}): Promise<string> {
  const query = {requestId: `r${++requests}`}
  const answer = await send('POST', 'drives', {name, ...more}, {query})
  expect(answer.status).toBe(200)
  return answer.body.id
}

function share(id: string, role: string, more: object = {}, who: Who = {}): Promise<Answer> {
  const body = {type: 'user', role, value: 'bob@example.com', ...more}
  return send('POST', `files/${id}/permissions`, body, {query: ALL, ...who})
}

async function newItem(parent: string, body: object = {}, who: Who = {}): Promise<string> {
  const answer = await send(
    'POST',
    'files',
    {title: 'a', parents: [{id: parent}], ...body},
    {query: ALL, ...who},
  )
  expect(answer.status).toBe(200)
  return answer.body.id
}

const ERROR = (status: number, reason: string, location?: string) => ({
  status,
  body: {error: {errors: [{reason, ...(location && {location})}]}},
})

test('content of an item needs no supportsAllDrives, its record does', async () => {
  const drive = await newDrive()
  const {body} = await service.json('POST', '/upload/drive/v2/files', {
    token: ann,
    query: {...ALL, uploadType: 'multipart'},
    headers: {'content-type': 'multipart/related; boundary=b'},
    body: [
      ...['--b', 'Content-Type: application/json', '', JSON.stringify({parents: [{id: drive}]})],
      ...['--b', 'Content-Type: text/plain', '', 'content', '--b--', ''],
    ].join('\r\n'),
  })
  const read = async (path: string, token = ann) =>
    (await service.send('GET', path, {token, query: {alt: 'media'}})).text()
  expect(await read(`files/${body.id}`)).toBe('content')
  expect(await read(`/download/drive/v2/files/${body.id}`)).toBe('content')
  expect(await read(`files/${body.id}`, bob)).toContain('notFound')
  expect(await send('GET', `files/${body.id}`)).toMatchObject(ERROR(404, 'notFound'))
  const update = await service.json('PUT', `/upload/drive/v2/files/${body.id}`, {
    token: ann,
    body: 'x',
  })
  expect(update.status).toBe(404)
})

describe('drives.insert', () => {
  test('creates a drive, its root folder and its organizer', async () => {
    const query = {requestId: 'one'}
    const {status, body} = await send('POST', 'drives', {name: 'Plans', themeId: 'abacus'}, {query})
    expect(status).toBe(200)
    expect(body).toMatchObject({
      kind: 'drive#drive',
      name: 'Plans',
      colorRgb: '#ea6100',
      hidden: false,
      createdDate: '2026-11-21T09:30:00.000Z',
      capabilities: {canManageMembers: true, canDeleteDrive: true, canAddChildren: true},
      restrictions: {driveMembersOnly: false},
    })
    expect(body.backgroundImageLink).toMatch(/^data:image\/svg\+xml,/)
    expect(body.themeId).toBeUndefined()
    expect((await send('GET', `drives/${body.id}`)).body).toEqual(body)
    const top = await send('GET', `files/${body.id}`, undefined, {query: ALL})
    expect(top.body).toMatchObject({
      id: body.id,
      title: 'Plans',
      mimeType: FOLDER,
      driveId: body.id,
    })
    const members = await send('GET', `files/${body.id}/permissions`, undefined, {query: ALL})
    expect(members.body.items).toMatchObject([
      {
        id: ANN,
        role: 'organizer',
        permissionDetails: [{permissionType: 'member', role: 'organizer', inherited: false}],
        teamDrivePermissionDetails: [{teamDrivePermissionType: 'member'}],
      },
    ])
  })

  test('a repeated request ID is a conflict, for the same user', async () => {
    const again = (token: string) =>
      send('POST', 'drives', {name: 'Plans'}, {token, query: {requestId: 'one'}})
    expect((await again(ann)).status).toBe(200)
    expect(await again(ann)).toMatchObject(ERROR(409, 'duplicate'))
    expect((await again(bob)).status).toBe(200)
    expect((await send('GET', 'drives')).body.items).toHaveLength(1)
  })

  test.each([
    ['no requestId', {name: 'x'}, {}, 400, 'required'],
    ['no name', {}, {requestId: 'x'}, 400, 'required'],
    ['an empty name', {name: ' '}, {requestId: 'x'}, 400, 'required'],
    ['an unknown theme', {name: 'x', themeId: 'x'}, {requestId: 'x'}, 400, 'invalid'],
    ['a colour', {name: 'x', colorRgb: '#ffffff'}, {requestId: 'x'}, 400, 'invalid'],
    ['an image', {name: 'x', backgroundImageFile: {id: 'x'}}, {requestId: 'x'}, 400, 'invalid'],
    [
      'a lock for administrators',
      {name: 'x', restrictions: {adminManagedRestrictions: true}},
      {requestId: 'x'},
      403,
      'insufficientFilePermissions',
    ],
  ])('refuses %s', async (_name, body, query, status, reason) => {
    expect(
      await send('POST', 'drives', body, {query: query as Record<string, string>}),
    ).toMatchObject(ERROR(status, reason))
    expect((await send('GET', 'drives')).body.items).toEqual([])
  })

  test('the default theme is one of those in about.get', async () => {
    const id = await newDrive()
    const {body: about} = await send('GET', 'about')
    const {body} = await send('GET', `drives/${id}`)
    expect(about.driveThemes.map((theme: {colorRgb: string}) => theme.colorRgb)).toContain(
      body.colorRgb,
    )
  })
})

describe('drives.get and list', () => {
  test('only members see a drive', async () => {
    const id = await newDrive()
    expect(await send('GET', `drives/${id}`, undefined, {token: bob})).toMatchObject(
      ERROR(404, 'notFound', 'driveId'),
    )
    await share(id, 'reader')
    expect(await send('GET', `drives/${id}`, undefined, {token: bob})).toMatchObject({
      status: 200,
      body: {capabilities: {canListChildren: true, canEdit: false, canRenameDrive: false}},
    })
    await send('DELETE', `files/${id}/permissions/${BOB}`, undefined, {query: ALL})
    expect((await send('GET', 'drives', undefined, {token: bob})).body.items).toEqual([])
  })

  test('a user with access to a single item is not a member', async () => {
    const id = await newDrive()
    const file = await newItem(id)
    await share(file, 'writer')
    expect((await send('GET', `files/${file}`, undefined, {token: bob, query: ALL})).status).toBe(
      200,
    )
    expect((await send('GET', `drives/${id}`, undefined, {token: bob})).status).toBe(404)
  })

  test('pages of 10 by default', async () => {
    for (let n = 0; n < 12; n++) await newDrive(`d${n}`)
    const {body: first} = await send('GET', 'drives')
    expect(first).toMatchObject({kind: 'drive#driveList'})
    expect(first.items).toHaveLength(10)
    const query = {pageToken: first.nextPageToken}
    const {body: second} = await send('GET', 'drives', undefined, {query})
    const names = [...first.items, ...second.items].map((drive: {name: string}) => drive.name)
    expect(new Set(names).size).toBe(12)
    expect(second.nextPageToken).toBeUndefined()
    expect(
      await send('GET', 'drives', undefined, {query: {...query, q: 'hidden = true'}}),
    ).toMatchObject(ERROR(400, 'invalid', 'pageToken'))
  })

  test.each([
    ["name contains 'pla'", ['Plans', 'Old plans']],
    ["name = 'plans'", ['Plans']],
    ["name != 'plans'", ['Old plans']],
    ['hidden = true', ['Old plans']],
    ['hidden', ['Old plans']],
    ['not hidden', ['Plans']],
    ['memberCount > 1', ['Plans']],
    ['organizerCount = 1', ['Plans', 'Old plans']],
    ["createdDate < '2020-01-01'", []],
    ['', ['Plans', 'Old plans']],
  ])('q: %s', async (q, names) => {
    const id = await newDrive('Plans')
    service.clock.now += 1
    const old = await newDrive('Old plans')
    await share(id, 'reader')
    await send('POST', `drives/${old}/hide`)
    const {body} = await send('GET', 'drives', undefined, {query: {q}})
    expect(body.items.map((drive: {name: string}) => drive.name)).toEqual(names)
  })

  test('a query for files is an error', async () => {
    expect(await send('GET', 'drives', undefined, {query: {q: "title = 'x'"}})).toMatchObject(
      ERROR(400, 'invalid', 'q'),
    )
  })
})

describe('drives.update', () => {
  test('changes only the fields of the body; the name is also that of the root folder', async () => {
    const id = await newDrive()
    const {body: before} = await send('GET', `drives/${id}`)
    const {body} = await send('PUT', `drives/${id}`, {name: 'New'})
    expect(body).toEqual({...before, name: 'New'})
    expect((await send('GET', `files/${id}`, undefined, {query: ALL})).body.title).toBe('New')
    expect((await send('PUT', `drives/${id}`, {colorRgb: '#ABCDEF'})).body).toMatchObject({
      name: 'New',
      colorRgb: '#abcdef',
    })
    expect(
      (await send('PUT', `drives/${id}`, {restrictions: {driveMembersOnly: true}})).body
        .restrictions,
    ).toMatchObject({
      driveMembersOnly: true,
      domainUsersOnly: false,
    })
    expect(
      (await send('PUT', `drives/${id}`, {restrictions: null})).body.restrictions.driveMembersOnly,
    ).toBe(false)
  })

  test('sending the record back changes nothing', async () => {
    const id = await newDrive()
    const {body} = await send('GET', `drives/${id}`)
    expect((await send('PUT', `drives/${id}`, body)).body).toEqual(body)
  })

  test.each([
    ['theme and colour', {themeId: 'ocean', colorRgb: '#123456'}],
    [
      'theme and image',
      {themeId: 'ocean', backgroundImageFile: {id: 'x', xCoordinate: 0, yCoordinate: 0, width: 1}},
    ],
    ['a colour that is none', {colorRgb: 'red'}],
    ['an image without its parts', {backgroundImageFile: {id: 'x'}}],
    [
      'an image cut beyond its edge',
      {backgroundImageFile: {id: 'x', xCoordinate: 0.6, yCoordinate: 0, width: 0.5}},
    ],
  ])('refuses %s', async (_name, body) => {
    const id = await newDrive()
    expect(await send('PUT', `drives/${id}`, body)).toMatchObject(ERROR(400, 'invalid'))
  })

  test('a background is an image that the caller can read', async () => {
    const id = await newDrive()
    const text = await newItem(id, {title: 'a.txt', mimeType: 'text/plain'})
    const image = await newItem(id, {title: 'a.png', mimeType: 'image/png'})
    const put = (file: string) =>
      send('PUT', `drives/${id}`, {
        backgroundImageFile: {id: file, xCoordinate: 0, yCoordinate: 0, width: 1},
      })
    expect(await put('nothing')).toMatchObject(ERROR(404, 'notFound'))
    expect(await put(text)).toMatchObject(ERROR(400, 'invalid'))
    expect((await put(image)).body.backgroundImageLink).toBe(
      `${service.url}/drive/v2/files/${image}?alt=media`,
    )
  })

  test.each([
    ['the name', {name: 'x'}],
    ['the colour', {colorRgb: '#123456'}],
    ['restrictions', {restrictions: {driveMembersOnly: true}}],
  ])('only organizers change %s', async (_name, body) => {
    const id = await newDrive()
    await share(id, 'fileOrganizer')
    expect(await send('PUT', `drives/${id}`, body, {token: bob})).toMatchObject(
      ERROR(403, 'insufficientFilePermissions'),
    )
  })
})

describe('drives.hide and unhide', () => {
  test('are per member and can be repeated', async () => {
    const id = await newDrive()
    await share(id, 'reader')
    for (let n = 0; n < 2; n++) {
      expect((await send('POST', `drives/${id}/hide`, undefined, {token: bob})).body).toMatchObject(
        {id, hidden: true},
      )
    }
    expect((await send('GET', `drives/${id}`)).body.hidden).toBe(false)
    for (let n = 0; n < 2; n++) {
      expect(
        (await send('POST', `drives/${id}/unhide`, undefined, {token: bob})).body,
      ).toMatchObject({id, hidden: false})
    }
  })
})

describe('drives.delete', () => {
  test('requires an organizer and deletes the trashed items too', async () => {
    const id = await newDrive()
    await share(id, 'fileOrganizer')
    const folder = await newItem(id, {mimeType: FOLDER})
    const file = await newItem(folder)
    expect(await send('DELETE', `drives/${id}`, undefined, {token: bob})).toMatchObject(
      ERROR(403, 'insufficientFilePermissions'),
    )
    expect(await send('DELETE', `drives/${id}`)).toMatchObject(ERROR(403, 'forbidden'))
    await send('POST', `files/${folder}/trash`, undefined, {query: ALL})
    expect((await send('DELETE', `drives/${id}`)).status).toBe(204)
    expect((await send('GET', `drives/${id}`)).status).toBe(404)
    for (const gone of [id, folder, file]) {
      expect((await send('GET', `files/${gone}`, undefined, {query: ALL})).status).toBe(404)
    }
    const {body} = await send('GET', 'changes', undefined, {
      token: bob,
      query: {...ALL, includeItemsFromAllDrives: 'true'},
    })
    expect(
      body.items.find((change: {changeType: string}) => change.changeType === 'drive'),
    ).toMatchObject({
      driveId: id,
      deleted: true,
    })
  })

  test('allowItemDeletion is for administrators', async () => {
    const id = await newDrive()
    const query = {allowItemDeletion: 'true'}
    expect(await send('DELETE', `drives/${id}`, undefined, {query})).toMatchObject(
      ERROR(403, 'forbidden', 'allowItemDeletion'),
    )
    expect(
      await send('DELETE', `drives/${id}`, undefined, {
        query: {...query, useDomainAdminAccess: 'true'},
      }),
    ).toMatchObject(ERROR(403, 'forbidden', 'useDomainAdminAccess'))
  })
})

describe('sharing in a shared drive', () => {
  test.each([
    ['owner of an item', 'file', 'owner', {}, 'ownerOnTeamDriveItemNotSupported'],
    ['organizer of a folder', 'folder', 'organizer', {}, 'organizerOnNonTeamDriveItemNotSupported'],
    [
      'fileOrganizer of a file',
      'file',
      'fileOrganizer',
      {},
      'fileOrganizerOnFoldersInSharedDriveOnly',
    ],
    [
      'anyone as member',
      'drive',
      'reader',
      {type: 'anyone'},
      'cannotShareTeamDriveTopFolderWithAnyoneOrDomains',
    ],
  ])('refuses %s', async (_name, where, role, more, reason) => {
    const drive = await newDrive()
    const folder = await newItem(drive, {mimeType: FOLDER})
    const file = await newItem(folder)
    const id = {drive, folder, file}[where]!
    expect(await share(id, role, more)).toMatchObject(ERROR(403, reason))
  })

  test('shows the source of access', async () => {
    const drive = await newDrive()
    const folder = await newItem(drive, {mimeType: FOLDER})
    await share(drive, 'reader')
    const {body} = await share(folder, 'writer')
    expect(body).toMatchObject({
      role: 'writer',
      permissionDetails: [
        {permissionType: 'file', role: 'writer', inherited: false},
        {permissionType: 'member', role: 'reader', inherited: true, inheritedFrom: drive},
      ],
    })
    const path = `files/${folder}/permissions/${BOB}`
    expect((await send('DELETE', path, undefined, {query: ALL})).status).toBe(204)
    expect(await send('DELETE', path, undefined, {query: ALL})).toMatchObject(
      ERROR(403, 'cannotDeletePermission'),
    )
  })

  test('supportsAllDrives is needed', async () => {
    const drive = await newDrive()
    expect(await share(drive, 'reader', {}, {query: {}})).toMatchObject(ERROR(404, 'notFound'))
    expect((await share(drive, 'reader', {}, {query: {supportsTeamDrives: 'true'}})).status).toBe(
      200,
    )
  })

  test('one organizer must remain', async () => {
    const drive = await newDrive()
    const path = `files/${drive}/permissions/${ANN}`
    const leave = () => send('DELETE', path, undefined, {query: ALL})
    expect(await leave()).toMatchObject(ERROR(403, 'forbidden'))
    expect(await send('PATCH', path, {role: 'writer'}, {query: ALL})).toMatchObject(
      ERROR(403, 'forbidden'),
    )
    expect(await share(drive, 'reader', {value: 'ann@example.com'})).toMatchObject(
      ERROR(403, 'forbidden'),
    )
    await share(drive, 'organizer')
    expect((await leave()).status).toBe(204)
  })

  test('nobody can grant more access than they have', async () => {
    const drive = await newDrive()
    const folder = await newItem(drive, {mimeType: FOLDER})
    await share(drive, 'fileOrganizer')
    const eve = {value: 'eve@example.com'}
    expect(await share(drive, 'reader', eve, {token: bob, query: ALL})).toMatchObject(
      ERROR(403, 'insufficientFilePermissions'),
    )
    expect((await share(folder, 'fileOrganizer', eve, {token: bob, query: ALL})).status).toBe(200)
    await send('PUT', `drives/${drive}`, {
      restrictions: {sharingFoldersRequiresOrganizerPermission: true},
    })
    expect(await share(folder, 'reader', eve, {token: bob, query: ALL})).toMatchObject(
      ERROR(403, 'insufficientFilePermissions'),
    )
  })

  test('restrictions apply', async () => {
    const drive = await newDrive()
    const file = await newItem(drive)
    const restrict = (restrictions: object) => send('PUT', `drives/${drive}`, {restrictions})
    await restrict({driveMembersOnly: true})
    expect(await share(file, 'writer')).toMatchObject(ERROR(403, 'teamDriveMembershipRequired'))
    expect(await share(file, 'reader', {type: 'anyone'})).toMatchObject(
      ERROR(403, 'teamDriveMembershipRequired'),
    )
    await share(drive, 'reader')
    expect((await share(file, 'writer')).status).toBe(200)
    await restrict({driveMembersOnly: false, domainUsersOnly: true})
    const stranger = {value: 'eve@nowhere.test'}
    expect(await share(drive, 'reader', stranger)).toMatchObject(
      ERROR(403, 'cannotShareTeamDriveWithNonPermittedUser'),
    )
    expect(await share(file, 'reader', {type: 'anyone'})).toMatchObject(
      ERROR(403, 'cannotShareTeamDriveWithNonPermittedUser'),
    )
    expect((await share(file, 'reader', {value: 'eve@example.com'})).status).toBe(200)
  })

  test('lists come in pages of 100', async () => {
    const drive = await newDrive()
    for (let n = 0; n < 100; n++) await share(drive, 'reader', {value: `u${n}@example.com`})
    const list = (query: object) =>
      send('GET', `files/${drive}/permissions`, undefined, {query: {...ALL, ...query}})
    const {body} = await list({})
    expect(body.items).toHaveLength(100)
    expect((await list({pageToken: body.nextPageToken})).body.items).toHaveLength(1)
  })
})
