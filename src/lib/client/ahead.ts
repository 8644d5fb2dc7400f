import type {Agent} from 'node:https'
import type {Socket} from 'node:net'

/** What Node's agents call to open a connection, which their types leave out. */
interface Opening {
  createConnection(options: Destination, done: Opened): Socket | undefined
}

type Opened = (error: Error | null, socket?: Socket) => void

/** Where a connection leads; an agent adds more. */
interface Destination {
  readonly host?: string
  readonly port?: number | string
}

/**
 * Has an agent take its next connections from some that were opened before a request needs them, so
 * that no request waits for its own. What it gives opens more to a host and port, like those there
 * have been, until there are `count` in all; before the first one it opens none. They do not keep
 * the process alive, and one that ends or says something unasked is not used.
 */
export function openingAhead(
  agent: Agent,
): (host: string, port: number | string, count: number) => void {
  const opening = agent as unknown as Opening
  const open = opening.createConnection.bind(agent)
  const stocks = new Map<string, Stock>()
  opening.createConnection = (options, done) => {
    const stock = stocks.get(placeOf(options)) ?? {options, ready: new Map(), coming: 0}
    stocks.set(placeOf(options), stock)
    return take(stock) ?? open(options, done)
  }
  return (host, port, count) => {
    const stock = stocks.get(placeOf({host, port}))
    if (!stock) return
    const {options, ready} = stock
    const name = agent.getName(options)
    const inUse = [agent.sockets, agent.freeSockets].map(sockets => sockets[name]?.length ?? 0)
    const missing = count - inUse[0]! - inUse[1]! - ready.size - stock.coming
    for (let n = 0; n < missing; n++) {
      stock.coming++
      let isSettled = false
      const settle: Opened = (_, socket) => {
        if (isSettled) return
        isSettled = true
        stock.coming--
        // Whatever is wrong is told to the request that needs a connection and gets none.
        if (socket) keep(stock, socket)
      }
      // Some agents give the connection at once, others when it is there.
      const socket = open(options, settle)
      if (socket) settle(null, socket)
    }
  }
}

/** The connections to one place that wait for requests. */
interface Stock {
  /** What the first one was opened with. */
  readonly options: Destination
  /** Each with what takes it out. */
  readonly ready: Map<Socket, () => void>
  /** So many more are being opened. */
  coming: number
}

function placeOf({host, port}: Destination): string {
  return `${host}:${port}`
}

/** The last of these is the end of a connection, too. */
const ENDINGS = ['error', 'close', 'timeout', 'readable'] as const

function keep({ready}: Stock, socket: Socket): void {
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

function take({ready}: Stock): Socket | undefined {
  for (const [socket, leave] of ready) {
    leave()
    return socket.ref()
  }
  return undefined
}
