import {groupBy} from '#lib/platform/values.js'
import {
  assignNames,
  nameKey,
  type NameRules,
  plainName,
  titleKey,
  withoutNumber,
} from '#lib/transfer/local/names.js'
import {isPart} from '#lib/transfer/target.js'
import type {LocalEntry, RemoteEntry} from './entries.js'

/** Pairs the entries of a local folder with those of a remote one. */

export interface Pairing {
  readonly remotes: ReadonlyMap<LocalEntry, RemoteEntry>
  readonly locals: ReadonlyMap<RemoteEntry, LocalEntry>
  /** The local name of each remote entry: that of its local entry, or the one it should get. */
  readonly names: ReadonlyMap<RemoteEntry, string>
  /** The names that files and folders would get in an empty folder, except known ones. */
  readonly assigned: ReadonlyMap<RemoteEntry, string>
  /** For each entry whose name others compete for, all of these entries. */
  readonly twins: ReadonlyMap<RemoteEntry, readonly RemoteEntry[]>
}

export interface PairingOptions {
  readonly rules: NameRules
  /** The local names that remote entries had before, by ID. */
  readonly known?: ReadonlyMap<string, string>
  /**
   * Of twins that cannot be told apart, a push updates the newest. A pull, which overwrites local files,
   * accepts names of other systems only if sizes match.
   */
  readonly direction: 'push' | 'pull'
}

/**
 * Pairs the entries of two folders by the names that a pull assigns: first those of this system, then
 * those of other systems, then the titles themselves. So a file that was pulled finds its origin again,
 * and one that was pushed its copy.
 */
export function pairEntries(
  local: readonly LocalEntry[],
  remote: readonly RemoteEntry[],
  {rules, known, direction}: PairingOptions,
): Pairing {
  // A partial download is not a copy of anything, whatever its name.
  const ours = local.filter(({name}) => !isPart(name))
  const kinds = new Map(ours.map(({name, kind}) => [name, kind]))
  const numbered = new Set(ours.flatMap(({name}) => withoutNumber(name) ?? []))
  /** Prefers an entry that exists here under its plain name, or the newest. */
  const rank = (entry: RemoteEntry, name: string) => {
    if (kinds.get(name) !== entry.kind) return Infinity
    return direction === 'push' && !numbered.has(name) ? -changedAt(entry) : 0
  }
  // Entries without content get no local name, so they do not compete for names.
  const others = remote.filter(({kind}) => kind === 'other')
  const contents = remote.filter(({kind}) => kind !== 'other')
  const namesBy = (some: NameRules) => assignNames(contents, some, {known, rank})
  const assigned = namesBy(rules)
  const remotes = new Map<LocalEntry, RemoteEntry>()
  const locals = new Map<RemoteEntry, LocalEntry>()

  type NamedEntries = ReadonlyArray<{readonly entry: RemoteEntry; readonly name: string}>
  function pair(
    named: () => NamedEntries,
    keyOf: (name: string) => string,
    isMeant: (one: LocalEntry, other: RemoteEntry) => boolean = () => true,
  ): void {
    const open = ours.filter(entry => !remotes.has(entry))
    if (open.length === 0 || locals.size === remote.length) return
    const byKey = groupBy(named(), ({name}) => keyOf(name))
    for (const entry of open) {
      const fitting = (byKey.get(keyOf(entry.name)) ?? []).filter(
        one => !locals.has(one.entry) && isMeant(entry, one.entry),
      )
      const found = fitting.find(one => one.entry.kind === entry.kind) ?? fitting[0]
      if (!found) continue
      remotes.set(entry, found.entry)
      locals.set(found.entry, entry)
    }
  }
  const isEncoded = ({entry, name}: {readonly entry: RemoteEntry; readonly name: string}) =>
    name !== entry.title && name === plainName(entry, rules)
  const key = (name: string) => titleKey(nameKey(name, rules))
  const titled = (entries: readonly RemoteEntry[]) =>
    entries.map(entry => ({entry, name: entry.title}))
  pair(
    () => assigned,
    name => name,
  )
  pair(() => assigned, key)
  for (const system of SYSTEMS) {
    if (system.isWindows === rules.isWindows && system.isCaseSensitive === rules.isCaseSensitive)
      continue
    pair(() => namesBy(system), titleKey, direction === 'pull' ? isAlike : undefined)
  }
  // A number distinguishes entries with the same title, so the bare title does not name one.
  pair(() => titled(assigned.filter(isEncoded).map(({entry}) => entry)), titleKey)
  pair(() => others.map(entry => ({entry, name: plainName(entry, rules)})), key)
  pair(() => titled(others), titleKey)

  const names = new Map<RemoteEntry, string>()
  const twins = new Map<RemoteEntry, readonly RemoteEntry[]>()
  for (const entry of others) names.set(entry, plainName(entry, rules))
  for (const {entry, name, claimants} of assigned) {
    names.set(entry, locals.get(entry)?.name ?? name)
    if (claimants.length > 1) twins.set(entry, claimants)
  }
  return {
    remotes,
    locals,
    names,
    assigned: new Map(assigned.map(({entry, name}) => [entry, name])),
    twins,
  }
}

/** Milliseconds since 1970; 0 if unknown. */
function changedAt(entry: RemoteEntry): number {
  return (entry.kind === 'folder' ? undefined : entry.modified) ?? entry.created ?? 0
}

function isAlike(one: LocalEntry, other: RemoteEntry): boolean {
  return one.kind === 'file' && other.kind === 'file'
    ? one.size === other.size
    : one.kind === other.kind
}

const SYSTEMS: readonly NameRules[] = [false, true].flatMap(isWindows =>
  [true, false].map(isCaseSensitive => ({isWindows, isCaseSensitive})),
)
