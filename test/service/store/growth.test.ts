import {afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi} from 'vitest'
import type {OperationId} from '#lib/api/operations.js'
import {FOLDER_TYPE} from '#lib/api/wire.js'
import {handlers} from '#lib/service/handlers/index.js'
import type {Parameters} from '#lib/service/store/database/database.js'
import {SLICE} from '#lib/service/store/database/slices.js'
import {insertFileRow} from '#lib/service/store/files/files.js'
import {indexFile} from '#lib/service/store/files/fulltext.js'
import {ensureUser, userByLogin} from '#lib/service/store/users.js'
import {type Bench, grant, openBench} from '../calls.js'
import {startTestService, type TestService} from '../harness.js'

/** The cost of a write depends on what it changes, not on the size of the database. */

describe('no write scans all rows', () => {
  let bench: Bench
  beforeEach(() => {
    bench = openBench()
    bench.store.write(() => {
      bench.folder({id: 'other'})
      bench.folder({id: 'folder'})
      for (let n = 0; n < 5; n++) bench.file({id: `file-${n}`, parent: 'folder'})
      grant(bench, 'folder', {anyone: 'find'})
    })
    const trashed = bench.folder({id: 'trashed'})
    bench.file({id: 'trashed-file', parent: trashed})
    bench.call(handlers['files.trash'], 'files.trash', {fileId: trashed})
  })
  afterEach(() => bench.close())

  /** The steps of a call's statements that scan a table. */
  function scans(id: OperationId, params: Record<string, string>, body: object): string[] {
    const statements = new Map<string, Parameters>()
    const spies = (['all', 'get', 'run'] as const).map(name => {
      const ask = bench.store[name] as (sql: string, parameters?: Parameters) => unknown
      return vi.spyOn(bench.store, name).mockImplementation((sql, parameters) => {
        statements.set(sql, parameters ?? {})
        return ask(sql, parameters) as never
      })
    })
    bench.call(handlers[id], id, params, {body: {...body}})
    for (const spy of spies) spy.mockRestore()
    return [...statements].flatMap(([sql, parameters]) =>
      bench.store
        .all<{detail: string}>(`EXPLAIN QUERY PLAN ${sql}`, parameters)
        .map(({detail}) => detail)
        .filter(detail =>
          /^SCAN (?!(below|up|top|reached|b|CONSTANT|\(|.* VIRTUAL )( |$)|.* VIRTUAL )/.test(
            detail,
          ),
        )
        .map(detail => `${detail}: ${sql}`),
    )
  }

  test.each<[OperationId, Record<string, string>, object]>([
    ['files.insert', {}, {title: 'new', parents: [{id: 'folder'}]}],
    ['files.copy', {fileId: 'file-1'}, {}],
    ['files.patch', {fileId: 'file-1'}, {title: 'renamed', description: 'described'}],
    ['files.patch', {fileId: 'file-1', addParents: 'other', removeParents: 'folder'}, {}],
    ['files.patch', {fileId: 'file-2'}, {inheritedPermissionsDisabled: true}],
    ['files.touch', {fileId: 'file-1'}, {}],
    ['files.trash', {fileId: 'file-1'}, {}],
    ['permissions.insert', {fileId: 'other'}, {type: 'anyone', role: 'reader'}],
    ['permissions.delete', {fileId: 'folder', permissionId: 'anyone'}, {}],
    ['children.insert', {folderId: 'other'}, {id: 'file-3'}],
    ['parents.insert', {fileId: 'file-4'}, {id: 'other'}],
    ['files.trash', {fileId: 'folder'}, {}],
    ['files.untrash', {fileId: 'trashed'}, {}],
    ['files.patch', {fileId: 'folder', addParents: 'other', removeParents: 'root'}, {}],
    ['files.delete', {fileId: 'file-4'}, {}],
    ['files.delete', {fileId: 'folder'}, {}],
    ['files.emptyTrash', {}, {}],
  ])('%s %o', (id, params, body) => {
    expect(scans(id, params, body)).toEqual([])
  })
})

describe('the time per file does not grow with their number', () => {
  const [FEW, MANY] = [500, 4000]
  let service: TestService
  beforeAll(async () => void (service = await startTestService()))
  afterAll(() => service.close())

  /** Creates a folder with files, optionally in the trash. */
  function fill(folder: string, count: number, trashed: boolean): void {
    const {store} = service
    const {id: owner_id, root_id: root} = userByLogin(store, 'local')!
    const columns = {owner_id, created_at: 0, modified_at: 0}
    const inTrash = trashed ? {trashed: 1, explicitly_trashed: 1} : {}
    store.write(() => {
      const top = {id: folder, parent_id: root, title: folder, mime_type: FOLDER_TYPE}
      insertFileRow(store, {...columns, ...top})
      for (let n = 0; n < count; n++) {
        const [id, title] = [`${folder}-${(n * 7919) % count}`, `File ${n}`]
        const file = {id, title, parent_id: folder, mime_type: 'text/plain'}
        insertFileRow(store, {...columns, ...file, ...inTrash})
        indexFile(store, id, {content: `content of file number ${n}`})
      }
    })
  }

  /** CPU time per file in ms, while others write. */
  async function cost(count: number, method: string, path: string): Promise<number> {
    const before = process.cpuUsage()
    const answers = await Promise.all([
      service.json(method, path),
      service.json('POST', '/drive/v2/files'),
    ])
    const {user, system} = process.cpuUsage(before)
    expect(answers[0].status).toBeLessThan(300)
    return (user + system) / 1000 / count
  }

  test.each<[string, (folder: string) => [method: string, path: string], boolean]>([
    ['trash a folder', folder => ['POST', `/drive/v2/files/${folder}/trash`], false],
    ['delete a folder', folder => ['DELETE', `/drive/v2/files/${folder}`], false],
    ['empty the trash', () => ['DELETE', '/drive/v2/files/trash'], true],
  ])('%s', {timeout: 60_000}, async (name, request, trashed) => {
    const costs: number[] = []
    for (const count of [FEW, MANY]) {
      const folder = `${name.replaceAll(' ', '-')}-${count}`
      fill(folder, count, trashed)
      costs.push(await cost(count, ...request(folder)))
    }
    // Scanning all files or all pages would take 8 times as long per file.
    expect(costs[1]! / costs[0]!).toBeLessThan(3)
  })
})

describe('work in many slices', () => {
  let service: TestService
  beforeEach(async () => void (service = await startTestService()))
  afterEach(() => service.close())

  const FILES = '/drive/v2/files'
  const COUNT = 3 * SLICE

  function add(owner: string, id: string, parent: string | null, type = 'text/plain'): void {
    const {id: owner_id, root_id} = ensureUser(service.store, owner, 0)
    insertFileRow(service.store, {
      id,
      owner_id,
      parent_id: parent ?? root_id,
      title: id,
      mime_type: type,
      created_at: 0,
      modified_at: 0,
    })
  }

  function addFolder(owner: string, id: string, parent: string | null, count: number): void {
    service.store.write(() => {
      add(owner, id, parent, FOLDER_TYPE)
      for (let n = 0; n < count; n++) add(owner, `${id}-${n}`, id)
    })
  }

  const items = (where: string) =>
    service.store.get<{count: number}>(`SELECT count(*) AS count FROM files WHERE ${where}`)!.count
  const changes = (where: string) =>
    service.store.get<{count: number}>(`SELECT count(*) AS count FROM changes WHERE ${where}`)!
      .count

  test('includes everything below a folder, once, and skips items trashed separately', async () => {
    addFolder('local', 'top', null, COUNT)
    addFolder('local', 'inner', 'top', COUNT)
    await service.json('POST', `${FILES}/inner-7/trash`)
    await service.json('POST', `${FILES}/top/trash`)
    expect(items('trashed = 1')).toBe(2 * COUNT + 2)
    await service.json('POST', `${FILES}/top/untrash`)
    expect(items('trashed = 1')).toBe(1)
    const versions = service.store.all<{version: number; count: number}>(
      "SELECT version, count(*) AS count FROM files WHERE id LIKE 'top%' GROUP BY version",
    )
    expect(versions).toMatchObject([{version: 3, count: COUNT + 1}])
  })

  test('reports everything below a folder to users who gain or lose access', async () => {
    addFolder('local', 'top', null, COUNT)
    const {id: annaId} = ensureUser(service.store, 'anna', 0)
    const {body} = await service.json('POST', `${FILES}/top/permissions`, {
      query: {sendNotificationEmails: 'false'},
      body: {type: 'user', role: 'reader', value: 'anna@example.com'},
    })
    expect(changes(`audience = 'user:${annaId}' AND removed = 0`)).toBe(COUNT + 1)
    await service.json('DELETE', `${FILES}/top/permissions/${body.id}`)
    expect(changes(`audience = 'user:${annaId}' AND removed = 1`)).toBe(COUNT + 1)
  })

  test('empties the trash of folders, and moves items of others to their roots', async () => {
    for (const id of ['a', 'b', 'c']) addFolder('local', id, null, SLICE)
    addFolder('anna', 'theirs', 'b', COUNT)
    addFolder('local', 'within', 'a', 1)
    for (const id of ['within', 'a', 'b', 'c']) await service.json('POST', `${FILES}/${id}/trash`)
    const {status} = await service.json('DELETE', `${FILES}/trash`)
    expect(status).toBe(204)
    const {root_id: root} = ensureUser(service.store, 'anna', 0)
    expect(
      items("owner_id = (SELECT id FROM users WHERE login = 'local') AND parent_id IS NOT NULL"),
    ).toBe(0)
    expect(items(`id = 'theirs' AND parent_id = '${root}'`)).toBe(1)
    expect(items("id LIKE 'theirs%' AND trashed = 0")).toBe(COUNT + 1)
    expect(changes('removed = 1')).toBeGreaterThanOrEqual(3 * SLICE + 5)
  })

  test('moves a large folder into a shared drive and back completely', async () => {
    addFolder('local', 'top', null, COUNT)
    const drive = await service.json('POST', '/drive/v2/drives', {
      query: {requestId: 'r'},
      body: {name: 'Drive'},
    })
    const {id: driveId} = drive.body as {id: string}
    const {root_id: root} = ensureUser(service.store, 'local', 0)
    const move = (from: string, to: string) =>
      service.json('PATCH', `${FILES}/top`, {
        query: {addParents: to, removeParents: from, supportsAllDrives: 'true'},
        body: {},
      })
    expect((await move(root, driveId)).body.driveId).toBe(driveId)
    expect(items(`drive_id = '${driveId}' AND owner_id IS NULL AND id LIKE 'top%'`)).toBe(COUNT + 1)
    expect(changes(`audience = 'drive:${driveId}' AND item_id LIKE 'top-%'`)).toBe(COUNT)
    expect((await move(driveId, root)).status).toBe(200)
    expect(items("drive_id IS NULL AND owner_id IS NOT NULL AND id LIKE 'top%'")).toBe(COUNT + 1)
  })

  test('lets a request that creates the app folder finish meanwhile', async () => {
    addFolder('local', 'top', null, COUNT)
    const deleted = service.json('DELETE', `${FILES}/top`)
    const token = service.token('local', ['drive', 'drive.appdata'], 'app')
    const answers = await Promise.all(
      Array.from({length: 5}, () => service.json('GET', `${FILES}/appDataFolder`, {token})),
    )
    expect(answers.map(({status}) => status)).toEqual([200, 200, 200, 200, 200])
    expect(new Set(answers.map(({body}) => (body as {id: string}).id)).size).toBe(1)
    expect((await deleted).status).toBe(204)
  })

  test('keeps items restored while the trash is emptied', async () => {
    addFolder('local', 'top', null, COUNT)
    service.store.run(
      "UPDATE files SET trashed = 1, explicitly_trashed = 1 WHERE parent_id = 'top'",
    )
    const emptied = service.json('DELETE', `${FILES}/trash`)
    const wanted = Array.from({length: 20}, (_, n) => `top-${n * 7}`)
    const answers = await Promise.all(
      wanted.map(id => service.json('POST', `${FILES}/${id}/untrash`)),
    )
    expect((await emptied).status).toBe(204)
    const kept = answers.filter(({status}) => status === 200).length
    expect(answers.filter(({status}) => status === 404)).toHaveLength(wanted.length - kept)
    expect(items("parent_id = 'top'")).toBe(kept)
  })
})
