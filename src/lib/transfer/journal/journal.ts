import {readdir, rm} from 'node:fs/promises'
import {join} from 'node:path'
import {ServiceError} from '#lib/client/errors.js'
import {classifyFailure} from '#lib/client/retry/policy.js'
import {isLocked, tryLock} from '#lib/platform/lock.js'
import {markOfProcess} from '#lib/platform/process-identity.js'
import {
  isExpired,
  jsonStateFormat,
  nameFromKey,
  stateFile,
  writtenAt,
} from '#lib/platform/state-file.js'
import {TransferError} from '#lib/transfer/errors.js'
import {isEntry, type JournalEntry, upToSource} from './entry.js'

/**
 * The journal of interrupted transfers: one file for each in the state directory, with mode 0600. The
 * transfers themselves decide what to record.
 */

/** The exclusive right of this process to work on a transfer. */
export interface Claim {
  /** The entry that an earlier run left. */
  readonly entry: JournalEntry | undefined
  /** Saves progress; flushed to disk when it resolves. */
  save(entry: JournalEntry): Promise<void>
  /** Removes the entry, because the transfer is over. */
  forget(): Promise<void>
  /** Releases the transfer to other processes. */
  release(): Promise<void>
}

/** Removes the entry of a completed transfer, after its result has been reported. */
export async function forgetDone(
  {afterwards}: {readonly afterwards?: (work: () => Promise<void>) => void},
  claim: Claim | undefined,
): Promise<void> {
  if (claim && afterwards) afterwards(() => claim.forget())
  else await claim?.forget()
}

/** Whether retrying is useless, so that the entry can be removed. */
export function isOver(error: unknown): boolean {
  if (error instanceof TransferError) return true
  return (
    error instanceof ServiceError && error.status !== 401 && classifyFailure(error).kind === 'final'
  )
}

export interface ListedTransfer {
  /** Identifies the transfer in commands. */
  readonly key: string
  readonly entry: JournalEntry
  /** Time of the last update, in milliseconds since 1970. */
  readonly updated: number
  /** Whether a process is working on it now. */
  readonly isActive: boolean
}

export interface Journal {
  readonly profile: string
  readonly baseUrl: string
  /** Claims a transfer; `undefined` if another process is working on it. */
  claim(entry: JournalEntry): Promise<Claim | undefined>
  /** The transfers of all profiles, newest first. */
  list(): Promise<ListedTransfer[]>
  /** Removes an entry and its partial file; false while a process is working on it. */
  discard(key: string): Promise<boolean>
}

interface JournalOptions {
  /** `transfers` in the state directory; created when needed. */
  readonly directory: string
  readonly profile: string
  readonly baseUrl: string
  /** Returns milliseconds since 1970. */
  readonly now: () => number
}

/**
 * Lifetime of an entry in milliseconds: that of an upload session (reference: protocols.md, section 1),
 * since afterwards nothing can be resumed.
 */
export const LIFETIME = 7 * 24 * 3600 * 1000

/** Whether a transfer belongs to the profile and service of a journal. */
export function isOwn(entry: JournalEntry, {profile, baseUrl}: Journal): boolean {
  return entry.profile === profile && entry.baseUrl === baseUrl
}

/** The key of a transfer: the same for the same command, even if the source has changed. */
export function keyOf(entry: JournalEntry): string {
  return nameFromKey(JSON.stringify(upToSource(entry)), 16)
}

/** Files in the directory; the last form is a temporary file, also of earlier versions. */
const NAME = /^([0-9a-f]{16})(?:\.(json|lock|tmp)|(?:\.lock)?\.(\d+)\.[\da-f-]+\.(?:own|tmp))$/

export function createJournal(options: JournalOptions): Journal {
  const {directory, profile, baseUrl, now} = options
  const fileOf = (key: string) => join(directory, `${key}.json`)
  const draftOf = (key: string) => join(directory, `${key}.tmp`)
  const lockOf = (key: string) => join(directory, `${key}.lock`)
  let pruned: Promise<void> | undefined

  /** The state file of an entry. The process with the lock overwrites an incomplete file of a killed process. */
  const entryFile = (key: string) =>
    stateFile({file: fileOf(key), temporary: draftOf(key), ...jsonStateFormat(isEntry)})

  async function read(key: string): Promise<ListedTransfer | undefined> {
    const entry = entryFile(key).read()
    const updated = await writtenAt(fileOf(key))
    if (!entry || updated === undefined) return undefined
    return {key, entry, updated, isActive: await isLocked(lockOf(key))}
  }

  /** Runs `work` with the lock; false if another process has it. */
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

  /** Removes expired entries, and files that killed processes left. */
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
 * A journal that ignores disk errors, because a transfer that cannot be recorded is better than none.
 * `onLoss` is called with these errors.
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
 * Removes entries of transfers that completed, but whose process was killed before it removed them.
 */

/** Removes entries of transfers between these local files (absolute paths) and remote files (IDs). */
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
