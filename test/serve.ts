import {once} from 'node:events'
import {createServer, type RequestListener} from 'node:http'
import type {AddressInfo} from 'node:net'
import {onTestFinished} from 'vitest'

/** A service of a test's own that answers as it likes; it ends with the test. */
export async function serve(answer: RequestListener) {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {server, host, url: `http://${host}`}
}
