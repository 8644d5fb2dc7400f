import {randomBytes} from 'node:crypto'
import {Readable} from 'node:stream'
import type {OperationId} from '#lib/api/operations.js'
import {createAllowance, type RateLimit} from '#lib/service/http/rate-limit.js'
import {startDelivery} from '#lib/service/server/delivery.js'
import type {HandlersOf} from './call.js'
import {type InjectOptions, withFaults} from './faults/inject.js'
import type {FaultPlan} from './faults/plan.js'
import {handlers as allHandlers} from './handlers/index.js'
import {shownToken} from './oauth/guard/authenticate.js'
import {createOwner, type Owner} from './oauth/guard/owner.js'
import {expireToken} from './oauth/store/tokens.js'
import {createRequestHandler, credentialsOf, type ServiceContext} from './server/request-handler.js'
import {startServer} from './server/server.js'
import type {DrainLimits} from './server/unread.js'
import {ORPHAN_AGE} from './store/content/content.js'
import {sweep, sweepNotices} from './store/content/integrity.js'
import {type Counts, openCounts} from './store/counts.js'
import {DiskError} from './store/database/disk.js'
import {checkDatabase} from './store/database/inspect.js'
import type {Random} from './store/ids.js'
import {openStore, type Store} from './store/index.js'
import {isContentUsed, removeOldSessions} from './store/upload-sessions.js'
import {DEFAULT_LOGIN, ensureUser} from './store/users.js'

/**
 * The local service: serves the whole API over HTTP from a data directory, to this machine only. It
 * keeps its data in `store` and shares definitions with clients in `../api`. It imports no client code.
 */

export interface ServiceOptions {
  /** The data directory, created if missing. Several processes may use it at the same time. */
  readonly data: string
  /** The port to listen on (default: 0, any free port). */
  readonly port?: number
  /** `127.0.0.1` (the default), `localhost` or `::1`, so that only this machine can connect. */
  readonly host?: string
  /** The time, in Unix ms. */
  readonly clock?: () => number
  readonly random?: Random
  /** The free disk space in bytes (default: that of the data directory's disk). */
  readonly freeSpace?: () => number
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
  /** Seconds between the polls of a device sign-in (default: 5), for tests. */
  readonly pollInterval?: number
  /** How much of a request is read after an early response (default: at most 64 MiB and 5 s). */
  readonly connections?: Partial<DrainLimits>
  /** Replaces the handlers of single operations, for tests. */
  readonly handlers?: Partial<HandlersOf<OperationId>>
  /** Simulated failures, to test clients. */
  readonly faults?: FaultPlan
  readonly onFault?: InjectOptions['onFault']
}

/** A running service. */
export interface Service {
  /** Its base URL, without a trailing slash. */
  readonly url: string
  readonly store: Store
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
  const {data, port = 0, host = '127.0.0.1', clock = Date.now, random = randomBytes} = options
  const {log = () => undefined, notice = () => undefined, fetch: send, rateLimit} = options
  if (!LOOPBACK_HOSTS.includes(host)) {
    throw new Error(
      `The local service can listen on ${LOOPBACK_HOSTS.join(', ')} only, not on ${host}.`,
    )
  }
  const store = openStore(data, {random, notice, freeSpace: options.freeSpace})
  let counts: Counts | undefined
  try {
    if (options.checksDatabase) checkDatabase(store)
    counts = rateLimit && openCounts(data)
    const allowance = rateLimit && counts && createAllowance(rateLimit, counts)
    ensureUser(store, DEFAULT_LOGIN, clock())
    removeLitter(store, clock(), log)
    const handlers = {...allHandlers, ...options.handlers} as ServiceContext['handlers']
    const owned = options.isOwned ? createOwner(random) : undefined
    const context = {
      store,
      handlers,
      clock,
      log,
      allowance,
      owner: owned?.check,
      namesIssuer: options.namesIssuer,
      pollInterval: options.pollInterval,
    }
    const handler = createRequestHandler(context)
    const {faults, onFault} = options
    const onExpiry: InjectOptions['onExpiry'] = request => {
      const token = shownToken(credentialsOf(request))
      if (token !== undefined) expireToken(store, token, clock())
    }
    const app = faults ? withFaults(handler, faults, {clock, onFault, onExpiry}) : handler
    const delivery = startDelivery(store, {clock, log, ...(send && {fetch: send})})
    const server = await startServer(
      async request => {
        const response = await app(request)
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
    // The modification times of files come from the system clock, not from `clock`.
    const cleaning = sweep(store, Date.now() - ORPHAN_AGE, id => isContentUsed(store, id))
      .then(swept => sweepNotices(data, swept).forEach(notice))
      .catch(log)
    return {
      url: server.url,
      store,
      owner: owned?.owner,
      async close() {
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

/** Deletes old upload sessions. A full disk is logged only, because the data can still be read. */
function removeLitter(store: Store, now: number, log: (error: unknown) => void): void {
  try {
    store.write(() => removeOldSessions(store, now))
  } catch (error) {
    if (!(error instanceof DiskError && error.isLackOfRoom)) throw error
    log(error)
  }
}
