import {describe, expect, test} from 'vitest'
import {NetworkError, ServiceError} from '#lib/client/errors.js'
import {createLedger} from '#lib/transfer/tree/outcome.js'
import {createPool} from '#lib/transfer/tree/pool.js'
import {runSteps} from '#lib/transfer/tree/run.js'

const refused = (status: number, reason = '') =>
  new ServiceError(status, reason, `status ${status}`)
const lost = () => new NetworkError('No answer came.', 'http://localhost/')
const coded = (code: string) => Object.assign(new Error(code), {code})

/** Runs ten steps, of which some fail the first so many times. */
async function outcome(failures: Record<number, unknown[]>) {
  const ledger = createLedger()
  const tried: number[] = []
  const run = {
    pool: createPool({now: () => 0, width: 1}),
    ledger,
    signal: new AbortController().signal,
    explain: (error: unknown) => (error as Error).message,
    begin: () => ({onProgress: () => undefined, end: () => undefined}),
  }
  const steps = Array.from({length: 10}, (_, index) => ({path: String(index), index}))
  const ended = await runSteps(steps, run, async ({index}) => {
    tried.push(index)
    const error = failures[index]?.shift()
    if (error) throw error
    ledger.count('created')
  }).then(
    () => undefined,
    (error: unknown) => error,
  )
  return {ended, tried, ...ledger.tally()}
}

describe('a run', () => {
  test('goes on after a failure, and names it', async () => {
    const {failed, created} = await outcome({3: [refused(403, 'forbidden')]})
    expect(failed).toEqual([{path: '3', reason: 'status 403'}])
    expect(created).toBe(9)
  })

  test('tries once more at the end what may have passed', async () => {
    const {failed, created, tried} = await outcome({3: [refused(503)], 5: [lost(), lost()]})
    expect(tried.slice(10)).toEqual([3, 5])
    expect(created).toBe(9)
    expect(failed).toEqual([{path: '5', reason: 'No answer came.'}])
  })

  test('tries again what failed because of something that did', async () => {
    const error = new Error('its folder could not be made', {cause: refused(503)})
    expect((await outcome({3: [error]})).failed).toEqual([])
  })

  test.each([
    ['the token was refused', refused(401)],
    ['the account is full', refused(403, 'storageQuotaExceeded')],
    ['the service can keep nothing', refused(507, 'storageFailed')],
    ['the disk is full', coded('ENOSPC')],
    ['the disk is full, in words', new Error('full', {cause: coded('ENOSPC')})],
  ])('ends at once when %s', async (_, error) => {
    const {ended, tried} = await outcome({3: [error]})
    expect(ended).toBe(error)
    expect(tried).toEqual([0, 1, 2, 3])
  })

  test('ends when nobody answers any more', async () => {
    const errors = [lost(), lost(), lost()]
    const {ended, tried} = await outcome({3: [errors[0]], 4: [errors[1]], 5: [errors[2]]})
    expect(ended).toBe(errors[2])
    expect(tried).toHaveLength(6)
  })
})
