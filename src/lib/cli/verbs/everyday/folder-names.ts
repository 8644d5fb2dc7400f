import type {Context} from '#lib/cli/context/context.js'
import {chooseOne} from '#lib/cli/terminal/confirm.js'
import {CommandError} from '#lib/cli/terminal/errors.js'
import {printable} from '#lib/platform/sanitize.js'
import {freeName, titleKey} from '#lib/transfer/local/names.js'
import {listWithIds} from '#lib/transfer/remote/resolve-error.js'
import {type Conflict, type IfExists, resolveConflict} from '#lib/transfer/resolve-conflict.js'
import type {RemoteEntry} from '#lib/transfer/tree/entries.js'

/** The names in a folder, and the names that this command is going to use there. */
export interface FolderNames {
  /** The entries with that title. */
  of(title: string): readonly RemoteEntry[]
  /** Whether another item of this command gets that title. */
  isClaimed(title: string): boolean
  claim(title: string): void
  /** The first unused numbered title, such as `report (1).pdf`. */
  free(title: string): Promise<string>
}

/** Tracks the names in a folder. `all` lists the whole folder, for when `entries` contains only some names. */
export function createFolderNames(
  entries: readonly RemoteEntry[],
  all: () => Promise<readonly RemoteEntry[]> = async () => entries,
): FolderNames {
  const claimed = new Set<string>()
  let everything: Promise<readonly RemoteEntry[]> | undefined
  return {
    of: title => entries.filter(entry => titleKey(entry.title) === titleKey(title)),
    isClaimed: title => claimed.has(titleKey(title)),
    claim: title => void claimed.add(titleKey(title)),
    async free(title) {
      const existing = await (everything ??= all())
      const keys = new Set(existing.map(entry => titleKey(entry.title)))
      return freeName(title, name => keys.has(titleKey(name)) || claimed.has(titleKey(name)))
    },
  }
}

/** Returns the resolution of a conflict: the flag, else the choice at a terminal, else `fail`. */
export function ifExistsAt(
  context: Pick<Context, 'io' | 'signal' | 'options'>,
  flag: IfExists | undefined,
): (title: string) => Promise<IfExists> {
  const {io, signal, options} = context
  if (flag !== undefined) return async () => flag
  if (!io.interactive || options.dryRun) return async () => 'fail'
  return title =>
    chooseOne<IfExists>(
      `${printable(title)} already exists. What do you want to do?`,
      [
        {name: 'Fail with an error', value: 'fail'},
        {name: 'Skip, keeping the existing item', value: 'skip'},
        {name: 'Keep both, numbering the new one', value: 'rename'},
        {name: 'Replace, moving the existing item to the trash', value: 'replace'},
      ],
      io,
      signal,
    )
}

/**
 * Resolves the conflict of `entry` with existing items named `title`: returns its final title, which it
 * claims, and the item to replace; or the existing item that is kept. Throws `CommandError('conflict')`.
 */
export async function resolveTitle(
  entry: RemoteEntry,
  title: string,
  names: FolderNames,
  ifExists: (title: string) => Promise<IfExists>,
): Promise<
  {readonly title: string; readonly replaces?: RemoteEntry} | {readonly kept: RemoteEntry}
> {
  const claimed = names.isClaimed(title)
  const existing = claimed ? [] : names.of(title)
  const choice = claimed || existing.length > 0 ? await ifExists(title) : 'fail'
  const freeName = () => names.free(title)
  const resolution = resolveConflict(choice, {title, incoming: entry, existing, claimed, freeName})
  if ('kept' in resolution) return resolution
  if ('conflict' in resolution) {
    throw new CommandError(
      'conflict',
      `Cannot use the name ${title}: ${REASONS[resolution.conflict](listWithIds(existing))}.`,
      'Pass --if-exists replace, skip or rename, or choose another name.',
    )
  }
  const resolved = {...resolution, title: await resolution.title}
  names.claim(resolved.title)
  return resolved
}

/** Why a conflict was not resolved; `existing` lists the items with that name. */
const REASONS: Readonly<Record<Conflict, (existing: string) => string>> = {
  claimed: () => 'this command already uses it for another item',
  exists: existing => `${existing} already has this name`,
  several: existing => `several items already have this name: ${existing}`,
  itself: () => 'it would replace itself',
  folder: existing => `${existing} already has this name, and folders cannot be replaced`,
}
