import {isObject} from '#lib/api/validate.js'
import {permissionsOf, roleOf} from '#lib/cli/input/names/permissions.js'
import type {Client, Page} from '#lib/client/client.js'
import {ServiceError} from '#lib/client/errors.js'
import {createPaths} from '#lib/transfer/remote/paths.js'
import {ALL_DRIVES, parentIds} from '#lib/transfer/remote/records.js'
import {PATH_FIELDS} from '#lib/transfer/remote/remote-path.js'

/** Roles, the weakest first; an owner is made by handing over, not by sharing. */
export const ROLES = ['reader', 'commenter', 'writer', 'fileOrganizer', 'organizer'] as const

/** Where part of an access comes from (reference: resources.md, Permission); only shared drives tell. */
export interface Grant {
  readonly role: string
  readonly isInherited: boolean
  readonly isOfDrive: boolean
  /** ID of the folder or shared drive above. */
  readonly from?: string
}

/** All parts of an access; `undefined` where the service does not tell. */
export function grantsOf({permissionDetails: details}: Page): readonly Grant[] | undefined {
  if (!Array.isArray(details) || details.length === 0) return undefined
  return details.filter(isObject).map(detail => ({
    role: roleOf(detail),
    isInherited: detail.inherited === true,
    isOfDrive: detail.permissionType === 'member',
    ...(typeof detail.inheritedFrom === 'string' && {from: detail.inheritedFrom}),
  }))
}

/** Whether a role is no weaker than another; an owner's is the strongest. */
export function atLeast(role: string, other: string): boolean {
  const rank = (one: string) => (one === 'owner' ? ROLES.length : ROLES.findIndex(it => it === one))
  return rank(role) >= rank(other)
}

/** How somebody came to a role. */
export interface Origin {
  readonly role: string
  /** `drive`: as a member of the shared drive. */
  readonly access: 'owner' | 'direct' | 'link' | 'inherited' | 'drive'
  /** The path of the folder or shared drive above that it was given on. */
  readonly from?: string
}

/** Levels that are climbed; a service that tells of circles must not hold us up. */
const DEEPEST = 100

interface Level {
  readonly record: Page
  readonly permissions: readonly Page[]
}

/** Finds where access comes from, and remembers the folders on the way. */
export function createOrigins(client: Client) {
  const paths = createPaths(client)
  const records = new Map<string, Promise<Page>>()
  const levels = new Map<string, Promise<readonly Page[]>>()

  function recordOf(fileId: string): Promise<Page> {
    const params = {fileId, fields: PATH_FIELDS.join(','), ...ALL_DRIVES}
    const known = records.get(fileId) ?? client.call('files.get', {params}).then(it => it ?? {})
    records.set(fileId, known)
    return known
  }

  function permissionsAt(fileId: string): Promise<readonly Page[]> {
    const known = levels.get(fileId) ?? permissionsOf(client, fileId)
    levels.set(fileId, known)
    return known
  }

  async function pathOf(fileId: string): Promise<string> {
    const record = await recordOf(fileId).catch(hidden)
    const [path] = record ? await paths.of([record]) : []
    return path ?? `id:${fileId}`
  }

  /** The folders above, the nearest first, as far as one may know who has access to them. */
  async function* above(fileId: string): AsyncGenerator<Level> {
    let at = await recordOf(fileId).catch(hidden)
    for (let depth = 0; at && depth < DEEPEST; depth++) {
      const [parent] = parentIds(at)
      // Nobody shares the top of My Drive.
      if (typeof parent !== 'string' || isUnderRoot(at)) return
      const permissions = await permissionsAt(parent).catch(hidden)
      const record = await recordOf(parent).catch(hidden)
      if (!permissions || !record) return
      yield {record, permissions}
      at = record
    }
  }

  return {
    /** All ways in which somebody has access to a file; the service tells them of shared drives only. */
    async of(fileId: string, permission: Page): Promise<readonly Origin[]> {
      const grants = grantsOf(permission)
      const own = permission.withLink === true ? 'link' : 'direct'
      if (grants) {
        return Promise.all(
          grants.map(async ({role, isInherited, isOfDrive, from}): Promise<Origin> => ({
            role,
            access: isOfDrive ? 'drive' : isInherited ? 'inherited' : own,
            ...(isInherited && from !== undefined && {from: await pathOf(from)}),
          })),
        )
      }
      const role = roleOf(permission)
      if (role === 'owner') return [{role, access: 'owner'}]
      let highest: Page | undefined
      for await (const {record, permissions} of above(fileId)) {
        const same = permissions.find(({id}) => id === permission.id)
        // Who owns a folder writes to what others put into it.
        const given = same && roleOf(same) === 'owner' ? 'writer' : same && roleOf(same)
        if (given === undefined || !atLeast(given, role)) break
        highest = record
      }
      if (!highest) return [{role, access: own}]
      const [from] = await paths.of([highest])
      return [{role, access: 'inherited', ...(from !== undefined && {from})}]
    },
  }
}

function isUnderRoot({parents}: Page): boolean {
  return (
    Array.isArray(parents) && parents.some(parent => isObject(parent) && parent.isRoot === true)
  )
}

/** What one may not see is not there. */
function hidden(error: unknown): undefined {
  if (error instanceof ServiceError && (error.status === 403 || error.status === 404)) return
  throw error
}
