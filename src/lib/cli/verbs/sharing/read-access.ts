import {textOf} from '#lib/api/validate.js'
import type {Context} from '#lib/cli/context/context.js'
import {createLookups} from '#lib/cli/input/names/lookups.js'
import {permissionsInput, permissionsOf, whoOf} from '#lib/cli/input/names/permissions.js'
import type {Row} from '#lib/cli/output/format.js'
import type {Client, Outcome, Page} from '#lib/client/client.js'
import {recordsOf} from '#lib/client/pages.js'
import type {Planned} from '#lib/transfer/many/queue.js'
import {sendMany} from '#lib/transfer/many/send-many.js'
import {endsAll} from '#lib/transfer/tree/outcome.js'
import {atLeast, createOrigins} from './origin.js'

/** A file that was named, with who has access to it, or why that is not known. */
export type Looked =
  | {readonly file: string; readonly id: string; readonly permissions: readonly Page[]}
  | {readonly file: string; readonly id?: string; readonly error: unknown}

type Located =
  {readonly file: string; readonly id: string} | Extract<Looked, {readonly error: unknown}>

/** Who has access to each of some files. Throws only what concerns all. */
export async function lookAt(context: Context, files: readonly string[]): Promise<Looked[]> {
  const lookups = createLookups(context)
  await lookups.prefetch(files)
  const found = await Promise.all(
    files.map(async (file): Promise<Located> => {
      try {
        return {file, id: await lookups.file(file)}
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
