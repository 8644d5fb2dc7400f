import {once} from 'node:events'
import {Agent, createServer, request} from 'node:http'
import type {AddressInfo, Socket} from 'node:net'
import {setTimeout as delay} from 'node:timers/promises'

/** The traffic on a link. */
export interface Traffic {
  requests: number
  connections: number
  /** Bytes of bodies, in both directions. */
  bytes: number
}

/** A link to a service that delays each request by `roundTrip` ms, and each new connection by as much. */
export interface Link {
  readonly url: string
  readonly traffic: Traffic
  close(): void
}

export async function startLink(target: string, roundTrip: number): Promise<Link> {
  const traffic: Traffic = {requests: 0, connections: 0, bytes: 0}
  const agent = new Agent({keepAlive: true})
  /** When each connection is established, in ms. */
  const usable = new WeakMap<Socket, number>()
  const server = createServer((message, reply) => {
    const {method, headers, url = '', socket} = message
    traffic.requests++
    const opening = Math.max(0, usable.get(socket)! - performance.now())
    const arrived = delay(opening + roundTrip)
    const onward = request(target + url, {method, headers, agent}, answer => {
      void arrived.then(() => {
        reply.writeHead(answer.statusCode!, answer.headers)
        answer.on('data', (chunk: Buffer) => (traffic.bytes += chunk.length)).pipe(reply)
      })
    })
    onward.on('error', () => socket.destroy())
    message.on('data', (chunk: Buffer) => (traffic.bytes += chunk.length)).pipe(onward)
  })
  server.on('connection', socket => {
    traffic.connections++
    usable.set(socket, performance.now() + roundTrip)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    traffic,
    close() {
      server.close()
      server.closeAllConnections()
      agent.destroy()
    },
  }
}
