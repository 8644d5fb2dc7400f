import {spawn, spawnSync} from 'node:child_process'
import {once} from 'node:events'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))
/** The built command, as arguments of Node. */
export const drv = [join(root, 'bin/run.js')]
const memoryService = join(root, 'bench/memory-service.mjs')
const counter = new URL('count-requests.mjs', import.meta.url).href

/** The local service in its own process, and the values that a client needs. */
export interface Bench {
  readonly url: string
  readonly token: string
  readonly pid: number
  /** The number of requests that the service has received; a batch is one. */
  requests(): Promise<number>
  /** An empty directory for the measurement. */
  readonly directory: string
  /** Points `drv` at the service, with its own home. */
  readonly env: NodeJS.ProcessEnv
  /** Sends a request; throws if the response is an error. */
  call(method: string, path: string, body?: unknown): Promise<any>
  close(): Promise<void>
}

/** Starts the service with its data below `directory`, or in memory. */
export async function startBench(directory: string, isInMemory = false): Promise<Bench> {
  // Extra certificates slow down every start of Node, and differ between machines.
  const {NODE_EXTRA_CA_CERTS: _, ...inherited} = process.env
  const home = {
    HOME: directory,
    XDG_CONFIG_HOME: join(directory, 'config'),
    XDG_STATE_HOME: join(directory, 'state'),
    XDG_CACHE_HOME: join(directory, 'cache'),
  }
  const data = ['--data', join(directory, 'service')]
  const program = isInMemory ? [memoryService] : [...drv, 'local', 'serve', '--port', '0', ...data]
  const child = spawn(process.execPath, ['--import', counter, ...program], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const line = await new Promise<string>((settle, fail) => {
    child.stdout?.once('data', (chunk: Buffer) => settle(chunk.toString()))
    child.once('close', code => fail(new Error(`drv local serve ended with ${code}`)))
  })
  const {base_url: url, token = newToken(data)} = JSON.parse(line) as {
    base_url: string
    token?: string
  }
  return {
    url,
    token,
    pid: child.pid!,
    async requests() {
      child.send('requests')
      const [count] = (await once(child, 'message')) as [number]
      return count
    },
    directory,
    env: {...inherited, ...home, DRV_BASE_URL: url, DRV_AUTH_URL: url, DRV_TOKEN: token},
    async call(method, path, body) {
      const response = await fetch(`${url}/drive/v2/${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body !== undefined && {'content-type': 'application/json'}),
        },
        body: body === undefined ? undefined : JSON.stringify(body),
      })
      if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}`)
      return response.status === 204 ? undefined : response.json()
    },
    async close() {
      const closed = once(child, 'close')
      child.kill('SIGTERM')
      await closed
    },
  }
}

function newToken(data: readonly string[]): string {
  const made = spawnSync(process.execPath, [...drv, 'local', 'token', ...data], {encoding: 'utf8'})
  return made.stdout.trim()
}
