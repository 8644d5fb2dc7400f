import {once} from 'node:events'
import {createServer, type RequestListener} from 'node:http'
import {type AddressInfo, createServer as createTcpServer, type Server, type Socket} from 'node:net'
import {onTestFinished} from 'vitest'

/** A service of a test's own that answers as it likes; it ends with the test. */
export async function serve(answer: RequestListener) {
  const server = createServer(answer)
  const address = await listen(server)
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return {server, ...address}
}

/** What takes connections, and does with them what a test likes; it ends with the test. */
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
