import {randomUUID} from 'node:crypto'
import {readdir, rm} from 'node:fs/promises'
import {basename, dirname, join} from 'node:path'
import type {Client} from '#lib/client/client.js'
import {isNotFound} from '#lib/client/errors.js'
import {tryLock} from '#lib/platform/lock.js'
import {readText} from '#lib/platform/open-file.js'
import {signerOf} from '#lib/platform/process-identity.js'
import {isExpired, mapFormat, removeFiles, stateFile, writtenAt} from '#lib/platform/state-file.js'
import {isObject} from '#lib/platform/values.js'
import {reserveIds} from '#lib/transfer/ids.js'
import {LIFETIME} from '#lib/transfer/journal/journal.js'
import {titleKey} from '#lib/transfer/local/names.js'
import {ALL_DRIVES, parentIds} from '#lib/transfer/remote/records.js'

/**
 * IDs of what a run will make, taken before anything is sent and written down. A run that was
 * killed may have made a file whose answer never came: the next one uses the same ID for it, so
 * that it cannot come to be twice (reference: protocols.md, section 9).
 */

export interface Reserved {
  readonly id: string
  /** An earlier run had it, and may have used it. */
  readonly isOld: boolean
}

/** A new thing of a run: its path here, that of the folder it is to be in, and its title there. */
export interface Make {
  readonly path: string
  readonly parent: string
  readonly name: string
}

/** What runs agree on IDs by. */
export interface Sharing {
  /**
   * Where the IDs are written down, readable by the owner alone, by the ID of the folder and the
   * name in it: the same for all runs, however they name a place.
   */
  readonly file?: string
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Hears that the file cannot be written. */
  readonly onLoss?: (error: unknown) => void
}

export interface Reserving extends Sharing {
  /** IDs of the folders that are there, by path. */
  readonly folders: ReadonlyMap<string, string>
  /** IDs of what is there, so that none of it is what is to be made. */
  readonly seen?: ReadonlySet<string>
}

/**
 * An ID for each new thing, by its path; a folder comes before what is in it. What is written down
 * from an earlier run is used again.
 */
export async function idsFor(
  client: Client,
  makes: readonly Make[],
  reserving: Reserving,
): Promise<Map<string, Reserved>> {
  if (makes.length === 0) return new Map()
  return inTurn(reserving, () => reserved(client, makes, reserving))
}

/** Does `work` while no other run reads or writes the IDs, for runs have to agree on them. */
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

/** Milliseconds to wait for another run, which may have to wait for the service. */
const PATIENCE = 30_000

async function reserved(
  client: Client,
  makes: readonly Make[],
  {folders, seen, file, now, onLoss}: Reserving,
): Promise<Map<string, Reserved>> {
  const notes = readNotes(file, now())
  const all = new Map<string, Reserved>()
  // What is in a folder that is new was never made before.
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

/** A thing to create, by the ID of its folder. `id`: the one that something else has by now. */
interface Renewed {
  readonly parentId: string
  readonly name: string
  readonly id?: string
}

/**
 * A new ID for a thing whose ID something else has by now (`used`, as `stateOf` says); the same one
 * for all runs that ask. `taken` are IDs that it must not be; the new one is added to them.
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
 * Says that a run begins to look what is at the place of `file`. What another one makes after that
 * it does not see, and knows by the ID alone: so none is forgotten before this run has ended. Gives
 * what ends it.
 */
export async function enterRun(file: string): Promise<() => Promise<void>> {
  // Who can keep nothing forgets nothing either.
  const end = await tryLock(`${file}.${randomUUID()}.run`).catch(() => undefined)
  return async () => end?.().catch(() => undefined)
}

/**
 * Everything has been made under these IDs: the next run begins anew, unless one has begun already.
 * What others have left undone stays.
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
    // What has something in it has been made as well; it was written down before that.
    for (const [key, {id}] of notes.toReversed()) if (done.has(id)) done.add(parentOf(key))
    const left = notes.filter(([, {id}]) => !done.has(id))
    if (left.length === 0) await noteFile(file).remove()
    else await noteFile(file).write(new Map(left))
  }
  // Notes that stay cost a later run a look, and are forgotten in time.
  await noteFile(file)
    .locked(forget, {patience: PATIENCE})
    .catch(() => undefined)
}

async function hasOthers(file: string): Promise<boolean> {
  const names = await readdir(dirname(file)).catch(() => [])
  for (const name of names) {
    if (!name.startsWith(`${basename(file)}.`) || !name.endsWith('.run')) continue
    const path = join(dirname(file), name)
    const text = await readText(path).catch(() => undefined)
    const signer = text === undefined ? 'this' : signerOf(text)
    if (signer === 'working' || signer === 'unknown') return true
    // It was killed.
    if (signer === 'ended') await rm(path, {force: true}).catch(() => undefined)
  }
  return false
}

/** Forgets what runs left in `directory` that nobody repeated. `now` in milliseconds since 1970. */
export async function pruneIds(directory: string, now: number): Promise<void> {
  await removeFiles(directory, async file => {
    const written = await writtenAt(file)
    return written !== undefined && isExpired(written, now, LIFETIME)
  })
}

/** An ID that was reserved, and when it was last wanted, in milliseconds since 1970. */
interface Note {
  readonly id: string
  readonly at: number
}

/** The key of a thing by the folder it is in and its title there. */
export function placeKey(parentId: string, name: string): string {
  return `${parentId}/${titleKey(name)}`
}

/** IDs have no slash in them. */
function parentOf(key: string): string {
  return key.slice(0, key.indexOf('/'))
}

/** Those that somebody may still want. What cannot be read is as good as nothing: the IDs were only reserved. */
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

/**
 * What became of an ID that may have been used: nothing (`free`), something that has moved on since
 * (`used`), or the very thing that is to be made, with its MD5.
 */
export async function stateOf(
  client: Client,
  {id, isOld}: Reserved,
  title: string,
  parent: string,
): Promise<'free' | 'used' | {readonly md5?: unknown}> {
  if (!isOld) return 'free'
  try {
    const fields = 'title,md5Checksum,labels/trashed,parents/id'
    const params = {fileId: id, ...ALL_DRIVES, fields}
    const record = (await client.call('files.get', {params})) ?? {}
    const {trashed} = (record.labels ?? {}) as {trashed?: unknown}
    const isInPlace = record.title === title && parentIds(record).includes(parent)
    return isInPlace && !trashed ? {md5: record.md5Checksum} : 'used'
  } catch (error) {
    if (isNotFound(error)) return 'free'
    throw error
  }
}
