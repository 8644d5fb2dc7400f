import {type IncomingMessage, request as send, type ServerResponse} from 'node:http'
import {join} from 'node:path'
import {onTestFinished} from 'vitest'
import {createService} from '#lib/service/index.js'
import {temporaryFolder} from '../drv.js'
import {localToken} from '../world.js'
import {type Control, listen} from './foreign.js'

/** How to reach the file service, and whose tokens it accepts. */
interface Gate {
  readonly control: Control
  /** Whether a token is valid. */
  readonly accepts: (token: string) => Promise<boolean> | boolean
  /** What its metadata (RFC 9728) contains besides `resource` (default: nothing). */
  readonly metadata?: () => Readonly<Record<string, unknown>>
  /** Whether `/user` returns the user, as no standard service does. */
  readonly hasUser?: boolean
}

const INVALID = {
  domain: 'global',
  reason: 'authError',
  message: 'Invalid Credentials',
  locationType: 'header',
  location: 'Authorization',
}

/**
 * A local file service that accepts the tokens of another authorization server: a proxy replaces each with a token
 * of the service. Returns its address, and functions for the assertions.
 */
export async function startFiles({control, accepts, metadata, hasUser = false}: Gate) {
  const {path, remove} = temporaryFolder()
  const data = join(path, 'service')
  const service = await createService({data})
  const token = await localToken(data)
  onTestFinished(async () => {
    await service.close()
    remove()
  })
  const baseUrl = await listen(url => (message, reply) => {
    void answer(url, message, reply).catch(() => reply.destroy())
  })

  async function answer(url: string, message: IncomingMessage, reply: ServerResponse) {
    const {pathname, searchParams} = new URL(message.url ?? '/', url)
    const json = (status: number, body: unknown) => {
      message.resume()
      reply.writeHead(status, {'content-type': 'application/json'}).end(JSON.stringify(body))
    }
    if (pathname === '/.well-known/oauth-protected-resource' && metadata) {
      return json(200, {resource: url, ...metadata()})
    }
    if (pathname.startsWith('/.well-known/') || pathname.startsWith('/login/')) return json(404, {})
    if (pathname === '/user' && !hasUser) return json(404, {})
    const {authorization} = message.headers
    const shown = /^Bearer (\S+)$/i.exec(authorization ?? '')?.[1]
    if (shown !== undefined && (control.isOver(shown) || !(await accepts(shown)))) {
      return json(401, {error: {errors: [INVALID], code: 401, message: INVALID.message}})
    }
    // As at the public service, an upload session needs no token: its address is enough.
    const isSession = searchParams.has('upload_id')
    const isIn = shown !== undefined || isSession
    const onward = send(service.url + message.url, {
      method: message.method,
      headers: {...message.headers, ...(isIn && {authorization: `Bearer ${token}`})},
    })
    onward.on('response', response => {
      reply.writeHead(response.statusCode!, response.headers)
      response.pipe(reply)
      response.on('error', () => reply.destroy())
    })
    onward.on('error', () => reply.destroy())
    message.on('error', () => onward.destroy())
    reply.on('close', () => reply.writableFinished || onward.destroy())
    message.pipe(onward)
  }

  return {baseUrl, service, token}
}
