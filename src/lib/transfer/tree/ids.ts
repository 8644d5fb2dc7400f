import {randomUUID} from 'node:crypto'
import {readdir, readFile, rm, stat} from 'node:fs/promises'
import {basename, dirname, join} from 'node:path'
import type {Client} from '../../client/client.js'
import {isObject} from '../../api/validate.js'
import {withLock} from '../../config/lock.js'
import {hasEnded, signatureOf} from '../../config/process.js'
import {writePrivately} from '../../config/write.js'
import {ServiceError} from '../../client/errors.js'
import {reserveIds} from '../ids.js'
import {LIFETIME} from '../memory.js'
import {ALL_DRIVES} from './records.js'

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

/**
 * An ID for each path. `file` is where they are written down, readable by the owner alone; what
 * stands there from an earlier run is used again. `onLoss` hears that it cannot be written.
 */
export async function idsFor(
  client: Client,
  paths: readonly string[],
  file: string | undefined,
  onLoss?: (error: unknown) => void,
): Promise<Map<string, Reserved>> {
  if (paths.length === 0) return new Map()
  const reserve = () => reserved(client, paths, file, onLoss)
  if (file === undefined) return reserve()
  let isBegun = false
  const begin = () => {
    isBegun = true
    return reserve()
  }
  try {
    // Two runs at once must agree on the IDs.
    return await withLock(`${file}.lock`, begin, PATIENCE)
  } catch (error) {
    if (isBegun) throw error
    return reserve()
  }
}

/** Milliseconds to wait for another run, which may have to wait for the service. */
const PATIENCE = 30_000

async function reserved(
  client: Client,
  paths: readonly string[],
  file: string | undefined,
  onLoss?: (error: unknown) => void,
): Promise<Map<string, Reserved>> {
  const old = file === undefined ? new Map<string, string>() : await readReserved(file)
  const fresh = await reserveIds(client, paths.filter(path => !old.has(path)).length)
  const all = new Map(
    paths.map(path => {
      const id = old.get(path)
      return [path, id === undefined ? {id: fresh.pop()!, isOld: false} : {id, isOld: true}]
    }),
  )
  if (file !== undefined) {
    const ids = [...all].map(([path, {id}]) => [path, id] as const)
    const text = JSON.stringify(Object.fromEntries(new Map([...old, ...ids])))
    await writePrivately(file, text).catch((error: unknown) => {
      if (!onLoss) throw error
      onLoss(error)
    })
  }
  return all
}

/**
 * Says that a run begins to look what is at the place of `file`. What another one makes after that
 * it does not see, and knows by the ID alone: so none is forgotten before this run has ended. Gives
 * what ends it.
 */
export async function enterRun(file: string, pid = process.pid): Promise<() => Promise<void>> {
  const own = `${file}.${randomUUID()}.run`
  // Who can keep nothing forgets nothing either.
  await writePrivately(own, JSON.stringify(signatureOf(pid))).catch(() => undefined)
  return () => rm(own, {force: true}).catch(() => undefined)
}

/** Everything has been made: the next run begins anew, unless one has begun already. */
export async function forgetIds(file: string, pid = process.pid): Promise<void> {
  if (!(await hasOthers(file, pid))) await rm(file, {force: true})
}

async function hasOthers(file: string, pid: number): Promise<boolean> {
  const own = JSON.stringify(signatureOf(pid))
  const names = await readdir(dirname(file)).catch(() => [])
  for (const name of names) {
    if (!name.startsWith(`${basename(file)}.`) || !name.endsWith('.run')) continue
    const path = join(dirname(file), name)
    const text = await readFile(path, 'utf8').catch(() => own)
    if (text === own) continue
    if (!hasEnded(text)) return true
    // It was killed.
    await rm(path, {force: true}).catch(() => undefined)
  }
  return false
}

/** Forgets what runs left in `directory` that nobody repeated. `now` in milliseconds since 1970. */
export async function pruneIds(directory: string, now: number): Promise<void> {
  const names = await readdir(directory).catch(() => [])
  for (const name of names) {
    const file = join(directory, name)
    const facts = await stat(file).catch(() => undefined)
    // What cannot be removed is in nobody's way.
    if (facts && now - facts.mtimeMs > LIFETIME)
      await rm(file, {force: true}).catch(() => undefined)
  }
}

/** What cannot be read is as good as nothing: the IDs were only reserved. */
async function readReserved(file: string): Promise<Map<string, string>> {
  try {
    const value: unknown = JSON.parse(await readFile(file, 'utf8'))
    const pairs = isObject(value) ? Object.entries(value) : []
    return new Map(pairs.filter((pair): pair is [string, string] => typeof pair[1] === 'string'))
  } catch {
    return new Map()
  }
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
    const parents = (record.parents ?? []) as ReadonlyArray<{id?: unknown}>
    const isInPlace = record.title === title && parents.some(({id: above}) => above === parent)
    return isInPlace && !trashed ? {md5: record.md5Checksum} : 'used'
  } catch (error) {
    if (error instanceof ServiceError && error.status === 404) return 'free'
    throw error
  }
}

/** An ID for something whose own was used otherwise. */
export async function freshId(client: Client): Promise<string> {
  const [id] = await reserveIds(client, 1)
  return id!
}
