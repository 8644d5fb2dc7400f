import type {Agent} from 'node:https'
import type {Socket} from 'node:net'

/** What Node's agents call to open a connection, which their types leave out. */
export interface Opening {
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

  /** Opens a connection; some agents give it at once, others give it to `done` later, and it counts meanwhile. */
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
    const stock = stocks.get(destinationKey(options)) ?? newStock(options)
    stocks.set(destinationKey(options), stock)
    const socket = take(stock)
    if (socket) return socket
    // One that is on its way and nobody's comes sooner than one that is yet to be opened.
    if (stock.unclaimed <= stock.waiting.length) return openCounted(stock, options, done)
    stock.waiting.push(done)
    return undefined
  }

  return (host, port, count) => {
    const stock = stocks.get(destinationKey({host, port}))
    if (!stock) return
    const {options, ready} = stock
    const name = agent.getName(options)
    const inUse = [agent.sockets, agent.freeSockets].map(sockets => sockets[name]?.length ?? 0)
    const missing = count - inUse[0]! - inUse[1]! - ready.size - stock.coming
    for (let n = 0; n < missing; n++) {
      stock.unclaimed++
      let isSettled = false
      const settle: Opened = (error, socket) => {
        if (isSettled) return
        isSettled = true
        stock.unclaimed--
        const waiting = stock.waiting.shift()
        if (waiting) waiting(error, socket)
        // Where something is wrong the next request will find out.
        else if (socket) addReady(stock, socket)
      }
      const socket = openCounted(stock, options, settle)
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
  /** So many of these not for a request. */
  unclaimed: number
  /** Requests that take one of these as soon as it is there. */
  readonly waiting: Opened[]
}

function newStock(options: Destination): Stock {
  return {options, ready: new Map(), coming: 0, unclaimed: 0, waiting: []}
}

function destinationKey({host, port}: Destination): string {
  return `${host}:${port}`
}

/** The last of these is the end of a connection, too. */
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

function take({ready}: Stock): Socket | undefined {
  for (const [socket, leave] of ready) {
    leave()
    return socket.ref()
  }
  return undefined
}
