import type {Client} from '../../client/client.js'
import type {RemoteEntry} from './entries.js'
import {wordFor} from './entries.js'
import {titleKey} from './names.js'
import type {Place} from './place.js'
import {ALL_DRIVES, childrenParameters, ENTRY_FIELDS, entriesOf, entryOf} from './records.js'

/** Where a place leads. */
export interface Found {
  /** The last thing on the way that is there. */
  readonly entry: RemoteEntry
  /** The names behind it that are not there. */
  readonly missing: readonly string[]
  /** The shared drive it is in. */
  readonly driveId?: string
}

/** A place that cannot be worked with. `message` and `hint` are whole sentences. */
export class ResolveError extends Error {
  constructor(
    readonly kind: 'ambiguous' | 'missing' | 'wrongKind',
    message: string,
    readonly hint: string,
  ) {
    super(message)
    this.name = 'ResolveError'
  }
}

/**
 * Follows a place name by name. A title counts as it is written, with its capitals. Throws
 * `ResolveError('ambiguous')` with both IDs where two things have the name, and `'wrongKind'` where
 * something on the way is no folder.
 */
export async function resolvePlace(client: Client, place: Place): Promise<Found> {
  const record =
    (await client.call('files.get', {
      params: {fileId: place.start, fields: ENTRY_FIELDS, ...ALL_DRIVES},
    })) ?? {}
  const driveId = typeof record.driveId === 'string' ? record.driveId : undefined
  let entry = entryOf(record)
  for (const [index, name] of place.names.entries()) {
    const way = wayTo(place, index)
    if (entry.kind !== 'folder') throw noFolder(entry, way)
    const next = pick(await named(client, entry.id, name, driveId), wayTo(place, index + 1))
    if (!next) return {entry, missing: place.names.slice(index), driveId}
    entry = next
  }
  return {entry, missing: [], driveId}
}

/** The one of several things of a name; throws `ResolveError('ambiguous')` when there are more. */
export function pick(entries: readonly RemoteEntry[], way: string): RemoteEntry | undefined {
  const [first, second] = entries
  if (!first || !second) return first
  throw new ResolveError(
    'ambiguous',
    `${way} is the name of ${entries.length} things: ${listed(entries)}.`,
    'Name the one you mean by its ID, or give one of them another title.',
  )
}

/** `a file with the ID A, a folder with the ID B` */
export function listed(entries: readonly RemoteEntry[]): string {
  return entries.map(entry => `${wordFor(entry)} with the ID ${entry.id}`).join(', ')
}

/** A folder is needed, and this is none. */
export function noFolder(entry: RemoteEntry, way: string): ResolveError {
  return new ResolveError(
    'wrongKind',
    `${way} is ${wordFor(entry)}, not a folder.`,
    'Name a folder, by its path or its ID.',
  )
}

async function named(
  client: Client,
  folderId: string,
  title: string,
  driveId: string | undefined,
): Promise<RemoteEntry[]> {
  const entries: RemoteEntry[] = []
  const key = titleKey(title)
  for await (const page of client.pages('files.list', {
    params: childrenParameters(folderId, {title, driveId}),
  })) {
    // The service compares titles without regard to capitals.
    entries.push(...entriesOf(page).filter(entry => titleKey(entry.title) === key))
  }
  return entries
}

function wayTo({start, names}: Place, count: number): string {
  return [start === 'root' ? '' : start, ...names.slice(0, count)].join('/') || '/'
}
