import {describe, expect, test} from 'vitest'
import type {Context} from '#lib/cli/context/context.js'
import {explain} from '#lib/cli/explain/explain.js'
import {runPlan, type TreeTally} from '#lib/cli/run/engine.js'
import type {Step} from '#lib/cli/run/plan.js'
import type {ResultsPlace} from '#lib/cli/run/report.js'
import type {BatchCall, Client, Outcome} from '#lib/client/client.js'
import {NetworkError, ServiceError} from '#lib/client/errors.js'
import {fakeService, turn} from '../../transfer/many/fake.js'

const refused = (status: number, reason = '') =>
  new ServiceError(status, reason, `status ${status}`)
const lost = () => new NetworkError('No answer came.', 'http://localhost/')
const coded = (code: string) => Object.assign(new Error(code), {code})

async function* stream(steps: Iterable<Step>): AsyncGenerator<Step> {
  yield* steps
}

/** Runs a plan as a stream; returns what its account received, and the error. */
async function outcome(
  steps: Iterable<Step>,
  {client = fakeService().client, concurrency}: {client?: Client; concurrency?: number} = {},
) {
  const done: unknown[] = []
  const failed: Array<{path: unknown; reason: string}> = []
  const skipped: Array<{path: unknown; reason: string}> = []
  const said: string[] = []
  const opened: number[] = []
  const account: TreeTally = {
    done: ({original}) => void done.push(original),
    failed: ({original}, reason) => void failed.push({path: original, reason}),
    skipped: ({original}, reason) => void skipped.push({path: original, reason}),
    conclude: async () => undefined,
  }
  const context = {
    client: async () => ({...client, openAhead: (count: number) => void opened.push(count)}),
    retrying: async () => undefined,
    policy: async () => undefined,
    signal: new AbortController().signal,
    onRefusal: () => undefined,
    io: {say: (text: string) => void said.push(text), draws: false},
    now: () => 0,
    told: async () => undefined,
  } as unknown as Context
  const results = {text: () => ({rows: () => ''}), output: {}} as unknown as ResultsPlace
  const engine = {
    context,
    results,
    explain: (error: unknown) => explain(error, {flags: [], environmentToken: false}),
  }
  const ended = await runPlan(engine, stream(steps), {account, concurrency}).then(
    () => undefined,
    (error: unknown) => error,
  )
  return {ended, done, failed, skipped, said, opened}
}

/** Ten steps one after the other; some fail the first few times. */
async function ofTen(failures: Record<number, unknown[]>) {
  const tried: number[] = []
  const steps = Array.from({length: 10}, (_, index): Step => {
    const work = async () => {
      tried.push(index)
      const error = failures[index]?.shift()
      if (error) throw error
      return {}
    }
    return {original: String(index), work}
  })
  return {tried, ...(await outcome(steps, {concurrency: 1}))}
}

describe('a plan of many files', () => {
  test('continues after a failure, and names it', async () => {
    const {failed, done, said} = await ofTen({3: [refused(403, 'forbidden')]})
    expect(failed).toMatchObject([{path: '3'}])
    expect(said).toEqual([`Failed: 3: ${failed[0]!.reason}`])
    expect(done).toHaveLength(9)
  })

  test('retries temporary failures once at the end', async () => {
    const {failed, done, tried} = await ofTen({3: [refused(503)], 5: [lost(), lost()]})
    expect(tried.slice(10)).toEqual([3, 5])
    expect(done).toHaveLength(9)
    expect(failed).toMatchObject([{path: '5'}])
  })

  test('retries steps that failed because of those', async () => {
    const error = new Error('its folder could not be made', {cause: refused(503)})
    expect((await ofTen({3: [error]})).failed).toEqual([])
  })

  test.each([
    ['the token was refused', refused(401)],
    ['the account is full', refused(403, 'storageQuotaExceeded')],
    ['the service can keep nothing', refused(507, 'storageFailed')],
    ['the disk is full', coded('ENOSPC')],
    ['the disk is full, in words', new Error('full', {cause: coded('ENOSPC')})],
  ])('stops at once if %s', async (_, error) => {
    const {ended, tried, failed} = await ofTen({3: [error]})
    expect(ended).toBe(error)
    expect(tried).toEqual([0, 1, 2, 3])
    expect(failed).toEqual([])
  })

  test('stops if the service no longer responds', async () => {
    const errors = [lost(), lost(), lost()]
    const {ended, tried} = await ofTen({3: [errors[0]], 4: [errors[1]], 5: [errors[2]]})
    expect(ended).toBe(errors[2])
    expect(tried).toHaveLength(6)
  })

  test('continues with other steps during a slow one, and ends with those that wait for all', async () => {
    let release = () => {}
    const slow = new Promise<void>(resolve => (release = resolve))
    const ended: string[] = []
    const step = (name: string, work: () => Promise<void>): Step => ({
      original: name,
      async work() {
        await work()
        ended.push(name)
        return {}
      },
    })
    const others = Array.from({length: 1000}, (_, index) => step(String(index), turn))
    const last: Step = {...step('last', turn), afterAll: 'something failed'}
    const {done} = await outcome(
      (function* () {
        yield last
        yield step('slow', () => slow)
        yield* others
        release()
      })(),
    )
    expect(ended.at(-1)).toBe('last')
    expect(ended.indexOf('slow')).toBeGreaterThan(900)
    expect(done).toHaveLength(1002)
  })

  test('skips steps that wait for all after a failure', async () => {
    const last: Step = {original: 'last', work: async () => ({}), afterAll: 'something failed'}
    const here: Step = {original: 'here', here: () => ({})}
    const broken: Step = {original: 'broken', error: new Error('no')}
    const {done, skipped} = await outcome([last, here, broken])
    expect(done).toEqual(['here'])
    expect(skipped).toEqual([{path: 'last', reason: 'something failed'}])
  })

  test('opens connections for steps that will run soon', async () => {
    const works = Array.from({length: 70}, (_, index): Step => {
      return {original: String(index), work: async () => turn().then(() => ({}))}
    })
    const {opened} = await outcome(works)
    expect(Math.max(...opened)).toBeGreaterThanOrEqual(16)
    expect(Math.max(...opened)).toBeLessThanOrEqual(64)
  })
})

describe('steps that depend on others', () => {
  const folder = (path: string, rest: Partial<Step> = {}): Step => ({
    original: path,
    call: {id: 'files.insert', input: {params: {}, body: {title: path}}},
    ...(rest as object),
  })
  const titles = (requests: readonly BatchCall[][]) =>
    requests.map(calls => calls.map(({input}) => input.body?.title))

  test('run level by level, a hundred per request', async () => {
    const {client, sizes} = fakeService()
    const a = folder('a')
    const b = folder('a/b', {after: a})
    const inner = Array.from({length: 150}, (_, n) => folder(`a/b/c${n}`, {after: b}))
    const {done} = await outcome([a, b, ...inner], {client})
    expect(sizes()).toEqual([1, 1, 100, 50])
    expect(done).toHaveLength(152)
  })

  test('do not wait until a group is full', async () => {
    const {client, requests} = fakeService()
    const folders = [folder('x'), folder('y')]
    const file: Step = {original: 'x/f', after: folders[0]!, work: async () => ({})}
    const {done} = await outcome([...folders, file], {client})
    expect(titles(requests)).toEqual([['x', 'y']])
    expect(done).toContain('x/f')
  })

  test('fail with the step they depend on, unless it succeeds in another way', async () => {
    const answer = ({input}: BatchCall): Outcome =>
      input.body!.title === 'x' || input.body!.title === 'z'
        ? {error: refused(403, 'forbidden')}
        : {record: {}}
    const {client, requests} = fakeService({answer})
    const x = folder('x')
    const z = folder('z', {recover: async () => ({record: {}})})
    const below = [folder('x/in', {after: x}), folder('z/in', {after: z})]
    const {done, failed} = await outcome([x, folder('y'), z, ...below], {client})
    expect(titles(requests)).toEqual([['x', 'y', 'z'], ['z/in']])
    expect(done.sort()).toEqual(['y', 'z', 'z/in'])
    expect(failed).toMatchObject([{path: 'x'}, {path: 'x/in'}])
  })

  test('are retried with the step they depend on', async () => {
    const {client} = fakeService({
      answer: (_, attempt) => (attempt === 1 ? {error: refused(503)} : {record: {}}),
    })
    const x = folder('x')
    const {done, failed} = await outcome([x, {original: 'x/f', after: x, work: async () => ({})}], {
      client,
    })
    expect(failed).toEqual([])
    expect(done).toEqual(['x', 'x/f'])
  })

  test('run one by one at a service without batches', async () => {
    const {client} = fakeService({hasBatches: false})
    const x = folder('x')
    const below = Array.from({length: 30}, (_, n) => folder(`x/${n}`, {after: x}))
    expect((await outcome([x, ...below], {client})).done).toHaveLength(31)
  })
})
