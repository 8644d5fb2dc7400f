import {spawn} from 'node:child_process'
import {readdirSync} from 'node:fs'
import {join} from 'node:path'
import {afterEach, beforeEach, describe, expect, test} from 'vitest'
import {FOLDER_TYPE} from '#lib/api/wire.js'
import {checkData} from '#lib/service/check.js'
import {SMALL} from '#lib/service/store/content/small.js'
import {accountDataOf, deleteUser} from '#lib/service/store/delete-user.js'
import {openStore} from '#lib/service/store/index.js'
import {createUser, userByLogin} from '#lib/service/store/users.js'
import {startTestService, type TestService} from '../harness.js'

/** Deletes an account with everything that depends on it. */

const DRIVES = {supportsAllDrives: 'true', includeItemsFromAllDrives: 'true'}

let service: TestService
let ada: string
let bob: string

beforeEach(async () => {
  service = await startTestService()
  ada = service.token('ada')
  bob = service.token('bob')
})
afterEach(() => service.close())

const send = (token: string, method: string, path: string, body?: unknown, query = {}) =>
  service.json(method, path, {token, body, query: {...query}})

async function newItem(token: string, body: object, query = {}): Promise<string> {
  const answer = await send(token, 'POST', 'files', body, {...DRIVES, ...query})
  expect(answer.status).toBe(200)
  return answer.body.id as string
}

async function upload(token: string, text: string, query = {}): Promise<string> {
  const answer = await send(token, 'POST', '/upload/drive/v2/files', text, query)
  expect(answer.status).toBe(200)
  return answer.body.id as string
}

const newFolder = (token: string, parent = 'root') =>
  newItem(token, {title: 'folder', mimeType: FOLDER_TYPE, parents: [{id: parent}]})

async function share(token: string, id: string, login: string, role: string): Promise<void> {
  const body = {type: 'user', role, value: `${login}@example.com`}
  const answer = await send(token, 'POST', `files/${id}/permissions`, body, DRIVES)
  expect(answer.status).toBe(200)
}

async function newDrive(token: string, name: string): Promise<string> {
  return (await send(token, 'POST', 'drives', {name}, {requestId: name})).body.id as string
}

/** Deletes a user like `drv local user delete`, in another process. */
function remove(login: string) {
  const store = openStore(service.directory)
  try {
    return deleteUser(store, userByLogin(store, login)!, service.clock.now)
  } finally {
    store.close()
  }
}

const statusOf = async (token: string, id: string) =>
  (await send(token, 'GET', `files/${id}`, undefined, DRIVES)).status

async function changesSince(token: string, start: string) {
  const query = {...DRIVES, pageToken: start, includeDeleted: 'true'}
  const {body} = await send(token, 'GET', 'changes', undefined, query)
  return (body.items as any[]).map(({fileId, driveId, deleted, file}) => ({
    id: fileId ?? driveId,
    deleted,
    ...(file && {parent: file.parents[0]?.id}),
  }))
}

async function startOf(token: string): Promise<string> {
  return (await send(token, 'GET', 'changes/startPageToken', undefined, DRIVES)).body
    .startPageToken as string
}

/** The number of rows in each table that refer to a user. */
function traces(id: number, permissionId: string) {
  const columns: Array<[string, string]> = service.store
    .all<{name: string}>("SELECT name FROM sqlite_schema WHERE type = 'table'")
    .flatMap(({name}) =>
      service.store
        .all<{name: string}>(`PRAGMA table_info(${name})`)
        .filter(column => /^(user|owner|creator|modifier|trasher|sharer)_id$/.test(column.name))
        .map((column): [string, string] => [name, column.name]),
    )
  expect(columns.length).toBeGreaterThan(12)
  const counted = columns.map(([table, column]): [string, string, number | string] => [
    `${table}.${column}`,
    `SELECT count(*) AS n FROM ${table} WHERE ${column} = :id`,
    id,
  ])
  const named: typeof counted = [
    ['permissions', 'SELECT count(*) AS n FROM permissions WHERE id = :id', permissionId],
    ['changes', 'SELECT count(*) AS n FROM changes WHERE audience = :id', `user:${id}`],
    ['attempts', 'SELECT count(*) AS n FROM attempts WHERE subject = :id', `user:${id}`],
  ]
  return Object.fromEntries(
    [...counted, ...named]
      .map(([name, sql, value]) => [name, service.store.get<{n: number}>(sql, {id: value})!.n])
      .filter(([, n]) => n !== 0),
  ) as Record<string, number>
}

test('deletes everything of the user, and nothing else', async () => {
  const large = 'x'.repeat(2 * SMALL)
  const own = await upload(ada, large)
  const trashed = await upload(ada, 'trashed')
  await send(ada, 'POST', `files/${trashed}/trash`)
  const kept = await upload(bob, large)
  await share(bob, kept, 'ada', 'writer')
  await send(ada, 'PATCH', `files/${kept}`, {title: 'by ada', labels: {starred: true}})
  await send(ada, 'PUT', `/upload/drive/v2/files/${kept}`, large)
  await send(ada, 'POST', 'files', {parents: [{id: 'appDataFolder'}]})
  await send(ada, 'GET', 'files/generateIds')
  await send(ada, 'POST', 'changes/watch', {
    id: 'c',
    type: 'web_hook',
    address: 'http://127.0.0.1:9/',
  })
  await service.send('POST', '/upload/drive/v2/files', {
    token: ada,
    query: {uploadType: 'resumable'},
  })
  const drive = await newDrive(bob, 'Plans')
  await share(bob, drive, 'ada', 'organizer')
  await send(ada, 'POST', `drives/${drive}/hide`)
  const shared = await newItem(ada, {title: 'plan', parents: [{id: drive}]})
  await share(ada, shared, 'cleo', 'reader')
  const {id, permission_id: permissionId} = userByLogin(service.store, 'ada')!
  service.store.run('INSERT INTO attempts (subject, at) VALUES (:subject, 0)', {
    subject: `user:${id}`,
  })
  expect(Object.keys(traces(id, permissionId)).length).toBeGreaterThan(10)
  expect(readdirSync(join(service.directory, 'content'))).toHaveLength(4)

  expect(remove('ada')).toEqual([])

  expect(traces(id, permissionId)).toEqual({})
  expect((await send(ada, 'GET', 'about')).status).toBe(401)
  expect(await statusOf(bob, kept)).toBe(200)
  expect(await statusOf(bob, shared)).toBe(200)
  const {body: file} = await send(bob, 'GET', `files/${kept}`)
  expect(file).not.toHaveProperty('lastModifyingUser')
  const revisions = await send(bob, 'GET', `files/${kept}/revisions`)
  expect(revisions.status).toBe(200)
  const got = await service.send('GET', `files/${kept}`, {token: bob, query: {alt: 'media'}})
  expect(await got.text()).toBe(large)
  // Both revisions of the remaining file.
  expect(readdirSync(join(service.directory, 'content'))).toHaveLength(2)
  expect(service.store.get('SELECT 1 FROM files WHERE id = :own', {own})).toBeUndefined()
  expect(service.store.all('PRAGMA foreign_key_check')).toEqual([])
  expect(service.store.all('PRAGMA integrity_check')).toEqual([{integrity_check: 'ok'}])
})

test('items of others in folders of the user move to their roots, and followers see all of it', async () => {
  const folder = await newFolder(ada)
  await share(ada, folder, 'bob', 'writer')
  const his = await newItem(bob, {title: 'his', parents: [{id: folder}]})
  const hers = await newItem(ada, {title: 'hers', parents: [{id: folder}]})
  const place = await newFolder(bob)
  await share(bob, place, 'ada', 'writer')
  const guest = await newItem(ada, {title: 'guest', parents: [{id: place}]})
  const start = await startOf(bob)

  expect(remove('ada')).toEqual([])

  const root = userByLogin(service.store, 'bob')!.root_id
  const changes = await changesSince(bob, start)
  expect(changes).toHaveLength(5)
  expect(changes).toEqual(
    expect.arrayContaining([
      {id: folder, deleted: true},
      {id: hers, deleted: true},
      {id: guest, deleted: true},
      {id: his, deleted: false, parent: root},
      // Its permissions have changed.
      {id: place, deleted: false, parent: root},
    ]),
  )
  const {body} = await send(bob, 'GET', `files/${place}/permissions`)
  expect(body.items).toHaveLength(1)
})

test('users who watch a file of the user get a message', async () => {
  const id = await upload(ada, 'watched')
  await share(ada, id, 'bob', 'reader')
  const watched = await send(bob, 'POST', `files/${id}/watch`, {
    id: 'c',
    type: 'web_hook',
    address: 'http://127.0.0.1:9/',
  })
  expect(watched.status).toBe(200)
  remove('ada')
  const states = service.store.all<{state: string}>('SELECT state FROM messages ORDER BY key')
  expect(states.map(({state}) => state)).toContain('remove')
})

describe('a shared drive', () => {
  test('with another organizer is kept, even if the user created it', async () => {
    const drive = await newDrive(ada, 'Plans')
    await share(ada, drive, 'bob', 'organizer')
    await share(ada, drive, 'cleo', 'reader')
    const item = await newItem(ada, {title: 'plan', parents: [{id: drive}]})
    const start = await startOf(bob)
    expect(accountDataOf(service.store, userByLogin(service.store, 'ada')!, 0)).toMatchObject({
      drives: [],
      orphans: [],
    })
    expect(remove('ada')).toEqual([])
    expect((await send(bob, 'GET', `drives/${drive}`)).body).toMatchObject({name: 'Plans'})
    expect(await statusOf(bob, item)).toBe(200)
    expect(
      (await send(bob, 'GET', `files/${drive}/permissions`, undefined, DRIVES)).body.items,
    ).toHaveLength(2)
    expect((await changesSince(bob, start)).map(({id}) => id)).toContain(drive)
    // Bob can use the same request ID.
    expect(await newDrive(bob, 'Plans')).not.toBe(drive)
  })

  test('without other members is deleted', async () => {
    const drive = await newDrive(ada, 'Hers')
    const item = await newItem(ada, {title: 'plan', parents: [{id: drive}]})
    await share(ada, item, 'bob', 'reader')
    const start = await startOf(bob)
    const user = userByLogin(service.store, 'ada')!
    expect(accountDataOf(service.store, user, service.clock.now)).toMatchObject({
      drives: [{id: drive, name: 'Hers'}],
      orphans: [],
    })
    expect(remove('ada')).toEqual([])
    expect(service.store.all('SELECT * FROM drives')).toEqual([])
    expect(service.store.all('SELECT * FROM files WHERE drive_id IS NOT NULL')).toEqual([])
    expect(await changesSince(bob, start)).toEqual([{id: item, deleted: true}])
  })

  test('that would have no organizer prevents the deletion', async () => {
    const drive = await newDrive(ada, 'Plans')
    await share(ada, drive, 'bob', 'fileOrganizer')
    const file = await upload(ada, 'text')
    const orphans = [{id: drive, name: 'Plans'}]
    expect(remove('ada')).toEqual(orphans)
    expect(await statusOf(ada, file)).toBe(200)
    expect(await statusOf(ada, drive)).toBe(200)
    await share(ada, drive, 'bob', 'organizer')
    expect(remove('ada')).toEqual([])
  })

  test('with an invited address without an account counts as shared', async () => {
    const drive = await newDrive(ada, 'Plans')
    await share(ada, drive, 'someone', 'reader')
    expect(remove('ada')).toEqual([{id: drive, name: 'Plans'}])
    await share(ada, drive, 'someone', 'organizer')
    expect(remove('ada')).toEqual([])
    expect(await statusOf(service.token('someone'), drive)).toBe(200)
  })

  test('is deleted with the last account', async () => {
    const drive = await newDrive(ada, 'Plans')
    await share(ada, drive, 'someone', 'organizer')
    remove('bob')
    remove('local')
    expect(remove('ada')).toEqual([])
    expect(service.store.all('SELECT * FROM drives')).toEqual([])
    expect(service.store.all('SELECT * FROM files')).toEqual([])
  })

  test('that the user created and left is kept for its members', async () => {
    const drive = await newDrive(ada, 'Plans')
    await share(ada, drive, 'bob', 'organizer')
    await send(
      bob,
      'DELETE',
      `files/${drive}/permissions/${userByLogin(service.store, 'ada')!.permission_id}`,
      undefined,
      DRIVES,
    )
    expect(remove('ada')).toEqual([])
    expect(await statusOf(bob, drive)).toBe(200)
  })
})

test('a new user with the same name and address starts with nothing', async () => {
  const file = await upload(bob, 'text')
  await share(bob, file, 'ada', 'writer')
  const before = userByLogin(service.store, 'ada')!
  remove('ada')
  const after = createUser(service.store, {login: 'ada'}, service.clock.now)
  expect(after.id).toBeGreaterThan(before.id)
  const token = service.token('ada')
  expect(await statusOf(token, file)).toBe(404)
  expect((await send(token, 'GET', 'files')).body.items).toEqual([])
})

test('the ID of a deleted user is never reused', () => {
  const last = createUser(service.store, {login: 'last'}, 0)
  remove('last')
  expect(createUser(service.store, {login: 'next'}, 0).id).toBe(last.id + 1)
})

test('a request that arrived earlier leaves nothing behind', async () => {
  let go!: () => void
  const rest = new Promise<void>(resolve => (go = resolve))
  const body = new ReadableStream({
    async start(controller) {
      controller.enqueue(Buffer.alloc(2 * SMALL))
      await rest
      controller.enqueue(Buffer.alloc(1))
      controller.close()
    },
  })
  const sent = service.json('POST', '/upload/drive/v2/files', {token: ada, body})
  await expect.poll(() => readdirSync(join(service.directory, 'content'))).toHaveLength(1)
  remove('ada')
  go()
  expect((await sent).status).toBe(401)
  expect(readdirSync(join(service.directory, 'content'))).toEqual([])
  expect(service.store.get('SELECT 1 FROM blobs')).toBeUndefined()
})

test('the preview', async () => {
  await upload(ada, 'five!')
  await newFolder(ada)
  const user = userByLogin(service.store, 'ada')!
  expect(accountDataOf(service.store, user, service.clock.now)).toEqual({
    items: 2,
    bytes: 5,
    drives: [],
    orphans: [],
  })
})

test('deleting a file does not scan all rows that could refer to it', () => {
  const {store} = service
  const references = store
    .all<{name: string}>("SELECT name FROM sqlite_schema WHERE type = 'table'")
    .flatMap(({name}) =>
      store
        .all<{table: string; from: string}>(`PRAGMA foreign_key_list(${name})`)
        .filter(({table}) => table === 'files' || table === 'blobs')
        .map(({from}) => `SELECT 1 FROM ${name} WHERE ${from} = ''`),
    )
  expect(references.length).toBeGreaterThan(8)
  for (const sql of references) {
    const [plan] = store.all<{detail: string}>(`EXPLAIN QUERY PLAN ${sql}`)
    expect(plan!.detail, sql).toMatch(/^SEARCH/)
  }
})

describe('a process that is killed', () => {
  const source = (path: string) =>
    JSON.stringify(new URL(`../../../src/lib/service/store/${path}`, import.meta.url).href)
  /** Deletes ada and is killed at the nth call of a function of the store or of its content store. */
  const DELETE = `
    import {deleteUser} from ${source('delete-user.ts')}
    import {openStore} from ${source('index.ts')}
    import {userByLogin} from ${source('users.ts')}
    const [, directory, name, at] = process.argv
    const store = openStore(directory)
    const owner = name in store ? store : store.content
    const original = owner[name]
    let calls = 0
    owner[name] = (...args) => {
      if (++calls === Number(at)) process.kill(process.pid, 'SIGKILL')
      return original(...args)
    }
    deleteUser(store, userByLogin(store, 'ada'), 0)
  `

  function killedAt(name: string, call: number): Promise<string | null> {
    const words = ['--import', 'tsx', '--input-type=module', '-e', DELETE]
    const child = spawn(process.execPath, [...words, service.directory, name, String(call)], {
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    return new Promise(resolve => child.once('exit', (_, signal) => resolve(signal)))
  }

  async function unsound(): Promise<string[]> {
    const found: string[] = []
    for await (const {what} of checkData(service.directory, {now: Date.now()})) found.push(what)
    return found
  }

  test('leaves the user completely, or not at all', {timeout: 60_000}, async () => {
    for (let count = 0; count < 60; count++) await upload(ada, 'small')
    await upload(ada, 'x'.repeat(2 * SMALL))
    const {id, permission_id: permissionId} = userByLogin(service.store, 'ada')!
    const before = traces(id, permissionId)
    for (const call of [5, 60]) {
      expect(await killedAt('run', call)).toBe('SIGKILL')
      expect(traces(id, permissionId)).toEqual(before)
      expect(await unsound()).toEqual([])
    }
    expect(await killedAt('remove', 1)).toBe('SIGKILL')
    expect(userByLogin(service.store, 'ada')).toBeUndefined()
    expect(traces(id, permissionId)).toEqual({})
    // Content files without a row are cleaned up at the next start.
    expect(await unsound()).toEqual([])
    expect(readdirSync(join(service.directory, 'content'))).not.toEqual([])
  })
})
