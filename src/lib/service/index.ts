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
 * The embedded service lives here: started with a data directory, it serves the whole API over HTTP to
 * this machine alone. What it stores is asked of `store`, and what both sides agree on stands in
 * `../api`; nothing of a client does.
 */

export interface ServiceOptions {
  /** The data directory; made where it is missing. Several processes may use it at once. */
  readonly data: string
  /** 0, the default, takes any port that is free. */
  readonly port?: number
  /** `127.0.0.1` (the default), `localhost` or `::1`: nobody else can reach it. */
  readonly host?: string
  /** The time, in Unix ms. */
  readonly clock?: () => number
  readonly random?: Random
  /** Bytes that the disk still takes; those of the data directory's by default. */
  readonly freeSpace?: () => number
  /** Sends the messages of channels; the global one by default. */
  readonly fetch?: typeof fetch
  /** Refuses a database that is damaged anywhere; else only what is read of it comes to light. */
  readonly checksDatabase?: boolean
  /**
   * Hears of failures inside the service: as `DiskError` of what callers are told in the same words,
   * of all others they learn only "Internal error".
   */
  readonly log?: (error: unknown) => void
  /** Hears, in whole sentences, what was done to the data that its user should know. */
  readonly notice?: (text: string) => void
  /** How many API requests may be made within an hour; without it as many as one likes. */
  readonly rateLimit?: RateLimit
  /** Whoever starts the service runs it for itself: nobody else can sign in (see `Service.owner`). */
  readonly isOwned?: boolean
  /** The file service names the issuer of its tokens (RFC 9728), so that clients sign in as at a standard server. */
  readonly namesIssuer?: boolean
  /** How long a request that is answered early is still taken in; 64 MiB and 5 s at most by default. */
  readonly connections?: Partial<DrainLimits>
  /** Replaces the behaviour of single operations, for tests of what lies around them. */
  readonly handlers?: Partial<HandlersOf<OperationId>>
  /** What is to go wrong with calls, for tests of clients. */
  readonly faults?: FaultPlan
  readonly onFault?: InjectOptions['onFault']
}

/** A running service. */
export interface Service {
  /** Its address, without a slash at the end. */
  readonly url: string
  readonly store: Store
  /** How whoever started the service signs in, where nobody else can. */
  readonly owner?: Owner
  /** Ends answers and deliveries that are under way, then everything else. */
  close(): Promise<void>
}

const LOOPBACK_HOSTS = ['127.0.0.1', 'localhost', '::1']

/**
 * Opens a data directory and serves it over HTTP, to this machine alone. Rejects when the port is
 * taken, and with `DataError` for a directory that cannot be used.
 */
export async function createService(options: ServiceOptions): Promise<Service> {
  const {data, port = 0, host = '127.0.0.1', clock = Date.now, random = randomBytes} = options
  const {log = () => undefined, notice = () => undefined, fetch: send, rateLimit} = options
  if (!LOOPBACK_HOSTS.includes(host)) {
    throw new Error(`The service listens on ${LOOPBACK_HOSTS.join(', ')} only, not on ${host}.`)
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
    }
    const soundApp = createRequestHandler(context)
    const {faults, onFault} = options
    const onExpiry: InjectOptions['onExpiry'] = request => {
      const token = shownToken(credentialsOf(request))
      if (token !== undefined) expireToken(store, token, clock())
    }
    const app = faults ? withFaults(soundApp, faults, {clock, onFault, onExpiry}) : soundApp
    const delivery = startDelivery(store, {clock, log, ...(send && {fetch: send})})
    const server = await startServer(
      async request => {
        const response = await app(request)
        if (request.method === 'GET') return response
        delivery.wake()
        // What a batch does is done while its answers are read.
        if (response.body instanceof Readable) response.body.once('close', delivery.wake)
        return response
      },
      {host, port, log, connections: options.connections},
    ).catch(async error => {
      await delivery.close()
      throw error
    })
    // Files carry the system's time, whatever the service's clock says.
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

/** Forgets uploads that are over. A disk that is too full for it can still be read. */
function removeLitter(store: Store, now: number, log: (error: unknown) => void): void {
  try {
    store.write(() => removeOldSessions(store, now))
  } catch (error) {
    if (!(error instanceof DiskError && error.isLackOfRoom)) throw error
    log(error)
  }
}
