import {setMaxListeners} from 'node:events'
import type {AgentOptions} from 'node:http'
import type {Agent} from 'node:https'
import {urlToHttpOptions} from 'node:url'
import type {Environment} from '#lib/config/paths.js'
import {type Proxy, proxyFor} from '#lib/config/proxy.js'
import {type Opening, openingAhead} from './ahead.js'
import {proxyError} from './proxyerror.js'

/** What connections are made and kept with: straight to a service, or through a proxy. */
export interface Agents {
  /** The agent for an address, and the proxy it goes through. Throws `SetupError` for a variable that names none. */
  agentFor(url: URL): Promise<{readonly agent: Agent; readonly proxy?: Proxy}>
  /**
   * Opens connections to where an address leads before requests need them, until there are so many
   * in all, where one has been opened for a request already.
   */
  openAhead(url: URL, count: number): Promise<void>
  /** Ends what is still on its way to a proxy; nothing is sent afterwards. */
  close(): void
}

const OPTIONS: AgentOptions = {
  keepAlive: true,
  scheduling: 'lifo',
  // Without it Node keeps connections longer than a service says it will.
  timeout: 60_000,
}

/** `environment` says which proxies there are (`HTTPS_PROXY`, `NO_PROXY`). */
export function createAgents(environment: Environment): Agents {
  const known = new Map<string, Promise<Known>>()
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
      const agent = known.get(key) ?? open(url.protocol, proxy, closing.signal).then(withAhead)
      known.set(key, agent)
      return {agent: (await agent).agent, proxy}
    },
    async openAhead(url, count) {
      const agent = await known.get(find(url).key)
      // As Node gives them to an agent.
      const {hostname = '', port, protocol} = urlToHttpOptions(url)
      agent?.openAhead(hostname!, port ?? (protocol === 'https:' ? 443 : 80), count)
    },
    close: () => closing.abort(),
  }
}

interface Known {
  readonly agent: Agent
  readonly openAhead: ReturnType<typeof openingAhead>
}

const withAhead = (agent: Agent): Known => ({agent, openAhead: openingAhead(agent)})

async function open(
  protocol: string,
  proxy: Proxy | undefined,
  signal: AbortSignal,
): Promise<Agent> {
  if (proxy) return throughProxy(proxy, signal)
  const {Agent: Direct} = await (protocol === 'https:' ? import('node:https') : import('node:http'))
  // Of an agent for http, too, everybody uses only what both have.
  return new Direct(OPTIONS) as Agent
}

/** An agent that says of what goes wrong before there is a connection that it was the proxy. */
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

/** The status that hpagent puts into words, else the code of what went wrong. */
function causeOf(error: NodeJS.ErrnoException): number | string {
  const status = /^Bad response: (\d{3})$/.exec(error.message)?.[1]
  if (status !== undefined) return Number(status)
  return error.message === 'Proxy timeout' ? 'ETIMEDOUT' : (error.code ?? '')
}
