import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {FOLDER_TYPE} from '#lib/api/wire.js'
import {makeToken} from '#lib/cli/context/local-service.js'
import {createService, type ServiceOptions} from '#lib/service/index.js'
import {openStore} from '#lib/service/store/index.js'
import {freshEnvironment, type Result, runDrv, type RunOptions, temporaryFolder} from './drv.js'

/** A local service with users who have tokens, and the binary configured for it. */
export interface World {
  readonly url: string
  readonly data: string
  /** A folder for the files of the test. */
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
  /** Runs an operation with `--json`: `drv('files trash', id)`. Throws unless the exit code is 0. */
  drv(command: string, ...args: string[]): Promise<any>
  /** Runs any command line and returns its complete result. */
  run(command: string, args?: readonly string[], options?: RunOptions): Promise<Result>
  /** A new token of the account with some scopes. */
  token(scopes: readonly string[]): Promise<string>
  /** Creates a folder, or a text file if there is content, without a process; returns its ID. */
  make(title: string, parent: string, content?: string): Promise<string>
  /** The items of a folder outside the trash, without a process. */
  children(folder: string): Promise<any[]>
  /** The same world for another account. */
  as(user: string): Promise<World>
  /** Writes a file into `folder` and returns its path. */
  file(name: string, content: string | Buffer): string
  close(): Promise<void>
}

/** A token of the service in `data`, like that of `drv local token`, without a process. */
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

/**
 * Starts the world. `runCommand` runs the commands: in separate processes, or in this one (`runHere`) if a test
 * needs no process.
 */
export async function startWorld(
  options: Partial<ServiceOptions> = {},
  runCommand: typeof runDrv = runDrv,
): Promise<World> {
  const {path: folder, remove} = temporaryFolder()
  const data = join(folder, 'service')
  const service = await createService({pollInterval: 1, ...options, data})

  async function worldOf(user: string): Promise<World> {
    const env = freshEnvironment(join(folder, `home-${user}`))
    Object.assign(env, {
      DRV_BASE_URL: service.url,
      DRV_AUTH_URL: service.url,
      DRV_TOKEN: await localToken(data, {user}),
    })
    const run: World['run'] = (command, args = [], options = {}) =>
      runCommand([...command.split(' '), ...args], {
        cwd: folder,
        ...options,
        env: {...env, ...options.env},
      })
    const ask = async (
      path: string,
      options: {method?: string; body?: string; type?: string} = {},
    ) => {
      const {type = 'application/json', ...rest} = options
      const headers = {authorization: `Bearer ${env.DRV_TOKEN}`, 'content-type': type}
      const answer = await fetch(service.url + path, {...rest, headers})
      if (!answer.ok) throw new Error(`${path} answered ${await answer.text()}`)
      return (await answer.json()) as any
    }
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
      token: scopes => localToken(data, {user, scopes}),
      async make(title, parent, content) {
        const mimeType = content === undefined ? FOLDER_TYPE : 'text/plain'
        const metadata = JSON.stringify({title, mimeType, parents: [{id: parent}]})
        const made = await (content === undefined
          ? ask('/drive/v2/files', {method: 'POST', body: metadata})
          : ask('/upload/drive/v2/files?uploadType=multipart', {
              method: 'POST',
              type: 'multipart/related; boundary=part',
              body: multipart(metadata, content),
            }))
        return made.id as string
      },
      async children(folder) {
        const q = `'${folder}' in parents and trashed = false`
        const query = new URLSearchParams({q, maxResults: '1000'})
        const {items, nextPageToken} = await ask(`/drive/v2/files?${query}`)
        if (nextPageToken) throw new Error(`Folder ${folder} has more than a page.`)
        return items as any[]
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

function multipart(metadata: string, content: string): string {
  const part = (type: string, text: string) => `--part\r\nContent-Type: ${type}\r\n\r\n${text}\r\n`
  return `${part('application/json', metadata)}${part('text/plain', content)}--part--`
}
