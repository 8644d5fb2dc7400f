import fc from 'fast-check'
import {describe, expect, test} from 'vitest'
import {operation} from '#lib/api/operations.js'
import {FOLDER_TYPE} from '#lib/api/wire.js'
import {withGate} from '#lib/client/change-gate.js'
import type {BatchCall, CallInput, Client, Outcome, Page} from '#lib/client/client.js'
import {NetworkError, ServiceError} from '#lib/client/errors.js'
import {type Limits, limitsOf, PolicyError, type PolicyValues} from '#lib/config/policy.js'
import {createPolicyGuard, type PolicyGuard} from '#lib/policy/guard.js'

/** How the service treats the next change. */
type Treatment = 'done' | 'refused' | 'lost' | 'lost, but done'

interface Item {
  parents: string[]
  isFolder: boolean
  isTrashed?: boolean
}

/** A service in memory with `in` (allowed), `out`, and what tests put there; it counts what changes. */
function service(treat: () => Treatment = () => 'done', hasBatches = true) {
  const items = new Map<string, Item>([
    ['top', {parents: [], isFolder: true}],
    ['in', {parents: ['top'], isFolder: true}],
    ['out', {parents: ['top'], isFolder: true}],
  ])
  const made: BatchCall[] = []
  let reads = 0
  let isDown = false

  function read({id, input: {params}}: BatchCall): Page {
    reads += 1
    if (isDown) throw new ServiceError(500, 'backendError', 'down')
    if (id === 'permissions.get') return {type: 'user', emailAddress: String(params.permissionId)}
    const fileId = params.fileId === 'root' ? 'top' : String(params.fileId)
    const item = items.get(fileId)
    if (!item) throw new ServiceError(404, 'notFound', `File not found: ${fileId}`)
    return {
      id: fileId,
      mimeType: item.isFolder ? FOLDER_TYPE : 'text/plain',
      parents: item.parents.map(id => ({id})),
    }
  }

  function change(call: BatchCall): Page {
    const treatment = treat()
    if (treatment === 'refused') throw new ServiceError(403, 'forbidden', 'no')
    if (treatment === 'lost') throw new NetworkError('lost', 'http://x', {})
    made.push(call)
    if (treatment === 'lost, but done') throw new NetworkError('lost', 'http://x', {})
    return {id: String(call.input.params.fileId ?? 'N')}
  }

  const settle = (call: BatchCall): Outcome => {
    try {
      return {record: call.id.endsWith('.get') ? read(call) : change(call)}
    } catch (error) {
      return {error}
    }
  }
  const plain = {
    operation,
    async call(id: BatchCall['id'], input: CallInput) {
      const outcome = settle({id, input})
      if ('error' in outcome) throw outcome.error
      return outcome.record
    },
    batch: async (calls: readonly BatchCall[]) => (hasBatches ? calls.map(settle) : undefined),
    async *pages(_: string, {params}: CallInput) {
      reads += 1
      if (isDown) throw new ServiceError(500, 'backendError', 'down')
      const found = [...items].filter(([, {parents}]) =>
        parents.some(parent => String(params.q).includes(`'${parent}'`)),
      )
      yield {
        items: found.map(([id, {isFolder}]) => ({
          id,
          mimeType: isFolder ? FOLDER_TYPE : 'text/plain',
        })),
      }
    },
    uploads: {
      start: async () => `/session/${made.length}-${Math.random()}`,
      status: async () => ({isDone: false, received: 0}),
      send: async () => ({isDone: true, record: {id: 'N'}}),
      cancel: async () => undefined,
    },
  } as unknown as Client
  return {
    items,
    made,
    plain,
    reads: () => reads,
    fail: () => (isDown = true),
    add(id: string, parent: string, isFolder = false) {
      items.set(id, {parents: [parent], isFolder})
    },
  }
}

const limits = (values: PolicyValues): Limits =>
  limitsOf([{source: {kind: 'profile', name: 'work'}, values}])

function guarded(values: PolicyValues, world = service(), appliesPlan = false) {
  const guard: PolicyGuard = createPolicyGuard({
    limits: limits(values),
    client: async () => world.plain,
    appliesPlan,
    signal: new AbortController().signal,
  })
  return {...world, guard, client: withGate(world.plain, guard.gate)}
}

const trash = (fileId: string): BatchCall => ({id: 'files.trash', input: {params: {fileId}}})
const touch = (fileId: string): BatchCall => ({id: 'files.touch', input: {params: {fileId}}})
const insert = (parent: string, id?: string): BatchCall => ({
  id: 'files.insert',
  input: {params: {}, body: {...(id && {id}), parents: [{id: parent}]}},
})
const ONLY = {only: [{path: '/in', id: 'in'}]}

describe('numbers', () => {
  test('a plan beyond a limit is refused before anything is sent', async () => {
    const {guard, made} = guarded({'max-changes': 2})
    const plan = guard.plan(false)
    await plan.add([touch('a'), touch('b')])
    await expect(plan.add([touch('c')])).rejects.toRead()
    expect(made).toEqual([])
  })

  test('reads do not count', async () => {
    const {guard} = guarded({'max-changes': 0})
    await guard.plan(false).add([{id: 'files.get', input: {params: {fileId: 'a'}}}])
    await expect(guard.plan(false).add([touch('a')])).rejects.toThrow(PolicyError)
  })

  test('a plan counts on top of what was sent before', async () => {
    const {guard, client} = guarded({'max-changes': 2})
    await client.call('files.touch', touch('a').input)
    const plan = guard.plan(false)
    await plan.add([touch('b')])
    await expect(plan.add([touch('c')])).rejects.toThrow(PolicyError)
  })

  test('a folder counts with its contents', async () => {
    const world = service()
    world.add('f', 'in', true)
    world.add('a', 'f')
    world.add('g', 'f', true)
    world.add('b', 'g')
    for (const [limit, isAllowed] of [
      [4, true],
      [3, false],
    ] as const) {
      const {client} = guarded({'max-delete': limit}, world)
      const result = client.call('files.trash', trash('f').input)
      if (isAllowed) await result
      else await expect(result).rejects.toRead()
    }
  })

  test('a refused change does not count, a lost one counts once however often it is sent', async () => {
    const treatments: Treatment[] = ['refused', 'lost', 'lost, but done', 'done']
    const {client, made} = guarded(
      {'max-changes': 1},
      service(() => treatments.shift() ?? 'done'),
    )
    const call = () => client.call('files.touch', touch('a').input)
    for (const error of [ServiceError, NetworkError, NetworkError]) {
      await expect(call()).rejects.toBeInstanceOf(error)
    }
    await call()
    await expect(client.call('files.touch', touch('b').input)).rejects.toThrow(PolicyError)
    expect(made).toHaveLength(2)
  })

  test('content counts with its size, and of unknown size while it is sent', async () => {
    const {client, made} = guarded({'max-bytes': 10})
    const upload = (size?: number) => ({
      ...insert('in').input,
      upload: {size, open: () => Buffer.alloc(0)},
    })
    await client.call('files.insert', upload(6))
    await expect(client.call('files.insert', upload(5))).rejects.toRead()
    await expect(client.call('files.insert', upload())).rejects.toRead()
    const session = await client.uploads.start('files.insert', upload())
    const chunk = (start: number, size: number) => ({start, size, bytes: Buffer.alloc(size)})
    await client.uploads.send(session, chunk(0, 4))
    const next = await client.uploads.start('files.insert', upload())
    await expect(client.uploads.send(next, chunk(0, 1))).rejects.toThrow(PolicyError)
    expect(made).toHaveLength(1)
  })

  test('a session that ended early and its successor count once', async () => {
    const {client} = guarded({'max-changes': 1})
    const {input} = insert('in', 'N')
    await client.uploads.start('files.insert', input)
    const session = await client.uploads.start('files.insert', input)
    await client.uploads.send(session, {start: 0, size: 1, bytes: Buffer.alloc(1)})
    await expect(client.uploads.start('files.insert', insert('in').input)).rejects.toThrow(
      PolicyError,
    )
  })

  test('no sequence of changes passes beyond the limits', async () => {
    const treatment = fc.constantFrom<Treatment>(
      'done',
      'done',
      'refused',
      'lost',
      'lost, but done',
    )
    const name = fc.constantFrom('a', 'b', 'c', 'f')
    const call = fc.oneof(
      name.map(trash),
      name.map(touch),
      fc.integer({min: 0, max: 9}).map((size): BatchCall => ({
        id: 'files.update',
        input: {params: {fileId: 'a'}, upload: {size, open: () => Buffer.alloc(0)}},
      })),
    )
    const steps = fc.array(fc.oneof(call, fc.array(call, {maxLength: 5})), {maxLength: 20})
    await fc.assert(
      fc.asyncProperty(
        fc.record({changes: fc.nat(8), deletes: fc.nat(8), bytes: fc.nat(30)}),
        steps,
        fc.array(treatment, {maxLength: 60}),
        fc.boolean(),
        async (most, all, treatments, isConcurrent) => {
          const left = [...treatments]
          const world = service(() => left.shift() ?? 'done')
          for (const id of ['a', 'b', 'c']) world.add(id, 'in')
          world.add('f', 'in', true)
          world.add('x', 'f')
          const {client, made} = guarded(
            {
              'max-changes': most.changes,
              'max-delete': most.deletes,
              'max-bytes': most.bytes,
            },
            world,
          )
          const send = (one: BatchCall | BatchCall[]) =>
            (Array.isArray(one) ? client.batch(one) : client.call(one.id, one.input)).catch(
              () => undefined,
            )
          if (isConcurrent) await Promise.all(all.map(send))
          else for (const one of all) await send(one)
          // Sending the same change again after a lost response has no further effect.
          const distinct = new Map(made.map(one => [JSON.stringify(one), one]))
          const trashed = made.filter(({id}) => id === 'files.trash')
          const lost = made.length - distinct.size
          const weight = (one: BatchCall) => (one.input.params.fileId === 'f' ? 2 : 1)
          const sum = (some: readonly BatchCall[], of: (one: BatchCall) => number) =>
            some.reduce((total, one) => total + of(one), 0)
          expect(made.length - lost).toBeLessThanOrEqual(most.changes)
          const uniqueTrashed = trashed.filter(one => distinct.get(JSON.stringify(one)) === one)
          expect(sum(uniqueTrashed, weight)).toBeLessThanOrEqual(most.deletes)
          const uploads = [...distinct.values()]
          expect(sum(uploads, ({input}) => input.upload?.size ?? 0)).toBeLessThanOrEqual(most.bytes)
        },
      ),
      {numRuns: 300},
    )
  })
})

describe('folders', () => {
  const world = () => {
    const one = service()
    one.add('deep', 'in', true)
    one.add('a', 'deep')
    one.add('b', 'out')
    one.items.set('both', {parents: ['in', 'out'], isFolder: false})
    one.items.set('lonely', {parents: [], isFolder: false})
    return one
  }

  test.each<[name: string, call: BatchCall, isAllowed: boolean]>([
    ['an item below', touch('a'), true],
    ['the folder itself', touch('in'), true],
    ['an item outside', touch('b'), false],
    ['an item that is also outside', touch('both'), false],
    ['an item in no folder', touch('lonely'), false],
    ['an item that does not exist', touch('none'), true],
    ['a new item', insert('deep'), true],
    ['a new item outside', insert('out'), false],
    ['a new item at the top', {id: 'files.insert', input: {params: {}, body: {}}}, false],
    ['a new item in a folder that does not exist', insert('none'), false],
    ['trashing an item below', trash('a'), true],
    ['trashing the folder itself', trash('in'), false],
    ['a copy', {id: 'files.copy', input: {params: {fileId: 'a'}}}, true],
    ['a copy beside an item outside', {id: 'files.copy', input: {params: {fileId: 'b'}}}, false],
    [
      'a copy of an item outside',
      {id: 'files.copy', input: {params: {fileId: 'b'}, body: {parents: [{id: 'in'}]}}},
      true,
    ],
    [
      'a move out',
      {
        id: 'files.patch',
        input: {params: {fileId: 'a', addParents: 'out', removeParents: 'deep'}},
      },
      false,
    ],
    [
      'a move in',
      {id: 'files.patch', input: {params: {fileId: 'b', addParents: 'in', removeParents: 'out'}}},
      false,
    ],
    ['a shared drive', {id: 'drives.insert', input: {params: {requestId: 'r'}}}, false],
    ['an unreadable drive', {id: 'drives.update', input: {params: {driveId: 'D'}}}, false],
    ['the trash', {id: 'files.emptyTrash', input: {params: {}}}, false],
  ])('%s', async (_, call, isAllowed) => {
    for (const hasBatches of [true, false]) {
      const {client, guard, made} = guarded(ONLY, {...world(), hasBatches} as never)
      const results = [guard.plan(false).add([call]), client.call(call.id, call.input)]
      if (isAllowed) await Promise.all(results)
      else for (const result of results) await expect(result).rejects.toThrow('"only /in')
      expect(made).toHaveLength(isAllowed ? 1 : 0)
    }
  })

  test('each item is read once, in batches', async () => {
    const one = world()
    const names = Array.from({length: 150}, (_, index) => `n${index}`)
    for (const name of names) one.add(name, 'deep')
    const {client, guard, reads} = guarded(ONLY, one)
    await guard.plan(false).add(names.map(touch))
    const before = reads()
    expect(before).toBe(names.length + 1)
    await client.batch(names.map(touch))
    expect(reads()).toBe(before)
  })

  test('a plan may fill the folders that it creates, but the gate believes only the service', async () => {
    const {client, guard, made} = guarded(ONLY, world())
    // A plan that claims to create a folder which exists elsewhere.
    const plan = guard.plan(false)
    await plan.add([insert('in', 'new'), insert('new', 'file'), insert('in', 'out')])
    await plan.add([insert('out', 'x')])
    await expect(client.call('files.insert', insert('out', 'x').input)).rejects.toThrow(PolicyError)
    expect(made).toEqual([])
  })

  test('without an answer, a change is refused', async () => {
    const one = world()
    one.fail()
    for (const values of [ONLY, {'max-delete': 9}]) {
      const {client, made} = guarded(values, one)
      await expect(client.call('files.trash', trash('a').input)).rejects.toRead()
      expect(made).toEqual([])
    }
  })
})

describe('sharing', () => {
  const share = (body: Readonly<Record<string, unknown>>): BatchCall => ({
    id: 'permissions.insert',
    input: {params: {fileId: 'in'}, body: {role: 'reader', ...body}},
  })
  const change = (permissionId: string): BatchCall => ({
    id: 'permissions.patch',
    input: {params: {fileId: 'in', permissionId}, body: {role: 'writer'}},
  })
  const DOMAIN = {'no-share-outside': ['corp.example']}

  test.each<[values: PolicyValues, call: BatchCall, isAllowed: boolean]>([
    [{'no-public': true}, share({type: 'anyone'}), false],
    [{'no-public': true}, share({type: 'user', value: 'a@b.example'}), true],
    [DOMAIN, share({type: 'user', value: 'a@Corp.Example'}), true],
    [DOMAIN, share({type: 'group', value: 'a@corp.example'}), true],
    [DOMAIN, share({type: 'domain', value: 'corp.example'}), true],
    [DOMAIN, share({type: 'user', value: 'a@evil.example'}), false],
    [DOMAIN, share({type: 'user', value: 'a@corp.example@evil.example'}), false],
    [DOMAIN, share({type: 'user', value: 'a@sub.corp.example'}), false],
    [DOMAIN, share({type: 'domain', value: 'evil.example'}), false],
    [DOMAIN, share({type: 'anyone', value: 'a@corp.example'}), false],
    [DOMAIN, share({type: 'user'}), false],
    [DOMAIN, share({}), false],
    [DOMAIN, change('a@corp.example'), true],
    [DOMAIN, change('a@evil.example'), false],
    [{'no-public': true}, change('a@evil.example'), true],
    [
      {'no-public': true},
      {id: 'revisions.patch', input: {params: {fileId: 'in'}, body: {published: true}}},
      false,
    ],
    [
      DOMAIN,
      {id: 'permissions.delete', input: {params: {fileId: 'in', permissionId: 'a@evil.example'}}},
      true,
    ],
  ])('%j: %j is allowed: %s', async (values, call, isAllowed) => {
    const {client, made} = guarded(values)
    const result = client.call(call.id, call.input)
    if (isAllowed) await result
    else await expect(result).rejects.toThrow(PolicyError)
    expect(made).toHaveLength(isAllowed ? 1 : 0)
  })
})

test('without a plan nothing is changed, but a plan is checked and applied', async () => {
  const values = {'require-plan': true} as const
  const {client, guard} = guarded(values)
  await expect(client.call('files.touch', touch('in').input)).rejects.toRead()
  await expect(guard.plan(false).add([touch('in')])).rejects.toRead()
  await guard.plan(true).add([touch('in')])
  await guarded(values, service(), true).client.call('files.touch', touch('in').input)
})

test('an upload of another process counts, and its target must be known', async () => {
  const {client} = guarded({'max-changes': 0})
  await expect(client.uploads.status('/session')).rejects.toThrow(PolicyError)
  const only = guarded(ONLY).client
  await expect(only.uploads.status('/session')).rejects.toRead()
  await expect(only.uploads.status('/session', 5, insert('out'))).rejects.toRead()
  await only.uploads.status('/session', 5, insert('in'))
  await only.uploads.cancel('/other')
})
