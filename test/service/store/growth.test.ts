import {afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi} from 'vitest'
import {FOLDER_TYPE} from '../../../src/lib/api/wire.js'
import type {OperationId} from '../../../src/lib/api/operations.js'
import {handlers} from '../../../src/lib/service/handlers/index.js'
import type {Parameters} from '../../../src/lib/service/store/database/database.js'
import {insertFile} from '../../../src/lib/service/store/files/files.js'
import {indexFile} from '../../../src/lib/service/store/files/fulltext.js'
import {userByLogin} from '../../../src/lib/service/store/users.js'
import {type Bench, grant, openBench} from '../calls.js'
import {startTestService, type TestService} from '../harness.js'

/** A write costs what it changes, however much there is beside. */

describe('no write looks through all there is', () => {
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

  /** Steps of the statements of a call that read all rows of a table. */
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

describe('the time for a file does not grow with how many there are', () => {
  const [FEW, MANY] = [500, 4000]
  let service: TestService
  beforeAll(async () => void (service = await startTestService()))
  afterAll(() => service.close())

  /** Makes a folder of files, moved into the trash where that is wanted. */
  function fill(folder: string, count: number, trashed: boolean): void {
    const {store} = service
    const {id: owner_id, root_id: root} = userByLogin(store, 'local')!
    const columns = {owner_id, created_at: 0, modified_at: 0}
    const inTrash = trashed ? {trashed: 1, explicitly_trashed: 1} : {}
    store.write(() => {
      const top = {id: folder, parent_id: root, title: folder, mime_type: FOLDER_TYPE}
      insertFile(store, {...columns, ...top})
      for (let n = 0; n < count; n++) {
        const [id, title] = [`${folder}-${(n * 7919) % count}`, `File ${n}`]
        const file = {id, title, parent_id: folder, mime_type: 'text/plain'}
        insertFile(store, {...columns, ...file, ...inTrash})
        indexFile(store, id, {content: `content of file number ${n}`})
      }
    })
  }

  /** Time of the processor in ms for each file. Others write at the same time. */
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
    // With all files looked at, or all pages walked through, for each file it is 8 times as much.
    expect(costs[1]! / costs[0]!).toBeLessThan(4)
  })
})
