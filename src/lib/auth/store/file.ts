import {createHash} from 'node:crypto'
import {open, rm} from 'node:fs/promises'
import {join} from 'node:path'
import {reasonOf} from '#lib/platform/system-errors.js'
import {isObject} from '#lib/api/validate.js'
import {SetupError} from '#lib/platform/setup-error.js'
import {parseJson} from '#lib/platform/parse-json.js'
import {requireRegularFile} from '#lib/platform/open-file.js'
import {tryDirectory} from '#lib/platform/write-probe.js'
import {writePrivately} from '#lib/platform/write-file.js'
import type {CredentialStore} from './store.js'

interface Entry {
  readonly service: string
  readonly account: string
  readonly password: string
}

/**
 * Tokens in plain files that only their owner can read, one a token, so that two commands at once
 * never write the same file. Used only where a person chose it.
 */
export function fileStore(directory: string): CredentialStore {
  const fileOf = (service: string, account: string) =>
    join(directory, `${createHash('sha256').update(`${service}\n${account}`).digest('hex')}.json`)
  return {
    async getPassword(service, account) {
      const file = fileOf(service, account)
      const entry = await readEntry(file)
      if (entry && (entry.account !== account || entry.service !== service)) throw corrupt(file)
      return entry?.password ?? null
    },
    async setPassword(service, account, password) {
      const file = fileOf(service, account)
      const entry: Entry = {service, account, password}
      await orExplain(file, () => writePrivately(file, `${JSON.stringify(entry, null, 2)}\n`))
    },
    async deletePassword(service, account) {
      const file = fileOf(service, account)
      return orExplain(file, async () => {
        const existed = (await readable(file)) !== undefined
        await rm(file, {force: true})
        return existed
      })
    },
    tryOut: () => tryDirectory(directory),
  }
}

async function readEntry(file: string): Promise<Entry | undefined> {
  const found = await orExplain(file, () => readable(file))
  if (!found) return undefined
  // Bits for the group and for others; Windows has no such bits.
  if (process.platform !== 'win32' && (found.mode & 0o077) !== 0) {
    throw new SetupError(
      'keychain',
      `Others can read ${file}, which holds a token. Sign in again to get a new one, or run \`chmod 600\` on the file if it was never out of your hands.`,
    )
  }
  const value = parseJson(found.text)
  if (!isEntry(value)) throw corrupt(file)
  return value
}

function isEntry(value: unknown): value is Entry {
  if (!isObject(value)) return false
  const {service, account, password} = value
  return [service, account, password].every(text => typeof text === 'string') && password !== ''
}

async function readable(file: string): Promise<{text: string; mode: number} | undefined> {
  await requireRegularFile(file, true)
  const handle = await open(file, 'r').catch(absent)
  if (!handle) return undefined
  try {
    return {text: await handle.readFile('utf8'), mode: (await handle.stat()).mode}
  } finally {
    await handle.close()
  }
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

function corrupt(file: string): SetupError {
  return new SetupError(
    'keychain',
    `${file} is damaged and holds no token. Delete it, then run \`drv auth login\` again.`,
  )
}

async function orExplain<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw new SetupError(
      'keychain',
      `Cannot use ${path}: ${reasonOf(error)}. Check who owns it, or set DRV_TOKEN.`,
      {cause: error},
    )
  }
}
