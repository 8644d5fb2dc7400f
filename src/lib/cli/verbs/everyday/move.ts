import type {CallStep, Step} from '#lib/cli/run/plan.js'
import {CommandError} from '#lib/cli/terminal/errors.js'
import {ALL_DRIVES} from '#lib/transfer/remote/records.js'
import type {RemoteEntry} from '#lib/transfer/tree/entries.js'
import {type Names, settle} from './folder-names.js'
import {showing} from './make-folders.js'
import type {Source} from './sources.js'
import type {Target} from './target.js'

/** Where things go, and what becomes of those whose names are taken. */
export interface Placing {
  readonly target: Target
  readonly names: Names
  readonly ifExists: Parameters<typeof settle>[3]
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
