import type {Seed} from '#lib/service/seed/seed.js'

/**
 * The local service of drv in a program: a complete service for cloud files and sign-in, to test
 * clients against. No process, no account, no network beyond this machine.
 *
 * @packageDocumentation
 */

/** Options of `createService`. */
export interface LocalServiceOptions {
  /**
   * The data directory, created if missing. Default: everything is in memory and ends with the service. Content
   * above 64 MiB in total is in a private temporary folder, removed by `close()`.
   */
  readonly data?: string
  /**
   * The users, apps, drives and files that the service starts with, as an object or the path of a YAML or JSON file:
   * see {@link Seed}. A data directory must be empty, or created from the same seed, which is then not applied again.
   * `reset()` restores the state with the seed.
   */
  readonly seed?: Seed | string
  /** The port on 127.0.0.1 to listen on (default: any free port). */
  readonly port?: number
  /**
   * The time at which the clock of the service starts: a date, a string such as `2027-03-01T12:00:00Z`,
   * or Unix milliseconds (default: now). From there it runs like a normal clock. A function replaces
   * the clock: it returns Unix milliseconds.
   */
  readonly clock?: Date | string | number | (() => number)
  /** Simulated failures from the start on, or their JSON: see {@link LocalService.faults}. */
  readonly faults?: Faults | string
  /**
   * Decides sign-ins instead of a person, in the device flow, the web flow and single sign-on: the
   * login of the user who approves them, `deny`, or `never` to leave them pending (default: they wait
   * for {@link LocalService.approve} or a browser). A user who does not exist is created.
   */
  readonly approve?: string
  /** API requests per user and hour; a tenth of it without a token (default: unlimited). */
  readonly rateLimit?: number
  /** Seconds between the polls of a device sign-in, as the service requests them (default: 5). */
  readonly pollInterval?: number
  /** Publishes the issuer at the base URL (RFC 9728), so that clients find where to sign in. */
  readonly nameIssuer?: boolean
  /** Called with errors of the service itself, which clients see as status 500 or 507. */
  readonly onError?: (error: unknown) => void
}

/**
 * Simulated failures, as in `drv local serve --faults`. The same seed and the same sequence of calls
 * give the same failures.
 */
export interface Faults {
  /** From 0 to 2^32-1 (default: 1). */
  readonly seed?: number
  /** The first rule that applies to a call is used. */
  readonly rules: readonly FaultEntry[]
}

/** A rule of {@link Faults}. With none of `probability`, `every`, `first` and `calls`, every call fails. */
export interface FaultEntry {
  /** `files.get`, a list of such names, or `*` for all; also `batch` and `refresh`. */
  readonly operations?: string | readonly string[]
  /** Only calls of this kind; `chunk` is one of an upload session. */
  readonly via?: 'plain' | 'upload' | 'chunk' | 'download'
  /** From 0 to 1. */
  readonly probability?: number
  /** Every Nth call. */
  readonly every?: number
  /** The first N calls. */
  readonly first?: number
  /** These calls, counted from 1. */
  readonly calls?: readonly number[]
  /** The failure. The other fields depend on it. */
  readonly fault:
    | 'status'
    | 'reset'
    | 'slow'
    | 'truncate'
    | 'lose'
    | 'token-expire'
    | 'refresh-lost'
    | 'rateLimit'
  readonly [field: string]: unknown
}

/** Options of {@link LocalService.token}. */
export interface TokenOptions {
  /** The login of the user, who is created if missing (default: `local`, or the first user of the seed). */
  readonly user?: string
  /** Scopes such as `drive.readonly`, short or in full (default: all). */
  readonly scopes?: readonly string[]
  /** The lifetime: seconds, or a string such as `15m` (default: until revoked). */
  readonly expiresIn?: number | string
}

/** The decision about a sign-in. */
export interface ApproveOptions {
  /** The login of the user who decides (default: the oldest user). */
  readonly as?: string
  /** Denies the sign-in. */
  readonly deny?: boolean
}

/** The clock of a service. It moves forward only, except by `reset()` and `restore()`. */
export interface LocalClock {
  /** The time of the service in Unix milliseconds. */
  now(): number
  /**
   * Moves the clock forward: milliseconds, or a string such as `+16m`, `2h` or `30d`. Everything that ends before
   * the new time expires: codes, tokens, channels, upload sessions, rate limits. Resolves with the new time once the
   * notifications that are due have been sent.
   *
   * @throws Error if the string is not a duration.
   */
  advance(duration: number | string): Promise<number>
  /**
   * Moves the clock to a time: a date, a string such as `2027-03-01T12:00:00Z`, or Unix milliseconds.
   * Resolves like `advance`.
   *
   * @throws Error for a time in the past of the service.
   */
  set(time: Date | string | number): Promise<number>
}

/** A request that the service has answered. It never contains a token. */
export interface RequestRecord {
  /** When it arrived, by the clock of the service, in Unix milliseconds. */
  readonly time: number
  readonly method: string
  /** Without the query. */
  readonly path: string
  /** The operation, such as `files.insert`; missing for sign-in and unknown paths. */
  readonly operation?: string
  /** The login of the caller. */
  readonly user?: string
  /** The client ID of the caller's app. */
  readonly app?: string
  /** The scopes of the caller's token. */
  readonly scopes?: readonly string[]
  readonly status: number
  /** Why it was refused, such as `notFound`. */
  readonly reason?: string
  readonly milliseconds: number
  /** The failure that was simulated. */
  readonly fault?: string
  /** The ID of the file, folder or shared drive that the operation created, changed or read. */
  readonly item?: string
  /** The operation whose upload session the request continues. */
  readonly continues?: string
}

/** Selects requests. A request must match every given field. */
export interface RequestFilter {
  readonly method?: string
  /** The exact path, or a pattern. */
  readonly path?: string | RegExp
  readonly operation?: string
}

/** A copy of the data of a service, for {@link LocalService.restore}. */
export interface Snapshot {
  /** The time of the service when the copy was made, in Unix milliseconds. */
  readonly time: number
}

/** A running service. */
export interface LocalService {
  /** The base URL of the file service, without a trailing slash: `DRV_BASE_URL` of drv. */
  readonly baseUrl: string
  /** The base URL for sign-in, without a trailing slash: `DRV_AUTH_URL` of drv. */
  readonly authUrl: string
  readonly clock: LocalClock
  /**
   * Creates an access token, and the user if missing.
   *
   * @throws Error for an unknown scope.
   */
  token(options?: TokenOptions): string
  /**
   * Adds users, apps, drives and files, as an object or the path of a YAML or JSON file. Adds everything or nothing.
   * Paths in an object are relative to the current folder, those in a file to its folder.
   *
   * @throws Error that names the file, the line and the field of an invalid value.
   */
  seed(seed: Seed | string): Promise<void>
  /**
   * Replaces the simulated failures, given as an object or as JSON. Without an argument, ends them.
   *
   * @throws Error that names the invalid field of the plan.
   */
  faults(plan?: Faults | string): void
  /**
   * Decides a sign-in of the device flow by its user code, such as `BCDF-3467`; or confirms single
   * sign-on by the URL in the header `X-Service-SSO`.
   *
   * @throws Error if the code is unknown, used or expired.
   */
  approve(userCode: string, options?: ApproveOptions): void
  /** The last 10,000 requests since the start or the last `reset()`, the oldest first. */
  requests(filter?: RequestFilter): readonly RequestRecord[]
  /**
   * Restores the state after the start: data, users, clock and simulated failures, with no requests
   * recorded. Tokens created since then no longer work. Waits up to one second for running requests.
   *
   * @throws Error if the service has a data directory.
   */
  reset(): Promise<void>
  /**
   * Copies all data and the time.
   *
   * @throws Error if the service has a data directory.
   */
  snapshot(): Promise<Snapshot>
  /** Restores a copy of this service, as often as needed. Waits up to one second for running requests. */
  restore(snapshot: Snapshot): Promise<void>
  /** Finishes running requests and stops the service. */
  close(): Promise<void>
  /** `close()`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}
