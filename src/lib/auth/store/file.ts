import {join} from 'node:path'
import {SetupError} from '#lib/platform/setup-error.js'
import {nameFromKey, type StateFile, stateFile} from '#lib/platform/state-file.js'
import {reasonOf} from '#lib/platform/system-errors.js'
import {isObject, parseJson} from '#lib/platform/values.js'
import {tryDirectory} from '#lib/platform/write-file.js'
import type {CredentialStore} from './store.js'

interface Entry {
  readonly service: string
  readonly account: string
  readonly password: string
}

/** Stores each token in its own plain file, readable only by the owner, so that no two commands write the same file. */
export function fileStore(directory: string): CredentialStore {
  const fileOf = (service: string, account: string) => {
    const path = join(directory, `${nameFromKey(`${service}\n${account}`)}.json`)
    return {path, file: tokenFile(path)}
  }
  return {
    async getPassword(service, account) {
      const {path, file} = fileOf(service, account)
      const entry = await orExplain(path, async () => file.readOrThrow())
      if (entry && (entry.account !== account || entry.service !== service)) throw corrupt(path)
      return entry?.password ?? null
    },
    async setPassword(service, account, password) {
      const {path, file} = fileOf(service, account)
      await orExplain(path, () => file.write({service, account, password}))
    },
    deletePassword(service, account) {
      const {path, file} = fileOf(service, account)
      return orExplain(path, () => file.remove())
    },
    tryOut: () => tryDirectory(directory),
    locks: directory,
  }
}

function tokenFile(path: string): StateFile<Entry> {
  return stateFile({
    file: path,
    parse(text, mode) {
      // Permissions of group and others; Windows has none.
      if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
        throw new SetupError(
          'keychain',
          `Other users can read the token in ${path}. Run \`drv auth login\` to get a new token, or, if you are sure that nobody else has read it, run \`chmod 600\` on the file.`,
        )
      }
      const value = parseJson(text)
      if (!isEntry(value)) throw corrupt(path)
      return value
    },
    format: entry => `${JSON.stringify(entry, null, 2)}\n`,
  })
}

function isEntry(value: unknown): value is Entry {
  if (!isObject(value)) return false
  const {service, account, password} = value
  return [service, account, password].every(text => typeof text === 'string') && password !== ''
}

function corrupt(file: string): SetupError {
  return new SetupError(
    'keychain',
    `The token file ${file} is damaged. Delete it, then run \`drv auth login\`.`,
  )
}

async function orExplain<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof SetupError) throw error
    throw new SetupError(
      'keychain',
      `Cannot use ${path}: ${reasonOf(error)}. Check its owner and permissions, or set DRV_TOKEN.`,
      {cause: error},
    )
  }
}
