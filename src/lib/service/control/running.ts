import {readdirSync, rmSync} from 'node:fs'
import {join} from 'node:path'
import {readPrivateFile, writePrivateFile} from '#lib/platform/private-file.js'
import {signature, signerOf} from '#lib/platform/process-identity.js'
import {isObject, parseJson} from '#lib/platform/values.js'
import {RUNNING} from '#lib/service/store/database/data-directory.js'

/** A service that runs on a data directory. Only the owner of the directory can read this. */
export interface RunningService {
  /** Its base URL, without a trailing slash. */
  readonly url: string
  /** Proves to the service that a request comes from the owner of its data directory. */
  readonly secret: string
}

/** Announces a service in its data directory. Returns a function that ends this. */
export async function announce(directory: string, service: RunningService): Promise<() => void> {
  const path = join(directory, RUNNING, `${new URL(service.url).port}.json`)
  await writePrivateFile(path, JSON.stringify({...service, ...signature()}))
  return () => rmSync(path, {force: true})
}

/** The services that run on a data directory, on this machine. Deletes the files of ended processes. */
export function runningServices(directory: string): readonly RunningService[] {
  return namesIn(join(directory, RUNNING)).flatMap(name => {
    const path = join(directory, RUNNING, name)
    const text = readPrivateFile(path, 4096)?.toString()
    const service = text === undefined ? undefined : parseJson(text)
    if (!isObject(service)) return []
    if (signerOf(text!) === 'ended') {
      rmSync(path, {force: true})
      return []
    }
    const {url, secret} = service
    return typeof url === 'string' && typeof secret === 'string' ? [{url, secret}] : []
  })
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory).filter(name => /^\d+\.json$/.test(name))
  } catch {
    return []
  }
}
