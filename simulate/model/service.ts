import {Readable} from 'node:stream'
import {FOLDER_TYPE, JSON_TYPE} from '#lib/api/wire.js'
import {createToken} from '#lib/local/token.js'
import type {ServiceRequest} from '#lib/service/http/message.js'
import {createService} from '#lib/service/index.js'
import type {RequestHandler} from '#lib/service/server/request-handler.js'
import {randomOf} from '../../test/support/random.js'
import {SHARED, SHARED_COUNT} from './actions.js'
import type {World} from './kernel.js'
import {ADDRESS} from './network.js'
import {AREAS} from './terminals.js'

/** The local service without a network: its time and its random numbers are those of the world that it is in. */
export interface SimulatedService {
  readonly handle: RequestHandler
  /** An access token of the user who owns all files. */
  readonly token: string
  /** Errors of the service itself since the last call. */
  takeErrors(): unknown[]
  /** Starts again in a world, with the folders of all terminals and nothing in them. */
  enter(world: World): Promise<void>
  close(): Promise<void>
}

const signedIn = (token: string) => ({authorization: `Bearer ${token}`})

/** When the time of a service begins that is in no world yet. */
const BEFORE = Date.UTC(2026, 10, 21)

export async function createSimulatedService(): Promise<SimulatedService> {
  let handle!: RequestHandler
  let errors: unknown[] = []
  let world: World | undefined
  // Not the numbers of a world, or IDs would occur twice.
  const before = randomOf(2)
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
  for (const area of AREAS) await createFolder(area)
  const shared = await createFolder(SHARED)
  for (let n = 0; n < SHARED_COUNT; n++) await createFolder(`${SHARED}/${n}`, shared)
  const restore = service.snapshot()

  /** Creates a folder and returns its ID. */
  async function createFolder(path: string, parent = 'root'): Promise<string> {
    const title = path.slice(path.lastIndexOf('/') + 1)
    const body = JSON.stringify({title, mimeType: FOLDER_TYPE, parents: [{id: parent}]})
    const {status, body: answer} = await handle({
      ...{method: 'POST', url: new URL(`${ADDRESS}/drive/v2/files`), remoteAddress: '127.0.0.1'},
      ...{
        headers: {...signedIn(token), 'content-type': JSON_TYPE},
        body: Readable.from([Buffer.from(body)]),
      },
    })
    if (status !== 200) throw new Error(`Cannot create ${path}: ${String(answer)}`)
    return (JSON.parse(String(answer)) as {id: string}).id
  }
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
      service.requestLog.clear()
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
