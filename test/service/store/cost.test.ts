import {afterAll, afterEach, beforeAll, describe, expect, test, vi} from 'vitest'
import type {OperationId} from '#lib/api/operations.js'
import type {Handler} from '#lib/service/call.js'
import {handlers} from '#lib/service/handlers/index.js'
import {type Bench, grant, openBench} from '../calls.js'

/** The cost of writes per file: in a service with few files, and in one with many. */

/** A service with a folder of files that anna can see, a tenth of them through a permission of their own. */
function openWith(count: number): Bench {
  const bench = openBench()
  bench.store.write(() => {
    bench.user('anna')
    bench.folder({id: 'other'})
    bench.folder({id: 'folder'})
    grant(bench, 'folder', {login: 'anna'})
    for (let n = 0; n < count; n++) {
      // Not in the order of their IDs, so that rows that belong together are on different pages.
      const id = `file-${(n * 7919) % count}`
      bench.file({id, title: `Report ${n}`, parent: 'folder'})
      if (n % 10 === 0) grant(bench, id, {login: 'anna'}, 'writer')
    }
  })
  return bench
}

type Request = [id: OperationId, params: Record<string, string>, body?: Record<string, unknown>]

function call(bench: Bench, [id, params, body = {}]: Request) {
  return bench.call(handlers[id] as Handler<typeof id>, id, params, {body})
}

const insert: Request = ['files.insert', {}, {title: 'New', parents: [{id: 'folder'}]}]
const trash = (fileId: string): Request => ['files.trash', {fileId}]
const untrash = (fileId: string): Request => ['files.untrash', {fileId}]
const remove = (fileId: string): Request => ['files.delete', {fileId}]
const share = (fileId: string, value: string): Request => [
  'permissions.insert',
  {fileId, sendNotificationEmails: 'false'},
  {type: 'user', role: 'reader', value},
]
const move = (fileId: string, from: string): Request => [
  'files.patch',
  {fileId, addParents: 'other', removeParents: from},
]

describe('a write takes as much processor time among 4,000 files as among 500', () => {
  let few: Bench
  let many: Bench
  beforeAll(() => void ([few, many] = [openWith(500), openWith(4000)]))
  afterAll(() => {
    few.close()
    many.close()
  })

  /** Processor time of this process in ms. */
  function processorTime(): number {
    const {user, system} = process.cpuUsage()
    return (user + system) / 1000
  }

  /** Not the sum: a garbage collection takes as long as all rounds together. */
  const median = (times: number[]) => times.toSorted((a, b) => a - b)[times.length >> 1]!

  const [WARM_UP, ROUNDS] = [10, 40]

  const cases: [string, (fileId: string) => Request, prepare?: (fileId: string) => Request][] = [
    ['insert', () => insert],
    ['copy', fileId => ['files.copy', {fileId}]],
    ['share', fileId => share(fileId, 'ben@example.com')],
    ['rename', fileId => ['files.patch', {fileId}, {title: 'Renamed'}]],
    ['trash', trash],
    ['untrash', untrash, trash],
    ['move', fileId => move(fileId, 'folder')],
    ['delete', remove],
  ]

  test.each(cases)('%s', (name, request, prepare) => {
    // Every test has files of its own.
    const first = cases.findIndex(([other]) => other === name) * (WARM_UP + ROUNDS)
    const costs = new Map([few, many].map(bench => [bench, [] as number[]]))
    // In turns, so that other processes slow both down.
    for (let round = 0; round < WARM_UP + ROUNDS; round++) {
      for (const bench of [few, many]) {
        const fileId = `file-${first + round}`
        if (prepare) call(bench, prepare(fileId))
        const start = processorTime()
        call(bench, request(fileId))
        const time = processorTime() - start
        if (round >= WARM_UP) costs.get(bench)!.push(time)
      }
    }
    expect(median(costs.get(many)!) / median(costs.get(few)!)).toBeLessThan(2)
  })
})

describe('a folder with its contents', () => {
  const open: Bench[] = []
  afterEach(() => {
    for (const bench of open.splice(0)) bench.close()
  })

  /** The number of SQL statements of a request. */
  function statementsOf(bench: Bench, request: Request): number {
    const spies = (['all', 'get', 'run'] as const).map(name => vi.spyOn(bench.store, name))
    call(bench, request)
    const count = spies.reduce((sum, spy) => sum + spy.mock.calls.length, 0)
    for (const spy of spies) spy.mockRestore()
    return count
  }

  test.each<[string, (bench: Bench) => Request, prepare?: (bench: Bench) => unknown]>([
    ['trash', () => trash('folder')],
    ['untrash', () => untrash('folder'), bench => call(bench, trash('folder'))],
    ['share', () => share('folder', 'ben@example.com')],
    [
      'stop sharing',
      ({user}) => [
        'permissions.delete',
        {fileId: 'folder', permissionId: user('anna').permission_id},
      ],
    ],
    ['move', () => move('folder', 'root'), bench => grant(bench, 'other', {login: 'ben'})],
    ['delete', () => remove('folder')],
    [
      'empty the trash',
      () => ['files.emptyTrash', {}],
      ({store}) =>
        store.run("UPDATE files SET trashed = 1, explicitly_trashed = 1 WHERE id LIKE 'file-%'"),
    ],
  ])('takes at most half as many statements per file as an insert: %s', (_, request, prepare) => {
    const [few, many] = [200, 800].map(count => {
      const bench = openWith(count)
      open.push(bench)
      const ofInsert = statementsOf(bench, insert)
      prepare?.(bench)
      const perFile = statementsOf(bench, request(bench)) / count
      expect(perFile).toBeLessThanOrEqual(ofInsert / 2)
      return perFile
    })
    expect(many).toBeLessThanOrEqual(few!)
  })
})
