import {afterEach, beforeEach, describe, expect, test} from 'vitest'
import {permissionIdFor} from '#lib/service/store/ids.js'
import {type Answer, startTestService, type TestService} from './harness.js'

const FOLDER = 'application/vnd.google-apps.folder'
const DAY = 24 * 3600 * 1000

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

async function newItem(body: object = {title: 'a'}, who: Who = {}): Promise<string> {
  const {body: file} = await send('POST', 'files', body, who)
  return file.id
}

function share(id: string, body: object, who: Who = {}): Promise<Answer> {
  return send('POST', `files/${id}/permissions`, body, who)
}

const toBob = (role = 'reader', more: object = {}) => ({
  type: 'user',
  role,
  value: 'bob@example.com',
  ...more,
})
const BOB = permissionIdFor('bob@example.com')
const ANN = permissionIdFor('ann@example.com')

const ERROR = (status: number, reason: string, location?: string) => ({
  status,
  body: {error: {errors: [{reason, ...(location && {location})}]}},
})

describe('permissions.insert', () => {
  test('the owner has a permission from the start', async () => {
    const id = await newItem()
    const {body} = await send('GET', `files/${id}/permissions`)
    expect(body).toMatchObject({
      kind: 'drive#permissionList',
      items: [
        {
          kind: 'drive#permission',
          id: ANN,
          role: 'owner',
          type: 'user',
          name: 'ann',
          emailAddress: 'ann@example.com',
          domain: 'example.com',
          selfLink: `${service.url}/drive/v2/files/${id}/permissions/${ANN}`,
        },
      ],
    })
    expect(body.nextPageToken).toBeUndefined()
  })

  test.each([
    ['reader', toBob(), {role: 'reader'}],
    [
      'commenter',
      toBob('reader', {additionalRoles: ['commenter']}),
      {role: 'reader', additionalRoles: ['commenter']},
    ],
    ['writer', toBob('writer'), {role: 'writer', type: 'user', id: BOB}],
    [
      'an address without account',
      {type: 'user', role: 'reader', value: 'eve@nowhere.test'},
      {
        id: permissionIdFor('EVE@nowhere.test'),
        emailAddress: 'eve@nowhere.test',
        domain: 'nowhere.test',
      },
    ],
    [
      'a group',
      {type: 'group', role: 'writer', value: 'team@example.com'},
      {type: 'group', deleted: false},
    ],
    [
      'a domain',
      {type: 'domain', role: 'reader', value: 'Example.com', withLink: true},
      {domain: 'example.com', name: 'example.com', withLink: true},
    ],
    ['anyone', {type: 'anyone', role: 'reader'}, {id: 'anyone', withLink: false}],
    [
      'anyone, whatever value and id say',
      {type: 'anyone', role: 'reader', value: 'x', id: 'y'},
      {id: 'anyone'},
    ],
    [
      'anyone with the link',
      {type: 'anyone', role: 'writer', withLink: true},
      {id: 'anyoneWithLink', withLink: true},
    ],
  ])('%s', async (_name, body, expected) => {
    const id = await newItem()
    const answer = await share(id, body)
    expect(answer).toMatchObject({status: 200, body: expected})
    expect(answer.body.value).toBeUndefined()
    const {body: list} = await send('GET', `files/${id}/permissions`)
    expect(list.items).toHaveLength(2)
  })

  test.each([
    ['no role', {type: 'user', value: 'bob@example.com'}, 400, 'required'],
    ['no type', {role: 'reader', value: 'bob@example.com'}, 400, 'required'],
    ['an unknown role', toBob('boss'), 400, 'invalid'],
    ['commenter as a role', toBob('commenter'), 400, 'invalid'],
    ['an unknown type', {type: 'robot', role: 'reader', value: 'b@example.com'}, 400, 'invalid'],
    ['neither value nor id', {type: 'user', role: 'reader'}, 400, 'required'],
    ['both value and id', toBob('reader', {id: BOB}), 400, 'required'],
    ['a value that is no address', {type: 'user', role: 'reader', value: 'bob'}, 400, 'invalid'],
    ['a value that is no domain', {type: 'domain', role: 'reader', value: 'a@b.c'}, 400, 'invalid'],
    ['an unknown id', {type: 'user', role: 'reader', id: '123'}, 400, 'invalid'],
    [
      'an account as a group',
      {type: 'group', role: 'reader', value: 'bob@example.com'},
      400,
      'invalid',
    ],
    ['commenter for a writer', toBob('writer', {additionalRoles: ['commenter']}), 400, 'invalid'],
    ['an unknown additional role', toBob('reader', {additionalRoles: ['boss']}), 400, 'invalid'],
    ['withLink for a user', toBob('reader', {withLink: true}), 400, 'invalid'],
    [
      'an expiration date',
      toBob('reader', {expirationDate: '2026-11-22T00:00:00Z'}),
      400,
      'invalid',
    ],
    ['organizer in My Drive', toBob('organizer'), 403, 'organizerOnNonTeamDriveNotSupported'],
    [
      'fileOrganizer in My Drive',
      toBob('fileOrganizer'),
      403,
      'fileOrganizerOnNonTeamDriveNotSupported',
    ],
    ['anyone as owner', {type: 'anyone', role: 'owner'}, 400, 'invalid'],
    [
      'an owner without account',
      {type: 'user', role: 'owner', value: 'eve@nowhere.test'},
      400,
      'invalidSharingRequest',
    ],
    [
      'the owner as a writer',
      {type: 'user', role: 'writer', value: 'ANN@example.com'},
      403,
      'forbidden',
    ],
    ['a view', toBob('reader', {view: 'published'}), 400, 'invalid'],
  ])('refuses %s', async (_name, body, status, reason) => {
    const id = await newItem()
    expect(await share(id, body)).toMatchObject(ERROR(status, reason))
    const {body: list} = await send('GET', `files/${id}/permissions`)
    expect(list.items).toHaveLength(1)
  })

  test('the same person again is an update with the same ID', async () => {
    const id = await newItem()
    await share(id, toBob('reader'))
    expect(await share(id, {type: 'user', role: 'writer', id: BOB})).toMatchObject({
      status: 200,
      body: {id: BOB, role: 'writer'},
    })
    const {body} = await send('GET', `files/${id}/permissions`)
    expect(body.items.map((item: {id: string}) => item.id)).toEqual([BOB, ANN])
  })

  test('the user sees the file, who shared it and when, and a change of it', async () => {
    const id = await newItem()
    const {body: start} = await send('GET', 'changes/startPageToken', undefined, {token: bob})
    expect(await send('GET', `files/${id}`, undefined, {token: bob})).toMatchObject(
      ERROR(404, 'notFound'),
    )
    await share(id, toBob())
    const {body: file} = await send('GET', `files/${id}`, undefined, {token: bob})
    expect(file).toMatchObject({
      shared: true,
      sharingUser: {emailAddress: 'ann@example.com'},
      sharedWithMeDate: new Date(service.clock.now).toISOString(),
      userPermission: {id: BOB, role: 'reader'},
    })
    const {body: found} = await send('GET', 'files', undefined, {
      token: bob,
      query: {q: 'sharedWithMe'},
    })
    expect(found.items.map((item: {id: string}) => item.id)).toEqual([id])
    const {body: changes} = await send('GET', 'changes', undefined, {
      token: bob,
      query: {pageToken: start.startPageToken},
    })
    expect(changes.items).toMatchObject([{fileId: id, deleted: false, file: {id}}])
  })

  test('a folder grants access to its contents, and revokes it', async () => {
    const folder = await newItem({title: 'f', mimeType: FOLDER})
    const inner = await newItem({title: 'g', mimeType: FOLDER, parents: [{id: folder}]})
    const file = await newItem({title: 'a', parents: [{id: inner}]})
    const {etag} = (await send('GET', `files/${file}`)).body
    const line = async () => {
      const {body} = await send('GET', 'changes', undefined, {token: bob})
      return new Map(
        body.items.map((item: {fileId: string; deleted: boolean}) => [item.fileId, item.deleted]),
      )
    }
    await share(folder, toBob('writer'))
    expect((await send('GET', `files/${file}`)).body.etag).not.toBe(etag)
    for (const id of [folder, inner, file]) expect((await line()).get(id)).toBe(false)
    expect(await send('GET', `files/${file}/permissions/${BOB}`)).toMatchObject({
      status: 200,
      body: {id: BOB, role: 'writer'},
    })
    expect(await send('DELETE', `files/${file}/permissions/${BOB}`)).toMatchObject(
      ERROR(403, 'cannotDeletePermission'),
    )
    expect(await send('PATCH', `files/${file}/permissions/${BOB}`, {role: 'reader'})).toMatchObject(
      ERROR(403, 'cannotModifyInheritedPermission'),
    )
    expect((await send('DELETE', `files/${folder}/permissions/${BOB}`)).status).toBe(204)
    for (const id of [folder, inner, file]) expect((await line()).get(id)).toBe(true)
    expect((await send('GET', `files/${file}`, undefined, {token: bob})).status).toBe(404)
  })

  test('readers cannot share, writers can unless writersCanShare is false', async () => {
    const id = await newItem()
    const eve = {type: 'user', role: 'reader', value: 'eve@example.com'}
    await share(id, toBob('reader'))
    expect(await share(id, eve, {token: bob})).toMatchObject(
      ERROR(403, 'insufficientFilePermissions'),
    )
    expect(await send('GET', `files/${id}/permissions`, undefined, {token: bob})).toMatchObject(
      ERROR(403, 'insufficientFilePermissions'),
    )
    expect(await send('GET', `files/${id}/permissions/me`, undefined, {token: bob})).toMatchObject({
      body: {id: BOB, role: 'reader'},
    })
    await share(id, toBob('writer'))
    expect((await share(id, eve, {token: bob})).status).toBe(200)
    await send('PATCH', `files/${id}`, {writersCanShare: false})
    expect(await share(id, eve, {token: bob})).toMatchObject(
      ERROR(403, 'insufficientFilePermissions'),
    )
  })

  test('My Drive itself is not shared', async () => {
    expect(await share('root', toBob())).toMatchObject(ERROR(403, 'insufficientFilePermissions'))
  })

  test('useDomainAdminAccess is refused', async () => {
    const id = await newItem()
    const query = {useDomainAdminAccess: 'true'}
    expect(await share(id, toBob(), {query})).toMatchObject(
      ERROR(403, 'forbidden', 'useDomainAdminAccess'),
    )
  })
})

describe('ownership', () => {
  test('an insert transfers it, and the previous owner becomes a writer', async () => {
    const id = await newItem()
    expect(await share(id, toBob('owner'))).toMatchObject({
      status: 200,
      body: {id: BOB, role: 'owner'},
    })
    const {body} = await send('GET', `files/${id}/permissions`)
    expect(body.items).toMatchObject([
      {id: ANN, role: 'writer'},
      {id: BOB, role: 'owner'},
    ])
    const {body: file} = await send('GET', `files/${id}`, undefined, {token: bob})
    expect(file).toMatchObject({ownedByMe: true, ownerNames: ['bob']})
    const {body: about} = await send('GET', 'files', undefined, {query: {q: "'me' in owners"}})
    expect(about.items).toEqual([])
  })

  test('moveToNewOwnersRoot moves it', async () => {
    const folder = await newItem({title: 'f', mimeType: FOLDER})
    const id = await newItem({title: 'a', parents: [{id: folder}]})
    await share(id, toBob('owner'), {query: {moveToNewOwnersRoot: 'true'}})
    const {body: about} = await send('GET', 'about', undefined, {token: bob})
    const {body: file} = await send('GET', `files/${id}`, undefined, {token: bob})
    expect(file.parents).toMatchObject([{id: about.rootFolderId, isRoot: true}])
  })

  test('an update requires transferOwnership', async () => {
    const id = await newItem()
    await share(id, toBob('reader'))
    const path = `files/${id}/permissions/${BOB}`
    expect(await send('PUT', path, {role: 'owner'})).toMatchObject({
      status: 403,
      body: {
        error: {
          message:
            "The transferOwnership parameter must be enabled when the permission role is 'owner'.",
        },
      },
    })
    const query = {transferOwnership: 'true'}
    expect(await send('PUT', path, {role: 'owner'}, {query})).toMatchObject({body: {role: 'owner'}})
    expect(
      await send('PUT', `files/${id}/permissions/${ANN}`, {role: 'owner'}, {query}),
    ).toMatchObject(ERROR(403, 'insufficientFilePermissions'))
  })

  test('a pending owner accepts it', async () => {
    const id = await newItem()
    expect(await share(id, toBob('reader', {pendingOwner: true}))).toMatchObject(
      ERROR(400, 'invalid'),
    )
    expect(await share(id, toBob('writer', {pendingOwner: true}))).toMatchObject({
      body: {pendingOwner: true},
    })
    const answer = await send(
      'PATCH',
      `files/${id}/permissions/me`,
      {role: 'owner'},
      {
        token: bob,
        query: {transferOwnership: 'true'},
      },
    )
    expect(answer).toMatchObject({status: 200, body: {id: BOB, role: 'owner', pendingOwner: false}})
  })

  test('the owner stays', async () => {
    const id = await newItem()
    await share(id, toBob('writer'))
    for (const who of [{token: ann}, {token: bob}]) {
      expect(await send('DELETE', `files/${id}/permissions/${ANN}`, undefined, who)).toMatchObject(
        ERROR(403, 'forbidden'),
      )
      expect(
        await send('PATCH', `files/${id}/permissions/${ANN}`, {role: 'writer'}, who),
      ).toMatchObject(ERROR(403, 'forbidden'))
    }
  })
})

describe('permissions.update and patch', () => {
  test.each([
    ['PUT', {role: 'writer'}, {role: 'writer', additionalRoles: undefined}],
    ['PUT', {role: 'reader'}, {role: 'reader', additionalRoles: undefined}],
    ['PATCH', {role: 'reader'}, {role: 'reader', additionalRoles: ['commenter']}],
    ['PATCH', {role: 'writer'}, {role: 'writer', additionalRoles: undefined}],
    ['PATCH', {additionalRoles: []}, {role: 'reader', additionalRoles: undefined}],
    ['PATCH', {}, {role: 'reader', additionalRoles: ['commenter']}],
  ])('%s %j of a commenter', async (method, body, expected) => {
    const id = await newItem()
    await share(id, toBob('reader', {additionalRoles: ['commenter']}))
    const answer = await send(method, `files/${id}/permissions/${BOB}`, body)
    expect(answer.status).toBe(200)
    expect({role: answer.body.role, additionalRoles: answer.body.additionalRoles}).toEqual(expected)
  })

  test('access ends at the expiration date, unless that is removed', async () => {
    const id = await newItem()
    await share(id, toBob())
    const path = `files/${id}/permissions/${BOB}`
    const expirationDate = new Date(service.clock.now + DAY).toISOString()
    expect(await send('PATCH', path, {expirationDate})).toMatchObject({body: {expirationDate}})
    service.clock.now += DAY - 1
    expect((await send('GET', `files/${id}`, undefined, {token: bob})).status).toBe(200)
    const again = await send('PATCH', path, {}, {query: {removeExpiration: 'true'}})
    expect(again.body.expirationDate).toBeUndefined()
    await send('PATCH', path, {expirationDate})
    service.clock.now += 1
    expect((await send('GET', `files/${id}`, undefined, {token: bob})).status).toBe(404)
    expect((await send('GET', path)).status).toBe(404)
    const {body} = await send('GET', 'changes', undefined, {token: bob})
    expect(body.items).toMatchObject([{fileId: id, deleted: true}])
  })

  test.each([
    ['a date gone by', BOB, {expirationDate: '2026-11-20T00:00:00Z'}],
    ['more than a year', BOB, {expirationDate: '2027-11-21T09:30:00.001Z'}],
    ['an end for anyone', 'anyone', {expirationDate: '2026-11-30T00:00:00Z'}],
    ['another type', BOB, {type: 'group'}],
    ['withLink for a user', BOB, {withLink: true}],
  ])('refuses %s', async (_name, permission, body) => {
    const id = await newItem()
    await share(id, toBob())
    await share(id, {type: 'anyone', role: 'reader'})
    expect(await send('PATCH', `files/${id}/permissions/${permission}`, body)).toMatchObject(
      ERROR(400, 'invalid'),
    )
  })

  test('the expiration date is at most a year from now', async () => {
    const id = await newItem()
    await share(id, toBob())
    const expirationDate = '2027-11-21T09:30:00.000Z'
    expect(
      (await send('PATCH', `files/${id}/permissions/${BOB}`, {expirationDate})).body.expirationDate,
    ).toBe(expirationDate)
  })

  test('withLink changes the ID of anyone', async () => {
    const id = await newItem()
    await share(id, {type: 'anyone', role: 'reader'})
    expect(await send('PATCH', `files/${id}/permissions/anyone`, {withLink: true})).toMatchObject({
      body: {id: 'anyoneWithLink', withLink: true, role: 'reader'},
    })
    expect((await send('GET', `files/${id}/permissions`)).body.items).toHaveLength(2)
  })

  test('an unknown permission is 404', async () => {
    const id = await newItem()
    for (const method of ['GET', 'DELETE', 'PATCH', 'PUT']) {
      const body = method.startsWith('P') ? {role: 'reader'} : undefined
      expect(await send(method, `files/${id}/permissions/77`, body)).toMatchObject(
        ERROR(404, 'notFound', 'permissionId'),
      )
    }
  })

  test('If-Match compares the current permission', async () => {
    const id = await newItem()
    const {body} = await share(id, toBob())
    const put = (etag: string, role: string) =>
      service.json('PUT', `files/${id}/permissions/${BOB}`, {
        token: ann,
        headers: {'if-match': etag},
        body: {role},
      })
    expect((await put(body.etag, 'writer')).status).toBe(200)
    expect((await put(body.etag, 'reader')).status).toBe(412)
  })
})

describe('permissions.delete', () => {
  test('anyone can remove their own access', async () => {
    const id = await newItem()
    await share(id, toBob('reader'))
    expect(
      (await send('DELETE', `files/${id}/permissions/me`, undefined, {token: bob})).status,
    ).toBe(204)
    expect((await send('GET', `files/${id}`, undefined, {token: bob})).status).toBe(404)
  })

  test('readers cannot remove the access of others', async () => {
    const id = await newItem()
    await share(id, toBob('reader'))
    await share(id, {type: 'anyone', role: 'reader'})
    expect(
      await send('DELETE', `files/${id}/permissions/anyone`, undefined, {token: bob}),
    ).toMatchObject(ERROR(403, 'insufficientFilePermissions'))
  })
})

test('access of an address without an account starts with its account', async () => {
  const id = await newItem()
  await share(id, {type: 'user', role: 'reader', value: 'zoe@example.com'})
  const zoe = service.token('zoe')
  const {body} = await send('GET', 'files', undefined, {token: zoe, query: {q: 'sharedWithMe'}})
  expect(body.items.map((item: {id: string}) => item.id)).toEqual([id])
})

describe('permissions.list', () => {
  test('lists the strongest role first, and the owner last, like the file', async () => {
    const id = await newItem()
    await share(id, {type: 'anyone', role: 'reader'})
    await share(id, toBob('writer'))
    const {body} = await send('GET', `files/${id}/permissions`)
    const ids = body.items.map((item: {id: string}) => item.id)
    expect(ids).toEqual([BOB, 'anyone', ANN])
    const query = {fields: 'permissions/id,permissionIds'}
    expect((await send('GET', `files/${id}`, undefined, {query})).body).toEqual({
      permissions: ids.map((each: string) => ({id: each})),
      permissionIds: ids,
    })
  })

  test('pages of the requested size, each with a next page token', async () => {
    const id = await newItem()
    for (let n = 0; n < 6; n++)
      await share(id, {type: 'user', role: 'reader', value: `u${n}@x.test`})
    const seen: string[] = []
    let query: Record<string, string> = {maxResults: '3'}
    for (let pages = 1; ; pages++) {
      const {body} = await send('GET', `files/${id}/permissions`, undefined, {query})
      seen.push(...body.items.map((item: {id: string}) => item.id))
      if (!body.nextPageToken) {
        expect(pages).toBe(3)
        break
      }
      query = {maxResults: '3', pageToken: body.nextPageToken}
    }
    expect(new Set(seen).size).toBe(7)
    const other = await newItem()
    expect(await send('GET', `files/${other}/permissions`, undefined, {query})).toMatchObject(
      ERROR(400, 'invalid', 'pageToken'),
    )
  })
})

test('permissions.getIdForEmail is the ID that permissions show', async () => {
  expect(
    (await send('GET', `permissionIds/${encodeURIComponent('Bob@Example.com')}`)).body,
  ).toEqual({
    kind: 'drive#permissionId',
    id: BOB,
  })
  expect(await send('GET', 'permissionIds/bob')).toMatchObject(ERROR(400, 'invalid', 'email'))
})
