import {isObject} from '#lib/api/validate.js'
import type {Client, Page} from '#lib/client/client.js'
import {isNotFound} from '#lib/client/errors.js'
import {recordsOf} from '#lib/client/pages.js'
import {gatherCalls} from '#lib/transfer/remote/gather.js'
import {entriesBelow} from '#lib/transfer/remote/listing.js'
import {ALL_DRIVES} from '#lib/transfer/remote/records.js'
import type {ChangeList, Root} from './checkpoint.js'
import {USER_FIELDS} from './interpret.js'
import {itemStateOf, STATE_FIELDS} from './known.js'
import type {KnownStates} from './known-states.js'
import type {Places} from './places.js'

/** Lists the followed items: at the start, and when the service no longer knows what changed. */

/** The fields of listed items: those of changes. */
const LISTED_FIELDS = `${STATE_FIELDS},${USER_FIELDS}`

/** The token for later changes, of the account or of a shared drive. */
export async function currentToken(
  client: Pick<Client, 'call'>,
  driveId: ChangeList,
): Promise<string> {
  const params = {...ALL_DRIVES, ...(driveId !== undefined && {driveId})}
  const {startPageToken} = (await client.call('changes.getStartPageToken', {params})) ?? {}
  return String(startPageToken ?? '')
}

/** The records of some roots in one list of changes, and of everything below them. Throws the errors of requests. */
export async function listRoots(
  client: Client,
  roots: readonly Root[],
  signal: AbortSignal,
): Promise<Page[]> {
  const reads = gatherCalls(client)
  const own = await Promise.all(
    roots.map(async ({id}) => {
      const params = {fileId: id, fields: LISTED_FIELDS, ...ALL_DRIVES}
      return reads.call('files.get', {params}).catch(missingAsNone)
    }),
  )
  const folders = roots.filter(({isFolder}, index) => isFolder && own[index])
  const below = await listBelow(
    client,
    folders.map(({id}) => id),
    roots[0]?.driveId,
    signal,
  )
  return [...own.filter(record => record !== undefined), ...below]
}

/** The records of everything below some folders, with trashed items. */
export async function listBelow(
  client: Client,
  folderIds: readonly string[],
  driveId: string | undefined,
  signal: AbortSignal,
): Promise<Page[]> {
  if (folderIds.length === 0) return []
  const drive = driveId === undefined ? {} : {driveId}
  const options = {isTrashToo: true, fields: LISTED_FIELDS, signal, ...drive}
  const found = await entriesBelow(client, folderIds, options)
  return [...found.values()].flat().map(({record}) => record)
}

/** The records of all items that the account sees. */
async function listAll(client: Client): Promise<Page[]> {
  const records: Page[] = []
  const params = {
    ...ALL_DRIVES,
    includeItemsFromAllDrives: 'true',
    maxResults: '1000',
    fields: `nextPageToken,items(${LISTED_FIELDS})`,
  }
  for await (const page of client.pages('files.list', {params})) records.push(...recordsOf(page))
  return records
}

/**
 * The differences between the known and the current states, in the form of changes: all listed
 * items, so that `interpretChange` leaves out those that did not change, and removals. Without roots,
 * an item that was not known, or only looked up, counts only if it was modified after `modifiedAfter`, in Unix ms.
 */
export async function listDifferences(
  client: Client,
  {
    roots,
    known,
    places,
    modifiedAfter,
  }: {
    /** Those in one list of changes. */
    readonly roots: readonly Root[]
    readonly known: KnownStates
    readonly places: Places
    readonly modifiedAfter: number
  },
  signal: AbortSignal,
): Promise<Page[]> {
  const [root] = roots
  const records = root ? await listRoots(client, roots, signal) : await listAll(client)
  const found = new Set(records.map(({id}) => String(id)))
  const lost = [...known.ids()].filter(id => {
    const state = known.get(id)!
    if (found.has(id) || id.startsWith('drive:') || state.isGone) return false
    return places.isInside(id, state) && (!root || state.driveId === root.driveId)
  })
  const reads = gatherCalls(client)
  const rest = await Promise.all(
    lost.map(async fileId => {
      const params = {fileId, fields: LISTED_FIELDS, ...ALL_DRIVES}
      const record = await reads.call('files.get', {params}).catch(missingAsNone)
      return record ?? {id: fileId, isLost: true}
    }),
  )
  const isNews = ({id, version, modifiedDate}: Page) => {
    const state = known.get(String(id))
    const isKnown = state && !(state.isLookedUp && state.version === String(version))
    return root !== undefined || isKnown || Date.parse(String(modifiedDate)) > modifiedAfter
  }
  return [...records.filter(isNews), ...rest].map(listedChange).sort(byTime)
}

function listedChange(record: Page): Page {
  const {id, version, modifiedDate, isLost} = record
  const change = {id: `listed ${String(id)} ${String(version ?? '')}`, fileId: id}
  if (isLost === true) return {...change, deleted: true}
  return {...change, file: record, modificationDate: modifiedDate}
}

function byTime(one: Page, other: Page): number {
  return String(one.modificationDate ?? '~') < String(other.modificationDate ?? '~') ? -1 : 1
}

function missingAsNone(error: unknown): undefined {
  if (isNotFound(error) && isObject(error)) return undefined
  throw error
}

/** Adds listed records to the known states; those that are known already stay. */
export function learnRecords(
  records: readonly Page[],
  known: KnownStates,
  onLearn: (id: string, state: ReturnType<typeof itemStateOf>) => void,
): void {
  for (const record of records) {
    const id = String(record.id)
    if (known.has(id)) continue
    const state = itemStateOf(record)
    known.set(id, state)
    onLearn(id, state)
  }
}
