import type {Context} from '#lib/cli/context/context.js'
import {linkInput} from '#lib/cli/input/names/links.js'
import {gatherCalls} from '#lib/transfer/remote/gather.js'
import type {AccessPair} from './plan.js'
import type {FileAccess} from './read-access.js'

/**
 * The web addresses of the files that pairs share with anyone, by ID, in one batch of requests. Empty for an
 * embedded local service, whose addresses stop working when the command ends.
 */
export async function publicLinks(
  context: Context,
  pairs: readonly AccessPair[],
  accessByFile: ReadonlyMap<string, FileAccess>,
): Promise<ReadonlyMap<string, string>> {
  const files = pairs
    .filter(({who}) => who.type === 'anyone')
    .map(({file}) => accessByFile.get(file)!)
  const ids = files.flatMap(one => ('permissions' in one ? [one.id] : []))
  if (ids.length === 0 || (await context.settings()).embedded) return new Map()
  const client = gatherCalls(await context.client())
  const links = await Promise.all(
    [...new Set(ids)].map(async fileId => {
      // Sharing must not fail because an address is unavailable.
      const record = await client.call('files.get', linkInput(fileId)).catch(() => undefined)
      const link = record?.alternateLink
      return typeof link === 'string' ? [[fileId, link] as const] : []
    }),
  )
  return new Map(links.flat())
}
