import {describe, expect, test} from 'vitest'
import type {BatchCall, Outcome} from '#lib/client/client.js'
import {ProtocolError} from '#lib/client/errors.js'
import type {Planned} from '#lib/transfer/many/queue.js'
import {
  call,
  clock,
  collect,
  failing,
  fakeService,
  indexes,
  isFine,
  missing,
  rate,
  run,
  trash,
  trashes,
  upTo,
} from './fake.js'

const cut = () => new ProtocolError('The service left out an answer of a batch.', true)
const names = (calls: readonly BatchCall[]) =>
  calls.map(({input}) => input.params.fileId ?? input.body?.id ?? input.body?.title)

describe('calls refused because of a rate limit', () => {
  test('are retried alone, while others continue', async () => {
    const service = fakeService({
      answer: ({input}, attempt) =>
        ['f3', 'f7'].includes(String(input.params.fileId)) && attempt === 1
          ? {error: rate()}
          : {record: {}},
    })
    const {retrying, slept, paused} = clock()
    const retries: unknown[] = []
    const onRetry = (...told: readonly unknown[]) => void retries.push(told)
    const {got} = await collect(
      run(trashes(250), service.client, {retrying: {...retrying, onRetry}, concurrency: 1}),
    )
    expect(indexes(got)).toEqual(upTo(250))
    expect(got.every(isFine)).toBe(true)
    expect(service.sizes().toSorted()).toEqual([100, 100, 2, 50])
    expect(service.requests.map(names)).toContainEqual(['f3', 'f7'])
    expect(slept).toEqual([250])
    expect(paused).toEqual([250])
    expect(retries).toEqual([[rate(), 250, 1]])
  })

  test('wait as long as the service asks, and fail after the usual number of attempts', async () => {
    const service = fakeService({
      answer: (_, attempt) => ({error: rate(attempt === 1 ? 40 : undefined)}),
    })
    const {retrying, slept} = clock()
    const {got, thrown} = await collect(run(trashes(2), service.client, {retrying}))
    expect(thrown).toBeUndefined()
    expect(got).toEqual([
      {index: 0, error: rate()},
      {index: 1, error: rate()},
    ])
    expect(service.sizes()).toEqual(Array(6).fill(2))
    expect(slept).toEqual([42_000, 500, 1000, 2000, 4000])
  })

  test('are retried while others of their batch succeed', async () => {
    // Five calls of each batch succeed.
    let passed = 0
    const service = fakeService({
      wait: async () => void (passed = 0),
      answer: () => (++passed <= 5 ? {record: {}} : {error: rate()}),
    })
    const {retrying} = clock()
    const {got} = await collect(run(trashes(100), service.client, {retrying}))
    expect(got.every(isFine)).toBe(true)
    expect(service.sizes()).toEqual(upTo(20).map(at => 100 - at * 5))
  })

  test('fail at once without retries', async () => {
    const service = fakeService({answer: () => ({error: rate()})})
    const {got} = await collect(run(trashes(2), service.client))
    expect(got.some(isFine)).toBe(false)
    expect(service.sizes()).toEqual([2])
  })

  test('keep their error if a failure ends the run', async () => {
    const service = fakeService({
      answer: ({input}) => ({error: input.params.fileId === 'f0' ? rate(60) : missing()}),
    })
    const {retrying} = clock()
    const sleep = () => new Promise<void>(() => {})
    const options = {retrying: {...retrying, sleep}, failFast: true}
    const {got, thrown} = await collect(run(trashes(2), service.client, options))
    expect(thrown).toBeUndefined()
    expect(got).toEqual([
      {index: 0, error: rate(60)},
      {index: 1, error: missing()},
    ])
  })
})

describe.each([
  ['a fault of the service', failing],
  ['an answer that was left out', cut],
])('after %s', (_, fault) => {
  const once = (later: 'fine' | 'gone' = 'fine') =>
    fakeService({
      answer: (_, attempt) => {
        if (attempt === 1) return {error: fault()}
        return later === 'fine' ? {record: {}} : {error: missing()}
      },
    })

  test('calls that set a value are repeated', async () => {
    const service = once()
    const {retrying} = clock()
    const {got} = await collect(run(trashes(3), service.client, {retrying}))
    expect(got.every(isFine)).toBe(true)
    expect(service.sizes()).toEqual([3, 3])
  })

  test('deleted items may already be gone', async () => {
    const service = once('gone')
    const planned = ['a', 'b'].map(fileId => call('files.delete', {fileId}))
    const {got} = await collect(run(planned, service.client, clock()))
    expect(got).toEqual([
      {index: 0, record: undefined},
      {index: 1, record: undefined},
    ])
  })

  test('items with a reserved ID are created alone, and checked for', async () => {
    const service = once()
    const planned = [
      call('files.insert', {}, {id: 'own', title: 'a'}),
      call('files.copy', {fileId: 'x'}, {id: 'other'}),
      call('files.trash', {fileId: 'b'}),
    ]
    const {got} = await collect(run(planned, service.client, clock()))
    expect(got.every(isFine)).toBe(true)
    expect(service.sizes().toSorted()).toEqual([1, 1, 1, 3])
    const looking = service.requests.flatMap(calls =>
      calls.filter(({input}) => input.mayBeDone).map(({id}) => id),
    )
    expect(looking).toEqual(expect.arrayContaining(['files.insert', 'files.copy']))
  })

  test('calls that create an item without an ID fail', async () => {
    const service = once()
    const planned: Planned[] = [
      call('files.insert', {}, {title: 'a'}),
      call('files.insert', {}, {title: 'b'}),
    ]
    const {got} = await collect(run(planned, service.client, clock()))
    expect(got).toEqual([
      {index: 0, error: fault()},
      {index: 1, error: fault()},
    ])
    expect(service.sizes()).toEqual([2])
  })
})

test('deleting an item that never existed fails', async () => {
  const service = fakeService({answer: () => ({error: missing()})})
  const planned = ['a', 'b'].map(fileId => call('files.delete', {fileId}))
  const {got} = await collect(run(planned, service.client, clock()))
  expect(got.some(isFine)).toBe(false)
})

test('repeatable and other calls are in separate batches', async () => {
  const service = fakeService()
  const planned = upTo(40).map(index =>
    index % 2 === 0
      ? call('files.trash', {fileId: `f${index}`})
      : call('files.insert', {}, {title: `n${index}`}),
  )
  const {got} = await collect(run(planned, service.client, clock()))
  expect(indexes(got)).toEqual(upTo(40))
  const kinds = service.requests.map(calls => [...new Set(calls.map(({id}) => id))])
  expect(kinds).toEqual([['files.trash'], ['files.insert']])
})

test('a batch that fails as a whole after retries fails for all its calls', async () => {
  const service = fakeService({failBatch: number => (number === 1 ? failing() : undefined)})
  const {got, thrown} = await collect(
    run(trashes(150), service.client, {...clock(), concurrency: 1}),
  )
  expect(thrown).toBeUndefined()
  expect(indexes(got.filter(isFine))).toEqual(upTo(50).map(index => index + 100))
})

describe('calls refused because their item has changed', () => {
  /** A service whose files have another tag than the calls expect. */
  const changed = (fault?: (call: BatchCall, attempt: number) => Outcome | undefined) =>
    fakeService({
      answer: (one, attempt) =>
        fault?.(one, attempt) ??
        (one.id === 'files.get'
          ? {record: {id: one.input.params.fileId, etag: 'new'}}
          : one.input.ifMatch === 'new'
            ? {record: {}}
            : {error: failing(412)}),
    })
  const anew = (fileId: string): Planned => {
    const one = trash(fileId)
    const tagged = (ifMatch: string) => ({...one, input: {...one.input, ifMatch}})
    return {
      call: tagged('old'),
      whenStale: {
        read: {id: 'files.get', input: {params: {fileId}}},
        decide: item =>
          'record' in item && fileId !== 'f7' ? tagged(String(item.record?.etag)) : {error: fileId},
      },
    }
  }
  const files = (count: number) => upTo(count).map(index => anew(`f${index}`))

  test('are decided anew and sent again, together', async () => {
    const service = changed()
    const {got, thrown} = await collect(run(files(250), service.client))
    expect(thrown).toBeUndefined()
    expect(indexes(got)).toEqual(upTo(250))
    expect(got.filter(answered => !isFine(answered))).toEqual([{index: 7, error: 'f7'}])
    expect(service.requests.map(names).flat()).toHaveLength(3 * 250 - 1)
    expect(service.requests.length).toBeLessThanOrEqual(10)
  })

  test('are read again after a temporary failure, and keep the error of another one', async () => {
    const service = changed(({id, input: {params}}, attempt) => {
      if (id !== 'files.get') return undefined
      if (params.fileId === 'f1') return {error: missing()}
      return params.fileId === 'f2' && attempt === 1 ? {error: failing()} : undefined
    })
    const {retrying} = clock()
    const {got} = await collect(run(files(4), service.client, {retrying}))
    expect(got.filter(answered => !isFine(answered))).toEqual([{index: 1, error: 'f1'}])
  })

  test('without batches are sent one by one', async () => {
    const service = changed()
    const {got} = await collect(run(files(3), {...service.client, batch: async () => undefined}))
    expect(got.every(isFine)).toBe(true)
  })
})
