import type {CallStep, Step} from '#lib/cli/run/plan.js'
import type {Client} from '#lib/client/client.js'
import {reserveIds} from '#lib/transfer/ids.js'
import {titleKey} from '#lib/transfer/local/names.js'
import {listFolder} from '#lib/transfer/remote/listing.js'
import {ALL_DRIVES} from '#lib/transfer/remote/records.js'
import type {RemoteEntry, RemoteFolder} from '#lib/transfer/tree/entries.js'
import {createNames, type Names, settle} from './folder-names.js'
import {makingFolder, showing} from './make-folders.js'
import {brokenBy, type Placing, trashing} from './move.js'
import type {Source} from './sources.js'

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
      if (entry.kind === 'folder') return await copyFolder(original, entry, into, {title, isAside})
      const settled = await settle(entry, title, into.names, ifExists)
      if ('kept' in settled) {
        if (!isAside) steps.push(showing(original, settled.kept.id))
        return
      }
      // Only of files it is certain that they take one.
      const id = entry.kind === 'file' ? {id: ids.shift()!} : {}
      const body = {...id, title: settled.title, parents: [{id: into.id}]}
      const input = {params: {fileId: entry.id, ...ALL_DRIVES}, body}
      const step: CallStep = {original, call: {id: 'files.copy', input}, after: into.step, isAside}
      steps.push(step, ...trashing(settled.replaces, step))
    } catch (error) {
      steps.push(brokenBy(original, error))
    }
  }

  async function copyFolder(
    original: string,
    folder: RemoteFolder,
    into: Into,
    {title, isAside}: {readonly title: string; readonly isAside: boolean},
  ): Promise<void> {
    const [there, second] = into.names.of(title)
    const isMerged = there?.kind === 'folder' && !second && !into.names.isClaimed(title)
    const below = isMerged ? await merged(there) : await made()
    if (!below) return
    for (const inner of folder.entries ?? []) {
      await copy(`${original}/${inner.title}`, inner, below, {isAside: true})
    }

    async function merged(known: RemoteFolder): Promise<Into> {
      into.names.claim(title)
      const wanted = (names: readonly string[]) => isFolderIn(folder, names)
      const {driveId} = target
      const full = known.entries
        ? known
        : await listFolder(client, known, {driveId, wanted, signal})
      if (!isAside) steps.push(showing(original, known.id))
      return {id: known.id, names: createNames(full.entries ?? [])}
    }

    async function made(): Promise<Into | undefined> {
      const settled = await settle(folder, title, into.names, ifExists)
      if ('kept' in settled) {
        if (!isAside) steps.push(showing(original, settled.kept.id))
        return undefined
      }
      const id = ids.shift()!
      const step = makingFolder(
        original,
        {id, title: settled.title, parent: into.id},
        {after: into.step, isAside},
      )
      steps.push(step)
      return {id, step, names: createNames([])}
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
