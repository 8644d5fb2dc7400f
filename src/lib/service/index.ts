import {randomBytes} from 'node:crypto'
import {Readable} from 'node:stream'
import {isOperationId, type OperationId} from '#lib/api/operations.js'
import type {ServiceRequest} from '#lib/service/http/message.js'
import {createAllowance, type RateLimit} from '#lib/service/http/rate-limit.js'
import {startDelivery} from '#lib/service/server/delivery.js'
import {createGate} from '#lib/service/server/gate.js'
import type {HandlersOf} from './call.js'
import {createClock, type ServiceClock} from './clock.js'
import {clockCommand} from './control/clock-command.js'
import {createControl} from './control/control.js'
import {logCommand} from './control/log-command.js'
import {announce} from './control/running.js'
import {type InjectOptions, withFaults} from './faults/inject.js'
import type {FaultCall, FaultPlan, FaultStrike} from './faults/plan.js'
import {handlers as allHandlers} from './handlers/index.js'
import {createServiceInspector} from './inspect/inspector.js'
import type {Approval} from './oauth/call.js'
import {credentialsOf, shownToken} from './oauth/guard/authenticate.js'
import {createOwner, type Owner} from './oauth/guard/owner.js'
import {expireToken} from './oauth/store/tokens.js'
import {createRequestRecorder} from './request-log/record.js'
import {createRequestLog, type RequestLog} from './request-log/request-log.js'
import type {SeedSource} from './seed/read.js'
import {createRequestHandler, type ServiceContext} from './server/request-handler.js'
import {startServer} from './server/server.js'
import type {DrainLimits} from './server/unread.js'
import {ORPHAN_AGE} from './store/content/content.js'
import {sweep, sweepNotices} from './store/content/integrity.js'
import {type Counts, openCounts} from './store/counts.js'
import {DiskError} from './store/database/disk.js'
import {checkDatabase} from './store/database/inspect.js'
import type {Random} from './store/ids.js'
import {openMemoryStore, openStore, type Store} from './store/index.js'
import {defaultUser} from './store/seeded.js'
import {isContentUsed, removeOldSessions} from './store/upload-sessions.js'

/**
 * The local service: serves the whole API over HTTP from a data directory, to this machine only. It
 * keeps its data in `store` and shares definitions with clients in `../api`. It imports no client code.
 */

export interface ServiceOptions {
  /** The data directory, created if missing (default: everything is in memory). Several processes may use it at the same time. */
  readonly data?: string
  /** How many bytes of content stay in memory without a data directory (default: 64 MiB). The rest is in a temporary folder. */
  readonly contentLimit?: number
  /** The port to listen on (default: 0, any free port). */
  readonly port?: number
  /** `127.0.0.1` (the default), `localhost` or `::1`, so that only this machine can connect. */
  readonly host?: string
  /** The time, in Unix ms. */
  readonly clock?: () => number
  readonly random?: Random
  /** The free disk space in bytes (default: that of the data directory's disk). */
  readonly freeSpace?: () => number
  /** Receives requests (default: over HTTP). */
  readonly serve?: typeof startServer
  /** Sends the notifications of channels (default: the global `fetch`). */
  readonly fetch?: typeof fetch
  /** Checks the whole database at the start and refuses a damaged one. Otherwise damage shows only when it is read. */
  readonly checksDatabase?: boolean
  /**
   * Called with internal errors. Clients get the message of a `DiskError`, and "Internal error" for
   * all others.
   */
  readonly log?: (error: unknown) => void
  /** Called with a sentence for each automatic change of the data that the user should know of. */
  readonly notice?: (text: string) => void
  /** The limit of API requests per hour (default: unlimited). */
  readonly rateLimit?: RateLimit
  /** Only the program that starts the service can sign in, by `Service.owner`. */
  readonly isOwned?: boolean
  /** Whether the file service publishes its issuer (RFC 9728), so that clients sign in as to a standard server. */
  readonly namesIssuer?: boolean
  /** Decides sign-ins instead of a person (default: a person decides). */
  readonly approval?: Approval
  /** Whether the owner of the data directory can control the running service, for example move its clock. */
  readonly isControlled?: boolean
  /** Seconds between the polls of a device sign-in (default: 5), for tests. */
  readonly pollInterval?: number
  /** How much of a request is read after an early response (default: at most 64 MiB and 5 s). */
  readonly connections?: Partial<DrainLimits>
  /** Replaces the handlers of single operations, for tests. */
  readonly handlers?: Partial<HandlersOf<OperationId>>
  /** The data that an empty store starts with. A store that was made from the same seed stays as it is. */
  readonly seed?: SeedSource
  /** Simulated failures, to test clients. */
  readonly faults?: FaultPlan
  readonly onFault?: InjectOptions['onFault']
}

/** A running service. */
export interface Service {
  /** Its base URL, without a trailing slash. */
  readonly url: string
  readonly store: Store
  readonly clock: ServiceClock
  readonly requestLog: RequestLog
  /** Replaces the simulated failures; `undefined` ends them. */
  setFaults(plan: FaultPlan | undefined): void
  /** Sends the notifications that are due. Resolves when their receivers have responded. */
  settle(): Promise<void>
  /** Adds a seed to the data. Throws `SeedError` for an invalid one. */
  seed(source: SeedSource): Promise<void>
  /** Copies the data of a service in memory. Returns a function that restores it. Throws for a service with a data directory. */
  snapshot(): () => Promise<void>
  /** The credentials of the program that started the service with `isOwned`. */
  readonly owner?: Owner
  /** Finishes running requests and deliveries, then stops the service. */
  close(): Promise<void>
}

const LOOPBACK_HOSTS = ['127.0.0.1', 'localhost', '::1']

/**
 * Opens a data directory and serves it over HTTP, to this machine only. Rejects with the system error
 * if the port is in use, and with `DataError` for an unusable directory.
 */
export async function createService(options: ServiceOptions): Promise<Service> {
  const {data, port = 0, host = '127.0.0.1', random = randomBytes} = options
  const {log = () => undefined, notice = () => undefined, fetch: send, rateLimit} = options
  if (!LOOPBACK_HOSTS.includes(host)) {
    throw new Error(
      `The local service can listen on ${LOOPBACK_HOSTS.join(', ')} only, not on ${host}.`,
    )
  }
  const {freeSpace, contentLimit, serve = startServer} = options
  const memory = data === undefined ? openMemoryStore({random, freeSpace, contentLimit}) : undefined
  const store = memory ?? openStore(data!, {random, notice, freeSpace})
  const serviceClock = createClock(options.clock ?? Date.now)
  const clock = serviceClock.now
  let counts: Counts | undefined
  try {
    if (options.checksDatabase && !memory) checkDatabase(store)
    counts = rateLimit && openCounts(data)
    const allowance = rateLimit && counts && createAllowance(rateLimit, counts)
    if (options.seed) await fill(store, options.seed, clock(), notice)
    defaultUser(store, clock())
    removeLitter(store, clock(), log)
    const handlers = {...allHandlers, ...options.handlers} as ServiceContext['handlers']
    const owned = options.isOwned ? createOwner(random) : undefined
    const requestLog = createRequestLog()
    const recorder = createRequestRecorder(requestLog, clock)
    const handler = createRequestHandler({
      store,
      handlers,
      clock,
      log,
      allowance,
      owner: owned?.check,
      namesIssuer: options.namesIssuer,
      pollInterval: options.pollInterval,
      approval: options.approval,
      recorder,
    })
    const faults = {
      clock,
      onFault(strike: FaultStrike, call: FaultCall, request: ServiceRequest) {
        recorder.note(request, {
          ...(isOperationId(call.target) && {operation: call.target}),
          fault: strike.kind,
        })
        options.onFault?.(strike, call, request)
      },
      onExpiry(request: ServiceRequest) {
        const token = shownToken(credentialsOf(request))
        if (token !== undefined) expireToken(store, token, clock())
      },
    }
    const withPlan = (plan: FaultPlan | undefined) =>
      plan ? withFaults(handler, plan, faults) : handler
    let plan = options.faults
    let app = withPlan(plan)
    const setFaults = (next: FaultPlan | undefined) => {
      plan = next
      app = withPlan(next)
    }
    const gate = createGate()
    const delivery = startDelivery(store, {clock, log, ...(send && {fetch: send})})
    const settle = () => delivery.settle()
    const inspector = options.isControlled
      ? createServiceInspector({
          ...{random, requestLog, log, clock: serviceClock, settle, setFaults},
          faults: () => plan,
        })
      : undefined
    const control =
      inspector &&
      createControl(random, {
        clock: clockCommand(serviceClock, settle),
        log: logCommand(requestLog),
        inspect: () => ({path: inspector.link()}),
      })
    const server = await serve(
      async request => {
        const controlled = (await control?.respond(request)) ?? (await inspector?.respond(request))
        if (controlled) return controlled
        const response = await gate.pass(() => recorder.record(request, () => app(request)))
        if (request.method === 'GET') return response
        delivery.wake()
        // A batch runs its calls while its response is read.
        if (response.body instanceof Readable) response.body.once('close', delivery.wake)
        return response
      },
      {host, port, log, connections: options.connections},
    ).catch(async error => {
      await delivery.close()
      throw error
    })
    const running = {url: server.url, secret: control?.secret ?? ''}
    // Without write access, the data can still be read; only control of the service is not possible.
    const conceal =
      control && data !== undefined
        ? await announce(data, running).catch(() => undefined)
        : undefined
    const cleaning = memory ? undefined : clean(store, {log, notice})
    return {
      url: server.url,
      store,
      clock: serviceClock,
      requestLog,
      owner: owned?.owner,
      setFaults,
      settle,
      async seed(source) {
        const {applySeed} = await import('./seed/apply.js')
        await applySeed(store, source, clock())
        delivery.wake()
      },
      snapshot() {
        if (!memory) throw new Error('Only an in-memory service has snapshots.')
        const restore = memory.snapshot()
        return () =>
          gate.close(() => {
            restore()
            counts?.clear()
          })
      },
      async close() {
        conceal?.()
        inspector?.close()
        await server.close()
        await delivery.close()
        await cleaning
        counts?.close()
        store.close()
      },
    }
  } catch (error) {
    counts?.close()
    store.close()
    throw error
  }
}

/** Fills an empty store with a seed. Throws like `fillStore`. */
async function fill(
  store: Store,
  seed: SeedSource,
  now: number,
  notice: (text: string) => void,
): Promise<void> {
  const {fillStore} = await import('./seed/apply.js')
  if (!(await fillStore(store, seed, now))) return
  notice(
    `Using the existing data in ${store.directory}, which was created from this seed. To start over, delete the data with \`drv local reset\`.`,
  )
}

/** Removes what earlier processes left behind in a data directory. */
async function clean(
  store: Store,
  {log, notice}: Required<Pick<ServiceOptions, 'log' | 'notice'>>,
): Promise<void> {
  try {
    // The modification times of files come from the system clock, not from that of the service.
    const swept = await sweep(store, Date.now() - ORPHAN_AGE, id => isContentUsed(store, id))
    sweepNotices(store.directory, swept).forEach(notice)
  } catch (error) {
    log(error)
  }
}

/** Deletes old upload sessions. A full disk is logged only, because the data can still be read. */
function removeLitter(store: Store, now: number, log: (error: unknown) => void): void {
  try {
    store.write(() => removeOldSessions(store, now))
  } catch (error) {
    if (!(error instanceof DiskError && error.isLackOfRoom)) throw error
    log(error)
  }
}
