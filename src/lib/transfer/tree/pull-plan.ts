import {freeName, isNumbered, nameKey, type NameRules} from '#lib/transfer/local/names.js'
import type {IsCopy} from '#lib/transfer/remote/exports.js'
import {PART, partOf} from '#lib/transfer/target.js'
import {
  isSameTime,
  type LocalEntry,
  type LocalFile,
  type RemoteEntry,
  type RemoteFile,
  type RemoteFolder,
  wordFor,
} from './entries.js'
import {pairEntries} from './pair-entries.js'
import {type Beside, pathBelow, type PullStep} from './steps.js'
import type {Below, Pair} from './walk.js'

/** What makes one folder of this machine like one of the service, but for the folders in it. */
export interface PullPlan {
  /** In an order in which they can be done. What is removed goes last of all. */
  readonly steps: readonly PullStep[]
  /** The folders in it that are to become alike. */
  readonly below: readonly Below[]
  /** New entries whose local names differ from their titles. */
  readonly renamed: ReadonlyArray<{readonly title: string; readonly path: string}>
  /** Entries of one folder that would have the same name, some of them new. */
  readonly twins: ReadonlyArray<readonly Twin[]>
  /** The names that all such entries have from now on, by ID, for later plans. */
  readonly known: ReadonlyMap<string, string>
  /** What interrupted downloads of files left beside them, by the file's path. */
  readonly parts: ReadonlyMap<string, string>
  readonly pair: Pair
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
 * Plans for one folder. Nothing is removed unless `mirror` is set, and then only where the remote folder
 * is known as a whole.
 */
export function planPull(pair: Pair, options: PullPlanOptions): PullPlan {
  const {mirror, rules, isCopy = () => false, renames} = options
  const {path, fault, local: to} = pair
  const steps: PullStep[] = []
  const below: Below[] = []
  const renamed: Array<{title: string; path: string}> = []
  const twins: Twin[][] = []
  const known = new Map<string, string>()
  const parts = new Map<string, string>()
  if (fault !== undefined) steps.push({action: 'fail', path, reason: fault})
  else if (pair.remote) visit(pair.remote)
  return {steps, below, renamed, twins, known, parts, pair}

  function visit(from: RemoteFolder): void {
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
      return {path: pathBelow(path, free), name: free, parent: path, earlier}
    }
    for (const group of new Set(pairing.twins.values())) {
      for (const entry of group) known.set(entry.id, pairing.assigned.get(entry)!)
      if (group.every(entry => locals.has(entry))) continue
      twins.push(
        group.map(entry => ({
          id: entry.id,
          title: entry.title,
          path: pathBelow(path, names.get(entry)!),
        })),
      )
    }
    for (const entry of from.entries ?? []) {
      const name = names.get(entry)!
      const local = locals.get(entry)
      const at = pathBelow(path, name)
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
      visitEntry(entry, local, name, besideFor)
    }
    if (!mirror || from.isPartial || !from.entries) return
    const documents = from.entries.flatMap(entry => {
      const document = entry.kind === 'file' ? entry.exported?.document : entry
      return document?.kind === 'other' ? [document] : []
    })
    const isKept = ({name}: LocalEntry) => documents.some(document => isCopy(document, name))
    for (const entry of to?.entries ?? []) {
      if (kept.has(entry) || isKept(entry)) continue
      steps.push({action: 'remove', path: pathBelow(path, entry.name), entry})
    }
  }

  function visitEntry(
    entry: RemoteEntry,
    here: LocalEntry | undefined,
    name: string,
    besideFor: (name: string) => Beside,
  ): void {
    const at = pathBelow(path, name)
    if (entry.kind === 'other') {
      const reason = entry.reason ?? `it is ${entry.what}, which has no content of its own`
      steps.push({action: 'skip', path: at, reason})
    } else if (here && here.kind !== entry.kind) {
      steps.push({action: 'fail', path: at, reason: `${wordFor(here)} of this name is in the way`})
    } else if (entry.kind === 'folder') {
      if (!here) steps.push({action: 'folder', path: at, name, parent: path})
      below.push({path: at, remote: entry, ...(here?.kind === 'folder' && {local: here})})
    } else if (here?.kind === 'file') {
      const both = {path: at, local: here, remote: entry}
      steps.push({
        action: comparison(here, entry),
        ...both,
        ...(renames && {beside: besideFor(name)}),
      })
    } else steps.push({action: 'download', path: at, remote: entry})
  }
}

/** An export has neither size nor sum, but the time of its document. */
function comparison(here: LocalFile, there: RemoteFile): 'same' | 'check' | 'replace' {
  if (there.exported) return isSameTime(here, there) ? 'same' : 'replace'
  return here.size === there.size && there.md5 !== undefined ? 'check' : 'replace'
}
