import {textOf} from '#lib/api/validate.js'
import {whoOf} from '#lib/cli/input/names/permissions.js'
import type {Row} from '#lib/cli/output/format.js'
import type {Client} from '#lib/client/client.js'
import {atLeast} from './decide.js'
import {createOrigins} from './origin.js'
import type {Looked} from './read-access.js'

/**
 * Who has access to what, and what it takes to give and to end it, live here. How such requests are
 * sent belongs to `lib/transfer/many`, and what guards against mistakes to `../guard`.
 */

/** What is told of each access. */
export const ACCESS_COLUMNS = [
  ...['file', 'fileId', 'who', 'name', 'type', 'role', 'access', 'from', 'expirationDate', 'id'],
] as const

/** Who has access to a file, role by role from the strongest on, and how they got it. */
export async function accessRows(
  client: Client,
  looked: Extract<Looked, {readonly permissions: unknown}>,
  origins = createOrigins(client),
): Promise<Row[]> {
  const {file, id: fileId, permissions} = looked
  const all = await Promise.all(
    permissions.map(async permission => {
      const {id, type, name, expirationDate} = permission
      const found = await origins.of(fileId, permission)
      return found.map(({role, access, from}): Row => ({
        file,
        fileId,
        who: whoOf(permission),
        ...(textOf(name) !== undefined && {name}),
        type,
        role,
        access,
        ...(from !== undefined && {from}),
        ...(expirationDate !== undefined && {expirationDate}),
        id,
      }))
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
