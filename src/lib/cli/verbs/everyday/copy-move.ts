import {SHORTCUT_TYPE} from '#lib/api/wire.js'
import type {Context} from '#lib/cli/context/context.js'
import type {Parsed} from '#lib/cli/input/call-input.js'
import type {CallStep, Step} from '#lib/cli/run/plan.js'
import {CommandError, UsageError} from '#lib/cli/terminal/errors.js'
import type {Client} from '#lib/client/client.js'
import {reservedIds, reserveIds} from '#lib/transfer/ids.js'
import {titleKey} from '#lib/transfer/local/names.js'
import {listFolder} from '#lib/transfer/remote/listing.js'
import {ALL_DRIVES} from '#lib/transfer/remote/records.js'
import type {RemoteEntry, RemoteFolder} from '#lib/transfer/tree/entries.js'
import {createFolderNames, type FolderNames, resolveTitle} from './folder-names.js'
import {createFolderStep, showStep} from './make-folders.js'
import {refuseRoot} from './path-arguments.js'
import type {SourceItem} from './sources.js'
import {type Placement, planTransfer} from './target.js'

/** The destination folder of copies; `step` creates it if it is new. */
interface Into {
  readonly id: string
  readonly names: FolderNames
  readonly step?: CallStep
}

/**
 * The steps that copy each source. The service cannot copy folders: drv creates them under reserved IDs, or
 * merges into existing ones, and copies their contents file by file.
 */
export async function copySteps(
  client: Client,
  sources: readonly SourceItem[],
  {target, names, ifExists}: Placement,
  signal: AbortSignal,
): Promise<Step[][]> {
  const trees = await Promise.all(
    sources.map(async source => {
      const {entry, driveId} = source
      if (entry.kind !== 'folder') return source
      return {...source, entry: await listFolder(client, entry, {driveId, signal})}
    }),
  )
  const ids = await reserveIds(
    client,
    trees.reduce((sum, {entry}) => sum + countIn(entry), 0),
  )
  let steps: Step[] = []

  async function copy(
    original: string,
    entry: RemoteEntry,
    into: Into,
    {title = entry.title, isAside = false} = {},
  ): Promise<void> {
    try {
      const [existing, second] = into.names.of(title)
      const isMerged = existing?.kind === 'folder' && !second && !into.names.isClaimed(title)
      const below =
        entry.kind === 'folder' && isMerged ? await merged(entry, existing) : await created()
      if (!below || entry.kind !== 'folder') return
      for (const inner of entry.entries ?? []) {
        await copy(`${original}/${inner.title}`, inner, below, {isAside: true})
      }
    } catch (error) {
      steps.push(failedStep(original, error))
    }

    /** The existing folder of the same name, which receives the contents of the copied one. */
    async function merged(folder: RemoteFolder, known: RemoteFolder): Promise<Into> {
      into.names.claim(title)
      const wanted = (names: readonly string[]) => isFolderIn(folder, names)
      const {driveId} = target
      const full = known.entries
        ? known
        : await listFolder(client, known, {driveId, wanted, signal})
      if (!isAside) steps.push(showStep(original, known.id))
      return {id: known.id, names: createFolderNames(full.entries ?? [])}
    }

    /** Adds the steps for the copy; returns the new folder if it is one. */
    async function created(): Promise<Into | undefined> {
      const resolved = await resolveTitle(entry, title, into.names, ifExists)
      if ('kept' in resolved) {
        if (!isAside) steps.push(showStep(original, resolved.kept.id))
        return undefined
      }
      const rest = {after: into.step, isAside}
      // Only files and folders are certain to accept a reserved ID.
      const id = entry.kind === 'other' ? undefined : ids.shift()!
      if (entry.kind === 'folder') {
        const folder = {id: id!, title: resolved.title, parent: into.id}
        const step = createFolderStep(original, folder, rest)
        steps.push(step)
        return {id: id!, step, names: createFolderNames([])}
      }
      const body = {...(id && {id}), title: resolved.title, parents: [{id: into.id}]}
      const input = {params: {fileId: entry.id, ...ALL_DRIVES}, body}
      const {size: bytes} = entry as {readonly size?: number}
      const step: CallStep = {original, call: {id: 'files.copy', input}, bytes, ...rest}
      steps.push(step, ...trashSteps(resolved.replaces, step))
      return undefined
    }
  }

  const {folderId: id, step, title} = target
  const all: Step[][] = []
  for (const {original, entry} of trees) {
    await copy(original.replace(/\/*$/, ''), entry, {id, step, names}, {title})
    all.push(steps)
    steps = []
  }
  return all
}

/** The number of folders and files with content in an entry, including itself. */
function countIn(entry: RemoteEntry): number {
  if (entry.kind === 'other') return 0
  const inside = entry.kind === 'folder' ? (entry.entries ?? []) : []
  return inside.reduce((sum, inner) => sum + countIn(inner), 1)
}

/** Whether a path of title keys leads to a folder. */
function isFolderIn(folder: RemoteFolder, [name, ...rest]: readonly string[]): boolean {
  const below = (folder.entries ?? []).filter(entry => entry.kind === 'folder')
  const next = below.filter(({title}) => titleKey(title) === name)
  return next.some(inner => rest.length === 0 || isFolderIn(inner, rest))
}

/** The steps that move one item: one request, which also renames it, and one that trashes the item it replaces. */
export async function moveSteps(
  {original, entry, parents}: SourceItem,
  {target, names, ifExists}: Placement,
): Promise<Step[]> {
  const {folderId, title = entry.title, step: after} = target
  const isThere = parents.includes(folderId)
  if (isThere && title === entry.title) {
    const message = `${original} is already in that folder.`
    return [
      {original, error: new CommandError('conflict', message, 'Choose another folder or name.')},
    ]
  }
  // The item does not conflict with itself.
  const others: FolderNames = {
    ...names,
    of: name => names.of(name).filter(({id}) => id !== entry.id),
  }
  try {
    const resolved = await resolveTitle(entry, title, others, ifExists)
    if ('kept' in resolved) return [showStep(original, resolved.kept.id)]
    const params = {
      fileId: entry.id,
      ...ALL_DRIVES,
      ...(!isThere && {addParents: folderId}),
      ...(!isThere && parents.length > 0 && {removeParents: parents.join(',')}),
    }
    const body = resolved.title === entry.title ? {} : {title: resolved.title}
    const step: CallStep = {original, call: {id: 'files.patch', input: {params, body}}, after}
    return [step, ...trashSteps(resolved.replaces, step)]
  } catch (error) {
    return [failedStep(original, error)]
  }
}

/** The steps that create shortcuts, each under an ID reserved for it. */
export async function shortcutSteps(
  client: Client,
  sources: readonly SourceItem[],
  {target, names, ifExists}: Placement,
): Promise<Step[][]> {
  const kind = {space: 'drive', type: 'shortcuts'} as const
  const ids = (await reservedIds(client, sources.length, kind)) ?? []
  const {folderId, title: wanted, step: after} = target
  const all: Step[][] = []
  for (const {original, entry} of sources) {
    try {
      const {id: itself, title} = entry
      const shortcut = {kind: 'other', id: itself, title, what: 'a shortcut'} as const
      const resolved = await resolveTitle(shortcut, wanted ?? title, names, ifExists)
      if ('kept' in resolved) {
        all.push([showStep(original, resolved.kept.id)])
        continue
      }
      const id = ids.shift()
      const body = {
        ...(id !== undefined && {id}),
        title: resolved.title,
        mimeType: SHORTCUT_TYPE,
        shortcutDetails: {targetId: itself},
        parents: [{id: folderId}],
      }
      const call = {id: 'files.insert', input: {params: ALL_DRIVES, body}} as const
      const step: CallStep = {original, call, after}
      all.push([step, ...trashSteps(resolved.replaces, step)])
    } catch (error) {
      all.push([failedStep(original, error)])
    }
  }
  return all
}

/** The step that trashes a replaced item, after its replacement has been created. */
export function trashSteps(replaced: RemoteEntry | undefined, after: CallStep): CallStep[] {
  if (!replaced) return []
  const {original} = after
  const params = {fileId: replaced.id, ...ALL_DRIVES}
  return [{original, call: {id: 'files.trash', input: {params}}, after, isAside: true}]
}

/** A failed step for a `CommandError`, which concerns one item; rethrows any other error. */
export function failedStep(original: string, error: unknown): Step {
  if (error instanceof CommandError) return {original, error}
  throw error
}

/** The steps of `drv mv` for its arguments and flags. Throws `UsageError` for what cannot be moved. */
export function planMove(context: Context, given: Parsed): Promise<Step[]> {
  return planTransfer(context, given, 'move', refuseUnmovable, async (_, sources, placing) => {
    const steps: Step[][] = []
    for (const source of sources) steps.push(await moveSteps(source, placing))
    return steps
  })
}

function refuseUnmovable(word: string): void {
  refuseRoot(word, 'move', 'To move its contents, pass the items in it instead.')
  if (!word.startsWith('trash:')) return
  throw new UsageError(
    `Cannot move ${word}: it is in the trash.`,
    'Restore it first with `drv restore`.',
  )
}
