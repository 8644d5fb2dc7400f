import {isExpired, mapFormat, removeFiles, stateFile, writtenAt} from '#lib/platform/state-file.js'
import {isObject} from '#lib/platform/values.js'
import {LIFETIME} from '#lib/transfer/journal/journal.js'
import {titleKey} from '#lib/transfer/local/names.js'

/** The file with the IDs that runs have reserved and not completed, by parent ID and name. It has mode 0600. */

/** A reserved ID, and when it was last needed, in milliseconds since 1970. */
export interface IdNote {
  readonly id: string
  readonly at: number
  /** What it is for, if a later run may take over the item. */
  readonly local?: LocalOrigin
}

/** A local file, or a folder. */
export interface LocalOrigin {
  /** Absolute. */
  readonly path: string
  /** Size in bytes; missing for a folder, as is the next one. */
  readonly size?: number
  /** Modification time, in milliseconds since 1970. */
  readonly modified?: number
}

/** The file of the notes at a path; without a path, nothing is read or written. */
export function idNoteFile(file: string | undefined) {
  return stateFile({file, ...mapFormat(isNote)})
}

/** The unexpired IDs. An unreadable file counts as empty, because the IDs were only reserved. `now`: as in notes. */
export function readIdNotes(file: string | undefined, now: number): Map<string, IdNote> {
  const all = [...(idNoteFile(file).read() ?? [])]
  return new Map(all.filter(([, {at}]) => !isExpired(at, now, LIFETIME)))
}

function isNote(value: unknown): value is IdNote {
  if (!isObject(value) || typeof value.id !== 'string' || typeof value.at !== 'number') return false
  const {local} = value
  return local === undefined || (isObject(local) && typeof local.path === 'string')
}

/** The key of an entry, from its parent's ID and its title. */
export function placeKey(parentId: string, name: string): string {
  return `${parentId}/${titleKey(name)}`
}

/** The parent ID in a key; IDs contain no slash. */
export function parentIdIn(key: string): string {
  return key.slice(0, key.indexOf('/'))
}

/** An item that an interrupted run may have created. */
export interface UnfinishedId {
  readonly id: string
  readonly parentId: string
  readonly local: LocalOrigin
}

/** The IDs of items that a later run may take over, outer folders first. `now`: as in notes. */
export function unfinishedIds(file: string | undefined, now: number): UnfinishedId[] {
  return [...readIdNotes(file, now)].flatMap(([key, {id, local}]) =>
    local ? [{id, parentId: parentIdIn(key), local}] : [],
  )
}

/** Removes expired files in `directory`. `now` is in milliseconds since 1970. */
export async function pruneIds(directory: string, now: number): Promise<void> {
  await removeFiles(directory, async file => {
    const written = await writtenAt(file)
    return written !== undefined && isExpired(written, now, LIFETIME)
  })
}
