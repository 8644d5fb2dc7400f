import {afterEach, beforeEach, describe, expect, test} from 'vitest'
import {FOLDER_TYPE} from '#lib/api/wire.js'
import {createOrganization} from '#lib/service/oauth/store/organizations.js'
import {startTestService, type TestService} from './harness.js'

/** Items that leave the list of changes that a user follows, in every possible way. */

type Query = Record<string, string>
interface Change {
  readonly id: string
  readonly fileId: string
  readonly deleted: boolean
  readonly driveId?: string
  readonly file?: {readonly title: string; readonly labels: {readonly trashed: boolean}}
}

const DRIVES = {supportsAllDrives: 'true'}
/** Three views of a user's list of changes, narrowest first. */
const OWN = {includeSubscribed: 'false'}
const MY_DRIVES = {}
const EVERYTHING = {...DRIVES, includeItemsFromAllDrives: 'true'}

let service: TestService
let ann: string
let bob: string

beforeEach(async () => {
  service = await startTestService()
  ann = service.token('ann')
  bob = service.token('bob')
})
afterEach(() => service.close())

async function send(method: string, path: string, body?: unknown, query: Query = {}, token = ann) {
  const answer = await service.json(method, path, {token, body, query: {...DRIVES, ...query}})
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
  return answer.body
}

async function item(title: string, parent = 'root', mimeType = 'text/plain', token = ann) {
  return (await send('POST', 'files', {title, mimeType, parents: [{id: parent}]}, {}, token))
    .id as string
}

const folder = (title: string, parent?: string, token?: string) =>
  item(title, parent, FOLDER_TYPE, token)

async function newDrive(token = ann): Promise<string> {
  return (await send('POST', 'drives', {name: 'Plans'}, {requestId: 'one'}, token)).id
}

async function share(id: string, role: string, token = ann, login = 'bob'): Promise<string> {
  const body = {type: 'user', role, value: `${login}@example.com`}
  return (await send('POST', `files/${id}/permissions`, body, {}, token)).id
}

const move = (id: string, from: string, to: string, token?: string) =>
  send('PATCH', `files/${id}`, {}, {addParents: to, removeParents: from}, token)

async function startToken(query: Query = {}): Promise<string> {
  return (await service.json('GET', 'changes/startPageToken', {token: ann, query})).body
    .startPageToken
}

async function changes(pageToken: string, query: Query, token = ann): Promise<Change[]> {
  const answer = await service.json('GET', 'changes', {token, query: {...query, pageToken}})
  expect(answer.status).toBe(200)
  return answer.body.items
}

/** The changes of these items that a follower reads, in order: `gone` or `here`. */
async function told(since: string, query: Query, token = ann, ids?: string[]): Promise<string[]> {
  const found = (await changes(since, query, token)).filter(
    ({fileId}) => fileId !== undefined && (ids?.includes(fileId) ?? true),
  )
  return found.map(({deleted}) => (deleted ? 'gone' : 'here'))
}

/** Moves a file that bob can access through a folder to a shared drive. */
async function moveShared(drive: string) {
  const shared = await folder('shared')
  await share(shared, 'reader')
  const file = await item('f', shared)
  const start = await startToken()
  await move(file, shared, drive)
  return {file, start}
}

describe('from My Drive into a shared drive', () => {
  const ways: [string, (file: string, drive: string) => Promise<unknown>][] = [
    [
      'files.update',
      (file, drive) => send('PUT', `files/${file}`, {}, {addParents: drive, removeParents: 'root'}),
    ],
    ['files.patch', (file, drive) => move(file, 'root', drive)],
    ['parents.insert', (file, drive) => send('POST', `files/${file}/parents`, {id: drive})],
    ['children.insert', (file, drive) => send('POST', `files/${drive}/children`, {id: file})],
  ]

  test.each(ways)('%s is a removal for followers of My Drive', async (_name, put) => {
    const drive = await newDrive()
    const file = await item('f')
    const start = await startToken()
    await put(file, drive)
    for (const view of [OWN, MY_DRIVES]) {
      const [gone, ...more] = await changes(start, view)
      expect(gone).toMatchObject({fileId: file, deleted: true})
      expect([gone!.file, gone!.driveId, more]).toEqual([undefined, undefined, []])
      const [reached] = await changes(start, {...view, includeCorpusRemovals: 'true'})
      expect(reached).toMatchObject({deleted: true, file: {title: 'f', driveId: drive}})
      expect(await changes(start, {...view, includeDeleted: 'false'})).toEqual([])
    }
    expect(await changes(start, EVERYTHING)).toMatchObject([
      {fileId: file, deleted: false, driveId: drive, file: {title: 'f'}},
    ])
    expect(await told(start, {...EVERYTHING, driveId: drive})).toEqual(['here'])
  })

  test('and for everything in a folder', async () => {
    const drive = await newDrive()
    const top = await folder('top')
    const inner = await folder('inner', top)
    const file = await item('f', inner)
    const start = await startToken()
    await move(top, 'root', drive)
    const gone = (await changes(start, MY_DRIVES)).filter(({deleted}) => deleted)
    expect(gone.map(({fileId}) => fileId).sort()).toEqual([top, inner, file].sort())
    expect(await told(start, OWN)).toEqual(['gone', 'gone', 'gone'])
    expect(await told(start, EVERYTHING)).toEqual(['here', 'here', 'here'])
  })

  test('the removal is not changed by later changes of the item', async () => {
    const drive = await newDrive()
    const file = await item('f')
    const start = await startToken()
    await move(file, 'root', drive)
    const [gone] = await changes(start, MY_DRIVES)
    const after = await startToken()
    await send('PATCH', `files/${file}`, {title: 'g'})
    await send('POST', `files/${file}/trash`)
    expect(await changes(start, MY_DRIVES)).toEqual([gone])
    expect(await changes(after, MY_DRIVES)).toEqual([])
    expect(await told(after, EVERYTHING)).toEqual(['here'])
    await send('DELETE', `files/${file}`)
    expect(await changes(start, MY_DRIVES)).toEqual([gone])
    expect(await told(start, EVERYTHING)).toEqual(['gone'])
    expect((await send('GET', `changes/${gone!.id}`)).fileId).toBe(file)
  })

  test('an item that returns is listed again, once, and removed from the shared drive', async () => {
    const drive = await newDrive()
    const file = await item('f')
    const start = await startToken()
    await move(file, 'root', drive)
    await move(file, drive, 'root')
    for (const view of [OWN, MY_DRIVES, EVERYTHING]) {
      expect(await changes(start, view)).toMatchObject([{fileId: file, deleted: false}])
    }
    expect(await changes(start, {...EVERYTHING, driveId: drive})).toMatchObject([
      {fileId: file, deleted: true, driveId: drive},
    ])
  })

  test('a user who is not a member of it loses the item, in every view', async () => {
    const drive = await newDrive()
    const {file, start} = await moveShared(drive)
    for (const view of [MY_DRIVES, EVERYTHING, {...MY_DRIVES, includeCorpusRemovals: 'true'}]) {
      const [gone, ...more] = await changes(start, view, bob)
      expect([gone!.fileId, gone!.deleted, gone!.file, more]).toEqual([file, true, undefined, []])
    }
    // It was never in bob's My Drive.
    expect(await changes(start, OWN, bob)).toEqual([])
  })

  test('a member who had shared access follows it there', async () => {
    const drive = await newDrive()
    await share(drive, 'reader')
    const {file, start} = await moveShared(drive)
    expect(await told(start, MY_DRIVES, bob, [file])).toEqual(['gone'])
    expect(await told(start, EVERYTHING, bob, [file])).toEqual(['here'])
  })
})

describe('out of a shared drive', () => {
  test('its members lose items that move to My Drive; followers of My Drive never had them', async () => {
    const drive = await newDrive()
    await share(drive, 'reader')
    const file = await item('f', drive)
    const start = await startToken()
    await move(file, drive, 'root')
    expect(await told(start, EVERYTHING, bob)).toEqual(['gone'])
    expect(await changes(start, MY_DRIVES, bob)).toEqual([])
    expect(await told(start, {...EVERYTHING, driveId: drive}, bob)).toEqual(['gone'])
  })

  test('an item that moves to another one leaves the list of the first', async () => {
    const [one, other] = [
      await newDrive(),
      (await send('POST', 'drives', {name: 'B'}, {requestId: 'two'})).id,
    ]
    const file = await item('f', one)
    const start = await startToken()
    await move(file, one, other)
    expect(await changes(start, EVERYTHING)).toMatchObject([{deleted: false, driveId: other}])
    expect(await changes(start, {...EVERYTHING, driveId: one})).toMatchObject([
      {deleted: true, driveId: one},
    ])
    expect(await told(start, {...EVERYTHING, driveId: other})).toEqual(['here'])
  })

  test('a drive that is deleted removes its trashed items', async () => {
    const drive = await newDrive()
    const file = await item('f', drive)
    await send('POST', `files/${file}/trash`)
    const start = await startToken()
    await send('DELETE', `drives/${drive}`)
    expect(await told(start, EVERYTHING, ann, [file])).toEqual(['gone'])
    expect(await changes(start, MY_DRIVES)).toEqual([])
  })

  test('an item that was shared, moved and shared again by membership is listed once', async () => {
    const drive = await newDrive()
    const {file, start} = await moveShared(drive)
    await share(drive, 'reader')
    await send('PATCH', `files/${file}`, {title: 'g'})
    expect(await told(start, EVERYTHING, bob, [file])).toEqual(['here'])
    expect(await told(start, MY_DRIVES, bob, [file])).toEqual(['gone'])
    expect(await told(start, OWN, bob, [file])).toEqual([])
  })
})

describe('from My Drive into a folder of another user', () => {
  const back: [string, (file: string, theirs: string) => Promise<unknown>][] = [
    ['files.patch', (file, theirs) => send('PATCH', `files/${file}`, {}, {removeParents: theirs})],
    ['parents.delete', (file, theirs) => send('DELETE', `files/${file}/parents/${theirs}`)],
    ['children.delete', (file, theirs) => send('DELETE', `files/${theirs}/children/${file}`)],
  ]

  test.each(back)('it leaves My Drive and, by %s, returns', async (_name, takeOut) => {
    const theirs = await folder('theirs', 'root', bob)
    await share(theirs, 'writer', bob, 'ann')
    const file = await item('f')
    const start = await startToken()
    await move(file, 'root', theirs)
    expect(await told(start, OWN)).toEqual(['gone'])
    expect(await told(start, MY_DRIVES)).toEqual(['here'])
    expect(await told(start, OWN, bob)).toEqual(['here'])
    const [reached] = await changes(start, {...OWN, includeCorpusRemovals: 'true'})
    expect(reached).toMatchObject({deleted: true, file: {title: 'f'}})

    await takeOut(file, theirs)
    for (const view of [OWN, MY_DRIVES]) expect(await told(start, view)).toEqual(['here'])
    for (const view of [OWN, MY_DRIVES]) expect(await told(start, view, bob)).toEqual(['gone'])
  })

  test('and from there into a shared drive, each view loses it at the right time', async () => {
    const theirs = await folder('theirs', 'root', bob)
    await share(theirs, 'writer', bob, 'ann')
    const drive = await newDrive()
    const file = await item('f')
    const start = await startToken()
    await move(file, 'root', theirs)
    const [first] = await changes(start, OWN)
    await move(file, theirs, drive)
    const [second] = await changes(start, MY_DRIVES)
    expect([first!.deleted, second!.deleted]).toEqual([true, true])
    expect(Number(second!.id)).toBeGreaterThan(Number(first!.id))
    expect(await changes(start, OWN)).toEqual([first])
    expect(await changes(start, MY_DRIVES)).toEqual([second])
    expect(await told(start, EVERYTHING)).toEqual(['here'])
    // Back to a folder that only ann cannot access: the first removal remains valid.
    await move(file, drive, 'root')
    await move(file, 'root', theirs)
    expect(await told(start, OWN)).toEqual(['gone'])
    expect(await told(start, MY_DRIVES)).toEqual(['here'])
  })

  test('a new owner who moves it to their own My Drive', async () => {
    const file = await item('f')
    const start = await startToken()
    const heir = {type: 'user', role: 'owner', value: 'bob@example.com'}
    await send('POST', `files/${file}/permissions`, heir, {moveToNewOwnersRoot: 'true'})
    expect(await told(start, OWN)).toEqual(['gone'])
    expect(await told(start, MY_DRIVES)).toEqual(['here'])
    expect(await told(start, OWN, bob)).toEqual(['here'])
  })

  test('items of others in a folder return to their owners when the folder is deleted', async () => {
    const shared = await folder('shared')
    await share(shared, 'writer')
    const file = await item('f', shared, 'text/plain', bob)
    const start = await startToken()
    await send('DELETE', `files/${shared}`)
    expect(await told(start, OWN, ann, [file])).toEqual(['gone'])
    expect(await told(start, OWN, bob, [file])).toEqual(['here'])
  })
})

describe('access that ends', () => {
  const ends: [string, (inner: string, shared: string, permission: string) => Promise<unknown>][] =
    [
      [
        'permissions.delete above it',
        (_inner, shared, permission) => send('DELETE', `files/${shared}/permissions/${permission}`),
      ],
      ['a move to where nobody else looks', (inner, shared) => move(inner, shared, 'root')],
      [
        'inheritedPermissionsDisabled',
        inner => send('PATCH', `files/${inner}`, {inheritedPermissionsDisabled: true}),
      ],
      ['deletion', inner => send('DELETE', `files/${inner}`)],
    ]

  test.each(ends)('by %s, for a folder and its contents', async (_name, end) => {
    const shared = await folder('shared')
    const permission = await share(shared, 'reader')
    const inner = await folder('inner', shared)
    const file = await item('f', inner)
    const start = await startToken()
    await end(inner, shared, permission)
    for (const view of [MY_DRIVES, EVERYTHING]) {
      expect(await told(start, view, bob, [inner, file])).toEqual(['gone', 'gone'])
    }
    expect(await changes(start, OWN, bob)).toEqual([])
  })

  test('a lower role and a trashed folder are changes, not removals', async () => {
    const shared = await folder('shared')
    const permission = await share(shared, 'writer')
    const file = await item('f', shared)
    const start = await startToken()
    await send('PATCH', `files/${shared}/permissions/${permission}`, {role: 'reader'})
    await send('POST', `files/${shared}/trash`)
    for (const token of [ann, bob]) {
      const found = await changes(start, MY_DRIVES, token)
      expect(found.map(({fileId, file}) => [fileId, file!.labels.trashed])).toEqual([
        [shared, true],
        [file, true],
      ])
    }
  })

  test('a copy does not change the list of its source', async () => {
    const drive = await newDrive()
    const file = await item('f')
    const start = await startToken()
    const copy = await send('POST', `files/${file}/copy`, {parents: [{id: drive}]})
    expect(await changes(start, MY_DRIVES)).toEqual([])
    expect(await changes(start, EVERYTHING)).toMatchObject([{fileId: copy.id, deleted: false}])
  })
})

test('a token without access to a shared drive sees the removal, but not the item', async () => {
  const drive = await newDrive()
  const file = await item('f')
  const start = await startToken()
  await move(file, 'root', drive)
  createOrganization(service.store, {name: 'Acme', sso: true, drives: [drive]}, service.clock.now)
  const query = {...MY_DRIVES, includeCorpusRemovals: 'true'}
  for (const [token, title] of [
    [ann, undefined],
    [service.token('ann', ['drive'], 'sync'), 'f'],
  ] as const) {
    const [gone] = await changes(start, query, token)
    expect([gone!.fileId, gone!.deleted, gone!.file?.title]).toEqual([file, true, title])
  }
})
