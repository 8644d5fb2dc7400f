import {createHash, randomUUID} from 'node:crypto'
import {link, open, readdir, readFile, rename, rm, stat, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {ServiceError} from '../../client/errors.js'
import {faultOf} from '../../client/retry/policy.js'
import {makeFolder} from '../../config/folder.js'
import {isAlive, markOfProcess} from '../../config/process.js'
import {type Entry, isEntry, upToSource} from './entry.js'
import {TransferError} from '../errors.js'

/** Interrupted transfers, a file each below the state directory, readable by their owner alone. */

/** The right to work on one transfer, which no other process has meanwhile. */
export interface Claim {
  /** What an earlier run left. */
  readonly entry: Entry | undefined
  /** Keeps how far it is; on the disk when it resolves. */
  save(entry: Entry): Promise<void>
  /** The transfer is over. */
  forget(): Promise<void>
  /** Lets others have it. */
  release(): Promise<void>
}

/** Forgets a transfer that is over, as soon as nobody needs to be told of it any more. */
export async function forgetDone(
  {afterwards}: {readonly afterwards?: (work: () => Promise<void>) => void},
  claim: Claim | undefined,
): Promise<void> {
  if (claim && afterwards) afterwards(() => claim.forget())
  else await claim?.forget()
}

/** Whether trying again, later or elsewhere, is of no use, so that nothing is worth remembering. */
export function isOver(error: unknown): boolean {
  if (error instanceof TransferError) return true
  return error instanceof ServiceError && error.status !== 401 && faultOf(error).kind === 'final'
}

export interface ListedTransfer {
  /** Names the transfer in commands. */
  readonly key: string
  readonly entry: Entry
  /** When it was last heard of, in milliseconds since 1970. */
  readonly updated: number
  /** A process works on it now. */
  readonly isActive: boolean
}

export interface Journal {
  readonly profile: string
  readonly baseUrl: string
  /** `undefined` when another process works on the same transfer. */
  claim(entry: Entry): Promise<Claim | undefined>
  /** All there are, of every profile, the newest first. */
  list(): Promise<ListedTransfer[]>
  /** Forgets one and removes what it left beside its target; `false` while a process works on it. */
  discard(key: string): Promise<boolean>
}

export interface JournalOptions {
  /** `transfers` in the state directory; made when it is needed. */
  readonly directory: string
  readonly profile: string
  readonly baseUrl: string
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** What names the process of this number; `undefined` for one that is gone. */
  readonly markOf?: (pid: number) => string | undefined
  readonly pid?: number
}

/**
 * Milliseconds that something is remembered: as long as an upload session lives (reference:
 * protocols.md, section 1), for after that nothing can go on.
 */
export const LIFETIME = 7 * 24 * 3600 * 1000

/** Whether a transfer goes to the service and the profile that a journal is for. */
export function isOwn(entry: Entry, {profile, baseUrl}: Journal): boolean {
  return entry.profile === profile && entry.baseUrl === baseUrl
}

/** A transfer's name: the same for the same command line, whatever became of the source. */
export function keyOf(entry: Entry): string {
  return createHash('sha256')
    .update(JSON.stringify(upToSource(entry)))
    .digest('hex')
    .slice(0, 16)
}

export function createJournal(options: JournalOptions): Journal {
  const {directory, profile, baseUrl, now, markOf = markOfProcess, pid = process.pid} = options
  const fileOf = (key: string) => join(directory, `${key}.json`)
  const draftOf = (key: string) => join(directory, `${key}.tmp`)
  const lockOf = (key: string) => join(directory, `${key}.lock`)
  let pruned: Promise<void> | undefined

  async function read(key: string): Promise<Omit<ListedTransfer, 'isActive'> | undefined> {
    try {
      const [text, {mtimeMs}] = await Promise.all([
        readFile(fileOf(key), 'utf8'),
        stat(fileOf(key)),
      ])
      const entry: unknown = JSON.parse(text)
      return isEntry(entry) ? {key, entry, updated: mtimeMs} : undefined
    } catch {
      return undefined
    }
  }

  /** Takes the lock; one of a process that is gone counts for nothing. */
  async function lock(key: string): Promise<boolean> {
    await makeFolder(directory, 0o700)
    for (const isLast of [false, true]) {
      try {
        await writeLock(key)
        return true
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
        if (isLast || (await isHeld(key))) return false
        await rm(lockOf(key), {force: true})
      }
    }
    return false
  }

  /** Makes the lock, which says from its first moment on whose it is, for a process may be killed any time. */
  async function writeLock(key: string): Promise<void> {
    const mark = markOf(pid) ?? String(pid)
    const own = join(directory, `${key}.${pid}.${randomUUID()}.own`)
    try {
      await writeFile(own, mark, {mode: 0o600})
      await link(own, lockOf(key)).catch(async (error: NodeJS.ErrnoException) => {
        if (error.code === 'EEXIST') throw error
        // Some file systems know no links.
        await writeFile(lockOf(key), mark, {mode: 0o600, flag: 'wx'})
      })
    } finally {
      await rm(own, {force: true})
    }
  }

  async function isHeld(key: string): Promise<boolean> {
    const text = await readFile(lockOf(key), 'utf8').catch(() => undefined)
    return text !== undefined && isAlive(text, markOf)
  }

  async function isOlder(path: string, milliseconds: number): Promise<boolean> {
    const facts = await stat(path).catch(() => undefined)
    return facts === undefined || now() - facts.mtimeMs > milliseconds
  }

  async function remove(key: string): Promise<void> {
    const known = await read(key)
    if (known?.entry.kind === 'download') await rm(known.entry.part, {force: true})
    await forget(key)
  }

  /** Only for whoever has the lock: what a killed process left half written is written over. */
  async function save(key: string, entry: Entry): Promise<void> {
    const handle = await open(draftOf(key), 'w', 0o600)
    try {
      await handle.writeFile(JSON.stringify(entry))
      await handle.datasync()
    } finally {
      await handle.close()
    }
    await rename(draftOf(key), fileOf(key))
  }

  async function forget(key: string): Promise<void> {
    await rm(draftOf(key), {force: true})
    await rm(fileOf(key), {force: true})
  }

  /** Forgets what is too old to go on, and what a killed process left beside it. */
  async function prune(): Promise<void> {
    const names = await readdir(directory).catch(() => [])
    for (const name of names) {
      const owner = /^[0-9a-f]{16}\.(\d+)\.[0-9a-f-]{36}\.own$/.exec(name)?.[1]
      if (owner !== undefined && markOf(Number(owner)) === undefined) {
        await rm(join(directory, name), {force: true})
      }
      const [, key, ending] = /^([0-9a-f]{16})\.(json|lock|tmp)$/.exec(name) ?? []
      if (key === undefined) continue
      if (ending !== 'json') await tidy(key)
      else if ((await isOlder(fileOf(key), LIFETIME)) && !(await isHeld(key))) await remove(key)
    }
  }

  /** Takes away what a process that is gone left half done; with the lock, for others may come. */
  async function tidy(key: string): Promise<void> {
    if ((await isHeld(key)) || !(await lock(key))) return
    await rm(draftOf(key), {force: true})
    await rm(lockOf(key), {force: true})
  }

  return {
    profile,
    baseUrl,
    async claim(entry) {
      await (pruned ??= prune())
      const key = keyOf(entry)
      if (!(await lock(key))) return undefined
      return {
        entry: (await read(key))?.entry,
        save: latest => save(key, latest),
        forget: () => forget(key),
        release: () => rm(lockOf(key), {force: true}),
      }
    },
    async list() {
      await prune()
      const names = await readdir(directory).catch(() => [])
      const found = await Promise.all(
        names.flatMap(name => {
          const key = /^([0-9a-f]{16})\.json$/.exec(name)?.[1]
          return key === undefined ? [] : [read(key)]
        }),
      )
      const known = found.filter(one => one !== undefined)
      const all = await Promise.all(
        known.map(async one => ({...one, isActive: await isHeld(one.key)})),
      )
      return all.sort((a, b) => b.updated - a.updated)
    },
    async discard(key) {
      if (!(await lock(key))) return false
      await remove(key)
      await rm(lockOf(key), {force: true})
      return true
    },
  }
}
