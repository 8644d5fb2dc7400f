import type {IncomingHttpHeaders, IncomingMessage} from 'node:http'
import {serve} from './serve.js'

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

/** A service that records its requests and responds as a test wants; it ends with the test. */
export async function startRecorder(reply: (request: Received) => Reply) {
  const received: Received[] = []
  const {url} = await serve((message, response) => {
    void readRequest(message).then(request => {
      received.push(request)
      const {status = 200, headers = {}, body = {}} = reply(request)
      response.writeHead(status, {'content-type': 'application/json', ...headers})
      response.end(typeof body === 'string' ? body : JSON.stringify(body))
    })
  })
  return {url, received}
}

async function readRequest(message: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk as Buffer)
  const {method = '', url = '', headers} = message
  return {method, url, headers, body: Buffer.concat(chunks).toString()}
}
