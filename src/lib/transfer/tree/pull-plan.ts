import {freeName, isNumbered, nameKey, type NameRules} from '#lib/transfer/local/names.js'
import type {IsCopy} from '#lib/transfer/remote/exports.js'
import {PART, partOf} from '#lib/transfer/target.js'
import {
  isSameTime,
  type LocalEntry,
  type LocalFile,
  type LocalFolder,
  type RemoteEntry,
  type RemoteFile,
  type RemoteFolder,
  wordFor,
} from './entries.js'
import {holdsLeftOut} from './leftout.js'
import {pairEntries} from './pair-entries.js'
import {below, type Beside, type PullStep} from './steps.js'

export interface PullPlan {
  /** In an order in which they can be done: a folder before what is in it, removals at the end. */
  readonly steps: readonly PullStep[]
  /** New entries whose local names differ from their titles. */
  readonly renamed: ReadonlyArray<{readonly title: string; readonly path: string}>
  /** Entries of one folder that would have the same name, some of them new. */
  readonly twins: ReadonlyArray<readonly Twin[]>
  /** The names that all such entries have from now on, by ID, for later plans. */
  readonly known: ReadonlyMap<string, string>
  /** What interrupted downloads of files left beside them, by the file's path. */
  readonly parts: ReadonlyMap<string, string>
}

/** One of several entries that would have the same name, and where it is stored. */
export interface Twin {
  readonly id: string
  readonly title: string
  readonly path: string
}

export interface PullPlanOptions {
  /** Take away what the service does not have. */
  readonly mirror: boolean
  readonly rules: NameRules
  /** The local names that entries had before, by ID. */
  readonly known?: ReadonlyMap<string, string>
  /** What is a copy of a document stays, whatever its format. */
  readonly isCopy?: IsCopy
  /** Find a free name too for what other content has the name of. */
  readonly renames?: boolean
}

/**
 * What makes a folder of this machine like one of the service. Nothing is removed unless `mirror`
 * is set, and then only where the remote folder is known as a whole.
 */
export function planPull(
  remote: RemoteFolder,
  local: LocalFolder | undefined,
  options: PullPlanOptions,
): PullPlan {
  const {mirror, rules, isCopy = () => false, renames} = options
  const steps: PullStep[] = []
  const renamed: Array<{title: string; path: string}> = []
  const twins: Twin[][] = []
  const known = new Map<string, string>()
  const parts = new Map<string, string>()
  // What a command line names twice is fetched once.
  const entries = remote.entries && [...new Map(remote.entries.map(one => [one.id, one])).values()]
  visit({...remote, entries}, local, '')
  const isLast = ({action}: PullStep) => action === 'remove'
  return {
    steps: [...steps.filter(step => !isLast(step)), ...steps.filter(isLast)],
    renamed,
    twins,
    known,
    parts,
  }

  function visit(from: RemoteFolder, to: LocalFolder | undefined, path: string): void {
    const here = new Map(to?.entries.map(entry => [nameKey(entry.name, rules), entry]))
    const hasParts = to?.entries.some(({name}) => name.endsWith(PART))
    const pairing = pairEntries(to?.entries ?? [], from.entries ?? [], {
      rules,
      known: options.known,
      direction: 'pull',
    })
    const {names, locals} = pairing
    const kept = new Set<LocalEntry>(locals.values())
    const taken = new Set([
      ...here.keys(),
      ...[...names.values()].map(name => nameKey(name, rules)),
    ])
    const besideFor = (name: string): Beside => {
      const free = freeName(name, next => taken.has(nameKey(next, rules)))
      taken.add(nameKey(free, rules))
      const earlier = [...here.values()].flatMap(one =>
        one.kind === 'file' && isNumbered(nameKey(one.name, rules), nameKey(name, rules))
          ? [one]
          : [],
      )
      return {path: below(path, free), name: free, parent: path, earlier}
    }
    for (const group of new Set(pairing.twins.values())) {
      for (const entry of group) known.set(entry.id, pairing.assigned.get(entry)!)
      if (group.every(entry => locals.has(entry))) continue
      twins.push(
        group.map(entry => ({
          id: entry.id,
          title: entry.title,
          path: below(path, names.get(entry)!),
        })),
      )
    }
    for (const entry of from.entries ?? []) {
      const name = names.get(entry)!
      const local = locals.get(entry)
      const at = below(path, name)
      const isFile = entry.kind === 'file'
      const part = hasParts && isFile ? here.get(nameKey(partOf(name), rules)) : undefined
      if (part) {
        kept.add(part)
        parts.set(at, part.path)
      }
      const isNew = !local && entry.kind !== 'other'
      if (isNew && name !== entry.title && !pairing.twins.has(entry)) {
        renamed.push({title: entry.title, path: at})
      }
      visitEntry(entry, local, name, path, besideFor)
    }
    if (!mirror || from.isPartial || !from.entries) return
    const documents = from.entries.flatMap(entry => {
      const document = entry.kind === 'file' ? entry.exported?.document : entry
      return document?.kind === 'other' ? [document] : []
    })
    const isKept = ({name}: LocalEntry) => documents.some(document => isCopy(document, name))
    for (const entry of to?.entries ?? []) {
      if (!kept.has(entry) && !isKept(entry)) remove(entry, path)
    }
  }

  /** A folder goes as a whole, unless it holds something that stays. */
  function remove(entry: LocalEntry, parent: string): void {
    const path = below(parent, entry.name)
    if (entry.kind === 'folder' && holdsLeftOut(entry)) {
      for (const inner of entry.entries) remove(inner, path)
    } else steps.push({action: 'remove', path})
  }

  function visitEntry(
    entry: RemoteEntry,
    here: LocalEntry | undefined,
    name: string,
    parent: string,
    besideFor: (name: string) => Beside,
  ): void {
    const path = below(parent, name)
    if (entry.kind === 'other') {
      const reason = `it is ${entry.what}, which has no content of its own`
      steps.push({action: 'skip', path, reason})
    } else if (here && here.kind !== entry.kind) {
      steps.push({action: 'fail', path, reason: `${wordFor(here)} of this name is in the way`})
    } else if (entry.kind === 'folder') {
      if (!here) steps.push({action: 'folder', path, name, parent})
      visit(entry, here?.kind === 'folder' ? here : undefined, path)
    } else if (here?.kind === 'file') {
      const pair = {path, local: here, remote: entry}
      steps.push({
        action: comparison(here, entry),
        ...pair,
        ...(renames && {beside: besideFor(name)}),
      })
    } else steps.push({action: 'download', path, remote: entry})
  }
}

/** An export has neither size nor sum, but the time of its document. */
function comparison(here: LocalFile, there: RemoteFile): 'same' | 'check' | 'replace' {
  if (there.exported) return isSameTime(here, there) ? 'same' : 'replace'
  return here.size === there.size && there.md5 !== undefined ? 'check' : 'replace'
}
