import {isObject, nonEmptyText} from '#lib/api/validate.js'
import {DEPTH_LIMIT} from '#lib/api/wire.js'
import {BATCH_LIMIT, type BatchCall, type Client, type Page} from '#lib/client/client.js'
import {inGroups} from '#lib/platform/values.js'
import {ALL_DRIVES} from './records.js'
import {isPathName, PATH_FIELDS} from './remote-path.js'

interface Parent {
  readonly id: string
  readonly isRoot: boolean
}

/** Finds the paths of files, in the form that `parseRemotePath` reads. */
export interface Paths {
  /**
   * The path of each record, which must have `PATH_FIELDS`: `/Reports/q3.pdf`, `drive:Finance/q3.pdf`,
   * `trash:/old.txt`, `shared:/NAME`; `id:ID` if a name in the path prevents one. Takes one request for
   * the unknown folders of each level.
   */
  of(records: readonly Page[]): Promise<string[]>
  /**
   * Whether each record is below the folder with an ID, or without one below My Drive; takes the same
   * requests.
   */
  areBelow(records: readonly Page[], folderId: string | undefined): Promise<boolean[]>
  /** Adds records that are already known, to avoid requests. */
  know(records: readonly Page[]): void
}

/** Finds paths, and caches the folders above. */
export function createPaths(client: Client): Paths {
  const folders = new Map<string, Page>()
  const driveNames = new Map<string, string>()
  /** IDs of folders whose parents are known or being fetched. */
  const climbed = new Set<string>()

  /** Fetches unknown folders; one that cannot be read becomes an empty record. */
  async function learn(ids: readonly string[]): Promise<void> {
    const fields = PATH_FIELDS.join(',')
    const calls = ids.map((fileId): BatchCall => ({
      id: 'files.get',
      input: {params: {fileId, fields, ...ALL_DRIVES}},
    }))
    for (const some of inGroups(calls, BATCH_LIMIT)) {
      const records = await answersTo(client, some)
      for (const [index, {input}] of some.entries()) {
        folders.set(String(input.params.fileId), records[index] ?? {})
      }
    }
  }

  async function learnDrives(ids: readonly string[]): Promise<void> {
    const calls = ids.map((driveId): BatchCall => ({
      id: 'drives.get',
      input: {params: {driveId, fields: 'name'}},
    }))
    const records = await answersTo(client, calls)
    for (const [index, id] of ids.entries())
      driveNames.set(id, nonEmptyText(records[index]?.name) ?? '')
  }

  /** Fetches all folders above some records. */
  async function climb(records: readonly Page[]): Promise<void> {
    const drives = drivesOf(records)
    let waiting = records
    for (let level = 0; level < DEPTH_LIMIT && waiting.length > 0; level++) {
      const above = waiting
        .flatMap(parentsOf)
        .filter(({id, isRoot}) => !isRoot && !drives.includes(id))
      const ids = [...new Set(above.map(({id}) => id))]
      await learn(ids.filter(id => !folders.has(id)))
      // Folders that were known before have been climbed already.
      waiting = ids.filter(id => !climbed.has(id)).map(id => folders.get(id)!)
      for (const id of ids) climbed.add(id)
    }
  }

  /** `seen` contains the folders visited, because there may be cycles. */
  function isBelow(record: Page, folderId: string | undefined, seen: Set<string>): boolean {
    return parentsOf(record).some(({id, isRoot}) => {
      if (folderId === undefined ? isRoot : id === folderId) return true
      const above = seen.has(id) ? undefined : folders.get(id)
      seen.add(id)
      return above !== undefined && isBelow(above, folderId, seen)
    })
  }

  return {
    async of(records) {
      const naming = learnDrives(drivesOf(records).filter(id => !driveNames.has(id)))
      await climb(records)
      await naming
      return records.map(record => pathOf(record, folders, driveNames))
    },
    async areBelow(records, folderId) {
      await climb(records)
      return records.map(record => isBelow(record, folderId, new Set()))
    },
    know(records) {
      for (const record of records) folders.set(String(record.id), record)
    },
  }
}

/**
 * The path of a record (see `Paths.of`), from the known folders above it and the known shared
 * drives. A folder that is not known, or has no fields, ends the path. Pure.
 */
export function pathOf(
  record: Page,
  folders: {get(id: string): Page | undefined},
  driveNames: ReadonlyMap<string, string>,
): string {
  const drive = driveNames.get(String(record.driveId))
  // The top of a shared drive is the drive itself.
  if (record.id === record.driveId && drive)
    return isPathName(drive) ? `drive:${drive}` : idOf(record)
  const names: string[] = []
  let start = 'shared:'
  for (let at: Page | undefined = record; at && names.length <= DEPTH_LIMIT;) {
    const [parent]: readonly Parent[] = parentsOf(at)
    names.unshift(nonEmptyText(at.title) ?? '')
    if (parent?.isRoot) start = ''
    else if (parent && parent.id === record.driveId) {
      const name = driveNames.get(parent.id) ?? ''
      start = isPathName(name) ? `drive:${name}` : 'drive:'
    }
    at = parent && start === 'shared:' ? folders.get(parent.id) : undefined
  }
  if (isObject(record.labels) && record.labels.trashed === true) start = 'trash:'
  const known = start === 'shared:' ? names.slice(names.lastIndexOf('') + 1) : names
  const isNamed = known.length > 0 && known.every(isPathName) && start !== 'drive:'
  return isNamed ? [start, ...known].join('/') : idOf(record)
}

function drivesOf(records: readonly Page[]): string[] {
  const drives = records.flatMap(({driveId}) => (typeof driveId === 'string' ? [driveId] : []))
  return [...new Set(drives)]
}

/** The records for some reads, in one batch if the service supports that; `undefined` for failures. */
async function answersTo(
  client: Client,
  calls: readonly BatchCall[],
): Promise<Array<Page | undefined>> {
  const one = ({id, input}: BatchCall) => client.call(id, input).catch(() => undefined)
  const outcomes = calls.length > 1 ? await client.batch(calls).catch(() => undefined) : undefined
  if (!outcomes) return Promise.all(calls.map(one))
  return outcomes.map(outcome => ('record' in outcome ? outcome.record : undefined))
}

function parentsOf({parents}: Page): Parent[] {
  return (Array.isArray(parents) ? parents.filter(isObject) : []).flatMap(({id, isRoot}) =>
    typeof id === 'string' ? [{id, isRoot: isRoot === true}] : [],
  )
}

function idOf({id}: Page): string {
  return `id:${nonEmptyText(id) ?? ''}`
}
