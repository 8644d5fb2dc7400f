import {parentIds} from '#lib/api/reached.js'
import type {Change} from '#lib/cli/changes/change.js'
import type {Context} from '#lib/cli/context/context.js'
import {createResolver, readRemotePath, withExitCode} from '#lib/cli/input/names/resolver.js'
import type {Step} from '#lib/cli/run/plan.js'
import {BATCH_LIMIT, type Client, type Page} from '#lib/client/client.js'
import {recordsOf} from '#lib/client/pages.js'
import {endsAll} from '#lib/transfer/many/verdict.js'
import {gatherCalls, isOfOneCall} from '#lib/transfer/remote/gather.js'
import {listFolder} from '#lib/transfer/remote/listing.js'
import {ALL_DRIVES, ENTRY_FIELDS, entryOf, searchParameters} from '#lib/transfer/remote/records.js'
import {noFolder} from '#lib/transfer/remote/resolve-error.js'
import {followShortcut} from '#lib/transfer/remote/shortcuts.js'
import type {RemoteEntry, RemoteFolder} from '#lib/transfer/tree/entries.js'

/** An item to copy, move or link. */
export interface SourceItem {
  /** Its name in messages. */
  readonly original: string
  readonly entry: RemoteEntry
  /** The IDs of its parent folders. */
  readonly parents: readonly string[]
  /** The ID of its shared drive. */
  readonly driveId?: string
}

/** A source that cannot be resolved, with the reason; it becomes a failed step. */
export interface MissingSource {
  readonly original: string
  readonly error: unknown
}

/**
 * Resolves sources together; a trailing slash means the contents of a folder. A source that cannot be resolved
 * is returned with its error; only errors that concern all sources are thrown.
 */
export async function sourcesOf(
  context: Context,
  words: readonly string[],
  {follows = false} = {},
): Promise<Array<SourceItem | MissingSource>> {
  const places = words.map(readRemotePath)
  const resolver = createResolver(context)
  await resolver.prefetch(words)
  const client = await context.client()
  const together = gatherCalls(client)
  const ids = words.map(word => resolver.file(word))
  const known = await neighbours(client, await Promise.allSettled(ids))
  const all = await Promise.all(
    words.map(async (original, index): Promise<Array<SourceItem | MissingSource>> => {
      try {
        const id = await ids[index]!
        const named = sourceOf(original, known.get(id) ?? (await recordOf(together, id)))
        const source = follows ? await followShortcut(together, named, original) : named
        const {entry} = source
        if (!places[index]!.isContents) return [source]
        if (entry.kind !== 'folder') throw noFolder(entry, original)
        return await contentsOf(client, source, entry)
      } catch (error) {
        if (endsAll(error) || !mayStandAmongOthers(error)) throw error
        return [{original, error: withExitCode(error)}]
      }
    }),
  )
  return all.flat()
}

/**
 * The records in the folder of the first of many sources, by ID. Often these are all sources, and a page of a
 * list has a thousand records where a batch has a hundred. Requests at most as many pages as it saves batches.
 */
async function neighbours(
  client: Client,
  ids: ReadonlyArray<PromiseSettledResult<string>>,
): Promise<ReadonlyMap<string, Page>> {
  const known = new Map<string, Page>()
  const [first] = ids.flatMap(id => (id.status === 'fulfilled' ? [id.value] : []))
  let left = Math.floor(ids.length / BATCH_LIMIT)
  if (first === undefined || left < 2) return known
  try {
    const record = await recordOf(client, first)
    const [parent] = parentIds(record)
    if (typeof parent !== 'string') return known
    const {driveId} = sourceOf(first, record)
    const params = searchParameters({folderIds: [parent], driveId})
    for await (const page of client.pages('files.list', {params})) {
      for (const one of recordsOf(page)) known.set(String(one.id), one)
      left -= 1
      if (left === 0) break
    }
  } catch (error) {
    // The request for the item itself will report its error.
    if (!isOfOneCall(error)) throw error
  }
  return known
}

function mayStandAmongOthers(error: unknown): boolean {
  const {name} = error as Error
  return ['CommandError', 'ResolveError'].includes(name) || isOfOneCall(error)
}

/** The record of a file, with its parent folders. */
export async function recordOf(client: Client, fileId: string): Promise<Page> {
  const params = {fileId, ...ALL_DRIVES, fields: `${ENTRY_FIELDS},parents(id,isRoot)`}
  return (await client.call('files.get', {params})) ?? {}
}

function sourceOf(original: string, record: Page): SourceItem {
  const {driveId} = record
  return {
    original,
    entry: entryOf(record),
    parents: parentIds(record).map(String),
    ...(typeof driveId === 'string' && {driveId}),
  }
}

async function contentsOf(
  client: Client,
  {original, driveId}: SourceItem,
  folder: RemoteFolder,
): Promise<SourceItem[]> {
  const {entries = []} = await listFolder(client, folder, {driveId, wanted: () => false})
  const stem = original.replace(/\/*$/, '')
  return entries.map(entry => ({
    original: `${stem}/${entry.title}`,
    entry,
    parents: [folder.id],
    ...(driveId !== undefined && {driveId}),
  }))
}

/** The change that all steps of one source make together. */
export function transferChange(
  steps: readonly Step[],
  {original: thing, entry}: SourceItem,
  action: 'copy' | 'link' | 'move',
  {dest, isNewName}: {readonly dest: string; readonly isNewName: boolean},
): Change {
  const calls = steps.flatMap(step => ('call' in step ? [step] : []))
  const isOf = (id: string) => calls.filter(({call}) => call.id === id)
  const isFolder = entry.kind === 'folder'
  if (calls.every(({call}) => call.id === 'files.get')) {
    return isNewName
      ? {action: 'keep', thing: dest, isFolder}
      : {action: 'keep', thing: entry.title, isFolder, to: dest}
  }
  const copied = isOf('files.copy')
  const bytes = copied.reduce((sum, step) => sum + (step.bytes ?? 0), 0)
  const isReplacing = isOf('files.trash').length > 0
  const common = {thing, isFolder, isReplacing}
  if (action === 'copy') {
    const folders = isFolder ? isOf('files.insert').length - 1 : 0
    return {...common, action, to: dest, extent: {files: copied.length, folders, bytes}}
  }
  if (action === 'link') return {action, thing, to: dest, isReplacing}
  const {params, body} = isOf('files.patch')[0]!.call.input
  const size = entry.kind === 'file' ? {extent: {files: 1, folders: 0, bytes: entry.size}} : {}
  const moved = {...common, ...size, fileId: entry.id}
  return params.addParents === undefined
    ? {...moved, action: 'rename', title: String(body?.title)}
    : {...moved, action, to: dest}
}
