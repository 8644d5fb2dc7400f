import {randomUUID} from 'node:crypto'
import {join} from 'node:path'
import {setTimeout as wait} from 'node:timers/promises'
import type {RestDescription} from '#lib/api/types.js'
import type {Session} from '#lib/auth/session.js'
import {explain, type Failure} from '#lib/cli/explain/explain.js'
import type {Standing} from '#lib/cli/explain/interruption.js'
import type {GlobalOptions} from '#lib/cli/output/global-options.js'
import {ClosedPipe} from '#lib/cli/terminal/errors.js'
import {type Io, processIo} from '#lib/cli/terminal/io.js'
import {createPager, type Pager, pagerCommand} from '#lib/cli/terminal/pager.js'
import type {TransferProgress} from '#lib/cli/terminal/progress.js'
import type {Client} from '#lib/client/client.js'
import type {Sender} from '#lib/client/request.js'
import type {Retrying} from '#lib/client/retry/attempts.js'
import type {Send} from '#lib/client/transport/transport.js'
import type {Waits} from '#lib/client/transport/waits.js'
import {
  cacheDirectory,
  type Directories,
  directories,
  needed,
  systemHome,
} from '#lib/config/paths.js'
import type {Settings} from '#lib/config/settings.js'
import type {Service} from '#lib/service/index.js'
import type {Journal} from '#lib/transfer/journal/journal.js'
import type {World} from '#lib/transfer/types.js'
import {
  createNotices,
  leftOutText,
  lossText,
  type Notices,
  pauseText,
  requestsText,
  retryText,
} from './notices.js'

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
export interface Context {
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
  /** Registers work for after the results are printed, even where some of many steps failed. */
  afterwards(work: () => Promise<void>): void
  /** Has `client` talk to another service, or by another description; before it is first used. */
  setCounterpart(counterpart: Counterpart): void
  /** Runs the work that was registered for after the results. */
  told(): Promise<void>
  /** Registers work for after the whole command has succeeded. */
  onSuccess(work: () => Promise<void>): void
  /** Runs the work that was registered for after the success. */
  succeeded(): Promise<void>
  /** Replaces what SIGINT and SIGTERM do, for a command that runs until it is stopped. */
  onSignal(handle: (name: NodeJS.Signals) => void): void
  /** What replaces it, if anything does. */
  signalHandler(): ((name: NodeJS.Signals) => void) | undefined
  /** Has an interrupted command tell what `tell` says from now on. */
  onInterrupt(tell: () => Standing): void
  /** What is to be said when the command is interrupted now. */
  standing(): Standing | undefined
  /** Has `close` called when the command ends, however it ends; the last one first. */
  onEnd(close: () => Promise<void> | void): void
  /** Ends everything that was started. */
  close(): Promise<void>
}

/** Waits for other processes are told from so many milliseconds on; one's own has just been told. */
const LONG_WAIT = 1000

export function createContext({
  options,
  environment,
  signal,
  stop,
  command = '',
  userAgent,
  root = '',
  explain: explained = error => explain(error, {flags: [], environmentToken: false}),
}: Pick<Context, 'options' | 'environment' | 'signal' | 'userAgent'> & {
  readonly root?: string
  readonly command?: string
  /** As the command has it; without one, in general words. */
  readonly explain?: Context['explain']
  /** Ends the command; aborts `signal`. */
  readonly stop: (reason: Error) => void
}): Context {
  const io = processIo(options, environment)
  const places = directories(environment, systemHome)
  const caches = cacheDirectory(environment, systemHome, process.platform)
  const endings: Array<() => Promise<void> | void> = []
  const later: Array<() => Promise<void>> = []
  const onSuccess: Array<() => Promise<void>> = []
  const place = {noPager: options.noPager, isTerminal: io.isTerminal && io.hasKeys}
  const pagerLine = pagerCommand(place, environment)
  const pager = createPager({io, command: pagerLine, signal, onLeave: () => stop(new ClosedPipe())})
  const ears = {progress: io.progress, say: pager.say}
  const {
    log,
    note,
    noteOnce,
    wait: tellWait,
    waits,
    onWait,
  } = createNotices(ears, options, Date.now)
  let standing: (() => Standing) | undefined
  let handle: ((name: NodeJS.Signals) => void) | undefined
  const refusals: Array<() => void> = []
  let counterpart: Counterpart | undefined
  // Of a service that is not the profile's nothing is noted under its name.
  const isForeign = () => counterpart?.hasToken === false
  const started = Date.now()
  let requests = 0
  const logRequest =
    log &&
    ((line: string) => {
      requests += 1
      log(line)
    })
  // What is to be done at the end first is done last.
  if (log) endings.push(() => log(requestsText(requests, Date.now() - started)))

  // Depends on: the flags, the environment and the configuration files.
  const settings = once(async () => {
    const [{readConfig}, {resolveSettings}] = await Promise.all([
      import('#lib/config/config.js'),
      import('#lib/config/resolve.js'),
    ])
    const config = await readConfig(places.config)
    return resolveSettings({flags: options, env: environment, config})
  })

  // Depends on: settings.
  const addresses = once(async (): Promise<Addresses> => {
    const {baseUrl, authUrl, embedded} = await settings()
    if (!embedded && baseUrl && authUrl) return {baseUrl, authUrl}
    const [{createService}, {innerFailureLog}, {noteFirstUse}] = await Promise.all([
      import('#lib/service/index.js'),
      import('./service-log.js'),
      import('./first-use.js'),
    ])
    await noteFirstUse({options, environment, directories: places, io, note})
    const data = needed('data', places)
    const log = innerFailureLog({io, now: Date.now, options})
    const service = await createService({data, log, notice: note, isOwned: true})
    endings.push(() => service.close())
    return {baseUrl: service.url, authUrl: service.url, owner: service.owner}
  })

  // Depends on: settings. Opens no store before a token is asked for.
  const session = once(async () => {
    const [{createSession}, {stores}] = await Promise.all([
      import('#lib/auth/session.js'),
      import('#lib/auth/store/stores.js'),
    ])
    const found = await settings()
    const onKeychain = async () => {
      const {noteKeychain} = await import('./keychain-open.js')
      await noteKeychain(caches, found, Date.now())
    }
    return createSession({settings: found, openStore: stores(places), onKeychain})
  })

  // Depends on: addresses, settings. Without a home directory processes know nothing of each other.
  const retrying = once(async (): Promise<Retrying> => {
    const [{classifyFailure}, {DEFAULT_LIMITS}] = await Promise.all([
      import('#lib/client/retry/policy.js'),
      import('#lib/client/retry/attempts.js'),
    ])
    const {timeout} = options
    return {
      now: Date.now,
      sleep,
      random: Math.random,
      ...(timeout !== undefined && {total: timeout * 1000}),
      limiter: await limiter(),
      onRetry: (error, delay, attempt) => {
        if (classifyFailure(error).kind === 'rate') for (const hear of refusals) hear()
        log?.(
          `! attempt ${attempt} failed (${(error as Error).message}); the next one in ${delay} ms`,
        )
        tellWait(retryText(error, delay, attempt + 1, DEFAULT_LIMITS.attempts), delay)
      },
    }
  })

  const limiter = async () => {
    if (places.state === undefined || isForeign()) return undefined
    const {createLimiter} = await import('#lib/client/retry/attempts.js')
    const file = join(places.state, 'limits', await whose())
    const sleepAloud = (milliseconds: number) => {
      if (milliseconds >= LONG_WAIT) tellWait(pauseText(milliseconds), milliseconds)
      return sleep(milliseconds)
    }
    return createLimiter({file, now: Date.now, sleep: sleepAloud, random: Math.random})
  }

  /** One name for everything that asks the same service for the same profile. */
  const whose = async () => {
    const [{nameFromKey}, {profile, binding}] = await Promise.all([
      import('#lib/platform/state-file.js'),
      settings(),
    ])
    return nameFromKey([profile, binding], 16)
  }

  // Depends on: addresses, session, retrying.
  const client = once(async () => {
    const [{createClient}, {readOnlyError}, known] = await Promise.all([
      import('#lib/client/index.js'),
      import('#lib/config/readonly.js'),
      settings(),
    ])
    const {document} = counterpart ?? {}
    const token = async () => (await session()).token()
    const onLeftOut = (organizations: readonly string[]) => noteOnce(leftOutText(organizations))
    const baseUrl = counterpart?.baseUrl ?? (await addresses()).baseUrl
    const credentials = isForeign()
      ? {token: async () => undefined}
      : {token, guard: await breaker()}
    const sending = {baseUrl, ...credentials, document, userAgent, signal, now: Date.now, onLeftOut}
    return createClient({
      ...sending,
      retrying: await retrying(),
      send: await send(),
      agents: await agents(),
      waits,
      ...(known.readOnly?.length && {readOnly: (what: string) => readOnlyError(known, what)!}),
    })
  })

  // Depends on: agents. It knows nobody's account, so that it waits for nobody.
  const plainSender = async (url: string, patience?: number) => {
    const {createSender} = await import('#lib/client/request.js')
    return createSender({
      baseUrl: new URL(url).origin,
      token: async () => undefined,
      userAgent,
      signal,
      send: await send(),
      timeout: patience,
      retrying: {
        now: Date.now,
        sleep,
        random: Math.random,
        ...(patience !== undefined && {total: patience}),
      },
    })
  }

  // Depends on: the environment.
  const agents = once(async () => {
    const {createAgents} = await import('#lib/client/transport/agents.js')
    const created = createAgents(environment)
    endings.push(() => created.close())
    return created
  })

  // Depends on: agents.
  const send = once(async () => {
    const {createTransport} = await import('#lib/client/transport/transport.js')
    return createTransport(await agents(), {waits, log: logRequest, now: Date.now})
  })

  // Depends on: settings.
  const journal = once(async () => {
    if (places.state === undefined || isForeign()) return undefined
    const [{createJournal}, {profile, binding}] = await Promise.all([
      import('#lib/transfer/journal/journal.js'),
      settings(),
    ])
    const directory = join(places.state, 'transfers')
    return createJournal({directory, profile, baseUrl: binding, now: Date.now})
  })

  // Depends on: client, journal.
  const transfer = once(async (): Promise<World> => {
    const [{bestEffortJournal}, kept] = await Promise.all([
      import('#lib/transfer/journal/journal.js'),
      journal(),
    ])
    const onLoss = (error: unknown) => noteOnce(lossText(places.state ?? '', error))
    return {
      client: await client(),
      signal,
      journal: kept && bestEffortJournal(kept, onLoss),
      onLoss,
    }
  })

  // Depends on: settings.
  const breaker = once(async () => {
    const {createBreaker} = await import('#lib/auth/breaker.js')
    const {binding} = await settings()
    return createBreaker({state: places.state, binding, now: Date.now})
  })

  async function sleep(milliseconds: number): Promise<void> {
    try {
      await wait(milliseconds, undefined, {signal})
    } catch (error) {
      throw signal.aborted ? signal.reason : error
    }
  }

  return {
    options,
    command,
    userAgent,
    root,
    explain: explained,
    environment,
    directories: places,
    caches,
    io,
    pager,
    now: Date.now,
    sleep,
    newId: randomUUID,
    signal,
    settings,
    addresses,
    session,
    retrying,
    send,
    client,
    plainSender,
    journal,
    transfer,
    onRefusal: hear => {
      refusals.push(hear)
    },
    onWait,
    waits,
    note,
    afterwards: work => {
      later.push(work)
    },
    told: async () => {
      for (const work of later.splice(0)) await work()
    },
    setCounterpart: other => {
      counterpart = other
    },
    onSuccess: work => {
      onSuccess.push(work)
    },
    succeeded: async () => {
      for (const work of onSuccess.splice(0)) await work()
    },
    onInterrupt: tell => {
      standing = tell
    },
    standing: () => standing?.(),
    onSignal: handler => {
      handle = handler
    },
    signalHandler: () => handle,
    onEnd: close => {
      endings.push(close)
    },
    close: async () => {
      const failures: unknown[] = []
      for (let close = endings.pop(); close; close = endings.pop()) {
        try {
          await close()
        } catch (error) {
          failures.push(error)
        }
      }
      if (failures.length > 0) throw failures[0]
    },
  }
}

/** Calls `build` at most once. */
function once<T>(build: () => Promise<T>): () => Promise<T> {
  let built: Promise<T> | undefined
  return () => (built ??= build())
}
