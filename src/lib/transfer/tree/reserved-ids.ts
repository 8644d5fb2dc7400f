import {randomUUID} from 'node:crypto'
import {readdir, rm} from 'node:fs/promises'
import {basename, dirname, join} from 'node:path'
import {parentIds} from '#lib/api/reached.js'
import {FOLDER_TYPE} from '#lib/api/wire.js'
import type {Client} from '#lib/client/client.js'
import {isNotFound} from '#lib/client/errors.js'
import {isLocked, tryLock} from '#lib/platform/lock.js'
import {readTextFile} from '#lib/platform/open-file.js'
import {signerOf} from '#lib/platform/process-identity.js'
import {isExpired, mapFormat, removeFiles, stateFile, writtenAt} from '#lib/platform/state-file.js'
import {isObject, parseJson} from '#lib/platform/values.js'
import {reserveIds} from '#lib/transfer/ids.js'
import {LIFETIME} from '#lib/transfer/journal/journal.js'
import {titleKey} from '#lib/transfer/local/names.js'
import {ALL_DRIVES} from '#lib/transfer/remote/records.js'

/**
 * Reserves IDs for what a run will create, and writes them down before anything is sent. If a run is
 * killed before it receives a response, the next run uses the same ID, so that nothing is created twice
 * (reference: protocols.md, section 9).
 */

export interface Reserved {
  readonly id: string
  /** Whether an earlier run reserved it, and may have used it. */
  readonly isOld: boolean
}

/** A new entry: its path here, that of its parent, and its title. */
export interface Make {
  readonly path: string
  readonly parent: string
  readonly name: string
}

/** How concurrent runs agree on IDs. */
export interface Sharing {
  /**
   * The file with the IDs by parent ID and name, with mode 0600; the same for all runs, however they
   * name the target.
   */
  readonly file?: string
  /** Returns milliseconds since 1970. */
  readonly now: () => number
  /** Called if the file cannot be written. */
  readonly onLoss?: (error: unknown) => void
}

export interface Reserving extends Sharing {
  /** IDs of existing folders by path. */
  readonly folders: ReadonlyMap<string, string>
  /** IDs of existing entries, which are never the new ones. */
  readonly seen?: ReadonlySet<string>
}

/**
 * An ID for each new entry by path; folders come before their contents. Reuses IDs that an earlier run
 * wrote down.
 */
export async function idsFor(
  client: Client,
  makes: readonly Make[],
  reserving: Reserving,
): Promise<Map<string, Reserved>> {
  if (makes.length === 0) return new Map()
  return inTurn(reserving, () => reserved(client, makes, reserving))
}

/** Runs `work` while no other run accesses the IDs, because runs must agree on them. */
async function inTurn<T>({file}: Sharing, work: () => Promise<T>): Promise<T> {
  let isBegun = false
  const begin = () => {
    isBegun = true
    return work()
  }
  try {
    return await noteFile(file).locked(begin, {patience: PATIENCE})
  } catch (error) {
    if (isBegun) throw error
    return work()
  }
}

/** Milliseconds to wait for another run, which may itself be waiting for the service. */
const PATIENCE = 30_000

async function reserved(
  client: Client,
  makes: readonly Make[],
  {folders, seen, file, now, onLoss}: Reserving,
): Promise<Map<string, Reserved>> {
  const notes = readNotes(file, now())
  const all = new Map<string, Reserved>()
  // Nothing in a new folder was created before.
  const fresh: Make[] = []
  for (const make of makes) {
    const parentId = folders.get(make.parent) ?? all.get(make.parent)?.id
    const known = parentId === undefined ? undefined : notes.get(placeKey(parentId, make.name))
    if (known && !seen?.has(known.id)) all.set(make.path, {id: known.id, isOld: true})
    else fresh.push(make)
  }
  const used = new Set([...all.values()].map(({id}) => id))
  const ids = await reserveIds(client, fresh.length, undefined, used)
  for (const [index, {path}] of fresh.entries()) all.set(path, {id: ids[index]!, isOld: false})
  for (const {path, parent, name} of makes) {
    const parentId = folders.get(parent) ?? all.get(parent)!.id
    notes.set(placeKey(parentId, name), {id: all.get(path)!.id, at: now()})
  }
  await keepNotes(file, notes, onLoss)
  return all
}

/** An entry that needs a new ID; `id` is the old one, which something else uses now. */
interface Renewed {
  readonly parentId: string
  readonly name: string
  readonly id?: string
}

/**
 * A new ID for an entry whose ID is in use (`used`, see `reservedIdState`); the same for all runs that ask.
 * `taken` are IDs to avoid; the new one is added to them.
 */
export function renewId(
  client: Client,
  {parentId, name, id}: Renewed,
  sharing: Sharing,
  taken = new Set<string>(),
): Promise<string> {
  const {file, now, onLoss} = sharing
  return inTurn(sharing, async () => {
    const notes = readNotes(file, now())
    const key = placeKey(parentId, name)
    const known = notes.get(key)
    if (known && known.id !== id) return known.id
    const [newId] = await reserveIds(client, 1, undefined, taken)
    await keepNotes(file, notes.set(key, {id: newId!, at: now()}), onLoss)
    return newId!
  })
}

/**
 * Registers a run before it lists the target of `file`. It does not see what other runs create
 * afterwards and knows that only by ID, so no ID may be removed before it ends. Returns a function that
 * ends the registration.
 */
export async function enterRun(file: string): Promise<() => Promise<void>> {
  // A run that cannot write here cannot remove IDs either.
  const end = await tryLock(`${file}.${randomUUID()}.run`).catch(() => undefined)
  return async () => end?.().catch(() => undefined)
}

/**
 * Removes the IDs of completed entries, unless another run is active. IDs of unfinished entries stay.
 */
export async function forgetIds(
  file: string,
  ids: Iterable<string>,
  now: () => number,
): Promise<void> {
  const forget = async () => {
    if (await hasOthers(file)) return
    const done = new Set(ids)
    const notes = [...readNotes(file, now())]
    // If an entry exists, so does its folder, which was written down before it.
    for (const [key, {id}] of notes.toReversed()) if (done.has(id)) done.add(parentOf(key))
    const left = notes.filter(([, {id}]) => !done.has(id))
    if (left.length === 0) await noteFile(file).remove()
    else await noteFile(file).write(new Map(left))
  }
  // IDs that stay cost a later run one lookup, and expire eventually.
  await noteFile(file)
    .locked(forget, {patience: PATIENCE})
    .catch(() => undefined)
}

async function hasOthers(file: string): Promise<boolean> {
  const names = await readdir(dirname(file)).catch(() => [])
  for (const name of names) {
    if (!name.startsWith(`${basename(file)}.`) || !name.endsWith('.run')) continue
    const path = join(dirname(file), name)
    const text = await readTextFile(path).catch(() => undefined)
    if (text === undefined) continue
    const signer = signerOf(text)
    if (signer === 'working') return true
    if (signer === 'this') continue
    // A run on another machine counts as long as its file exists. A torn file, as a power failure leaves it, names none.
    if (signer === 'unknown' && (isObject(parseJson(text)) || (await isLocked(path)))) return true
    // That run was killed.
    await rm(path, {force: true}).catch(() => undefined)
  }
  return false
}

/** Removes expired files in `directory`. `now` is in milliseconds since 1970. */
export async function pruneIds(directory: string, now: number): Promise<void> {
  await removeFiles(directory, async file => {
    const written = await writtenAt(file)
    return written !== undefined && isExpired(written, now, LIFETIME)
  })
}

/** A reserved ID, and when it was last needed, in milliseconds since 1970. */
interface Note {
  readonly id: string
  readonly at: number
}

/** The key of an entry, from its parent's ID and its title. */
export function placeKey(parentId: string, name: string): string {
  return `${parentId}/${titleKey(name)}`
}

/** The parent ID in a key; IDs contain no slash. */
function parentOf(key: string): string {
  return key.slice(0, key.indexOf('/'))
}

/** The unexpired IDs. An unreadable file counts as empty, because the IDs were only reserved. */
function readNotes(file: string | undefined, now: number): Map<string, Note> {
  const all = [...(noteFile(file).read() ?? [])]
  return new Map(all.filter(([, {at}]) => !isExpired(at, now, LIFETIME)))
}

function noteFile(file: string | undefined) {
  return stateFile({file, ...mapFormat(isNote)})
}

function isNote(value: unknown): value is Note {
  return isObject(value) && typeof value.id === 'string' && typeof value.at === 'number'
}

async function keepNotes(
  file: string | undefined,
  notes: ReadonlyMap<string, Note>,
  onLoss: Sharing['onLoss'],
): Promise<void> {
  await noteFile(file)
    .write(notes)
    .catch((error: unknown) => {
      if (!onLoss) throw error
      onLoss(error)
    })
}

/** The planned entry of a reserved ID. */
interface Expected {
  readonly title: string
  /** The ID of its folder. */
  readonly parent: string
  readonly isFolder: boolean
}

/**
 * The state of an ID that may have been used: `free`, `used` by something that differs from the planned
 * entry, or the planned entry itself with its MD5.
 */
export async function reservedIdState(
  client: Client,
  {id, isOld}: Reserved,
  {title, parent, isFolder}: Expected,
): Promise<'free' | 'used' | {readonly md5?: unknown}> {
  if (!isOld) return 'free'
  try {
    const fields = 'title,mimeType,md5Checksum,labels/trashed,parents/id'
    const params = {fileId: id, ...ALL_DRIVES, fields}
    const record = (await client.call('files.get', {params})) ?? {}
    const {trashed} = (record.labels ?? {}) as {trashed?: unknown}
    const isOfKind = (record.mimeType === FOLDER_TYPE) === isFolder
    const isInPlace = isOfKind && record.title === title && parentIds(record).includes(parent)
    return isInPlace && !trashed ? {md5: record.md5Checksum} : 'used'
  } catch (error) {
    if (isNotFound(error)) return 'free'
    throw error
  }
}
