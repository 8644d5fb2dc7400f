import {isObject, textOf} from '#lib/api/validate.js'
import type {Context} from '#lib/cli/context/context.js'
import {roleOf, whoOf} from '#lib/cli/input/names/permissions.js'
import type {Row} from '#lib/cli/output/format.js'
import {problemLine} from '#lib/cli/terminal/units.js'
import {rowFieldsFor} from '#lib/cli/verbs/everyday/file-rows.js'
import {listPlaces, type Node} from '#lib/cli/verbs/everyday/list-places.js'
import {placeIn} from '#lib/cli/verbs/everyday/places.js'
import type {Page} from '#lib/client/client.js'
import {accessRows, atLeast, createOrigins, grantsOf, lookAt} from './read-access.js'

/** What somebody has on the folder above. */
interface Source {
  readonly role: string
  /** The path of the folder that it was given on. */
  readonly from: string
}

type Sources = ReadonlyMap<string, Source>

/** What a report needs of each file. */
const FIELDS = [
  'driveId',
  'ownedByMe',
  ...['id', 'type', 'role', 'additionalRoles', 'name', 'emailAddress', 'domain', 'withLink'].map(
    name => `permissions.${name}`,
  ),
  'permissions.expirationDate',
]

/** What could not be read, beside the rows that could. */
export interface Report {
  readonly rows: readonly Row[]
  readonly failed: number
}

/**
 * Who has access to some files and folders and to everything below them: a row for each grant, with where
 * it comes from. What somebody has on their own files is left out.
 */
export async function reportAccess(context: Context, words: readonly string[]): Promise<Report> {
  const places = words.map(placeIn)
  const fields = rowFieldsFor({more: FIELDS})
  const seen = await listPlaces(context, places, {fields, depth: Infinity})
  const client = await context.client()
  const origins = createOrigins(client)
  const named = words.filter((_, index) => places[index]!.of === 'path')
  const tops = new Map((await lookAt(context, named)).map(one => [one.file, one]))
  const nodes = seen.flatMap(one => (one.kind === 'nodes' ? one.nodes : []))
  const others = await permissionsOfDrives(context, nodes)
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
    const given = known.filter(({access}) => access !== 'owner')
    rows.push(...given)
    if (one.kind !== 'nodes') continue
    const sources = new Map(
      known.map(({id, role, from}) => [
        String(id),
        {role: String(role), from: textOf(from) ?? word.replace(/(?<=.)\/$/, '')},
      ]),
    )
    rows.push(...rowsBelow(one.nodes, sources, others))
  }
  return {rows, failed}
}

/** The permissions of what lies in shared drives, whose lists do not tell them, by ID. */
async function permissionsOfDrives(
  context: Context,
  nodes: readonly Node[],
): Promise<ReadonlyMap<string, readonly Page[]>> {
  const flat = (some: readonly Node[]): Node[] =>
    some.flatMap(node => [node, ...flat(node.nodes ?? [])])
  const ids = flat(nodes)
    .filter(({row}) => row.driveId !== undefined && !Array.isArray(row.permissions))
    .map(({id}) => id)
  if (ids.length === 0) return new Map()
  const found = await lookAt(
    context,
    [...new Set(ids)].map(id => `id:${id}`),
  )
  return new Map(found.flatMap(one => ('permissions' in one ? [[one.id, one.permissions]] : [])))
}

/** The rows of what is below a folder; `sources` are the grants on that. */
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
      const {id, type, name, expirationDate} = permission
      const role = roleOf(permission)
      const {access, from} = sourceOf(permission, sources)
      below.set(String(id), {role, from: from ?? file})
      if (access === 'owner' && row.ownedByMe !== false) return []
      return [
        {
          ...{file, fileId, who: whoOf(permission)},
          ...(textOf(name) !== undefined && {name}),
          ...{type, role, access},
          ...(from !== undefined && {from}),
          ...(expirationDate !== undefined && {expirationDate}),
          id,
        },
      ]
    })
    return [...own, ...rowsBelow(inner, below, others)]
  })
}

/** How somebody came to a permission, by what the folder above has. */
function sourceOf(permission: Page, sources: Sources) {
  const role = roleOf(permission)
  if (role === 'owner') return {access: 'owner'}
  const above = sources.get(String(permission.id))
  const grants = grantsOf(permission)
  const isInherited = grants
    ? grants.every(grant => grant.isInherited)
    : above !== undefined && atLeast(above.role, role)
  if (isInherited && grants?.some(grant => grant.isOfDrive)) return {access: 'drive'}
  if (isInherited) return {access: 'inherited', from: above?.from}
  return {access: permission.withLink === true ? 'link' : 'direct'}
}
