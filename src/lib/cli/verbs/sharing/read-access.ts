import type {Context} from '#lib/cli/context/context.js'
import {createLookups} from '#lib/cli/input/names/lookups.js'
import {PERMISSION_FIELDS, permissionsOf} from '#lib/cli/input/names/permissions.js'
import type {BatchCall, Outcome, Page} from '#lib/client/client.js'
import {recordsOf} from '#lib/client/pages.js'
import type {Planned} from '#lib/transfer/many/queue.js'
import {sendMany} from '#lib/transfer/many/send-many.js'
import {ALL_DRIVES} from '#lib/transfer/remote/records.js'
import {endsAll} from '#lib/transfer/many/verdict.js'

/** A file that was named, with who has access to it, or why that is not known. */
export type Looked =
  | {readonly file: string; readonly id: string; readonly permissions: readonly Page[]}
  | {readonly file: string; readonly id?: string; readonly error: unknown}

type Found = Pick<Extract<Looked, {permissions: unknown}>, 'file' | 'id'> | Unknown

type Unknown = Extract<Looked, {error: unknown}>

/** Sends calls, many at once where there are many, and gives what came of each. */
export async function sendAll(context: Context, all: readonly Planned[]): Promise<Outcome[]> {
  const client = await context.client()
  const retrying = await context.retrying()
  const {signal, onRefusal} = context
  async function* source() {
    yield* all
  }
  const outcomes: Outcome[] = []
  const options = {client, retrying, signal, onRefusal}
  for await (const {index, ...outcome} of sendMany(source(), options)) outcomes[index] = outcome
  return outcomes
}

/** Who has access to each of some files. Throws only what concerns all. */
export async function lookAt(context: Context, files: readonly string[]): Promise<Looked[]> {
  const lookups = createLookups(context)
  await lookups.prefetch(files)
  const found = await Promise.all(
    files.map(async (file): Promise<Found> => {
      try {
        return {file, id: await lookups.file(file)}
      } catch (error) {
        if (endsAll(error)) throw error
        return {file, error}
      }
    }),
  )
  const outcomes = await sendAll(
    context,
    found.map(one => ('error' in one ? one : {call: listing(one.id)})),
  )
  const client = await context.client()
  return Promise.all(
    found.map(async (one, index): Promise<Looked> => {
      const outcome = outcomes[index]!
      if ('error' in one) return one
      if ('error' in outcome) return {...one, error: outcome.error}
      const page = outcome.record ?? {}
      if (page.nextPageToken === undefined) return {...one, permissions: recordsOf(page)}
      return {...one, permissions: await permissionsOf(client, one.id)}
    }),
  )
}

function listing(fileId: string): BatchCall {
  const fields = `nextPageToken,items(${PERMISSION_FIELDS})`
  return {
    id: 'permissions.list',
    input: {params: {fileId, maxResults: '100', fields, ...ALL_DRIVES}},
  }
}
