import {once} from 'node:events'
import {Agent, createServer, request} from 'node:http'
import type {AddressInfo, Socket} from 'node:net'
import {setTimeout as delay} from 'node:timers/promises'

/** What went over a link. */
export interface Traffic {
  requests: number
  connections: number
  /** Of bodies, both ways. */
  bytes: number
}

/** A line to a service that takes `roundTrip` ms for each request, and twice that for the first of a connection. */
export interface Link {
  readonly url: string
  readonly traffic: Traffic
  close(): void
}

export async function startLink(target: string, roundTrip: number): Promise<Link> {
  const traffic: Traffic = {requests: 0, connections: 0, bytes: 0}
  const agent = new Agent({keepAlive: true})
  const fresh = new WeakSet<Socket>()
  const server = createServer((message, reply) => {
    const {method, headers, url = '', socket} = message
    traffic.requests++
    const trips = fresh.delete(socket) ? 2 : 1
    const arrived = delay(trips * roundTrip)
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
    fresh.add(socket)
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
