import type {Client, Page} from '#lib/client/client.js'
import type {RemoteEntry} from '#lib/transfer/tree/entries.js'
import type {Looking} from './looking.js'
import {createPaths} from './paths.js'
import {candidateOf, type EntryInFolders} from './records.js'
import type {RemotePath} from './remotepath.js'
import {type Choose, missing} from './resolveerror.js'
import {named} from './search.js'

/**
 * What has a name in the trash, or among what others share and what lies outside My Drive. In the
 * trash the names may be the last ones of the old path.
 */
export async function findElsewhere(
  client: Client,
  {names, text}: RemotePath,
  where: 'trash' | 'shared',
  looking: Pick<Looking, 'all'>,
  choose: Choose,
): Promise<RemoteEntry> {
  const isTrashToo = where === 'trash'
  const all = await looking.all(names, isTrashToo)
  const isStart = (placed: EntryInFolders) => isTrashToo || isOutside(placed)
  const matches = names.reduce<readonly EntryInFolders[] | undefined>((above, name) => {
    const there = named(name, all)
    if (!above) return there.filter(isStart)
    const ids = above.map(({entry}) => entry.id)
    return there.filter(({parents}) => parents.some(id => ids.includes(String(id))))
  }, undefined)
  const found = (matches ?? []).filter(({record}) => !isTrashToo || isTrashed(record))
  if (found.length > 1) {
    const paths = await createPaths(client).of(found.map(({record}) => record))
    const candidates = found.map((placed, index) => candidateOf(placed, paths[index]!))
    const {id} = await choose(text, candidates)
    return found.find(({entry}) => entry.id === id)!.entry
  }
  if (found[0]) return found[0].entry
  const words = isTrashToo ? 'in the trash' : 'among what others share with you'
  throw missing(`There is no ${JSON.stringify(names.join('/'))} ${words}`, '', [])
}

function isOutside({parents, record}: EntryInFolders): boolean {
  if (record.driveId !== undefined) return false
  return parents.length === 0 || typeof record.sharedWithMeDate === 'string'
}

function isTrashed({labels}: Page): boolean {
  return (labels as {trashed?: unknown} | undefined)?.trashed === true
}
