import {describe, expect, test} from 'vitest'
import {NetworkError, ServiceError} from '#lib/client/errors.js'
import type {Planned} from '#lib/transfer/many/queue.js'
import {
  all,
  call,
  clock,
  collect,
  failing,
  fakeService,
  indexes,
  isFine,
  missing,
  run,
  trash,
  trashes,
  turns,
  upTo,
} from './fake.js'

describe('how calls are sent', () => {
  test.each([
    [1000, 10, 3],
    [200, 2, 2],
    [101, 2, 2],
    [1, 1, 1],
  ])(
    '%i available calls are %i requests, at most three at a time',
    async (count, requests, most) => {
      const service = fakeService()
      const {got, thrown} = await collect(run(trashes(count), service.client))
      expect(thrown).toBeUndefined()
      expect(indexes(got)).toEqual(upTo(count))
      expect(got.every(isFine)).toBe(true)
      expect(service.requests).toHaveLength(requests)
      expect(service.most()).toBe(most)
    },
  )

  test('with an unproven token the first call is sent alone', async () => {
    let prove = () => {}
    const proof = new Promise<void>(resolve => (prove = resolve))
    const wait = async () => {
      await turns(3)
      if (service.requests.length === 1) expect(service.most()).toBe(1)
      prove()
    }
    const service = fakeService({proven: () => proof, wait})
    const {got} = await collect(run(trashes(1000), service.client))
    expect(indexes(got)).toEqual(upTo(1000))
    expect(service.sizes()).toEqual([1, ...Array(9).fill(100), 99])
  })

  test('until it is proven, one request runs at a time, with or without content', async () => {
    const service = fakeService({proven: () => new Promise(() => {})})
    const works: Planned[] = upTo(5).map(index => ({
      work: () => service.client.call('files.get', {params: {fileId: `w${index}`}}),
    }))
    const {got} = await collect(run([...works, ...trashes(5)], service.client))
    expect(got).toHaveLength(10)
    expect(service.sizes()).toEqual(Array(10).fill(1))
    expect(service.most()).toBe(1)
  })

  test('the requested concurrency is used', async () => {
    const service = fakeService()
    await collect(run(trashes(1000), service.client, {concurrency: 2}))
    expect(service.most()).toBe(2)
  })

  test('a service without batches gets them one by one, concurrently', async () => {
    const service = fakeService({hasBatches: false})
    const {got} = await collect(run(trashes(250), service.client))
    expect(indexes(got)).toEqual(upTo(250))
    expect(service.sizes()).toEqual(Array(250).fill(1))
    expect(service.most()).toBeGreaterThan(3)
  })

  test('work runs concurrently, errors are passed on, and results are in order', async () => {
    const service = fakeService()
    let running = 0
    let most = 0
    const planned: Planned[] = upTo(40).map(index => {
      if (index % 4 === 0) return {error: missing()}
      if (index % 4 === 1) return {call: trash(`f${index}`)}
      return {
        work: async () => {
          most = Math.max(most, ++running)
          await turns(40 - index)
          running -= 1
          return {index}
        },
      }
    })
    const {got} = await collect(run(planned, service.client, {concurrency: 5}))
    expect(indexes(got)).toEqual(upTo(40))
    expect(got[7]).toEqual({index: 7, record: {index: 7}})
    expect(got[4]).toEqual({index: 4, error: missing()})
    expect(most).toBe(5)
  })
})

describe('reading the input', () => {
  test('stays a few groups ahead of the results', async () => {
    let read = 0
    async function* source(): AsyncGenerator<Planned> {
      for (;;) yield {call: trash(`f${read++}`)}
    }
    const service = fakeService()
    const answers = run(source(), service.client)
    await answers.next()
    await turns(200)
    expect(read).toBeLessThanOrEqual(502)
    for (let at = 1; at < 400; at++) await answers.next()
    await turns(200)
    expect(read).toBeLessThanOrEqual(902)
    expect(read).toBeGreaterThan(800)
    await answers.return(undefined)
  })

  test('starts with the first request for results, and nothing is sent for nothing', async () => {
    let isRead = false
    async function* source(): AsyncGenerator<Planned> {
      isRead = true
    }
    let isAsked = false
    const service = fakeService({
      proven: async () => {
        isAsked = true
      },
    })
    const answers = run(source(), service.client)
    await turns()
    expect(isRead).toBe(false)
    expect(await collect(answers)).toEqual({got: []})
    expect(isAsked).toBe(false)
    expect(service.requests).toEqual([])
  })

  test('sends at once if a slow source has no more and nothing is in progress', async () => {
    let give = (_: number) => {}
    async function* source(): AsyncGenerator<Planned> {
      let at = 0
      for (;;) {
        const count = await new Promise<number>(resolve => (give = resolve))
        if (count === 0) return
        for (const end = at + count; at < end; at++) yield {call: trash(`f${at}`)}
      }
    }
    const service = fakeService()
    const answers = collect(run(source(), service.client))
    await turns()
    for (const count of [1, 30, 170]) {
      give(count)
      await turns()
    }
    give(0)
    const {got} = await answers
    expect(indexes(got)).toEqual(upTo(201))
    expect(service.sizes()).toEqual([1, 30, 100, 70])
  })

  test('collects while something is in progress', async () => {
    const pending: Array<() => void> = []
    const service = fakeService({wait: () => new Promise(resolve => pending.push(resolve))})
    let end = () => {}
    async function* source(): AsyncGenerator<Planned> {
      for (const planned of trashes(40)) {
        await turns(5)
        yield planned
      }
      await new Promise<void>(resolve => (end = resolve))
    }
    const answers = collect(run(source(), service.client))
    await turns(400)
    expect(service.sizes()).toEqual([1])
    pending.shift()!()
    await turns()
    expect(service.sizes()).toEqual([1, 39])
    pending.shift()!()
    end()
    expect((await answers).got).toHaveLength(40)
  })

  test('ends with the error of the source, after the earlier results', async () => {
    async function* source(): AsyncGenerator<Planned> {
      yield* trashes(3)
      await turns()
      throw new Error('Line 4 is none.')
    }
    const {got, thrown} = await collect(run(source(), fakeService().client))
    expect(indexes(got)).toEqual([0, 1, 2])
    expect(thrown).toMatchObject({message: 'Line 4 is none.'})
  })

  test('stops when the results are no longer read', async () => {
    let isTold = false
    async function* source(): AsyncGenerator<Planned> {
      try {
        for (;;) yield {call: trash('a')}
      } finally {
        isTold = true
      }
    }
    for await (const {index} of run(source(), fakeService().client)) if (index === 5) break
    await turns()
    expect(isTold).toBe(true)
  })
})

describe('permissions of one file', () => {
  const one = (index: number, fileId = 'a') =>
    call('permissions.insert', {fileId}, {role: 'reader', type: 'user', value: `u${index}@x`})

  test.each([true, false])('are never changed concurrently (batches: %s)', async hasBatches => {
    let most = 0
    const running = new Map<unknown, number>()
    const service = fakeService({
      hasBatches,
      wait: async calls => {
        const files = new Set(calls.map(({input}) => input.params.fileId))
        for (const file of files) {
          running.set(file, (running.get(file) ?? 0) + 1)
          most = Math.max(most, running.get(file)!)
        }
        await turns(3)
        for (const file of files) running.set(file, running.get(file)! - 1)
      },
      answer: (_, attempt) =>
        attempt === 1 ? {error: new ServiceError(429, '', 'Slow down.')} : {record: {}},
    })
    const {retrying} = clock()
    const planned = upTo(350).map(index => one(index, index % 3 === 0 ? 'b' : 'a'))
    const {got} = await collect(run(planned, service.client, {retrying}))
    expect(indexes(got)).toEqual(upTo(350))
    expect(most).toBe(1)
  })

  test('of different files are', async () => {
    const service = fakeService({hasBatches: false})
    await collect(
      run(
        upTo(30).map(index => one(index, `f${index}`)),
        service.client,
      ),
    )
    expect(service.most()).toBeGreaterThan(3)
  })
})

describe('errors that end everything', () => {
  const refused = new ServiceError(401, 'authError', 'Bad credentials')
  const locked = new ServiceError(403, 'loginAttemptsExceeded', 'Too many.')
  const full = new ServiceError(403, 'storageQuotaExceeded', 'Full.')
  const disk = Object.assign(new Error('Full.'), {code: 'ENOSPC'})

  test.each([refused, locked, full, disk])('%s: known results come first', async error => {
    const service = fakeService({
      answer: ({input}) => (input.params.fileId === 'f150' ? {error} : {record: {}}),
    })
    const {got, thrown} = await collect(run(trashes(1000), service.client, {concurrency: 1}))
    expect(thrown).toBe(error)
    expect(service.sizes()).toEqual([100, 100])
    expect(indexes(got)).toEqual(upTo(200))
    expect(got.filter(one => !isFine(one))).toEqual([{index: 150, error}])
  })

  test('a batch without a response', async () => {
    const error = new NetworkError('Nobody is there.', 'https://x')
    const service = fakeService({failBatch: number => (number === 2 ? error : undefined)})
    const {got, thrown} = await collect(run(trashes(1000), service.client, {concurrency: 1}))
    expect(thrown).toBe(error)
    expect(got.filter(isFine)).toHaveLength(100)
    expect(service.sizes()).toEqual([100, 100])
  })

  test('running work is aborted, and awaited', async () => {
    const ended: unknown[] = []
    const works: Planned[] = upTo(4).map(index => ({
      work: signal =>
        new Promise((_, reject) => {
          if (index === 2) return reject(refused)
          signal.addEventListener('abort', () => {
            ended.push(index)
            reject(signal.reason as Error)
          })
        }),
    }))
    const {got, thrown} = await collect(run(works, fakeService().client))
    expect(thrown).toBe(refused)
    expect(ended).toEqual([0, 1])
    expect(indexes(got)).toEqual([0, 1, 2])
  })
})

test('with --fail-fast nothing is sent after a failure, and pending calls finish', async () => {
  const service = fakeService({
    answer: ({input}) => (input.params.fileId === 'f50' ? {error: missing()} : {record: {}}),
    wait: calls => turns(calls[0]!.input.params.fileId === 'f0' ? 5 : 30),
  })
  const {got, thrown} = await collect(run(trashes(1000), service.client, {failFast: true}))
  expect(thrown).toBeUndefined()
  expect(service.sizes()).toEqual([100, 100, 100])
  expect(indexes(got)).toEqual(upTo(300))
  expect(got.filter(one => !isFine(one))).toEqual([{index: 50, error: missing()}])
})

test('without it the rest continues', async () => {
  const service = fakeService({answer: () => ({error: missing()})})
  const {got, thrown} = await collect(run(trashes(250), service.client))
  expect(thrown).toBeUndefined()
  expect(got.filter(isFine)).toEqual([])
  expect(indexes(got)).toEqual(upTo(250))
})

test('after an interruption, known results and unknown calls are reported at once', async () => {
  const abort = new AbortController()
  const service = fakeService({
    wait: calls => (calls[0]!.input.params.fileId === 'f100' ? new Promise(() => {}) : turns(1)),
  })
  const {signal} = abort
  const answers = run(all(trashes(1000)), service.client, {signal})
  const reason = new Error('Interrupted.')
  const got = []
  const first = await answers.next()
  got.push(first.value!)
  await turns()
  abort.abort(reason)
  const rest = await collect(answers)
  got.push(...rest.got)
  expect(rest.thrown).toBe(reason)
  const open = got.filter(one => !isFine(one))
  expect(indexes(open)).toEqual(upTo(100).map(index => index + 100))
  expect(open[0]).toEqual({index: 100, error: reason})
  expect(got.filter(isFine)).toHaveLength(400)
  expect(indexes(got)).toEqual(upTo(500))
})

test('a call with an unknown outcome is not sent twice', async () => {
  const service = fakeService({answer: () => ({error: failing()})})
  const {got} = await collect(run(trashes(2), service.client))
  expect(got.every(isFine)).toBe(false)
  expect(service.sizes()).toEqual([2])
})
