import {spawn, spawnSync} from 'node:child_process'
import {once} from 'node:events'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))
/** The built command, as arguments of Node. */
export const drv = [join(root, 'bin/run.js')]

/** The local service in its own process, and the values that a client needs. */
export interface Bench {
  readonly url: string
  readonly token: string
  readonly pid: number
  /** An empty directory for the measurement. */
  readonly directory: string
  /** Points `drv` at the service, with its own home. */
  readonly env: NodeJS.ProcessEnv
  /** Sends a request; throws if the response is an error. */
  call(method: string, path: string, body?: unknown): Promise<any>
  close(): Promise<void>
}

/** Starts the service with its data below `directory`. */
export async function startBench(directory: string): Promise<Bench> {
  // Extra certificates slow down every start of Node, and differ between machines.
  const {NODE_EXTRA_CA_CERTS: _, ...inherited} = process.env
  const home = {
    HOME: directory,
    XDG_CONFIG_HOME: join(directory, 'config'),
    XDG_STATE_HOME: join(directory, 'state'),
    XDG_CACHE_HOME: join(directory, 'cache'),
  }
  const data = ['--data', join(directory, 'service')]
  const child = spawn(process.execPath, [...drv, 'local', 'serve', '--port', '0', ...data], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const line = await new Promise<string>((settle, fail) => {
    child.stdout.once('data', (chunk: Buffer) => settle(chunk.toString()))
    child.once('close', code => fail(new Error(`drv local serve ended with ${code}`)))
  })
  const {base_url: url} = JSON.parse(line) as {base_url: string}
  const made = spawnSync(process.execPath, [...drv, 'local', 'token', ...data], {encoding: 'utf8'})
  const token = made.stdout.trim()
  return {
    url,
    token,
    pid: child.pid!,
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
