import {EDITOR_TYPE_PREFIX, FOLDER_TYPE, SHORTCUT_TYPE} from '#lib/api/wire.js'
import type {Client, ParameterTexts} from '#lib/client/client.js'
import {ProtocolError, ServiceError} from '#lib/client/errors.js'

/** IDs for new files, known beforehand, so that an insert can be repeated (spec: files-api.md). */

/** What an ID is good for: a space, and files or shortcuts. */
export interface IdKind {
  readonly space: 'drive' | 'appDataFolder'
  readonly type: 'files' | 'shortcuts'
}

type Insert = {
  readonly params: ParameterTexts
  readonly body?: Readonly<Record<string, unknown>>
}

/** The most IDs one request gives (reference: operations.md, files.generateIds). */
const MOST = 1000

/**
 * The kind of ID that a new file can have, or `undefined` for editor documents and for content that
 * becomes one: they get theirs from the service alone.
 */
export function idKindOf({params, body = {}}: Insert): IdKind | undefined {
  const {mimeType = '', parents} = body
  if (params.convert === 'true' || params.ocr === 'true') return undefined
  const isPlain = mimeType === FOLDER_TYPE || mimeType === SHORTCUT_TYPE
  if (String(mimeType).startsWith(EDITOR_TYPE_PREFIX) && !isPlain) return undefined
  const [parent] = Array.isArray(parents) ? (parents as Array<{id?: unknown}>) : []
  return {
    space: parent?.id === 'appDataFolder' ? 'appDataFolder' : 'drive',
    type: mimeType === SHORTCUT_TYPE ? 'shortcuts' : 'files',
  }
}

/**
 * Reserves IDs, with one request for each thousand. Throws `ProtocolError` when one comes that is in
 * `used`, or comes again: two files under one ID would be one. Those that come are added to `used`.
 */
export async function reserveIds(
  client: Pick<Client, 'call'>,
  count: number,
  {space, type}: IdKind = {space: 'drive', type: 'files'},
  used = new Set<string>(),
): Promise<string[]> {
  const ids: string[] = []
  while (ids.length < count) {
    const wanted = String(Math.min(count - ids.length, MOST))
    const answer = await client.call('files.generateIds', {
      params: {maxResults: wanted, space, type},
    })
    const fresh = Array.isArray(answer?.ids) ? (answer.ids as unknown[]) : []
    if (fresh.length === 0 || !fresh.every(id => typeof id === 'string' && id !== '')) {
      throw new ProtocolError('The service gave no IDs for new files. Try again later.')
    }
    for (const id of fresh as string[]) {
      if (used.has(id)) {
        throw new ProtocolError('The service gave one ID for several new files. Try again later.')
      }
      used.add(id)
      ids.push(id)
    }
  }
  return ids
}

/**
 * Makes a new file with `work`, which gets an ID reserved for it, or none where the kind of file
 * cannot have one, the token may not reserve, or the person named one.
 */
export async function withReservedId<T>(
  client: Pick<Client, 'call'>,
  insert: Insert,
  work: (id: string | undefined) => Promise<T>,
): Promise<T> {
  const kind = insert.body?.id === undefined ? idKindOf(insert) : undefined
  const [id] = (kind && (await reservedIds(client, 1, kind))) ?? []
  try {
    return await work(id)
  } catch (error) {
    // The service knows better which kinds of files can have an ID beforehand.
    if (id === undefined || !isIdRefused(error)) throw error
    return work(undefined)
  }
}

/** Makes a file without content, once, however often it is tried. */
export function insertOnce(client: Pick<Client, 'call'>, insert: Insert) {
  return withReservedId(client, insert, id =>
    client.call(
      'files.insert',
      id === undefined ? insert : {...insert, body: {...insert.body, id}},
    ),
  )
}

/** The same, but `undefined` where the token may not reserve, or the service gives none. */
export async function reservedIds(
  client: Pick<Client, 'call'>,
  count: number,
  kind: IdKind,
): Promise<string[] | undefined> {
  try {
    return await reserveIds(client, count, kind)
  } catch (error) {
    const cannot = error instanceof ServiceError && [400, 403, 404].includes(error.status)
    if (cannot || error instanceof ProtocolError) return undefined
    throw error
  }
}

/** Whether the service does not take an ID for a file that has one already named. */
export function isIdRefused(error: unknown): boolean {
  return error instanceof ServiceError && error.status === 400 && error.details.location === 'id'
}
