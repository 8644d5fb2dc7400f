import {isObject, textOf} from '#lib/api/validate.js'
import type {Context} from '#lib/cli/context/context.js'
import {createResolver} from '#lib/cli/input/names/resolver.js'
import {
  permissionsInput,
  permissionsOf,
  ROLE_ALIASES,
  roleOf,
  whoOf,
} from '#lib/cli/input/names/permissions.js'
import type {Row} from '#lib/cli/output/format.js'
import type {Client, Outcome, Page} from '#lib/client/client.js'
import {ServiceError} from '#lib/client/errors.js'
import {recordsOf} from '#lib/client/pages.js'
import type {Planned} from '#lib/transfer/many/queue.js'
import {sendMany} from '#lib/transfer/many/send-many.js'
import {endsAll} from '#lib/transfer/many/verdict.js'
import {createPaths} from '#lib/transfer/remote/paths.js'
import {ALL_DRIVES, parentIds} from '#lib/transfer/remote/records.js'
import {PATH_FIELDS} from '#lib/transfer/remote/remote-path.js'

/** A file that was named, with who has access to it, or why that is not known. */
export type Looked =
  | {readonly file: string; readonly id: string; readonly permissions: readonly Page[]}
  | {readonly file: string; readonly id?: string; readonly error: unknown}

type Located =
  {readonly file: string; readonly id: string} | Extract<Looked, {readonly error: unknown}>

/** Who has access to each of some files. Throws only what concerns all. */
export async function lookAt(context: Context, files: readonly string[]): Promise<Looked[]> {
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
  const lookedOf = async (one: Located, outcome: Outcome): Promise<Looked> => {
    if ('error' in one) return one
    if ('error' in outcome) return {...one, error: outcome.error}
    const {record: page = {}} = outcome
    const isWhole = page.nextPageToken === undefined
    return {...one, permissions: isWhole ? recordsOf(page) : await permissionsOf(client, one.id)}
  }
  const outcomes: Outcome[] = []
  for await (const {index, ...outcome} of sendMany(listings(), options)) outcomes[index] = outcome
  return Promise.all(found.map((one, index) => lookedOf(one, outcomes[index]!)))
}

/** The permissions of files that are named by ID, by ID; of those that one may not see there are none. */
export async function permissionsById(
  context: Context,
  ids: Iterable<string>,
): Promise<ReadonlyMap<string, readonly Page[]>> {
  const words = [...new Set(ids)].map(id => `id:${id}`)
  const found = words.length === 0 ? [] : await lookAt(context, words)
  return new Map(found.flatMap(one => ('permissions' in one ? [[one.id, one.permissions]] : [])))
}

/** What is told of each access. */
export const ACCESS_COLUMNS = [
  ...['file', 'fileId', 'who', 'name', 'type', 'role', 'access', 'from', 'expirationDate', 'id'],
] as const

/** One access to a file, as a row. */
export function accessRow(
  of: {readonly file: string; readonly fileId: string},
  permission: Page,
  {role, access, from}: Origin,
): Row {
  const {id, type, name, expirationDate} = permission
  return {
    ...of,
    who: whoOf(permission),
    ...(textOf(name) !== undefined && {name}),
    type,
    role,
    access,
    ...(from !== undefined && {from}),
    ...(expirationDate !== undefined && {expirationDate}),
    id,
  }
}

/** Who has access to a file, role by role from the strongest on, and how they got it. */
export async function accessRows(
  client: Client,
  looked: Extract<Looked, {readonly permissions: unknown}>,
  origins = createOrigins(client),
): Promise<Row[]> {
  const {file, id: fileId, permissions} = looked
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
        Number(atLeast(String(b.role), String(a.role))) -
        Number(atLeast(String(a.role), String(b.role))),
    )
}

/** Roles, the weakest first; an owner is made by handing over, not by sharing. */
export const ROLES = ['reader', 'commenter', 'writer', 'fileOrganizer', 'organizer'] as const

/** All words for a role that somebody can get. */
export const ROLE_WORDS = [...ROLES, ...Object.keys(ROLE_ALIASES), 'owner'] as const

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
