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
import type {Service} from '#lib/service/index.js'
import type {Journal} from '#lib/transfer/journal/journal.js'
import type {Found} from '#lib/transfer/remote/remote-path.js'
import type {World} from '#lib/transfer/types.js'
import type {Lifecycle} from './lifecycle.js'
import type {Notices} from './notices.js'

/** The paths that one command has chosen so far: of two files neither takes the place of the other. */
export type Claims = Set<string>

/** Where the services are, no slash at the end. */
export interface Addresses {
  readonly baseUrl: string
  readonly authUrl: string
  /** How this command signs in to the embedded service that it runs, where nobody else can. */
  readonly owner?: Service['owner']
}

/** The address of a page of the authorization service as a browser has to open it. */
export function pageAddress({owner}: Addresses, address: string): string {
  return owner ? owner.page(address) : address
}

/** What a command talks to, where that is not the profile's service by the built-in description. */
export interface Counterpart {
  readonly document: RestDescription
  /** No slash at the end; the profile's own unless given. */
  readonly baseUrl?: string
  /** The profile's token belongs there. */
  readonly hasToken: boolean
}

/**
 * What a command works with. Everything that costs time or can fail is a function that builds its
 * thing on first use and keeps it.
 */
export interface Context extends Lifecycle {
  readonly options: GlobalOptions
  /** The words behind `drv` that run the command: `files trash`. */
  readonly command: string
  /** `drv/1.2.3` */
  readonly userAgent: string
  /** The folder that drv is installed in. */
  readonly root: string
  /** As it was at the start; the process's own has no secrets any more. */
  readonly environment: NodeJS.ProcessEnv
  readonly directories: Directories
  /** What can be made anew goes there; `undefined` where there is no place for it. */
  readonly caches: string | undefined
  readonly io: Io
  /** Where results for people go. */
  readonly pager: Pager
  /** Where words lead that globs of the command line have matched. */
  readonly matched?: Map<string, Found>
  /** Milliseconds since 1970. */
  now(): number
  /** Waits so many milliseconds; rejects with the signal's reason when the command ends before. */
  sleep(milliseconds: number): Promise<void>
  /** A new random identifier. */
  newId(): string
  /** Aborted when the command has to end: a signal, or `--timeout`. */
  readonly signal: AbortSignal
  settings(): Promise<Settings>
  /** Starts the embedded service first, where the settings ask for it. */
  addresses(): Promise<Addresses>
  session(): Promise<Session>
  /** How requests are tried again. */
  retrying(): Promise<Retrying>
  /** The one way to the wire, for everything that the command sends. */
  send(): Promise<Send>
  client(): Promise<Client>
  /**
   * Sends requests without a token to the origin of an address. `patience` is how many milliseconds it
   * waits for a sign of life, and how long it tries again; without it as long as for any request.
   */
  plainSender(url: string, patience?: number): Promise<Sender>
  /** Where interrupted transfers are remembered; `undefined` without a home directory. */
  journal(): Promise<Journal | undefined>
  /** What uploads and downloads need, the journal included. */
  transfer(): Promise<World>
  /** Has `hear` called whenever the service says that there are too many requests. */
  onRefusal(hear: () => void): void
  /** Shows all transfers of the command, where it has many; else each shows itself. */
  readonly progress?: TransferProgress
  /** Where files go that are downloaded side by side. */
  readonly claims?: Claims
  /** Has `show` called, rather than a line written, with why nothing happens for a while. */
  onWait: Notices['onWait']
  /** What the command waits for from others. */
  readonly waits: Waits
  /** The error in words for people, with the exit code it leads to. */
  explain(error: unknown): Failure
  /** Says something to the person on standard error, unless `--quiet`. */
  note(text: string): void
  /** Has `client` talk to another service, or by another description; before it is first used. */
  setCounterpart(counterpart: Counterpart): void
}
