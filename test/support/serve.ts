import {once} from 'node:events'
import {createServer, type RequestListener} from 'node:http'
import {type AddressInfo, createServer as createTcpServer, type Server, type Socket} from 'node:net'
import {onTestFinished} from 'vitest'

/** A service that responds as a test wants; it ends with the test. */
export async function serve(answer: RequestListener) {
  const server = createServer(answer)
  const address = await listen(server)
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return {server, ...address}
}

/** A server that handles connections as a test wants; it ends with the test. */
export async function serveSockets(take: (socket: Socket) => void = () => undefined) {
  const sockets = new Set<Socket>()
  const server = createTcpServer(socket => {
    sockets.add(socket.on('error', () => undefined))
    take(socket)
  })
  const address = await listen(server)
  onTestFinished(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return address
}

async function listen(server: Server) {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {host, url: `http://${host}`}
}
