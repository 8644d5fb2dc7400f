import {isObject, textOf} from '../../api/validate.js'
import type {BatchCall, Client, Page} from '../../client/client.js'
import {BATCH_LIMIT} from '../../client/client.js'
import {inGroups} from '../tree/groups.js'
import {PATH_FIELDS} from './pathfields.js'
import {ALL_DRIVES} from './records.js'
import {isPathName} from './remotepath.js'

/** Levels of folders that a path may have; a service that tells of circles must not hold us up. */
const DEEPEST = 100

interface Parent {
  readonly id: string
  readonly isRoot: boolean
}

/** Where files lie, as paths that `parseRemotePath` reads. */
export interface Paths {
  /**
   * The path of each record, which has to have `PATH_FIELDS`: `/Reports/q3.pdf`,
   * `drive:Finance/q3.pdf`, `trash:/old.txt`, `shared:/NAME`; `id:ID` for what no path leads to,
   * because of a name on the way. It takes one request for the folders of each level that are not
   * known yet.
   */
  of(records: readonly Page[]): Promise<string[]>
}

/** Finds paths, and remembers the folders on the way. */
export function createPaths(client: Client): Paths {
  const folders = new Map<string, Page>()
  const driveNames = new Map<string, string>()

  /** Asks for what is not known yet; what cannot be had counts as a record without anything. */
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
    for (const [index, id] of ids.entries()) driveNames.set(id, textOf(records[index]?.name) ?? '')
  }

  function pathOf(record: Page): string {
    const drive = driveNames.get(String(record.driveId))
    // What is on top of a shared drive is the drive itself.
    if (record.id === record.driveId && drive)
      return isPathName(drive) ? `drive:${drive}` : idOf(record)
    const names: string[] = []
    let start = 'shared:'
    for (let at: Page | undefined = record; at && names.length <= DEEPEST;) {
      const parent = parentOf(at)
      names.unshift(textOf(at.title) ?? '')
      if (parent?.isRoot) start = ''
      else if (parent && parent.id === record.driveId) {
        start = `drive:${driveNames.get(parent.id) ?? ''}`
      }
      at = parent && start === 'shared:' ? folders.get(parent.id) : undefined
    }
    if (isObject(record.labels) && record.labels.trashed === true) start = 'trash:'
    const known = start === 'shared:' ? names.slice(names.lastIndexOf('') + 1) : names
    const isNamed = known.length > 0 && known.every(isPathName) && start !== 'drive:'
    return isNamed ? [start, ...known].join('/') : idOf(record)
  }

  return {
    async of(records) {
      const drives = records.flatMap(({driveId}) => (typeof driveId === 'string' ? [driveId] : []))
      const naming = learnDrives([...new Set(drives)].filter(id => !driveNames.has(id)))
      let waiting: readonly Page[] = records
      for (let level = 0; level < DEEPEST && waiting.length > 0; level++) {
        const above = waiting.flatMap(record => {
          const parent = parentOf(record)
          const isTop = !parent || parent.isRoot || drives.includes(parent.id)
          return isTop ? [] : [parent.id]
        })
        const unknown = [...new Set(above)].filter(id => !folders.has(id))
        await learn(unknown)
        waiting = unknown.map(id => folders.get(id)!)
      }
      await naming
      return records.map(pathOf)
    },
  }
}

/** The records that come of some reads: with one request where the service has batches. */
async function answersTo(
  client: Client,
  calls: readonly BatchCall[],
): Promise<Array<Page | undefined>> {
  const one = ({id, input}: BatchCall) => client.call(id, input).catch(() => undefined)
  const outcomes = calls.length > 1 ? await client.batch(calls).catch(() => undefined) : undefined
  if (!outcomes) return Promise.all(calls.map(one))
  return outcomes.map(outcome => ('record' in outcome ? outcome.record : undefined))
}

function parentOf({parents}: Page): Parent | undefined {
  const [first] = Array.isArray(parents) ? parents.filter(isObject) : []
  if (typeof first?.id !== 'string') return undefined
  return {id: first.id, isRoot: first.isRoot === true}
}

function idOf({id}: Page): string {
  return `id:${textOf(id) ?? ''}`
}
