import {createServer, type IncomingHttpHeaders, type IncomingMessage} from 'node:http'
import type {AddressInfo} from 'node:net'
import {onTestFinished} from 'vitest'

/** A request as a service received it. */
export interface Received {
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface Reply {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** A service that remembers what it was sent and answers as a test wants it; ends with the test. */
export async function startRecorder(reply: (request: Received) => Reply) {
  const received: Received[] = []
  const server = createServer((message, response) => {
    void readRequest(message).then(request => {
      received.push(request)
      const {status = 200, headers = {}, body = {}} = reply(request)
      response.writeHead(status, {'content-type': 'application/json', ...headers})
      response.end(typeof body === 'string' ? body : JSON.stringify(body))
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const {port} = server.address() as AddressInfo
  return {url: `http://127.0.0.1:${port}`, received}
}

async function readRequest(message: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk as Buffer)
  const {method = '', url = '', headers} = message
  return {method, url, headers, body: Buffer.concat(chunks).toString()}
}
