import {parentIds} from '#lib/api/reached.js'
import {FOLDER_TYPE} from '#lib/api/wire.js'
import {BATCH_LIMIT, type BatchCall, type Client, type Page} from '#lib/client/client.js'
import {isNotFound} from '#lib/client/errors.js'
import {recordsOf} from '#lib/client/pages.js'
import {inGroups} from '#lib/platform/values.js'
import {ALL_DRIVES, searchParameters} from '#lib/transfer/remote/records.js'

/** Reads the items that policies check and the folders above them, each once, in batches. */

interface KnownItem {
  readonly parents: readonly string[]
  readonly isFolder: boolean
}

/** The number of folders that one request lists. */
const FOLDERS = 20

export function createFolders(client: () => Promise<Client>) {
  const known = new Map<string, KnownItem>()
  /** The real IDs of aliases: `root`. */
  const aliases = new Map<string, string>()
  /** The number of items in a folder, by folder and whether trashed ones count. */
  const counted = new Map<string, number>()

  /** Records what a response says about an item. */
  function add(id: string, parents: readonly string[], isFolder: boolean): void {
    known.set(id, {parents, isFolder})
  }

  async function read(ids: readonly string[]): Promise<void> {
    const calls = ids.map((fileId): BatchCall => {
      const params = {fileId, ...ALL_DRIVES, fields: 'id,mimeType,parents(id)'}
      return {id: 'files.get', input: {params}}
    })
    const outcomes = calls.length > 1 ? await (await client()).batch(calls) : undefined
    for (const [index, {id, input}] of calls.entries()) {
      const outcome = outcomes?.[index]
      try {
        if (outcome && 'error' in outcome) throw outcome.error
        note(ids[index]!, outcome ? outcome.record : await (await client()).call(id, input))
      } catch (error) {
        // It may exist later, so this is not cached.
        if (!isNotFound(error)) throw error
      }
    }
  }

  function note(id: string, record: Page | undefined = {}): void {
    const parents = parentIds(record).filter(parent => typeof parent === 'string')
    const real = typeof record.id === 'string' ? record.id : id
    if (real !== id) aliases.set(id, real)
    for (const one of new Set([id, real])) add(one, parents, record.mimeType === FOLDER_TYPE)
  }

  return {
    /** Reads items that are not known yet; with `isDeep`, also all folders above them, up to those of `isEnd`. */
    async load(ids: Iterable<string>, isEnd?: (id: string) => boolean): Promise<void> {
      let left = [...new Set(ids)]
      const seen = new Set<string>()
      while (left.length > 0) {
        for (const id of left) seen.add(id)
        const unknown = left.filter(id => !known.has(id))
        for (const group of inGroups(unknown, BATCH_LIMIT)) await read(group)
        if (!isEnd) return
        const above = left.filter(id => !isEnd(id)).flatMap(id => known.get(id)?.parents ?? [])
        left = [...new Set(above)].filter(id => !seen.has(id) && !isEnd(id))
      }
    },
    /** The real ID of `root`. */
    idOf: (id: string): string => aliases.get(id) ?? id,
    /** A known item; `undefined` if it does not exist or is not visible. */
    get: (id: string): KnownItem | undefined => known.get(id),
    add,
    /** Forgets items that a change has moved, and the numbers of items in folders. */
    forget(ids: readonly string[]): void {
      for (const id of ids) known.delete(id)
      counted.clear()
    },
    /** The number of items in a folder and its subfolders; stops counting above `most`. */
    async inside(id: string, isForGood: boolean, most: number): Promise<number> {
      const key = JSON.stringify([id, isForGood])
      const before = counted.get(key)
      if (before !== undefined) return before
      let count = 0
      let folders = [id]
      while (folders.length > 0 && count <= most) {
        const [now, later] = [folders.slice(0, FOLDERS), folders.slice(FOLDERS)]
        const params = searchParameters({
          folderIds: now,
          isTrashToo: isForGood,
          fields: 'id,mimeType',
        })
        const found: Page[] = []
        for await (const page of (await client()).pages('files.list', {params})) {
          found.push(...recordsOf(page))
          if (count + found.length > most) break
        }
        count += found.length
        const inner = found.filter(({mimeType}) => mimeType === FOLDER_TYPE)
        folders = [...later, ...inner.map(({id}) => String(id))]
      }
      counted.set(key, count)
      return count
    },
    /** The number of items in a trash; stops counting above `most`. */
    async inTrash(driveId: string | undefined, most: number): Promise<number> {
      const params = searchParameters({
        isTrashToo: true,
        terms: ['trashed = true', ...(driveId === undefined ? ["'me' in owners"] : [])],
        fields: 'id',
        ...(driveId !== undefined && {driveId}),
      })
      let count = 0
      for await (const page of (await client()).pages('files.list', {params})) {
        count += recordsOf(page).length
        if (count > most) break
      }
      return count
    },
  }
}
