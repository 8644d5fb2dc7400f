import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {makeToken} from '../../src/lib/cli/local.js'
import {createService, type ServiceOptions} from '../../src/lib/service/index.js'
import {openStore} from '../../src/lib/service/store/index.js'
import {freshEnvironment, type Result, runDrv, type RunOptions, temporaryFolder} from './drv.js'

/** A local service with people who have tokens, and the binary pointed at it. */
export interface World {
  readonly url: string
  readonly data: string
  /** A folder for the test's own files. */
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
  /** Runs an operation with `--json`: `drv('files trash', id)`. Fails unless it ends with 0. */
  drv(command: string, ...args: string[]): Promise<any>
  /** Runs any command line and answers all that came of it. */
  run(command: string, args?: readonly string[], options?: RunOptions): Promise<Result>
  /** The same world as seen by another account. */
  as(user: string): Promise<World>
  /** Writes a file into `folder` and answers its path. */
  file(name: string, content: string | Buffer): string
  close(): Promise<void>
}

/** A token of the service in `data`, as `drv local token` makes it, without a process. */
export async function localToken(
  data: string,
  wish: {readonly user?: string; readonly scopes?: readonly string[]} = {},
): Promise<string> {
  const store = openStore(data)
  try {
    return await makeToken(store, {...wish, note: 'test'}, Date.now())
  } finally {
    store.close()
  }
}

export async function startWorld(options: Partial<ServiceOptions> = {}): Promise<World> {
  const {path: folder, remove} = temporaryFolder()
  const data = join(folder, 'service')
  const service = await createService({...options, data})

  async function worldOf(user: string): Promise<World> {
    const env = freshEnvironment(join(folder, `home-${user}`))
    Object.assign(env, {
      DRV_BASE_URL: service.url,
      DRV_AUTH_URL: service.url,
      DRV_TOKEN: await localToken(data, {user}),
    })
    const run: World['run'] = (command, args = [], options = {}) =>
      runDrv([...command.split(' '), ...args], {
        cwd: folder,
        ...options,
        env: {...env, ...options.env},
      })
    return {
      url: service.url,
      data,
      folder,
      env,
      run,
      async drv(command, ...args) {
        const result = await run(command, [...args, '--json'])
        if (result.code !== 0) {
          throw new Error(
            `drv ${command} ${args.join(' ')} ended with ${result.code}: ${result.stderr}`,
          )
        }
        return result.json()
      },
      as: worldOf,
      file(name, content) {
        const path = join(folder, name)
        writeFileSync(path, content)
        return path
      },
      async close() {
        await service.close()
        remove()
      },
    }
  }
  return worldOf('local')
}
