import type {Context} from '#lib/cli/context/context.js'
import {linkInput} from '#lib/cli/input/names/links.js'
import {gather} from '#lib/transfer/remote/gather.js'
import type {Pair} from './plan.js'
import type {Looked} from './read-access.js'

/**
 * The addresses of the files that pairs give to anyone, by ID, with one batch of requests. The service
 * inside drv, which ends with the command, has none that lasts.
 */
export async function publicLinks(
  context: Context,
  pairs: readonly Pair[],
  looked: ReadonlyMap<string, Looked>,
): Promise<ReadonlyMap<string, string>> {
  const files = pairs.filter(({who}) => who.type === 'anyone').map(({file}) => looked.get(file)!)
  const ids = files.flatMap(one => ('permissions' in one ? [one.id] : []))
  if (ids.length === 0 || (await context.settings()).embedded) return new Map()
  const client = gather(await context.client())
  const links = await Promise.all(
    [...new Set(ids)].map(async fileId => {
      // Sharing does not depend on it.
      const record = await client.call('files.get', linkInput(fileId)).catch(() => undefined)
      const link = record?.alternateLink
      return typeof link === 'string' ? [[fileId, link] as const] : []
    }),
  )
  return new Map(links.flat())
}
