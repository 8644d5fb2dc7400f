import {randomBytes} from 'node:crypto'
import {readFile} from 'node:fs/promises'
import {readFaultPlan} from '#lib/service/faults/read.js'
import {createService as startService, type Service} from '#lib/service/index.js'
import type {Approval} from '#lib/service/oauth/call.js'
import type {SeedSource} from '#lib/service/seed/read.js'
import type {Seed} from '#lib/service/seed/seed.js'
import {decideSignIn} from './approve.js'
import {clockSource, lengthOf, timeOf} from './times.js'
import {createToken} from './token.js'
import type {
  Faults,
  LocalService,
  LocalServiceOptions,
  RequestFilter,
  RequestRecord,
  Snapshot,
} from './types.js'

/**
 * Starts a local service in this process. It is ready when the promise resolves.
 *
 * @example
 * ```ts
 * await using service = await createService({clock: '2027-03-01T12:00:00Z'})
 * const token = service.token({user: 'ada', scopes: ['drive.readonly'], expiresIn: '15m'})
 * const response = await fetch(`${service.baseUrl}/drive/v2/files`, {
 *   headers: {authorization: `Bearer ${token}`},
 * })
 * ```
 *
 * @throws Error for an option or a seed that is not valid, a port in use, or a data directory that cannot be used.
 */
export async function createLocalService(options: LocalServiceOptions = {}): Promise<LocalService> {
  const faults = planOf(options.faults)
  const service = await startService({
    data: options.data,
    port: options.port,
    clock: clockSource(options.clock),
    faults,
    approval: approvalOf(options.approve),
    rateLimit: rateLimitOf(options.rateLimit),
    pollInterval: options.pollInterval,
    namesIssuer: options.nameIssuer,
    seed: await seedFrom(options.seed),
    log: options.onError,
    // Commands such as `drv local clock` work on its data directory.
    isControlled: options.data !== undefined,
    random: randomBytes,
  })
  const {clock, store, requestLog} = service
  const restores = new WeakMap<Snapshot, () => Promise<void>>()
  const atStart = options.data === undefined ? snapshot() : undefined

  /** Copies the data and the time. */
  function snapshot(): Snapshot {
    const restore = service.snapshot()
    const copy = {time: clock.now()}
    const offset = clock.offset()
    restores.set(copy, async () => {
      await restore()
      clock.reset(offset)
    })
    return copy
  }

  async function restore(copy: Snapshot): Promise<void> {
    const work = restores.get(copy)
    if (!work) throw new Error('The snapshot belongs to another service.')
    await work()
  }

  async function moveTo(time: number): Promise<number> {
    clock.moveTo(time)
    const now = clock.now()
    await service.settle()
    return now
  }

  return {
    baseUrl: service.url,
    authUrl: service.url,
    clock: {
      now: clock.now,
      advance: async duration => moveTo(clock.now() + lengthOf(duration)),
      set: async time => moveTo(timeOf(time)),
    },
    token: wanted => createToken(store, wanted, clock.now()),
    seed: async seed => service.seed((await seedFrom(seed))!),
    faults: plan => service.setFaults(planOf(plan)),
    approve: (userCode, decision) => decideSignIn(store, userCode, decision, clock.now()),
    requests: filter => matching(service, filter),
    async reset() {
      if (!atStart)
        throw new Error('Only an in-memory service can be reset: start it without `data`.')
      await restore(atStart)
      service.setFaults(faults)
      requestLog.clear()
    },
    snapshot: async () => snapshot(),
    restore,
    close: () => service.close(),
    [Symbol.asyncDispose]: () => service.close(),
  }
}

/** A seed from an object or a file. */
async function seedFrom(seed: Seed | string | undefined): Promise<SeedSource | undefined> {
  if (seed === undefined) return undefined
  const {readSeed, seedOf} = await import('#lib/service/seed/read.js')
  return typeof seed === 'string' ? readSeed(await readFile(seed, 'utf8'), seed) : seedOf(seed)
}

function planOf(faults: Faults | string | undefined) {
  if (faults === undefined) return undefined
  return readFaultPlan(typeof faults === 'string' ? faults : JSON.stringify(faults))
}

function approvalOf(text: string | undefined): Approval | undefined {
  if (text === undefined || text === 'deny' || text === 'never') return text
  if (text.trim() === '') throw new Error('Invalid approve: must not be empty.')
  return {user: text}
}

function rateLimitOf(authenticated: number | undefined) {
  if (authenticated === undefined) return undefined
  if (Number.isSafeInteger(authenticated) && authenticated > 0) {
    return {authenticated, anonymous: Math.ceil(authenticated / 10)}
  }
  throw new Error(`Invalid rateLimit: must be a positive integer, not ${authenticated}.`)
}

function matching(
  {requestLog}: Service,
  {method, path, operation}: RequestFilter = {},
): readonly RequestRecord[] {
  const isPath = (text: string) =>
    path === undefined || (typeof path === 'string' ? path === text : new RegExp(path).test(text))
  return requestLog
    .entries()
    .filter(
      entry =>
        (method === undefined || entry.method === method.toUpperCase()) &&
        (operation === undefined || entry.operation === operation) &&
        isPath(entry.path),
    )
}
