import {printable} from '#lib/platform/sanitize.js'
import type {IfExists} from '#lib/transfer/ifexists.js'
import {freeName, titleKey} from '#lib/transfer/local/names.js'
import {listWithIds} from '#lib/transfer/remote/resolveerror.js'
import type {RemoteEntry} from '#lib/transfer/tree/entries.js'
import {chooseOne} from '#lib/cli/terminal/confirm.js'
import type {Context} from '#lib/cli/context/context.js'
import {CommandError} from '#lib/cli/terminal/errors.js'

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

/** Under which title something goes into a folder, and what has to make room; or what is there and stays. */
export type Settled =
  {readonly title: string; readonly replaced?: RemoteEntry} | {readonly kept: RemoteEntry}

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
 * Settles what becomes of `entry` that goes to `title`, without ever putting it over another thing
 * unasked or making two of one name. Throws `CommandError('conflict')`.
 */
export async function settle(
  entry: RemoteEntry,
  title: string,
  names: Names,
  ifExists: (title: string) => Promise<IfExists>,
): Promise<Settled> {
  const there = names.of(title)
  const isClaimed = names.isClaimed(title)
  if (there.length === 0 && !isClaimed) {
    names.claim(title)
    return {title}
  }
  const choice = await ifExists(title)
  if (choice === 'rename') {
    const free = await names.free(title)
    names.claim(free)
    return {title: free}
  }
  if (isClaimed) throw conflict(title, 'another of these things goes there')
  const [first, second] = there
  if (choice === 'skip') return {kept: first!}
  if (choice === 'fail') throw conflict(title, `there is ${listWithIds(there)} already`)
  if (second) throw conflict(title, `there are several of that name: ${listWithIds(there)}`)
  if (first!.id === entry.id) throw conflict(title, 'it would replace itself')
  if (first!.kind === 'folder' || entry.kind === 'folder') {
    throw conflict(title, `no folder is replaced: there is ${listWithIds(there)}`)
  }
  names.claim(title)
  return {title, replaced: first!}
}

function conflict(title: string, why: string): CommandError {
  return new CommandError(
    'conflict',
    `${title} was not put there: ${why}.`,
    'Say with --if-exists replace, skip or rename what is to be done, or give another name.',
  )
}
