import {EDITOR_TYPE_PREFIX, FOLDER_TYPE, SHORTCUT_TYPE} from '../api/wire.js'
import type {Client, ParameterTexts} from '../client/client.js'
import {ProtocolError} from '../client/errors.js'

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

/** Reserves IDs, with one request for each thousand. */
export async function reserveIds(
  client: Pick<Client, 'call'>,
  count: number,
  {space, type}: IdKind = {space: 'drive', type: 'files'},
): Promise<string[]> {
  const ids: string[] = []
  while (ids.length < count) {
    const wanted = String(Math.min(count - ids.length, MOST))
    const answer = await client.call('files.generateIds', {
      params: {maxResults: wanted, space, type},
    })
    const fresh = Array.isArray(answer?.ids) ? (answer.ids as unknown[]) : []
    if (fresh.length === 0 || !fresh.every(id => typeof id === 'string')) {
      throw new ProtocolError('The service gave no IDs for new files. Try again later.')
    }
    ids.push(...fresh)
  }
  return ids
}
