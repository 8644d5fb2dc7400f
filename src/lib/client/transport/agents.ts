import {setMaxListeners} from 'node:events'
import type {AgentOptions} from 'node:http'
import type {Agent} from 'node:https'
import type {Socket} from 'node:net'
import {urlToHttpOptions} from 'node:url'
import {type Proxy, proxyFor} from '#lib/config/address.js'
import type {Environment} from '#lib/config/paths.js'
import {proxyError} from './network-failure.js'

/** HTTP agents, directly to a service or through a proxy. */
export interface Agents {
  /** The agent for a URL and its proxy. Throws `SetupError` for an invalid proxy variable. */
  agentFor(url: URL): Promise<{readonly agent: Agent; readonly proxy?: Proxy}>
  /** Opens connections in advance, up to `count` in total, if one was opened before. */
  openAhead(url: URL, count: number): Promise<void>
  /** Cancels pending connections to proxies; nothing is sent afterwards. */
  close(): void
}

const OPTIONS: AgentOptions = {
  keepAlive: true,
  scheduling: 'lifo',
  // Without it Node keeps connections longer than the service's Keep-Alive timeout.
  timeout: 60_000,
}

/** `environment` contains the proxy variables (`HTTPS_PROXY`, `NO_PROXY`). */
export function createAgents(environment: Environment): Agents {
  const known = new Map<string, Promise<{agent: Agent; openAhead: OpenAhead}>>()
  const closing = new AbortController()
  setMaxListeners(0, closing.signal)
  const find = (url: URL) => {
    const proxy = proxyFor(url, environment)
    const key = proxy ? `${url.protocol} ${proxy.url.href}` : url.protocol
    return {key, proxy}
  }
  return {
    async agentFor(url) {
      const {key, proxy} = find(url)
      const opened =
        known.get(key) ??
        open(url.protocol, proxy, closing.signal).then(agent => ({
          agent,
          openAhead: openingAhead(agent),
        }))
      known.set(key, opened)
      return {agent: (await opened).agent, proxy}
    },
    async openAhead(url, count) {
      const agent = await known.get(find(url).key)
      // In the form that Node passes to agents.
      const {hostname = '', port, protocol} = urlToHttpOptions(url)
      agent?.openAhead(hostname!, port ?? (protocol === 'https:' ? 443 : 80), count)
    },
    close: () => closing.abort(),
  }
}

async function open(
  protocol: string,
  proxy: Proxy | undefined,
  signal: AbortSignal,
): Promise<Agent> {
  if (proxy) return throughProxy(proxy, signal)
  const {Agent: Direct} = await (protocol === 'https:' ? import('node:https') : import('node:http'))
  // Callers use only what http and https agents have in common.
  return new Direct(OPTIONS) as Agent
}

/** An agent that reports errors before the connection exists as `ProxyError`. */
async function throughProxy(proxy: Proxy, signal: AbortSignal): Promise<Agent> {
  const {HttpsProxyAgent} = await import('hpagent')
  const agent = new HttpsProxyAgent({
    ...OPTIONS,
    proxy: proxy.url,
    proxyRequestOptions: {signal} as object,
  })
  const opening = agent as unknown as Opening
  const createConnection = opening.createConnection.bind(agent)
  let hasWorked = false
  opening.createConnection = (options, done) =>
    createConnection(options, (error, socket) => {
      if (!error) hasWorked = true
      done(error && proxyError(proxy, causeOf(error), hasWorked), socket)
    })
  return agent
}

/** The status in hpagent's error message, else the error code. */
function causeOf(error: NodeJS.ErrnoException): number | string {
  const status = /^Bad response: (\d{3})$/.exec(error.message)?.[1]
  if (status !== undefined) return Number(status)
  return error.message === 'Proxy timeout' ? 'ETIMEDOUT' : (error.code ?? '')
}

/** The method that Node's agents call to open a connection; their types lack it. */
interface Opening {
  createConnection(options: Destination, done: Opened): Socket | undefined
}

type Opened = (error: Error | null, socket?: Socket) => void

/** The target of a connection; an agent adds more properties. */
interface Destination {
  readonly host?: string
  readonly port?: number | string
}

type OpenAhead = (host: string, port: number | string, count: number) => void

/** Idle connections to one target, opened in advance. */
interface Stock {
  /** The options of the first connection. */
  readonly options: Destination
  /** Each socket with a function that removes its listeners. */
  readonly ready: Map<Socket, () => void>
  /** Number of connections being opened, and how many of them no request waits for. */
  coming: number
  unclaimed: number
  /** Requests that take the next connection that opens. */
  readonly waiting: Opened[]
}

/**
 * Makes an agent use connections that were opened in advance, so that requests do not wait for their own:
 * with 150 ms per round trip, 100 small files upload in 1.1 s instead of 1.6 and download in 1.1 s
 * instead of 1.4 (`npm run bench -- wire`). Returns a function that opens connections to a host and
 * port, up to `count` in total, but only after the agent has opened one itself. The connections do not
 * keep the process alive; one that ends or receives unexpected data is dropped.
 */
export function openingAhead(agent: Agent): OpenAhead {
  const opening = agent as unknown as Opening
  const open = opening.createConnection.bind(agent)
  const stocks = new Map<string, Stock>()
  const keyOf = ({host, port}: Destination) => `${host}:${port}`

  /** Opens a connection and counts it while it is opening. Agents return the socket or pass it to `done`. */
  function openCounted(stock: Stock, options: Destination, done: Opened): Socket | undefined {
    stock.coming++
    let isOver = false
    const end = () => {
      if (!isOver) stock.coming--
      isOver = true
    }
    const socket = open(options, (error, opened) => {
      end()
      done(error, opened)
    })
    if (socket) end()
    return socket
  }

  opening.createConnection = (options, done) => {
    const stock: Stock = stocks.get(keyOf(options)) ?? {
      options,
      ready: new Map(),
      coming: 0,
      unclaimed: 0,
      waiting: [],
    }
    stocks.set(keyOf(options), stock)
    for (const [socket, leave] of stock.ready) {
      leave()
      return socket.ref()
    }
    // A connection that is already opening and unclaimed is ready sooner than a new one.
    if (stock.unclaimed <= stock.waiting.length) return openCounted(stock, options, done)
    stock.waiting.push(done)
    return undefined
  }

  return (host, port, count) => {
    const stock = stocks.get(keyOf({host, port}))
    if (!stock) return
    const {options, ready, coming, waiting} = stock
    const name = agent.getName(options)
    const used = (agent.sockets[name]?.length ?? 0) + (agent.freeSockets[name]?.length ?? 0)
    const missing = count - used - ready.size - coming
    for (let n = 0; n < missing; n++) {
      stock.unclaimed++
      let isSettled = false
      const settle: Opened = (error, socket) => {
        if (isSettled) return
        isSettled = true
        stock.unclaimed--
        const claim = waiting.shift()
        if (claim) claim(error, socket)
        // Ignore errors here: the next request reports them.
        else if (socket) addReady(stock, socket)
      }
      const socket = openCounted(stock, options, settle)
      if (socket) settle(null, socket)
    }
  }
}

/** Events after which a connection is unusable; `readable` means that it ended or received data. */
const ENDINGS = ['error', 'close', 'timeout', 'readable'] as const

function addReady({ready}: Stock, socket: Socket): void {
  const leave = () => {
    ready.delete(socket)
    for (const event of ENDINGS) socket.off(event, end)
  }
  const end = () => {
    leave()
    socket.on('error', () => undefined).destroy()
  }
  for (const event of ENDINGS) socket.once(event, end)
  ready.set(socket.unref(), leave)
}
