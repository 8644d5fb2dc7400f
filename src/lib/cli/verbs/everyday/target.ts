import {existsSync} from 'node:fs'
import type {Context} from '#lib/cli/context/context.js'
import {forgetOnSuccess, shareIds} from '#lib/cli/input/names/id-sharing.js'
import {chooseAt, readRemotePath, withPlaces} from '#lib/cli/input/names/lookups.js'
import type {CallStep} from '#lib/cli/run/plan.js'
import {CommandError, UsageError} from '#lib/cli/terminal/errors.js'
import type {Client} from '#lib/client/client.js'
import {fitsOneSearch, searchEntries} from '#lib/transfer/remote/find-names.js'
import {shareFolders} from '#lib/transfer/remote/folders.js'
import {parentIds} from '#lib/transfer/remote/records.js'
import {resolveRemotePath} from '#lib/transfer/remote/resolve.js'
import {noFolder} from '#lib/transfer/remote/resolve-error.js'
import {wordFor} from '#lib/transfer/tree/entries.js'
import {createNames, type Names} from './folder-names.js'
import {sharingFolder} from './make-folders.js'
import {localTarget} from './path-arguments.js'
import {recordOf, type Source} from './sources.js'

/** Where things go. */
export interface Target {
  readonly folderId: string
  /** Makes the folder, where it is not there yet. */
  readonly step?: CallStep
  /** The folder that is there: itself, or the one it is to be in. */
  readonly above: string
  /** The shared drive it is in. */
  readonly driveId?: string
  /** The title that the one thing gets; without it each keeps its own. */
  readonly title?: string
}

/** What goes there: one thing, what is in one folder, or several things. */
export type Load = 'file' | 'folder' | 'contents' | 'several'

/**
 * Where `word` leads: into the folder that it names, or to a name in the folder that it is in. One
 * thing may get a new name, and the contents of a folder a new folder of their own. Throws
 * `CommandError`, and `UsageError` for a path of this machine.
 */
export async function targetOf(
  context: Context,
  word: string,
  {load, sources}: {readonly load: Load; readonly sources: readonly string[]},
): Promise<Target> {
  const place = readRemotePath(word)
  if (place.start.in === 'trash') {
    throw new UsageError(`${word} is in the trash.`, 'Put things there with `drv rm`.')
  }
  const client = await context.client()
  const sharing = load === 'contents' ? await shareIds(context) : undefined
  return withPlaces(async () => {
    const found = await resolveRemotePath(client, place, chooseAt(context))
    const {entry, missing, driveId} = found
    const at = (above: string) => ({
      folderId: above,
      above,
      ...(driveId !== undefined && {driveId}),
    })
    const [title, second] = missing
    if (title === undefined) {
      if (entry.kind === 'folder') return at(entry.id)
      const isName = (load === 'file' || load === 'folder') && !place.isContents
      if (!isName) throw noFolder(entry, word)
      const [parent] = parentIds(await recordOf(client, entry.id))
      if (typeof parent === 'string') return {...at(parent), title: entry.title}
      throw new CommandError('failed', `${word} is ${wordFor(entry)} in no folder of yours.`)
    }
    if (existsSync(word)) throw localTarget(sources, word)
    const isNew = load === 'folder' || (load === 'file' && !place.isContents)
    if (second === undefined && isNew) return {...at(entry.id), title}
    if (second === undefined && sharing) {
      const make = {path: word, parent: '', name: title}
      const folders = new Map([['', entry.id]])
      const {id, isThere} = (await shareFolders(client, [make], {...sharing, folders})).get(word)!
      forgetOnSuccess(context, sharing, [id])
      if (isThere) return at(id)
      const folder = {id, title, parent: entry.id}
      return {...at(entry.id), folderId: id, step: sharingFolder(word, folder, {isAside: true})}
    }
    throw new CommandError(
      'notFound',
      `There is no folder ${word}.`,
      `\`drv mkdir -p ${word}\` makes it.`,
    )
  })
}

/** The names that are taken in the target, as far as the sources may meet them. */
export async function namesIn(
  client: Client,
  {folderId, driveId, title, step}: Target,
  sources: readonly Source[],
): Promise<Names> {
  if (step) return createNames([])
  const titles = title === undefined ? sources.map(({entry}) => entry.title) : [title]
  const wanted = {folderIds: [folderId], ...(driveId !== undefined && {driveId})}
  const found = await searchEntries(
    client,
    fitsOneSearch(new Set(titles)) ? {...wanted, titles: [...new Set(titles)]} : wanted,
  )
  return createNames(
    found.map(({entry}) => entry),
    // Which numbers are free is known only once all names are.
    async () => (await searchEntries(client, wanted)).map(({entry}) => entry),
  )
}

/** Throws `UsageError` where a folder among the sources would go into itself or below. */
export async function refuseIntoItself(
  client: Client,
  {above}: Target,
  sources: readonly Source[],
): Promise<void> {
  const folders = new Map(
    sources.filter(({entry}) => entry.kind === 'folder').map(one => [one.entry.id, one.original]),
  )
  if (folders.size === 0) return
  const seen = new Set<string>()
  for (let id: string | undefined = above; id !== undefined && !seen.has(id);) {
    const inside = folders.get(id)
    if (inside !== undefined) {
      throw new UsageError(
        `The folder ${inside} cannot go into itself, or into a folder below it.`,
        'Name a folder outside of it.',
      )
    }
    seen.add(id)
    const [parent] = parentIds(await recordOf(client, id))
    id = typeof parent === 'string' ? parent : undefined
  }
}
