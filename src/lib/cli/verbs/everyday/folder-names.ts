import type {Context} from '#lib/cli/context/context.js'
import {chooseOne} from '#lib/cli/terminal/confirm.js'
import {CommandError} from '#lib/cli/terminal/errors.js'
import {printable} from '#lib/platform/sanitize.js'
import {freeName, titleKey} from '#lib/transfer/local/names.js'
import {listWithIds} from '#lib/transfer/remote/resolve-error.js'
import {type Conflict, type IfExists, resolveConflict} from '#lib/transfer/resolve-conflict.js'
import type {RemoteEntry} from '#lib/transfer/tree/entries.js'

/** The names in a folder, with those that this command gives away. */
export interface Names {
  /** What has just that title. */
  of(title: string): readonly RemoteEntry[]
  /** Whether something of this command goes there under that title. */
  isClaimed(title: string): boolean
  claim(title: string): void
  /** `report (1).pdf`, or with the next number that is free. */
  free(title: string): Promise<string>
}

/** `all` lists the whole folder, where `entries` are only those of some names. */
export function createNames(
  entries: readonly RemoteEntry[],
  all: () => Promise<readonly RemoteEntry[]> = async () => entries,
): Names {
  const claimed = new Set<string>()
  let everything: Promise<readonly RemoteEntry[]> | undefined
  return {
    of: title => entries.filter(entry => titleKey(entry.title) === titleKey(title)),
    isClaimed: title => claimed.has(titleKey(title)),
    claim: title => void claimed.add(titleKey(title)),
    async free(title) {
      const there = await (everything ??= all())
      const keys = new Set(there.map(entry => titleKey(entry.title)))
      return freeName(title, name => keys.has(titleKey(name)) || claimed.has(titleKey(name)))
    },
  }
}

/** What becomes of a thing whose name is taken, where no flag says it: asked at a terminal. */
export function ifExistsAt(
  context: Pick<Context, 'io' | 'signal' | 'options'>,
  flag: IfExists | undefined,
): (title: string) => Promise<IfExists> {
  const {io, signal, options} = context
  if (flag !== undefined) return async () => flag
  if (!io.interactive || options.dryRun) return async () => 'fail'
  return title =>
    chooseOne<IfExists>(
      `${printable(title)} is there already. What is to become of it?`,
      [
        {name: 'Stop at this one', value: 'fail'},
        {name: 'Leave it, and leave this one out', value: 'skip'},
        {name: 'Keep both, this one with a number', value: 'rename'},
        {name: 'Replace it, and put it into the trash', value: 'replace'},
      ],
      io,
      signal,
    )
}

/**
 * The title that `entry` gets where it goes to `title`, and what it replaces there, or what is kept
 * instead; claims that title. Throws `CommandError('conflict')`.
 */
export async function settle(
  entry: RemoteEntry,
  title: string,
  names: Names,
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
      `${title} was not put there: ${REASONS[resolution.conflict](listWithIds(existing))}.`,
      'Say with --if-exists replace, skip or rename what is to be done, or give another name.',
    )
  }
  const settled = {...resolution, title: await resolution.title}
  names.claim(settled.title)
  return settled
}

/** Why nothing was put there; `things` are those of the name. */
const REASONS: Readonly<Record<Conflict, (things: string) => string>> = {
  claimed: () => 'another of these things goes there',
  exists: things => `there is ${things} already`,
  several: things => `there are several of that name: ${things}`,
  itself: () => 'it would replace itself',
  folder: things => `no folder is replaced: there is ${things}`,
}
