import {isObject, nonEmptyText} from '#lib/api/validate.js'
import {DEPTH_LIMIT} from '#lib/api/wire.js'
import type {Client, Page} from '#lib/client/client.js'
import {gatherCalls, isOfOneCall} from '#lib/transfer/remote/gather.js'
import {pathOf} from '#lib/transfer/remote/paths.js'
import {ALL_DRIVES} from '#lib/transfer/remote/records.js'
import {type ItemState, itemStateOf, pathRecordOf, STATE_FIELDS} from './known.js'
import type {KnownStates} from './known-states.js'

/** Where items are, from the known states of the folders above them. */
export interface Places {
  /** Looks up the folders above some items that are not known yet. Throws the errors of requests. */
  learnAbove(states: readonly ItemState[]): Promise<void>
  /** The remote path; `undefined` if a name prevents one. */
  path(id: string, state: ItemState): string | undefined
  /** Whether it is one of the roots or below one; always true without roots. */
  isInside(id: string, state: ItemState): boolean
  /** Takes over the name of a shared drive. */
  nameDrive(id: string, name: string): void
}

export function createPlaces({
  client,
  known,
  roots,
  onLearn,
}: {
  readonly client: Client
  readonly known: KnownStates
  readonly roots: ReadonlySet<string> | undefined
  readonly onLearn: (id: string, state: ItemState) => void
}): Places {
  const driveNames = new Map<string, string>()
  /** Folders that the account cannot read. */
  const hidden = new Set<string>()
  const folders = {
    get(id: string): Page | undefined {
      const state = known.get(id)
      return state && pathRecordOf(id, state)
    },
  }

  async function learnFolders(ids: readonly string[]): Promise<void> {
    const reads = gatherCalls(client)
    await Promise.all(
      ids.map(async fileId => {
        const params = {fileId, fields: STATE_FIELDS, ...ALL_DRIVES}
        const record = await reads.call('files.get', {params}).catch(hideRefusal)
        if (!record) return void hidden.add(fileId)
        const state: ItemState = {...itemStateOf(record), isLookedUp: true}
        known.set(fileId, state)
        onLearn(fileId, state)
      }),
    )
  }

  async function learnDrives(ids: readonly string[]): Promise<void> {
    const reads = gatherCalls(client)
    await Promise.all(
      ids.map(async driveId => {
        const params = {driveId, fields: 'name'}
        const record = await reads.call('drives.get', {params}).catch(hideRefusal)
        driveNames.set(driveId, nonEmptyText(record?.name) ?? '')
      }),
    )
  }

  return {
    async learnAbove(states) {
      const drives = states.flatMap(({driveId}) => driveId ?? [])
      await learnDrives([...new Set(drives)].filter(id => !driveNames.has(id)))
      let waiting = states
      const climbed = new Set<string>()
      for (let level = 0; level < DEPTH_LIMIT && waiting.length > 0; level += 1) {
        const above = waiting.flatMap(({parents, root, driveId}) =>
          parents.filter(id => id !== root && id !== driveId && !climbed.has(id)),
        )
        const ids = [...new Set(above)]
        await learnFolders(ids.filter(id => !known.has(id) && !hidden.has(id)))
        for (const id of ids) climbed.add(id)
        waiting = ids.flatMap(id => known.get(id) ?? [])
      }
    },
    path(id, state) {
      const path = pathOf(pathRecordOf(id, state), folders, driveNames)
      return path.startsWith('id:') ? undefined : path
    },
    isInside(id, state) {
      if (!roots || roots.has(id)) return true
      const seen = new Set<string>()
      const isBelow = ({parents}: ItemState): boolean =>
        parents.some(parent => {
          if (roots.has(parent)) return true
          if (seen.has(parent)) return false
          seen.add(parent)
          const above = known.get(parent)
          return above !== undefined && isBelow(above)
        })
      return isBelow(state)
    },
    nameDrive: (id, name) => void driveNames.set(id, name),
  }
}

/** A folder that cannot be read has no record; other errors concern the service. */
function hideRefusal(error: unknown): undefined {
  const status = isObject(error) ? Number(error.status) : 0
  if (isOfOneCall(error) && (status === 403 || status === 404)) return undefined
  throw error
}
