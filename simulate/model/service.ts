import {Readable} from 'node:stream'
import {createToken} from '#lib/local/token.js'
import type {ServiceRequest} from '#lib/service/http/message.js'
import {createService} from '#lib/service/index.js'
import type {RequestHandler} from '#lib/service/server/request-handler.js'
import {randomOf} from '../../test/support/random.js'
import type {World} from './kernel.js'

/** The local service without a network: its time and its random numbers are those of the world that it is in. */
export interface SimulatedService {
  readonly handle: RequestHandler
  /** An access token of the user who owns all files. */
  readonly token: string
  /** Errors of the service itself since the last call. */
  takeErrors(): unknown[]
  /** Starts again with no files, in a world. */
  enter(world: World): Promise<void>
  close(): Promise<void>
}

/** The origin of the service, at which nothing listens. */
export const ADDRESS = 'http://127.0.0.1:1'

/** When the time of a service begins that is in no world yet. */
const BEFORE = Date.UTC(2026, 10, 21)

export async function createSimulatedService(): Promise<SimulatedService> {
  let handle!: RequestHandler
  let errors: unknown[] = []
  let world: World | undefined
  const before = randomOf(1)
  const random = (size: number) => {
    const next = world?.random ?? before
    return Buffer.from(Array.from({length: size}, () => Math.floor(next() * 256)))
  }
  const service = await createService({
    clock: () => world?.now() ?? BEFORE,
    random,
    log: error => errors.push(error),
    serve: async app => {
      handle = app
      return {url: ADDRESS, close: async () => undefined}
    },
  })
  const {store} = service
  const token = createToken(store, {user: 'ada'}, BEFORE)
  const restore = service.snapshot()
  return {
    handle,
    token,
    takeErrors() {
      const taken = errors
      errors = []
      return taken
    },
    async enter(next) {
      await restore()
      service.clock.reset()
      service.journal.clear()
      errors = []
      world = next
    },
    close: () => service.close(),
  }
}

/** `fetch` for requests without a body, answered by the service at once. */
export function directFetch({handle}: SimulatedService): typeof fetch {
  return async (url, {headers = {}} = {}) => {
    const request: ServiceRequest = {
      ...{method: 'GET', url: new URL(String(url)), body: Readable.from([])},
      ...{headers: headers as Record<string, string>, remoteAddress: '127.0.0.1'},
    }
    const {status, body} = await handle(request)
    return new Response(body as string, {status})
  }
}
