import {parentIds} from '#lib/api/reached.js'
import {isObject, nonEmptyText} from '#lib/api/validate.js'
import type {Context} from '#lib/cli/context/context.js'
import {
  effectiveRole,
  permissionsInput,
  permissionsOf,
  ROLE_ALIASES,
  whoOf,
} from '#lib/cli/input/names/permissions.js'
import {createResolver} from '#lib/cli/input/names/resolver.js'
import type {Row} from '#lib/cli/output/format.js'
import type {Client, Outcome, Page} from '#lib/client/client.js'
import {ServiceError} from '#lib/client/errors.js'
import {recordsOf} from '#lib/client/pages.js'
import type {Planned} from '#lib/transfer/many/queue.js'
import {sendMany} from '#lib/transfer/many/send-many.js'
import {endsAll} from '#lib/transfer/many/verdict.js'
import {createPaths} from '#lib/transfer/remote/paths.js'
import {ALL_DRIVES} from '#lib/transfer/remote/records.js'
import {PATH_FIELDS} from '#lib/transfer/remote/remote-path.js'

/** A named file with its permissions, or with the error that prevented reading them. */
export type FileAccess =
  | {readonly file: string; readonly id: string; readonly permissions: readonly Page[]}
  | {readonly file: string; readonly id?: string; readonly error: unknown}

type Located =
  {readonly file: string; readonly id: string} | Extract<FileAccess, {readonly error: unknown}>

/** Reads the permissions of each file. Throws only errors that concern all files. */
export async function readAccess(
  context: Context,
  files: readonly string[],
): Promise<FileAccess[]> {
  const resolver = createResolver(context)
  await resolver.prefetch(files)
  const found = await Promise.all(
    files.map(async (file): Promise<Located> => {
      try {
        return {file, id: await resolver.file(file)}
      } catch (error) {
        if (endsAll(error)) throw error
        return {file, error}
      }
    }),
  )
  async function* listings(): AsyncGenerator<Planned> {
    for (const one of found) {
      if ('error' in one) yield one
      else yield {call: {id: 'permissions.list', input: permissionsInput(one.id)}}
    }
  }
  const client = await context.client()
  const {signal, onRefusal} = context
  const options = {client, retrying: await context.retrying(), signal, onRefusal}
  const accessOf = async (one: Located, outcome: Outcome): Promise<FileAccess> => {
    if ('error' in one) return one
    if ('error' in outcome) return {...one, error: outcome.error}
    const {record: page = {}} = outcome
    const isWhole = page.nextPageToken === undefined
    return {...one, permissions: isWhole ? recordsOf(page) : await permissionsOf(client, one.id)}
  }
  const outcomes: Outcome[] = []
  for await (const {index, ...outcome} of sendMany(listings(), options)) outcomes[index] = outcome
  return Promise.all(found.map((one, index) => accessOf(one, outcomes[index]!)))
}

/** The permissions of files, by ID; without the files whose permissions the user cannot see. */
export async function permissionsById(
  context: Context,
  ids: Iterable<string>,
): Promise<ReadonlyMap<string, readonly Page[]>> {
  const words = [...new Set(ids)].map(id => `id:${id}`)
  const found = words.length === 0 ? [] : await readAccess(context, words)
  return new Map(found.flatMap(one => ('permissions' in one ? [[one.id, one.permissions]] : [])))
}

/** The columns of one access. */
export const ACCESS_COLUMNS = [
  ...['file', 'fileId', 'who', 'name', 'type', 'role', 'access', 'from', 'expirationDate', 'id'],
] as const

/** One access to a file, as a row. */
export function accessRow(
  of: {readonly file: string; readonly fileId: string},
  permission: Page,
  {role, access, from}: GrantOrigin,
): Row {
  const {id, type, name, expirationDate} = permission
  return {
    ...of,
    who: whoOf(permission),
    ...(nonEmptyText(name) !== undefined && {name}),
    type,
    role,
    access,
    ...(from !== undefined && {from}),
    ...(expirationDate !== undefined && {expirationDate}),
    id,
  }
}

/** The rows for who has access to a file and how, the strongest roles first. */
export async function accessRows(
  client: Client,
  access: Extract<FileAccess, {readonly permissions: unknown}>,
  origins = createOrigins(client),
): Promise<Row[]> {
  const {file, id: fileId, permissions} = access
  const all = await Promise.all(
    permissions.map(async permission => {
      const found = await origins.of(fileId, permission)
      return found.map(origin => accessRow({file, fileId}, permission, origin))
    }),
  )
  return all
    .flat()
    .sort(
      (a, b) =>
        Number(isRoleAtLeast(String(b.role), String(a.role))) -
        Number(isRoleAtLeast(String(a.role), String(b.role))),
    )
}

/** Roles, the weakest first; without `owner`, which requires a transfer of ownership. */
export const SHARE_ROLES = ['reader', 'commenter', 'writer', 'fileOrganizer', 'organizer'] as const

/** All accepted names of roles. */
export const ROLE_WORDS = [...SHARE_ROLES, ...Object.keys(ROLE_ALIASES), 'owner'] as const

/** One source of an access (reference: resources.md, Permission); available only in shared drives. */
export interface AccessGrant {
  readonly role: string
  readonly isInherited: boolean
  readonly isOfDrive: boolean
  /** The ID of the folder or shared drive that it is inherited from. */
  readonly from?: string
}

/** All sources of an access; `undefined` if the service does not provide them. */
export function grantsOf({permissionDetails: details}: Page): readonly AccessGrant[] | undefined {
  if (!Array.isArray(details) || details.length === 0) return undefined
  return details.filter(isObject).map(detail => ({
    role: effectiveRole(detail),
    isInherited: detail.inherited === true,
    isOfDrive: detail.permissionType === 'member',
    ...(typeof detail.inheritedFrom === 'string' && {from: detail.inheritedFrom}),
  }))
}

/** Whether a role is at least as strong as another; `owner` is the strongest. */
export function isRoleAtLeast(role: string, other: string): boolean {
  const rank = (one: string) =>
    one === 'owner' ? SHARE_ROLES.length : SHARE_ROLES.findIndex(it => it === one)
  return rank(role) >= rank(other)
}

/** How a person got a role. */
export interface GrantOrigin {
  readonly role: string
  /** `drive`: as a member of the shared drive. */
  readonly access: 'owner' | 'direct' | 'link' | 'inherited' | 'drive'
  /** The path of the folder or shared drive that it is inherited from. */
  readonly from?: string
}

/** Maximum number of parent levels to follow, in case the service returns a cycle. */
const MAX_DEPTH = 100

interface Level {
  readonly record: Page
  readonly permissions: readonly Page[]
}

/** Finds where access comes from, caching the folders above. */
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
    const record = await recordOf(fileId).catch(undefinedIfHidden)
    const [path] = record ? await paths.of([record]) : []
    return path ?? `id:${fileId}`
  }

  /** The folders above, the nearest first, up to the first one whose permissions the user cannot see. */
  async function* above(fileId: string): AsyncGenerator<Level> {
    let at = await recordOf(fileId).catch(undefinedIfHidden)
    for (let depth = 0; at && depth < MAX_DEPTH; depth++) {
      const [parent] = parentIds(at)
      // The root of My Drive cannot be shared.
      if (typeof parent !== 'string' || isUnderRoot(at)) return
      const permissions = await permissionsAt(parent).catch(undefinedIfHidden)
      const record = await recordOf(parent).catch(undefinedIfHidden)
      if (!permissions || !record) return
      yield {record, permissions}
      at = record
    }
  }

  return {
    /**
     * All ways in which a person has access to a file. Outside shared drives, the service does not provide
     * them, so drv compares the permissions of the folders above.
     */
    async of(fileId: string, permission: Page): Promise<readonly GrantOrigin[]> {
      const grants = grantsOf(permission)
      const own = permission.withLink === true ? 'link' : 'direct'
      if (grants) {
        return Promise.all(
          grants.map(async ({role, isInherited, isOfDrive, from}): Promise<GrantOrigin> => ({
            role,
            access: isOfDrive ? 'drive' : isInherited ? 'inherited' : own,
            ...(isInherited && from !== undefined && {from: await pathOf(from)}),
          })),
        )
      }
      const role = effectiveRole(permission)
      if (role === 'owner') return [{role, access: 'owner'}]
      let highest: Page | undefined
      for await (const {record, permissions} of above(fileId)) {
        const same = permissions.find(({id}) => id === permission.id)
        // The owner of a folder is a writer of files that others add to it.
        const inherited =
          same && effectiveRole(same) === 'owner' ? 'writer' : same && effectiveRole(same)
        if (inherited === undefined || !isRoleAtLeast(inherited, role)) break
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

/** `undefined` for items that the user cannot see (403, 404); rethrows any other error. */
function undefinedIfHidden(error: unknown): undefined {
  if (error instanceof ServiceError && (error.status === 403 || error.status === 404)) return
  throw error
}
