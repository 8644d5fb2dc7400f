import type {RestDescription} from '#lib/api/types.js'
import type {Session} from '#lib/auth/session.js'
import type {Failure} from '#lib/cli/explain/explain.js'
import type {GlobalOptions} from '#lib/cli/output/global-options.js'
import type {Io} from '#lib/cli/terminal/io.js'
import type {Pager} from '#lib/cli/terminal/pager.js'
import type {TransferProgress} from '#lib/cli/terminal/progress.js'
import type {Client} from '#lib/client/client.js'
import type {Sender} from '#lib/client/request.js'
import type {Retrying} from '#lib/client/retry/attempts.js'
import type {Send} from '#lib/client/transport/transport.js'
import type {Waits} from '#lib/client/transport/waits.js'
import type {Directories} from '#lib/config/paths.js'
import type {Settings} from '#lib/config/settings.js'
import type {PolicyGuard} from '#lib/policy/guard.js'
import type {Service} from '#lib/service/index.js'
import type {Journal} from '#lib/transfer/journal/journal.js'
import type {ResolvedPath} from '#lib/transfer/remote/remote-path.js'
import type {World} from '#lib/transfer/types.js'
import type {Lifecycle} from './lifecycle.js'
import type {Notices} from './notices.js'

/** The local paths that a command has chosen so far, so that no download overwrites another. */
export type ClaimedPaths = Set<string>

/** The base URLs of the services, without a trailing slash. */
export interface Addresses {
  readonly baseUrl: string
  readonly authUrl: string
  /** The credentials for the embedded service, if this command runs it. Nobody else can sign in there. */
  readonly owner?: Service['owner']
}

/** The URL to open in a browser for a page of the authorization service. */
export function browserAddress({owner}: Addresses, address: string): string {
  return owner ? owner.page(address) : address
}

/** A service or API description that replaces the profile's service and the built-in description. */
export interface ServiceIdentity {
  readonly document: RestDescription
  /** Without a trailing slash (default: that of the profile). */
  readonly baseUrl?: string
  /** Whether requests carry the profile's token. */
  readonly hasToken: boolean
}

/**
 * The settings, services and clients of a running command. Everything that takes time or can fail is a
 * function that builds its result on first use and then returns the same one.
 */
export interface Context extends Lifecycle {
  readonly options: GlobalOptions
  /** The name of the command without `drv`: `files trash`. */
  readonly command: string
  /** The words after `drv`, as typed. */
  readonly typed: readonly string[]
  /** `drv/1.2.3` */
  readonly userAgent: string
  /** Whether the command is `drv apply`, which the policy `require-plan` allows. */
  readonly appliesPlan?: boolean
  /** The directory where drv is installed. */
  readonly root: string
  /** The environment at the start, with the secrets that are then removed from `process.env`. */
  readonly environment: NodeJS.ProcessEnv
  readonly directories: Directories
  /** The cache directory; `undefined` if there is no home directory. */
  readonly caches: string | undefined
  readonly io: Io
  /** Shows results that are formatted for people. */
  readonly pager: Pager
  /** The remote files that globs in the command line have matched, by argument. */
  readonly matched?: Map<string, ResolvedPath>
  /** The time in Unix ms. */
  now(): number
  /**
   * Waits for a time in milliseconds, or until `until` aborts. Rejects with the signal's reason if the command
   * is aborted first.
   */
  sleep(milliseconds: number, until?: AbortSignal): Promise<void>
  /** A new random identifier. */
  newId(): string
  /** Aborts when the command must end: on SIGINT, SIGTERM or `--timeout`. */
  readonly signal: AbortSignal
  settings(): Promise<Settings>
  /** Starts the embedded service first if the settings select it. */
  addresses(): Promise<Addresses>
  session(): Promise<Session>
  /** The retry settings of requests. */
  retrying(): Promise<Retrying>
  /** The transport for all requests of the command. */
  send(): Promise<Send>
  client(): Promise<Client>
  /** Checks plans before their first change; `undefined` without policies. */
  policy(): Promise<PolicyGuard | undefined>
  /**
   * Sends requests without a token to the origin of a URL. `patience` limits the wait for data and the
   * total time of retries, in milliseconds (default: the limits of other requests).
   */
  plainSender(url: string, patience?: number): Promise<Sender>
  /** The record of interrupted transfers; `undefined` without a home directory. */
  journal(): Promise<Journal | undefined>
  /** The client, journal and signal for uploads and downloads. */
  transfer(): Promise<World>
  /** Calls `hear` whenever the service responds with a rate limit. */
  onRefusal(hear: () => void): void
  /** The progress of all transfers, if the command has several. Otherwise each transfer shows its own. */
  readonly progress?: TransferProgress
  /** The local paths that parallel downloads have taken. */
  readonly claims?: ClaimedPaths
  /** Calls `show` with the reason for a wait instead of printing a line. */
  onWait: Notices['onWait']
  /** The pending waits for other hosts and processes. */
  readonly waits: Waits
  /** The message and hint for an error, with its exit code. */
  explain(error: unknown): Failure
  /** Prints a notice to standard error, unless `--quiet` is set. */
  note(text: string): void
  /** Makes `client` use another service or description. Must be called before its first use. */
  setCounterpart(counterpart: ServiceIdentity): void
}
