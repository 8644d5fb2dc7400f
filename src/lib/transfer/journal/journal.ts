import {readdir, rm} from 'node:fs/promises'
import {join} from 'node:path'
import {ServiceError} from '#lib/client/errors.js'
import {classifyFailure} from '#lib/client/retry/policy.js'
import {isLocked, tryLock} from '#lib/platform/lock.js'
import {markOfProcess} from '#lib/platform/process-identity.js'
import {isExpired, jsonFormat, nameFromKey, stateFile, writtenAt} from '#lib/platform/state-file.js'
import {TransferError} from '#lib/transfer/errors.js'
import {isEntry, type JournalEntry, upToSource} from './entry.js'

/**
 * What is remembered of interrupted transfers lives here, a file each below the state directory,
 * readable by their owner alone. What is done with it belongs to the transfers themselves.
 */

/** The right to work on one transfer, which no other process has meanwhile. */
export interface Claim {
  /** What an earlier run left. */
  readonly entry: JournalEntry | undefined
  /** Keeps how far it is; on the disk when it resolves. */
  save(entry: JournalEntry): Promise<void>
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
  return (
    error instanceof ServiceError && error.status !== 401 && classifyFailure(error).kind === 'final'
  )
}

export interface ListedTransfer {
  /** Names the transfer in commands. */
  readonly key: string
  readonly entry: JournalEntry
  /** When it was last heard of, in milliseconds since 1970. */
  readonly updated: number
  /** A process works on it now. */
  readonly isActive: boolean
}

export interface Journal {
  readonly profile: string
  readonly baseUrl: string
  /** `undefined` when another process works on the same transfer. */
  claim(entry: JournalEntry): Promise<Claim | undefined>
  /** All there are, of every profile, the newest first. */
  list(): Promise<ListedTransfer[]>
  /** Forgets one and removes what it left beside its target; `false` while a process works on it. */
  discard(key: string): Promise<boolean>
}

interface JournalOptions {
  /** `transfers` in the state directory; made when it is needed. */
  readonly directory: string
  readonly profile: string
  readonly baseUrl: string
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/**
 * Milliseconds that something is remembered: as long as an upload session lives (reference:
 * protocols.md, section 1), for after that nothing can go on.
 */
export const LIFETIME = 7 * 24 * 3600 * 1000

/** Whether a transfer goes to the service and the profile that a journal is for. */
export function isOwn(entry: JournalEntry, {profile, baseUrl}: Journal): boolean {
  return entry.profile === profile && entry.baseUrl === baseUrl
}

/** A transfer's name: the same for the same command line, whatever became of the source. */
export function keyOf(entry: JournalEntry): string {
  return nameFromKey(JSON.stringify(upToSource(entry)), 16)
}

/** What lies in the directory; the last kind is of a file under way, in earlier versions too. */
const NAME = /^([0-9a-f]{16})(?:\.(json|lock|tmp)|(?:\.lock)?\.(\d+)\.[\da-f-]+\.(?:own|tmp))$/

export function createJournal(options: JournalOptions): Journal {
  const {directory, profile, baseUrl, now} = options
  const fileOf = (key: string) => join(directory, `${key}.json`)
  const draftOf = (key: string) => join(directory, `${key}.tmp`)
  const lockOf = (key: string) => join(directory, `${key}.lock`)
  let pruned: Promise<void> | undefined

  /** What a killed process left half written is written over by whoever has the lock. */
  const entryFile = (key: string) =>
    stateFile({file: fileOf(key), temporary: draftOf(key), ...jsonFormat(isEntry)})

  async function read(key: string): Promise<ListedTransfer | undefined> {
    const entry = entryFile(key).read()
    const updated = await writtenAt(fileOf(key))
    if (!entry || updated === undefined) return undefined
    return {key, entry, updated, isActive: await isLocked(lockOf(key))}
  }

  /** Does `work` with the lock, and says whether it could be had. */
  async function locked(key: string, work: () => Promise<void>): Promise<boolean> {
    const release = await tryLock(lockOf(key))
    if (release) await work().finally(release)
    return release !== undefined
  }

  const discard = (key: string) =>
    locked(key, async () => {
      const known = await read(key)
      if (known?.entry.kind === 'download') await rm(known.entry.part, {force: true})
      await forget(key)
    })

  async function forget(key: string): Promise<void> {
    await rm(draftOf(key), {force: true})
    await rm(fileOf(key), {force: true})
  }

  /** Forgets what is too old to go on, and what a killed process left beside it. */
  async function prune(): Promise<void> {
    const names = await readdir(directory).catch(() => [])
    for (const name of names) {
      const [, key, ending, pid] = NAME.exec(name) ?? []
      if (key === undefined) continue
      if (pid !== undefined) {
        const isLeft = markOfProcess(Number(pid)) === undefined
        if (isLeft) await rm(join(directory, name), {force: true})
      } else if (ending !== 'json') await locked(key, () => rm(draftOf(key), {force: true}))
      else {
        const updated = await writtenAt(fileOf(key))
        if (updated !== undefined && isExpired(updated, now(), LIFETIME)) await discard(key)
      }
    }
  }

  return {
    profile,
    baseUrl,
    async claim(entry) {
      await (pruned ??= prune())
      const key = keyOf(entry)
      const release = await tryLock(lockOf(key))
      if (!release) return undefined
      return {
        entry: entryFile(key).read(),
        save: latest => entryFile(key).write(latest),
        forget: () => forget(key),
        release,
      }
    },
    async list() {
      await prune()
      const names = await readdir(directory).catch(() => [])
      const known = await Promise.all(
        names.map(async name => (name.endsWith('.json') ? read(name.slice(0, -5)) : undefined)),
      )
      return known.filter(one => one !== undefined).sort((a, b) => b.updated - a.updated)
    },
    discard,
  }
}

/**
 * A journal that does without the disk where that takes nothing: a transfer that cannot be remembered
 * is better than none. `onLoss` hears of the system's errors.
 */
export function bestEffortJournal(journal: Journal, onLoss: (error: unknown) => void): Journal {
  const attempt = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work()
    } catch (error) {
      onLoss(error)
      return undefined
    }
  }
  const around = ({entry, save, forget, release}: Claim): Claim => ({
    entry,
    save: latest => attempt(() => save(latest)),
    forget: () => attempt(forget),
    release: () => attempt(release),
  })
  return {
    ...journal,
    async claim(entry) {
      const claim = await attempt(() => journal.claim(entry))
      return claim && around(claim)
    },
    list: async () => (await attempt(() => journal.list())) ?? [],
    discard: async key => (await attempt(() => journal.discard(key))) ?? false,
  }
}

/**
 * What is still remembered of transfers that are over: a process was killed between the last byte
 * and taking note of it, and now the file is found where it should be.
 */

/** Forgets transfers between a file of this machine (absolute paths) and one of the service (IDs). */
export async function forgetFinished(
  journal: Journal | undefined,
  finished: ReadonlyMap<string, string>,
): Promise<void> {
  if (!journal || finished.size === 0) return
  for (const {key, entry} of await journal.list()) {
    if (isOwn(entry, journal) && isFinished(entry, finished)) await journal.discard(key)
  }
}

function isFinished(entry: JournalEntry, finished: ReadonlyMap<string, string>): boolean {
  const fileId = finished.get(entry.kind === 'upload' ? entry.source.path : entry.path)
  if (fileId === undefined || entry.operation === 'files.export') return false
  const isNew = entry.kind === 'upload' && entry.operation === 'files.insert'
  return (isNew ? entry.id : entry.params.fileId) === fileId
}
