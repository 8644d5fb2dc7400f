import {createHash, timingSafeEqual} from 'node:crypto'
import {once} from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import type {AddressInfo} from 'node:net'

/** Receives the notifications of channels over HTTP (reference: protocols.md, section 8). */

/** A channel whose notifications are accepted. */
export interface ExpectedChannel {
  readonly id: string
  readonly token: string
  /** `undefined` until the service has responded to the request that opens the channel. */
  resourceId?: string
  readonly onNotification: (notification: ChannelNotification) => void
}

export interface ChannelNotification {
  readonly channel: string
  readonly resourceId: string
  /** `sync` for the first one, which only confirms the channel. */
  readonly state: string
  /** The changed parts of a file, such as `content`. */
  readonly changed: readonly string[]
  /** Increases, with gaps; equal if the notification was sent again. */
  readonly number?: number
}

/** Where to listen. Port 0 is any free port. */
export interface ListenAddress {
  readonly host: string
  readonly port: number
}

export interface NotificationReceiver {
  /** `http://127.0.0.1:4711/` */
  readonly url: string
  /** Accepts the notifications of a channel. */
  expect(channel: ExpectedChannel): void
  /** Refuses the notifications of a channel from now on. */
  forget(id: string): void
  /** The number of requests that were not notifications of an expected channel. */
  refused(): number
  close(): Promise<void>
}

/** Maximum size of a body in bytes. Bodies are not used; the service sends some 30 bytes. */
const BODY_LIMIT = 16 * 1024
const CONNECTION_LIMIT = 32
/** Milliseconds that a request may take, and that an idle connection stays open. */
const REQUEST_TIMEOUT = 10_000
const IDLE_TIMEOUT = 5000

/** Starts to listen. Throws the system's error. */
export async function openReceiver({host, port}: ListenAddress): Promise<NotificationReceiver> {
  const channels = new Map<string, ExpectedChannel>()
  let refused = 0

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const {socket} = request
    const found =
      request.method === 'POST' ? readNotification(request.headers, channels) : undefined
    if (found && (await isSmall(request))) {
      response.writeHead(204).end()
      // The channel may have been removed meanwhile.
      channels.get(found.channel)?.onNotification(found)
      return
    }
    refused += 1
    response.writeHead(found ? 413 : 404, {connection: 'close'})
    response.end(() => socket.destroySoon())
  }

  const server = createServer(
    {headersTimeout: REQUEST_TIMEOUT, requestTimeout: REQUEST_TIMEOUT},
    (request, response) => void handle(request, response).catch(() => response.destroy()),
  )
  server.keepAliveTimeout = IDLE_TIMEOUT
  server.maxConnections = CONNECTION_LIMIT
  server.listen(port, host)
  await once(server, 'listening')
  return {
    url: `http://${hostIn(host)}:${(server.address() as AddressInfo).port}/`,
    expect: channel => void channels.set(channel.id, channel),
    forget: id => void channels.delete(id),
    refused: () => refused,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function hostIn(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}

/** Reads a body to its end. Returns whether it was within the limit. Rejects if it breaks off. */
function isSmall(request: IncomingMessage): Promise<boolean> {
  return new Promise((resolve, reject) => {
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > BODY_LIMIT) resolve(false)
    })
    request.on('end', () => resolve(true))
    request.on('error', reject)
    request.on('close', () => reject(new Error('The request was interrupted.')))
  })
}

/**
 * The notification in the headers of a request; `undefined` unless the ID, the token and the resource
 * are those of an expected channel.
 */
export function readNotification(
  headers: IncomingHttpHeaders,
  channels: ReadonlyMap<string, Omit<ExpectedChannel, 'onNotification'>>,
): ChannelNotification | undefined {
  const {
    'x-goog-channel-id': id,
    'x-goog-channel-token': token,
    'x-goog-resource-id': resourceId,
    'x-goog-resource-state': state,
    'x-goog-changed': changed,
    'x-goog-message-number': number,
  } = headers
  const channel = typeof id === 'string' ? channels.get(id) : undefined
  // Compared even without a channel, so that the response time does not reveal existing IDs.
  const isProven = isSameSecret(textIn(token), channel?.token ?? '') && channel !== undefined
  if (!isProven || typeof resourceId !== 'string' || typeof state !== 'string') return undefined
  if (channel.resourceId !== undefined && channel.resourceId !== resourceId) return undefined
  return {
    channel: channel.id,
    resourceId,
    state,
    changed: textIn(changed).split(',').filter(Boolean),
    ...(/^\d{1,15}$/.test(textIn(number)) && {number: Number(number)}),
  }
}

function textIn(header: string | string[] | undefined): string {
  return typeof header === 'string' ? header : ''
}

/** Compares two texts in constant time. */
function isSameSecret(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(expected))
}
