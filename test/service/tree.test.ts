import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {DEPTH_LIMIT, FOLDER_TYPE} from '#lib/api/wire.js'
import {type Answer, startTestService, type TestService} from './harness.js'

let service: TestService

beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

async function item(title: string, parent = 'root', type = 'text/plain', token?: string) {
  const body = {title, mimeType: type, parents: [{id: parent}]}
  const answer = await service.json('POST', 'files', {
    body,
    token,
    query: {supportsAllDrives: 'true'},
  })
  expect(answer.status).toBe(200)
  return answer.body.id as string
}

const folder = (title: string, parent?: string, token?: string) =>
  item(title, parent, FOLDER_TYPE, token)

async function record(id: string, token?: string) {
  const query = {supportsAllDrives: 'true'}
  return (await service.json('GET', `files/${id}`, {token, query})).body
}

const parentOf = async (id: string, token?: string) => (await record(id, token)).parents[0]?.id

async function trashState(...ids: string[]) {
  const records = await Promise.all(ids.map(id => record(id)))
  return records.map(({labels, explicitlyTrashed}) =>
    labels.trashed ? (explicitlyTrashed ? 'explicit' : 'implicit') : 'no',
  )
}

async function share(id: string, login: string, role: string) {
  service.token(login)
  const body = {type: 'user', role, value: `${login}@example.com`}
  const query = {supportsAllDrives: 'true'}
  expect((await service.json('POST', `files/${id}/permissions`, {body, query})).status).toBe(200)
}

function move(id: string, query: Record<string, string>, token?: string): Promise<Answer> {
  return service.json('PATCH', `files/${id}`, {query: {supportsAllDrives: 'true', ...query}, token})
}

const post = (path: string, token?: string) => service.json('POST', path, {token})
const remove = (path: string, token?: string) => service.json('DELETE', path, {token})
const reason = ({body}: Answer) => body.error?.errors[0].reason as string

async function changesSince(pageToken: string, token?: string) {
  const {body} = await service.json('GET', 'changes', {query: {pageToken}, token})
  return body.items as {fileId: string; deleted: boolean}[]
}

const startToken = async (token?: string) =>
  (await service.json('GET', 'changes/startPageToken', {token})).body.startPageToken as string

describe('moves', () => {
  test('by addParents and removeParents', async () => {
    const [a, b] = [await folder('a'), await folder('b')]
    const file = await item('f', a)
    const {status, body} = await move(file, {addParents: b, removeParents: a})
    expect([status, body.parents[0].id]).toEqual([200, b])
    expect((await move(file, {addParents: 'root', removeParents: b})).body.parents[0].isRoot).toBe(
      true,
    )
    expect((await move(file, {addParents: a, removeParents: 'root'})).body.parents[0].id).toBe(a)
    expect((await move(file, {removeParents: a})).body.parents[0].isRoot).toBe(true)
  })

  test.each([
    ['a second parent', {addParents: 'B'}, 403, 'cannotAddParent'],
    ['two parents at once', {addParents: 'B,C', removeParents: 'A'}, 403, 'cannotAddParent'],
    ['the parent it has', {addParents: 'A'}, 400, 'badRequest'],
    ['out of another folder', {removeParents: 'B'}, 400, 'invalid'],
    ['to nowhere', {addParents: 'nowhere', removeParents: 'A'}, 404, 'notFound'],
    ['into a file', {addParents: 'F', removeParents: 'A'}, 403, 'parentNotAFolder'],
  ])('refused: %s', async (_name, wish, status, expected) => {
    const ids: Record<string, string> = {
      A: await folder('a'),
      B: await folder('b'),
      C: await folder('c'),
      F: await item('f'),
    }
    const file = await item('f', ids.A)
    const query = Object.fromEntries(
      Object.entries(wish).map(([name, text]) => [
        name,
        text.replace(/\b[ABCF]\b/g, id => ids[id]!),
      ]),
    )
    const answer = await move(file, query)
    expect([answer.status, reason(answer)]).toEqual([status, expected])
    expect(await parentOf(file)).toBe(ids.A)
  })

  describe('by the parents of the body', () => {
    const update = (id: string, parents: unknown, more: object = {}, method = 'PATCH') =>
      service.json(method, `files/${id}`, {
        body: {parents, ...more},
        query: {supportsAllDrives: 'true'},
      })

    test.each(['PUT', 'PATCH'])('%s: another parent is a move', async method => {
      const [a, b] = [await folder('a'), await folder('b')]
      const file = await item('f', a)
      const moved = await update(file, [{id: b}], {title: 'g'}, method)
      expect([moved.status, moved.body.parents[0].id, moved.body.title]).toEqual([200, b, 'g'])
      // As plain text, like clients of other API versions.
      expect((await update(file, [a], {}, method)).body.parents[0].id).toBe(a)
      expect((await update(file, ['root'], {}, method)).body.parents[0].isRoot).toBe(true)
    })

    test('with content, too', async () => {
      const a = await folder('a')
      const file = await item('f')
      const start = await service.send('PUT', `/upload/drive/v2/files/${file}`, {
        query: {uploadType: 'resumable'},
        body: {parents: [{id: a}]},
      })
      await service.json('PUT', start.headers.get('location')!, {body: 'x'})
      expect(await parentOf(file)).toBe(a)
    })

    test('a record that is sent back moves nothing, and records no move', async () => {
      const a = await folder('a')
      const file = await item('f', a)
      for (const parents of [[{id: a}], [a], [], null]) {
        const {status, body} = await update(file, parents, {title: JSON.stringify(parents)})
        expect([status, body.parents[0].id]).toEqual([200, a])
      }
      const whole = await record(file)
      const back = await service.json('PUT', `files/${file}`, {body: whole})
      expect([back.status, back.body.parents]).toEqual([200, whole.parents])
      const root = await record('root')
      expect((await service.json('PUT', 'files/root', {body: root})).status).toBe(200)
    })

    test('addParents and removeParents take precedence over it', async () => {
      const [a, b] = [await folder('a'), await folder('b')]
      const file = await item('f', a)
      const send = (query: Record<string, string>) =>
        service.json('PATCH', `files/${file}`, {query, body: {parents: [{id: b}]}})
      expect((await send({removeParents: a})).body.parents[0].isRoot).toBe(true)
      const added = await send({addParents: a, removeParents: 'root'})
      expect(added.body.parents[0].id).toBe(a)
    })

    test('it is reported as a move', async () => {
      const [a, b] = [await folder('a'), await folder('b')]
      const file = await item('f', a)
      const token = await startToken()
      await update(file, [{id: b}])
      expect((await changesSince(token)).map(({fileId}) => fileId)).toEqual([file])
      const list = await service.json('GET', `files/${b}/children`)
      expect(list.body.items.map(({id}: {id: string}) => id)).toEqual([file])
    })

    test.each([
      ['two parents', ['A', 'B'], 403, 'cannotAddParent'],
      ['to nowhere', ['nowhere'], 404, 'notFound'],
      ['into a file', ['F'], 403, 'parentNotAFolder'],
      ['a parent without an ID', [{}], 400, 'required'],
      ['a parent that is none', [7], 400, 'invalid'],
    ])('refused: %s', async (_, wish, status, expected) => {
      const ids: Record<string, string> = {
        A: await folder('a'),
        B: await folder('b'),
        F: await item('f'),
      }
      const file = await item('f', ids.A)
      const parents = wish.map(each => (typeof each === 'string' ? (ids[each] ?? each) : each))
      const answer = await update(file, parents, {title: 'other'})
      expect([answer.status, reason(answer)]).toEqual([status, expected])
      expect(await record(file)).toMatchObject({title: 'f', parents: [{id: ids.A}]})
    })

    test('a new file accepts its parent as text', async () => {
      const a = await folder('a')
      const {body} = await service.json('POST', 'files', {body: {title: 'f', parents: [a]}})
      expect(body.parents[0].id).toBe(a)
      const copy = await service.json('POST', `files/${body.id}/copy`, {body: {parents: ['root']}})
      expect(copy.body.parents[0].isRoot).toBe(true)
    })
  })

  test('never into itself or a subfolder', async () => {
    const top = await folder('top')
    const below = await folder('below', await folder('middle', top))
    for (const target of [top, below]) {
      const answer = await move(top, {addParents: target, removeParents: 'root'})
      expect([answer.status, reason(answer)]).toEqual([400, 'badRequest'])
    }
  })

  test('no deeper than the limit', async () => {
    let deepest = 'root'
    for (let level = 1; level < DEPTH_LIMIT; level++) deepest = await folder(`l${level}`, deepest)
    await item('fits', deepest)
    const pair = await folder('pair')
    await item('inside', pair)
    const answer = await move(pair, {addParents: deepest, removeParents: 'root'})
    expect([answer.status, reason(answer)]).toEqual([403, 'myDriveHierarchyDepthLimitExceeded'])
  })

  test('the root cannot be moved or changed', async () => {
    const a = await folder('a')
    const refused = [
      await move('root', {addParents: a}),
      await service.json('POST', `files/root/parents`, {body: {id: a}}),
      await service.json('PATCH', 'files/root', {body: {title: 'Mine'}}),
      await post('files/root/trash'),
      await remove('files/root'),
    ]
    expect(refused.map(({status}) => status)).toEqual([403, 403, 403, 403, 403])
    expect((await record('root')).title).toBe('My Drive')
  })

  test('an item of another user requires access to both folders', async () => {
    const [a, b] = [await folder('a'), await folder('b')]
    const file = await item('f', a)
    await share(file, 'mover', 'writer')
    const token = service.token('mover')
    const mine = await folder('mine', 'root', token)
    expect(await parentOf(file, token)).toBeUndefined()
    // The folder is hidden, and knowing its name gives no access.
    const answer = await move(file, {addParents: mine, removeParents: a}, token)
    expect([answer.status, reason(answer)]).toEqual([403, 'insufficientParentPermissions'])
    await share(a, 'mover', 'writer')
    expect((await move(file, {addParents: b, removeParents: a}, token)).status).toBe(404)
    await share(b, 'mover', 'reader')
    expect((await move(file, {addParents: b, removeParents: a}, token)).status).toBe(403)
    expect((await move(file, {addParents: mine, removeParents: a}, token)).status).toBe(200)
    expect((await record(file)).ownedByMe).toBe(true)
    // Moved out of the folder, it returns to its owner's root.
    expect((await remove(`files/${mine}/children/${file}`, token)).status).toBe(204)
    expect((await record(file)).parents[0].isRoot).toBe(true)
  })

  test('appear as changes for users who could see the item before', async () => {
    const a = await folder('a')
    await share(a, 'watcher', 'reader')
    const token = service.token('watcher')
    const file = await item('f', await folder('inner', a))
    const inner = (await parentOf(file)) as string
    const start = await startToken(token)
    await move(inner, {addParents: 'root', removeParents: a})
    const changes = await changesSince(start, token)
    expect(
      changes
        .filter(change => change.deleted)
        .map(change => change.fileId)
        .sort(),
    ).toEqual([inner, file].sort())
    expect((await service.json('GET', `files/${file}`, {token})).status).toBe(404)
  })
})

describe('parents and children', () => {
  test('are two views of one link', async () => {
    const [a, b] = [await folder('a'), await folder('b')]
    const file = await item('f', a)
    const child = await service.json('GET', `files/${a}/children/${file}`)
    expect(child.body).toMatchObject({
      kind: 'drive#childReference',
      id: file,
      childLink: expect.stringContaining(`/drive/v2/files/${file}`) as unknown,
    })
    const parent = await service.json('GET', `files/${file}/parents/${a}`)
    expect(parent.body).toMatchObject({kind: 'drive#parentReference', id: a, isRoot: false})

    const inserted = await service.json('POST', `files/${b}/children`, {body: {id: file}})
    expect(inserted.body).toMatchObject({kind: 'drive#childReference', id: file})
    expect((await service.json('GET', `files/${a}/children/${file}`)).status).toBe(404)
    expect((await service.json('GET', `files/${file}/parents/${a}`)).status).toBe(404)

    const back = await service.json('POST', `files/${file}/parents`, {body: {id: 'root'}})
    expect(back.body).toMatchObject({kind: 'drive#parentReference', isRoot: true})
    const list = await service.json('GET', `files/${file}/parents`)
    expect(list.body).toMatchObject({kind: 'drive#parentList', items: [{isRoot: true}]})
    expect((await service.json('GET', `files/${file}/parents/root`)).status).toBe(200)
    expect((await service.json('GET', 'files/root/parents')).body.items).toEqual([])
  })

  test('removing a link does not delete the item', async () => {
    const a = await folder('a')
    const [one, two] = [await item('1', a), await item('2', a)]
    expect((await remove(`files/${a}/children/${one}`)).status).toBe(204)
    expect((await remove(`files/${two}/parents/${a}`)).status).toBe(204)
    for (const id of [one, two]) expect((await record(id)).parents[0].isRoot).toBe(true)
    expect((await remove(`files/${a}/children/${one}`)).status).toBe(404)
    expect((await remove(`files/${two}/parents/${a}`)).status).toBe(404)
  })

  test.each([
    ['no ID', {}, 400],
    ['an unknown one', {id: 'nowhere'}, 404],
  ])('reject %s', async (_name, body, status) => {
    const file = await item('f')
    expect((await service.json('POST', `files/${file}/parents`, {body})).status).toBe(status)
    expect((await service.json('POST', 'files/root/children', {body})).status).toBe(status)
  })

  test('inserting an item into its current folder is an error', async () => {
    const a = await folder('a')
    const file = await item('f', a)
    expect((await service.json('POST', `files/${file}/parents`, {body: {id: a}})).status).toBe(400)
  })
})

describe('trash', () => {
  test('includes the contents, except items trashed separately', async () => {
    const top = await folder('top')
    const inner = await folder('inner', top)
    const [file, own] = [await item('file', inner), await item('own', inner)]
    expect((await post(`files/${own}/trash`)).body).toMatchObject({
      explicitlyTrashed: true,
      labels: {trashed: true},
    })
    await post(`files/${top}/trash`)
    expect(await trashState(top, inner, file, own)).toEqual([
      'explicit',
      'implicit',
      'implicit',
      'explicit',
    ])
    const {body} = await service.json('GET', 'files', {
      query: {q: `'${inner}' in parents and trashed = false`},
    })
    expect(body.items).toEqual([])
    await post(`files/${file}/untrash`)
    expect(await trashState(file)).toEqual(['implicit'])
    await post(`files/${top}/untrash`)
    expect(await trashState(top, inner, file, own)).toEqual(['no', 'no', 'no', 'explicit'])
  })

  test('follows moves into a trashed folder and out of it', async () => {
    const [bin, a] = [await folder('bin'), await folder('a')]
    const file = await item('file', a)
    await post(`files/${bin}/trash`)
    await move(a, {addParents: bin, removeParents: 'root'})
    expect(await trashState(a, file)).toEqual(['implicit', 'implicit'])
    expect(await trashState(await item('new', a))).toEqual(['implicit'])
    const start = await startToken()
    await move(a, {addParents: 'root', removeParents: bin})
    expect(await trashState(a, file)).toEqual(['no', 'no'])
    expect((await changesSince(start)).map(change => change.fileId)).toContain(file)
  })

  test('by labels.trashed as well, which a record sent back does not change', async () => {
    const top = await folder('top')
    const file = await item('file', top)
    const patch = (id: string, trashed: boolean) =>
      service.json('PATCH', `files/${id}`, {body: {labels: {trashed}}})
    await patch(top, true)
    expect(await trashState(top, file)).toEqual(['explicit', 'implicit'])
    await service.json('PUT', `files/${file}`, {body: await record(file)})
    await patch(top, false)
    expect(await trashState(top, file)).toEqual(['no', 'no'])
    const made = {title: 'x', labels: {trashed: true}}
    expect((await service.json('POST', 'files', {body: made})).body.explicitlyTrashed).toBe(true)
  })

  test('is idempotent, and one change per item', async () => {
    const top = await folder('top')
    const file = await item('file', top)
    const start = await startToken()
    await post(`files/${top}/trash`)
    const {version} = await record(top)
    await post(`files/${top}/trash`)
    expect((await record(top)).version).toBe(version)
    expect((await changesSince(start)).map(change => change.fileId).sort()).toEqual(
      [top, file].sort(),
    )
  })

  test('is only for the owner', async () => {
    const file = await item('f')
    await share(file, 'writer', 'writer')
    const token = service.token('writer')
    const refused = [
      await post(`files/${file}/trash`, token),
      await post(`files/${file}/untrash`, token),
      await remove(`files/${file}`, token),
    ]
    expect(refused.map(answer => [answer.status, reason(answer)])).toEqual(
      Array(3).fill([403, 'insufficientFilePermissions']),
    )
  })

  test("emptying it deletes its items permanently, and nobody else's", async () => {
    const top = await folder('top')
    const [inside, loose, kept] = [
      await item('inside', top),
      await item('loose'),
      await item('kept'),
    ]
    await post(`files/${top}/trash`)
    await post(`files/${loose}/trash`)
    const token = service.token('neighbour')
    const theirs = await item('theirs', 'root', 'text/plain', token)
    await post(`files/${theirs}/trash`, token)
    expect((await remove('files/trash')).status).toBe(204)
    const states = await Promise.all(
      [top, inside, loose, kept].map(async id => (await service.send('GET', `files/${id}`)).status),
    )
    expect(states).toEqual([404, 404, 404, 200])
    expect((await record(theirs, token)).explicitlyTrashed).toBe(true)
  })
})

describe('files.delete', () => {
  test('deletes contents of the same owner, and keeps items of others', async () => {
    const top = await folder('top')
    await share(top, 'guest', 'writer')
    const token = service.token('guest')
    const theirs = await folder('theirs', top, token)
    const [mine, below] = [await item('mine', theirs), await item('below', theirs, 'a/b', token)]
    const start = await startToken()
    const guestStart = await startToken(token)
    expect((await remove(`files/${top}`)).status).toBe(204)
    for (const id of [top, mine]) {
      expect((await service.json('GET', `files/${id}`)).status).toBe(404)
    }
    expect((await record(theirs, token)).parents[0].isRoot).toBe(true)
    expect(await parentOf(below, token)).toBe(theirs)
    const gone = (await changesSince(start)).filter(change => change.deleted)
    expect(gone.map(change => change.fileId).sort()).toEqual([top, theirs, mine, below].sort())
    const guestGone = (await changesSince(guestStart, token)).filter(change => change.deleted)
    expect(guestGone.map(change => change.fileId).sort()).toEqual([top, mine].sort())
  })

  test('works on items in the trash', async () => {
    const file = await item('f')
    await post(`files/${file}/trash`)
    expect((await remove(`files/${file}`)).status).toBe(204)
    expect((await remove(`files/${file}`)).status).toBe(404)
  })
})

describe('shared drives', () => {
  async function newDrive(name: string): Promise<string> {
    const query = {requestId: name}
    const {status, body} = await service.json('POST', 'drives', {query, body: {name}})
    expect(status).toBe(200)
    return body.id as string
  }

  test('their items have no owner, and require supportsAllDrives', async () => {
    const drive = await newDrive('d1')
    const file = await item('f', drive)
    expect((await service.json('GET', `files/${file}`)).status).toBe(404)
    const body = await record(file)
    expect(body).toMatchObject({driveId: drive, userPermission: {role: 'organizer'}})
    for (const field of ['owners', 'ownedByMe', 'permissions', 'shared']) {
      expect(body).not.toHaveProperty(field)
    }
    const link = new URL(body.downloadUrl)
    expect((await service.send('GET', link.pathname + link.search)).status).toBe(200)
  })

  test('items can be moved in and out with their contents', async () => {
    const drive = await newDrive('d2')
    const top = await folder('top')
    const file = await item('f', top)
    expect((await move(top, {addParents: drive, removeParents: 'root'})).status).toBe(200)
    for (const id of [top, file]) {
      expect(await record(id)).toMatchObject({driveId: drive})
      expect(await record(id)).not.toHaveProperty('owners')
    }
    const out = await move(top, {removeParents: drive})
    expect(out.status).toBe(403)
    expect((await move(top, {addParents: 'root', removeParents: drive})).status).toBe(200)
    expect(await record(file)).toMatchObject({ownedByMe: true})
    expect(await record(file)).not.toHaveProperty('driveId')
  })

  test('items of others cannot be moved in', async () => {
    const drive = await newDrive('d3')
    const top = await folder('top')
    await share(top, 'owner3', 'writer')
    await item('theirs', top, 'text/plain', service.token('owner3'))
    expect((await move(top, {addParents: drive, removeParents: 'root'})).status).toBe(403)
    expect((await record(top)).ownedByMe).toBe(true)
  })

  test('are visible to their members, and not to users of a single item', async () => {
    const drive = await newDrive('d5')
    const file = await item('f', drive)
    await share(file, 'guest', 'reader')
    const query = {supportsAllDrives: 'true'}
    const canReadDrive = async (token?: string) =>
      (await service.json('GET', `files/${file}`, {query, token})).body.capabilities.canReadDrive
    expect(await canReadDrive()).toBe(true)
    expect(await canReadDrive(service.token('guest'))).toBe(false)
  })

  test('have their own trash', async () => {
    const drive = await newDrive('d4')
    const file = await item('f', drive)
    const query = {supportsAllDrives: 'true'}
    const trashed = await service.json('POST', `files/${file}/trash`, {query})
    expect(trashed.body).toMatchObject({trashingUser: {isAuthenticatedUser: true}})
    expect(trashed.body.trashedDate).toBe(new Date(service.clock.now).toISOString())
    await share(drive, 'member', 'fileOrganizer')
    await remove('files/trash')
    expect((await record(file)).id).toBe(file)
    const emptying = (token?: string, driveId = drive) =>
      service.json('DELETE', 'files/trash', {query: {driveId}, token})
    expect((await emptying(service.token('member'))).status).toBe(403)
    expect((await emptying(undefined, 'nowhere')).status).toBe(404)
    expect((await emptying()).status).toBe(204)
    expect((await record(file)).error.code).toBe(404)
  })
})

test('inherited access can be disabled and enabled again', async () => {
  const top = await folder('top')
  await share(top, 'inheritor', 'reader')
  const token = service.token('inheritor')
  const file = await item('f', top)
  const set = (inheritedPermissionsDisabled: boolean, by?: string) =>
    service.json('PATCH', `files/${file}`, {body: {inheritedPermissionsDisabled}, token: by})
  expect((await set(true, token)).status).toBe(403)
  expect((await set(true)).body).toMatchObject({
    inheritedPermissionsDisabled: true,
    capabilities: {canDisableInheritedPermissions: false, canEnableInheritedPermissions: true},
  })
  expect((await service.json('GET', `files/${file}`, {token})).status).toBe(404)
  await set(false)
  expect((await service.json('GET', `files/${file}`, {token})).status).toBe(200)
})
