import type {Change} from '#lib/cli/changes/change.js'
import type {Context} from '#lib/cli/context/context.js'
import {createResolver, readRemotePath, withExitCode} from '#lib/cli/input/names/resolver.js'
import type {Step} from '#lib/cli/run/plan.js'
import {BATCH_LIMIT, type Client, type Page} from '#lib/client/client.js'
import {recordsOf} from '#lib/client/pages.js'
import {endsAll} from '#lib/transfer/many/verdict.js'
import {gather, isOfOneCall} from '#lib/transfer/remote/gather.js'
import {listFolder} from '#lib/transfer/remote/listing.js'
import {
  ALL_DRIVES,
  ENTRY_FIELDS,
  entryOf,
  parentIds,
  searchParameters,
} from '#lib/transfer/remote/records.js'
import {noFolder} from '#lib/transfer/remote/resolve-error.js'
import {followShortcut} from '#lib/transfer/remote/shortcuts.js'
import type {RemoteEntry, RemoteFolder} from '#lib/transfer/tree/entries.js'

/** What is to be copied or moved. */
export interface Source {
  /** What messages call it. */
  readonly original: string
  readonly entry: RemoteEntry
  /** The IDs of the folders it is in. */
  readonly parents: readonly string[]
  /** The shared drive it is in. */
  readonly driveId?: string
}

/** A word that names nothing that can be copied or moved, with the reason; it is a step of the plan. */
export interface MissingSource {
  readonly original: string
  readonly error: unknown
}

/**
 * What some words name, a slash at the end meaning what is in a folder: all are looked for together.
 * What is not found stands among them with why; throws only what concerns all.
 */
export async function sourcesOf(
  context: Context,
  words: readonly string[],
  {follows = false} = {},
): Promise<Array<Source | MissingSource>> {
  const places = words.map(readRemotePath)
  const resolver = createResolver(context)
  await resolver.prefetch(words)
  const client = await context.client()
  const together = gather(client)
  const ids = words.map(word => resolver.file(word))
  const known = await neighbours(client, await Promise.allSettled(ids))
  const all = await Promise.all(
    words.map(async (original, index): Promise<Array<Source | MissingSource>> => {
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
 * What lies beside the first of many things, by ID: often that is all of them, and a list tells of a
 * thousand where a batch tells of a hundred. No more pages than batches are asked for.
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
    // What is wrong with one of them is told by its own request.
    if (!isOfOneCall(error)) throw error
  }
  return known
}

function mayStandAmongOthers(error: unknown): boolean {
  const {name} = error as Error
  return ['CommandError', 'ResolveError'].includes(name) || isOfOneCall(error)
}

/** What is known of a file, with the folders it is in. */
export async function recordOf(client: Client, fileId: string): Promise<Page> {
  const params = {fileId, ...ALL_DRIVES, fields: `${ENTRY_FIELDS},parents(id,isRoot)`}
  return (await client.call('files.get', {params})) ?? {}
}

function sourceOf(original: string, record: Page): Source {
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
  {original, driveId}: Source,
  folder: RemoteFolder,
): Promise<Source[]> {
  const {entries = []} = await listFolder(client, folder, {driveId, wanted: () => false})
  const stem = original.replace(/\/*$/, '')
  return entries.map(entry => ({
    original: `${stem}/${entry.title}`,
    entry,
    parents: [folder.id],
    ...(driveId !== undefined && {driveId}),
  }))
}

/** What the steps of one thing change, all of them together. */
export function transferChange(
  steps: readonly Step[],
  {original: thing, entry}: Source,
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
