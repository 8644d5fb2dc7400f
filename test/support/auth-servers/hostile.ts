import type {ServerResponse} from 'node:http'
import {Readable} from 'node:stream'
import {pipeline} from 'node:stream/promises'
import {listen} from './foreign.js'

/** Responses that only a hostile server gives at the URLs of metadata. */
export type Habit =
  /** 100 MB of valid metadata. */
  | 'huge'
  /** A few bytes at a time, forever. */
  | 'endless'
  /** Accepts the connection and sends nothing. */
  | 'silent'
  | 'wrong-types'
  | 'list'
  | 'cut'
  | 'no-token-endpoint'
  | 'script-scheme'
  | 'file-scheme'
  | 'plain-http'
  | 'credentials'
  /** To the same metadata at another URL. */
  | 'redirect'
  | 'redirect-to-itself'
  | 'other-issuer'

/**
 * A server with untrustworthy metadata. `sent` counts the bytes sent; `strangers` collects requests that no client
 * may send.
 */
export async function startHostile(habit: Habit) {
  const state = {sent: 0, strangers: [] as string[]}
  const issuer = await listen(url => (message, reply) => {
    message.resume()
    const path = message.url ?? '/'
    if (!path.startsWith('/.well-known/')) {
      state.strangers.push(path)
      return void reply.writeHead(404).end()
    }
    void answer(habit, url, reply, count => (state.sent += count)).catch(() => reply.destroy())
  })
  return {issuer, state}
}

const good = (url: string) => ({
  issuer: url,
  authorization_endpoint: `${url}/authorize`,
  token_endpoint: `${url}/token`,
  device_authorization_endpoint: `${url}/device`,
  revocation_endpoint: `${url}/revoke`,
  response_types_supported: ['code'],
  code_challenge_methods_supported: ['S256'],
})

async function answer(
  habit: Habit,
  url: string,
  reply: ServerResponse,
  count: (bytes: number) => void,
): Promise<void> {
  const json = (body: unknown) => {
    reply.writeHead(200, {'content-type': 'application/json'})
    reply.end(typeof body === 'string' ? body : JSON.stringify(body))
  }
  const metadata = good(url)
  switch (habit) {
    case 'huge': {
      reply.writeHead(200, {'content-type': 'application/json'})
      const pieces = function* () {
        yield Buffer.from(JSON.stringify(metadata).slice(0, -1))
        const piece = Buffer.alloc(65_536, ' ')
        for (let left = 1600; left > 0; left--) {
          count(piece.length)
          yield piece
        }
        yield Buffer.from('}')
      }
      return pipeline(Readable.from(pieces()), reply)
    }
    case 'endless': {
      reply.writeHead(200, {'content-type': 'application/json'})
      const timer = setInterval(() => {
        count(1)
        reply.write(' ')
      }, 50)
      return void reply.on('close', () => clearInterval(timer))
    }
    case 'silent':
      return
    case 'wrong-types':
      return json({...metadata, token_endpoint: {url}, authorization_endpoint: [1]})
    case 'list':
      return json([metadata])
    case 'cut':
      return json(JSON.stringify(metadata).slice(0, 80))
    case 'no-token-endpoint':
      return json({...metadata, token_endpoint: undefined})
    case 'script-scheme':
      return json({...metadata, authorization_endpoint: 'javascript:alert(1)'})
    case 'file-scheme':
      return json({...metadata, token_endpoint: 'file:///etc/passwd'})
    case 'plain-http':
      return json({...metadata, token_endpoint: 'http://files.example/token'})
    case 'credentials':
      return json({...metadata, token_endpoint: url.replace('//', '//user:password@') + '/token'})
    case 'redirect':
      return void reply.writeHead(302, {location: `${url}/elsewhere${reply.req.url}`}).end()
    case 'redirect-to-itself':
      return void reply.writeHead(302, {location: reply.req.url}).end()
    case 'other-issuer':
      return json({...metadata, issuer: 'https://other.example'})
  }
}
