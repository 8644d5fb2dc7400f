import {EDITOR_TYPE_PREFIX, FOLDER_TYPE, SHORTCUT_TYPE} from '#lib/api/wire.js'
import type {Client, ParameterTexts} from '#lib/client/client.js'
import {ProtocolError, ServiceError} from '#lib/client/errors.js'

/** Reserves IDs for new files before uploading, so that an insert can be repeated (spec: files-api.md). */

/** The kind of file an ID is for: its space, and files or shortcuts. */
export interface IdKind {
  readonly space: 'drive' | 'appDataFolder'
  readonly type: 'files' | 'shortcuts'
}

type Insert = {
  readonly params: ParameterTexts
  readonly body?: Readonly<Record<string, unknown>>
}

/** Maximum number of IDs per request (reference: operations.md, files.generateIds). */
const MOST = 1000

/**
 * The kind of ID for a new file; `undefined` for editor documents and content converted to one, whose IDs
 * only the service assigns.
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
 * Reserves IDs with one request per thousand, and adds them to `used`. Throws `ProtocolError` if the
 * service returns an ID twice or one in `used`: two files would become one.
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
      throw new ProtocolError('The service returned no IDs for new files. Try again later.')
    }
    for (const id of fresh as string[]) {
      if (used.has(id)) {
        throw new ProtocolError(
          'The service returned the same ID for several new files. Try again later.',
        )
      }
      used.add(id)
      ids.push(id)
    }
  }
  return ids
}

/**
 * Creates a new file with `work`, which receives a reserved ID; `undefined` if the kind of file cannot
 * have one, the token may not reserve IDs, or the user has chosen an ID.
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
    // The service has the final say on which kinds of files can have reserved IDs.
    if (id === undefined || !isIdRefused(error)) throw error
    return work(undefined)
  }
}

/** Creates a file without content exactly once, despite retries. */
export function insertOnce(client: Pick<Client, 'call'>, insert: Insert) {
  return withReservedId(client, insert, id =>
    client.call(
      'files.insert',
      id === undefined ? insert : {...insert, body: {...insert.body, id}},
    ),
  )
}

/** Like `reserveIds`, but `undefined` if the token may not reserve IDs or the service returns none. */
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

/** Whether the service refuses an ID for this kind of file. */
export function isIdRefused(error: unknown): boolean {
  return error instanceof ServiceError && error.status === 400 && error.details.location === 'id'
}
