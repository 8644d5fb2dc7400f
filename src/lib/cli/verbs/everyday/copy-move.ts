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
import {createNames, type Names, settle} from './folder-names.js'
import {makingFolder, showing} from './make-folders.js'
import {refuseTop} from './path-arguments.js'
import type {Source} from './sources.js'
import {type Placing, planTransfer} from './target.js'

/** A folder that copies go into; `step` makes it where it is new. */
interface Into {
  readonly id: string
  readonly names: Names
  readonly step?: CallStep
}

/**
 * The steps that copy some things, those of each by themselves. The service copies no folders: they are made anew, under reserved
 * IDs, or taken as they are there, and what is in them is copied file by file.
 */
export async function copySteps(
  client: Client,
  sources: readonly Source[],
  {target, names, ifExists}: Placing,
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
      const [there, second] = into.names.of(title)
      const isMerged = there?.kind === 'folder' && !second && !into.names.isClaimed(title)
      const below = entry.kind === 'folder' && isMerged ? await merged(entry, there) : await made()
      if (!below || entry.kind !== 'folder') return
      for (const inner of entry.entries ?? []) {
        await copy(`${original}/${inner.title}`, inner, below, {isAside: true})
      }
    } catch (error) {
      steps.push(brokenBy(original, error))
    }

    /** The folder that is there, which takes what is in the copied one. */
    async function merged(folder: RemoteFolder, known: RemoteFolder): Promise<Into> {
      into.names.claim(title)
      const wanted = (names: readonly string[]) => isFolderIn(folder, names)
      const {driveId} = target
      const full = known.entries
        ? known
        : await listFolder(client, known, {driveId, wanted, signal})
      if (!isAside) steps.push(showing(original, known.id))
      return {id: known.id, names: createNames(full.entries ?? [])}
    }

    /** The copy, unless what is there is kept. */
    async function made(): Promise<Into | undefined> {
      const settled = await settle(entry, title, into.names, ifExists)
      if ('kept' in settled) {
        if (!isAside) steps.push(showing(original, settled.kept.id))
        return undefined
      }
      const rest = {after: into.step, isAside}
      // Only of files and folders it is certain that they take one.
      const id = entry.kind === 'other' ? undefined : ids.shift()!
      if (entry.kind === 'folder') {
        const folder = {id: id!, title: settled.title, parent: into.id}
        const step = makingFolder(original, folder, rest)
        steps.push(step)
        return {id: id!, step, names: createNames([])}
      }
      const body = {...(id && {id}), title: settled.title, parents: [{id: into.id}]}
      const input = {params: {fileId: entry.id, ...ALL_DRIVES}, body}
      const {size: bytes} = entry as {readonly size?: number}
      const step: CallStep = {original, call: {id: 'files.copy', input}, bytes, ...rest}
      steps.push(step, ...trashing(settled.replaces, step))
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

/** How many folders and files with content of their own a thing is. */
function countIn(entry: RemoteEntry): number {
  if (entry.kind === 'other') return 0
  const inside = entry.kind === 'folder' ? (entry.entries ?? []) : []
  return inside.reduce((sum, inner) => sum + countIn(inner), 1)
}

/** Whether the keys of some titles lead to a folder. */
function isFolderIn(folder: RemoteFolder, [name, ...rest]: readonly string[]): boolean {
  const below = (folder.entries ?? []).filter(entry => entry.kind === 'folder')
  const next = below.filter(({title}) => titleKey(title) === name)
  return next.some(inner => rest.length === 0 || isFolderIn(inner, rest))
}

/** The steps that move one thing: a single request, which renames it too, and the trash for what it replaces. */
export async function moveSteps(
  {original, entry, parents}: Source,
  {target, names, ifExists}: Placing,
): Promise<Step[]> {
  const {folderId, title = entry.title, step: after} = target
  const isThere = parents.includes(folderId)
  if (isThere && title === entry.title) {
    const words = `${original} is there already.`
    return [{original, error: new CommandError('conflict', words, 'Name another place or title.')}]
  }
  // Its own name is in nobody's way.
  const others: Names = {...names, of: name => names.of(name).filter(({id}) => id !== entry.id)}
  try {
    const settled = await settle(entry, title, others, ifExists)
    if ('kept' in settled) return [showing(original, settled.kept.id)]
    const params = {
      fileId: entry.id,
      ...ALL_DRIVES,
      ...(!isThere && {addParents: folderId}),
      ...(!isThere && parents.length > 0 && {removeParents: parents.join(',')}),
    }
    const body = settled.title === entry.title ? {} : {title: settled.title}
    const step: CallStep = {original, call: {id: 'files.patch', input: {params, body}}, after}
    return [step, ...trashing(settled.replaces, step)]
  } catch (error) {
    return [brokenBy(original, error)]
  }
}

/** The steps that create shortcuts, each under an ID reserved for it. */
export async function shortcutSteps(
  client: Client,
  sources: readonly Source[],
  {target, names, ifExists}: Placing,
): Promise<Step[][]> {
  const kind = {space: 'drive', type: 'shortcuts'} as const
  const ids = (await reservedIds(client, sources.length, kind)) ?? []
  const {folderId, title: wanted, step: after} = target
  const all: Step[][] = []
  for (const {original, entry} of sources) {
    try {
      const {id: itself, title} = entry
      const shortcut = {kind: 'other', id: itself, title, what: 'a shortcut'} as const
      const settled = await settle(shortcut, wanted ?? title, names, ifExists)
      if ('kept' in settled) {
        all.push([showing(original, settled.kept.id)])
        continue
      }
      const id = ids.shift()
      const body = {
        ...(id !== undefined && {id}),
        title: settled.title,
        mimeType: SHORTCUT_TYPE,
        shortcutDetails: {targetId: itself},
        parents: [{id: folderId}],
      }
      const call = {id: 'files.insert', input: {params: ALL_DRIVES, body}} as const
      const step: CallStep = {original, call, after}
      all.push([step, ...trashing(settled.replaces, step)])
    } catch (error) {
      all.push([brokenBy(original, error)])
    }
  }
  return all
}

/** What is replaced goes into the trash, once what replaces it is there. */
export function trashing(replaced: RemoteEntry | undefined, after: CallStep): CallStep[] {
  if (!replaced) return []
  const {original} = after
  const params = {fileId: replaced.id, ...ALL_DRIVES}
  return [{original, call: {id: 'files.trash', input: {params}}, after, isAside: true}]
}

/** A conflict is of one thing; anything else ends all. */
export function brokenBy(original: string, error: unknown): Step {
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
  refuseTop(word, 'moved', 'Name what is in it.')
  if (!word.startsWith('trash:')) return
  throw new UsageError(`${word} is in the trash.`, 'Take it out with `drv files untrash` first.')
}
