import {randomUUID} from 'node:crypto'
import {join} from 'node:path'
import {setTimeout as wait} from 'node:timers/promises'
import {explain} from '#lib/cli/explain/explain.js'
import {ClosedPipe} from '#lib/cli/terminal/errors.js'
import {processIo} from '#lib/cli/terminal/io.js'
import {createPager, pagerCommand} from '#lib/cli/terminal/pager.js'
import type {Client} from '#lib/client/client.js'
import type {Retrying} from '#lib/client/retry/attempts.js'
import type {Send} from '#lib/client/transport/transport.js'
import {cacheDirectory, directories, systemHome} from '#lib/config/paths.js'
import type {PolicyGuard} from '#lib/policy/guard.js'
import type {World} from '#lib/transfer/types.js'
import type {Addresses, Context, ServiceIdentity} from './context.js'
import {createLifecycle} from './lifecycle.js'
import {
  createNotices,
  journalLossText,
  requestsText,
  retryText,
  skippedOrganizationsText,
} from './notices.js'
import {openGates, openPolicy} from './open-policy.js'

export function createContext({
  options,
  environment,
  signal,
  stop,
  command = '',
  typed = [],
  canRenew,
  appliesPlan = false,
  userAgent,
  root = '',
  addresses: running,
  transport,
  explain: explained = error => explain(error, {flags: [], environmentToken: false}),
}: Pick<Context, 'options' | 'environment' | 'signal' | 'userAgent'> & {
  readonly root?: string
  readonly command?: string
  readonly appliesPlan?: boolean
  readonly typed?: readonly string[]
  /** The embedded service that already runs. */
  readonly addresses?: Context['addresses']
  /** Sends HTTP requests (default: over the network). */
  readonly transport?: Send
  /** Whether to renew an expiring token (default: true). */
  readonly canRenew?: boolean
  /** How the command explains errors (default: without its flags and arguments). */
  readonly explain?: Context['explain']
  /** Ends the command; aborts `signal`. */
  readonly stop: (reason: Error) => void
}): Context {
  const isJson = options.format === 'json' && options.jq === undefined
  const io = processIo({...options, isJson}, environment)
  const places = directories(environment, systemHome)
  const caches = cacheDirectory(environment, systemHome, process.platform)
  const lifecycle = createLifecycle()
  const {onEnd} = lifecycle
  const place = {noPager: options.noPager, isTerminal: io.isTerminal && io.hasKeys}
  const pagerLine = pagerCommand(place, environment)
  const pager = createPager({io, command: pagerLine, signal, onLeave: () => stop(new ClosedPipe())})
  const logLine = io.say === io.log ? pager.say : io.log
  const ears = {progress: io.progress, say: pager.say, log: logLine}
  const {
    log,
    note,
    noteOnce,
    wait: showWait,
    waits,
    onWait,
  } = createNotices(ears, options, Date.now)
  const refusals: Array<() => void> = []
  let counterpart: ServiceIdentity | undefined
  // The state of another service must not be recorded under the name of the profile.
  const isForeign = () => counterpart?.hasToken === false
  const started = Date.now()
  let requests = 0
  const logRequest =
    log &&
    ((line: string) => {
      requests += 1
      log(line)
    })
  // Registered first, so that it runs last.
  if (log) onEnd(() => log(requestsText(requests, Date.now() - started)))

  // Depends on: the flags, the environment and the configuration files.
  const settings = once(async () => {
    const {readSettings} = await import('./read-settings.js')
    return readSettings(options, environment, places.config)
  })

  // Depends on: settings.
  const addresses = once(async (): Promise<Addresses> => {
    const {baseUrl, authUrl, embedded} = await settings()
    if (!embedded && baseUrl && authUrl) return {baseUrl, authUrl}
    if (running) return running()
    const {startEmbeddedService} = await import('./embedded-service.js')
    return startEmbeddedService({options, environment, directories: places, io, note, onEnd})
  })

  // Depends on: settings. Opens the token store on first use of a token.
  const session = once(async () => {
    const {openSession} = await import('./open-session.js')
    return openSession(context, await settings(), {canRenew})
  })

  // Depends on: addresses, settings. Without a home directory, processes do not share a rate limit.
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
        log?.(`! attempt ${attempt} failed (${(error as Error).message}); retrying in ${delay} ms`)
        showWait(retryText(error, delay, attempt + 1, DEFAULT_LIMITS.attempts), delay)
      },
    }
  })

  const limiter = async () => {
    if (places.state === undefined || isForeign()) return undefined
    const {sharedLimiter} = await import('./shared-limiter.js')
    const wait = {sleep, showWait, now: Date.now}
    return sharedLimiter(places.state, await settings(), wait)
  }

  // Depends on: settings. Asks the service through the client, whose changes it checks.
  const policy = once(async (): Promise<PolicyGuard | undefined> => openPolicy(context))

  // Depends on: addresses, session, retrying, policy.
  const client = once(async (): Promise<Client> => {
    const [{createClient}, {commandHistory}, known] = await Promise.all([
      import('#lib/client/index.js'),
      import('./history.js'),
      settings(),
    ])
    const history = await commandHistory({...context, settings: known, counterpart, noteOnce})
    const {document} = counterpart ?? {}
    const token = async () => (await session()).token()
    const onLeftOut = (organizations: readonly string[]) =>
      noteOnce(skippedOrganizationsText(organizations))
    const baseUrl = counterpart?.baseUrl ?? (await addresses()).baseUrl
    const renew = async (refused: string) => (await session()).renew(refused)
    const credentials = isForeign()
      ? {token: async () => undefined}
      : {token, renew, guard: await breaker()}
    const sending = {baseUrl, ...credentials, document, userAgent, signal, now: Date.now, onLeftOut}
    const created = createClient({
      ...sending,
      retrying: await retrying(),
      send: await send(),
      agents: await agents(),
      waits,
      observe: history?.observe,
      gates: [...(history ? [history.gate] : []), ...(await openGates(context))],
    })
    const complete = history ? history.complete(created) : created
    if (counterpart) return complete
    const {recordingClient} = await import('./channels.js')
    return recordingClient(complete, {...context, settings: known, noteOnce})
  })

  // Depends on: agents. It has no account, so the shared rate limit does not apply.
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
    onEnd(() => created.close())
    return created
  })

  // Depends on: agents.
  const send = once(async () => {
    if (transport) return transport
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
    const onLoss = (error: unknown) => noteOnce(journalLossText(places.state ?? '', error))
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

  async function sleep(milliseconds: number, until?: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (until?.aborted) return
    const stopped = new AbortController()
    const stopWait = () => stopped.abort()
    for (const one of [signal, until]) one?.addEventListener('abort', stopWait)
    try {
      await wait(milliseconds, undefined, {signal: stopped.signal})
    } catch (error) {
      if (signal.aborted) throw signal.reason
      if (!until?.aborted) throw error
    } finally {
      for (const one of [signal, until]) one?.removeEventListener('abort', stopWait)
    }
  }

  const context: Context = {
    ...lifecycle,
    options,
    command,
    typed,
    userAgent,
    root,
    explain: explained,
    environment,
    directories: places,
    caches,
    io,
    pager,
    matched: new Map(),
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
    policy,
    appliesPlan,
    plainSender,
    journal,
    transfer,
    onRefusal: hear => void refusals.push(hear),
    onWait,
    waits,
    note,
    setCounterpart: other => void (counterpart = other),
  }
  return context
}

/** Calls `build` on first use and returns the same promise afterwards. */
function once<T>(build: () => Promise<T>): () => Promise<T> {
  let built: Promise<T> | undefined
  return () => (built ??= build())
}
