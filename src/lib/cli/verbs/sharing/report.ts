import {isObject, nonEmptyText} from '#lib/api/validate.js'
import type {Context} from '#lib/cli/context/context.js'
import {effectiveRole} from '#lib/cli/input/names/permissions.js'
import type {Row} from '#lib/cli/output/format.js'
import {problemLine} from '#lib/cli/terminal/units.js'
import {rowFieldsFor} from '#lib/cli/verbs/everyday/file-rows.js'
import {createListedRecords, listPlaces, type Node} from '#lib/cli/verbs/everyday/list-places.js'
import {parseRemoteTarget} from '#lib/cli/verbs/everyday/places.js'
import type {Page} from '#lib/client/client.js'
import {
  accessRow,
  accessRows,
  createOrigins,
  type GrantOrigin,
  grantsOf,
  isRoleAtLeast,
  permissionsById,
  readAccess,
} from './read-access.js'

/** The access of a person to the folder above. */
interface Source {
  readonly role: string
  /** The path of the folder where it was granted. */
  readonly from: string
}

type Sources = ReadonlyMap<string, Source>

/** Fields that a report requests for each file. */
const FIELDS = [
  'driveId',
  'ownedByMe',
  ...['id', 'type', 'role', 'additionalRoles', 'name', 'emailAddress', 'domain', 'withLink'].map(
    name => `permissions.${name}`,
  ),
  'permissions.expirationDate',
]

/** The rows of a report, and the number of files and folders that could not be read. */
export interface Report {
  readonly rows: readonly Row[]
  readonly failed: number
}

/**
 * Reports who has access to files and folders and to everything in them: a row for each grant, with its source.
 * The access of owners to their own files is omitted.
 */
export async function reportAccess(context: Context, words: readonly string[]): Promise<Report> {
  const places = words.map(parseRemoteTarget)
  const fields = rowFieldsFor({more: FIELDS})
  const listing = {fields, depth: Infinity, follows: 'to folders'} as const
  const listed = createListedRecords()
  const seen = await listPlaces(context, places, listing, listed)
  const trees = seen.map(one => (one.kind === 'nodes' ? one.nodes() : []))
  listed.close()
  const client = await context.client()
  const origins = createOrigins(client)
  const named = words.filter((_, index) => places[index]!.of === 'path')
  const tops = new Map((await readAccess(context, named)).map(one => [one.file, one]))
  const others = await permissionsOfDrives(context, trees.flat())
  const rows: Row[] = []
  let failed = 0
  for (const [index, one] of seen.entries()) {
    const word = words[index]!
    const top = tops.get(word)
    const error = one.kind === 'error' ? one.error : top && 'error' in top ? top.error : undefined
    if (error !== undefined) {
      if (words.length === 1) throw error as Error
      failed += 1
      context.io.say(`Failed: ${problemLine(word, context.explain(error).message)}`)
      continue
    }
    const known = top && 'permissions' in top ? await accessRows(client, top, origins) : []
    rows.push(...known.filter(({access}) => access !== 'owner'))
    if (one.kind !== 'nodes') continue
    const sources = new Map(
      known.map(({id, role, from}) => [
        String(id),
        {role: String(role), from: nonEmptyText(from) ?? word.replace(/(?<=.)\/$/, '')},
      ]),
    )
    rows.push(...rowsBelow(trees[index]!, sources, others))
  }
  return {rows, failed}
}

/** The permissions of items in shared drives, by ID; lists do not include them. */
async function permissionsOfDrives(
  context: Context,
  nodes: readonly Node[],
): Promise<ReadonlyMap<string, readonly Page[]>> {
  const flat = (some: readonly Node[]): Node[] =>
    some.flatMap(node => [node, ...flat(node.nodes ?? [])])
  const unknown = flat(nodes).filter(
    ({row}) => row.driveId !== undefined && !Array.isArray(row.permissions),
  )
  return permissionsById(
    context,
    unknown.map(({id}) => id),
  )
}

/** The rows for the contents of a folder; `sources` are the grants on the folder, by permission ID. */
export function rowsBelow(
  nodes: readonly Node[],
  sources: Sources,
  others: ReadonlyMap<string, readonly Page[]>,
): Row[] {
  return nodes.flatMap(({row, id: fileId, nodes: inner = []}) => {
    const file = String(row.path)
    const {permissions} = row
    const all = Array.isArray(permissions)
      ? permissions.filter(isObject)
      : (others.get(fileId) ?? [])
    const below = new Map<string, Source>()
    const own = all.flatMap((permission): Row[] => {
      const origin = originOf(permission, sources)
      below.set(String(permission.id), {role: origin.role, from: origin.from ?? file})
      if (origin.access === 'owner' && row.ownedByMe !== false) return []
      return [accessRow({file, fileId}, permission, origin)]
    })
    return [...own, ...rowsBelow(inner, below, others)]
  })
}

/** How a person got a permission, by comparison with the grants on the folder above. */
function originOf(permission: Page, sources: Sources): GrantOrigin {
  const role = effectiveRole(permission)
  if (role === 'owner') return {role, access: 'owner'}
  const above = sources.get(String(permission.id))
  const grants = grantsOf(permission)
  const isInherited = grants
    ? grants.every(grant => grant.isInherited)
    : above !== undefined && isRoleAtLeast(above.role, role)
  if (isInherited && grants?.some(grant => grant.isOfDrive)) return {role, access: 'drive'}
  if (isInherited) return {role, access: 'inherited', from: above?.from}
  return {role, access: permission.withLink === true ? 'link' : 'direct'}
}
