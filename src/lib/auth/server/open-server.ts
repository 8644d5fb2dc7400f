import type {Send} from '#lib/client/transport/transport.js'
import type {NotedServer} from '#lib/config/config.js'
import {type AuthServer, createAuthServer} from './auth-server.js'
import {createPost} from './form-post.js'

/** What servers are asked with. */
export interface ServerLine {
  readonly send: Send
  readonly userAgent: string
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Headers that every request is sent with. */
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  /** Milliseconds without a sign of life before a request fails. */
  readonly timeout?: number
}

/** The server that gave a token, as it was noted at sign-in; `authUrl` is that of the local service. */
export function openNotedServer(
  {clientId, authUrl}: NotedServer,
  line: ServerLine,
  localUrl: string,
): AuthServer {
  const address = authUrl ?? localUrl
  const {now} = line
  return createAuthServer({
    authUrl: address,
    clientId,
    post: createPost({authUrl: address, ...line}),
    now,
  })
}
