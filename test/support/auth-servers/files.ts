import {type IncomingMessage, request as send, type ServerResponse} from 'node:http'
import {join} from 'node:path'
import {onTestFinished} from 'vitest'
import {createService} from '#lib/service/index.js'
import {temporaryFolder} from '../drv.js'
import {localToken} from '../world.js'
import {type Control, listen} from './foreign.js'

/** How the file service is reached, and whose tokens it takes. */
interface Gate {
  readonly control: Control
  /** Whether a token opens anything. */
  readonly accepts: (token: string) => Promise<boolean> | boolean
  /** What its metadata (RFC 9728) says beside `resource`; none unless given. */
  readonly metadata?: () => Readonly<Record<string, unknown>>
  /** Whether `/user` tells who one is, which no standard service does. */
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
 * An embedded file service that takes the tokens of another authorization server: a proxy puts one of
 * its own in their place. Answers its address, and what a test looks into it with.
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
    // The address of an upload session lets in whoever knows it, as at the public service.
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
