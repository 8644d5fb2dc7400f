import {
  freeName,
  isNumbered,
  localName,
  nameKey,
  type NameRules,
} from '#lib/transfer/local/names.js'
import type {IsCopy} from '#lib/transfer/remote/exports.js'
import {PART, partOf} from '#lib/transfer/target.js'
import {
  entryKindText,
  isSameTime,
  type LocalEntry,
  type LocalFile,
  type RemoteEntry,
  type RemoteFile,
  type RemoteFolder,
} from './entries.js'
import {pairEntries} from './pair-entries.js'
import {type Beside, joinPath, type PullStep} from './steps.js'
import type {FolderPair, SubfolderPair} from './walk.js'

/** The plan that makes one local folder equal to a remote one, without its subfolders. */
export interface PullPlan {
  /** In executable order, removals last. */
  readonly steps: readonly PullStep[]
  /** The subfolders to plan next. */
  readonly below: readonly SubfolderPair[]
  /** New entries whose local names differ from their titles. */
  readonly renamed: readonly RenamedEntry[]
  /** Groups of entries that compete for a name, if some of them are new. */
  readonly twins: ReadonlyArray<readonly Twin[]>
  /** The names of all such entries from now on, by ID, for later plans. */
  readonly known: ReadonlyMap<string, string>
  /** Partial files of interrupted downloads, by the path of the file. */
  readonly parts: ReadonlyMap<string, string>
  readonly pair: FolderPair
}

/** An entry whose local name differs from its title. */
export interface RenamedEntry {
  readonly title: string
  readonly path: string
  /** Whether the title is a valid file name, and the entry has the name that it got in an earlier pull. */
  readonly isFromEarlier: boolean
}

/** One of several entries that compete for a name, and its local path. */
export interface Twin {
  readonly id: string
  readonly title: string
  readonly path: string
}

export interface PullPlanOptions {
  /** Whether to remove local entries that the service does not have. */
  readonly mirror: boolean
  readonly rules: NameRules
  /** The local names that entries had before, by ID. */
  readonly known?: ReadonlyMap<string, string>
  /** Recognizes copies of documents, which are never removed. */
  readonly isCopy?: IsCopy
  /** Whether to find a free name too, for content whose name is taken. */
  readonly renames?: boolean
  /** That name (default: a numbered one), and whether an earlier run may have chosen another one. */
  readonly besides?: {
    readonly name: (name: string) => string
    readonly isFor: (other: string, name: string) => boolean
  }
}

/**
 * Plans one folder. Removes entries only with `mirror`, and only if the remote folder is completely
 * known.
 */
export function planPull(pair: FolderPair, options: PullPlanOptions): PullPlan {
  const {mirror, rules, isCopy = () => false, renames, besides} = options
  const {path, fault, local: to} = pair
  const steps: PullStep[] = []
  const below: SubfolderPair[] = []
  const renamed: RenamedEntry[] = []
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
      const isTaken = (next: string) => taken.has(nameKey(next, rules))
      const wanted = besides?.name(name)
      const isFree = wanted !== undefined && !isTaken(wanted)
      const free = isFree ? wanted : freeName(wanted ?? name, isTaken)
      taken.add(nameKey(free, rules))
      const isEarlier = (other: string) =>
        besides?.isFor(other, name) ?? isNumbered(nameKey(other, rules), nameKey(name, rules))
      const earlier = [...here.values()].flatMap(one =>
        one.kind === 'file' && isEarlier(one.name) ? [one] : [],
      )
      return {path: joinPath(path, free), name: free, parent: path, earlier}
    }
    for (const group of new Set(pairing.twins.values())) {
      for (const entry of group) known.set(entry.id, pairing.assigned.get(entry)!)
      if (group.every(entry => locals.has(entry))) continue
      twins.push(
        group.map(entry => ({
          id: entry.id,
          title: entry.title,
          path: joinPath(path, names.get(entry)!),
        })),
      )
    }
    for (const entry of from.entries ?? []) {
      const name = names.get(entry)!
      const local = locals.get(entry)
      const at = joinPath(path, name)
      const isFile = entry.kind === 'file'
      const part = hasParts && isFile ? here.get(nameKey(partOf(name), rules)) : undefined
      if (part) {
        kept.add(part)
        parts.set(at, part.path)
      }
      const isNew = !local && entry.kind !== 'other'
      if (isNew && name !== entry.title && !pairing.twins.has(entry)) {
        const isFromEarlier = localName(entry.title, rules) === entry.title
        renamed.push({title: entry.title, path: at, isFromEarlier})
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
      steps.push({action: 'remove', path: joinPath(path, entry.name), entry})
    }
  }

  function visitEntry(
    entry: RemoteEntry,
    here: LocalEntry | undefined,
    name: string,
    besideFor: (name: string) => Beside,
  ): void {
    const at = joinPath(path, name)
    if (entry.kind === 'other') {
      const reason = entry.reason ?? `it is ${entry.what}, which has no content`
      steps.push({action: 'skip', path: at, reason})
    } else if (here && here.kind !== entry.kind) {
      steps.push({
        action: 'fail',
        path: at,
        reason: `${entryKindText(here)} with this name already exists`,
      })
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

/** An export has no size or MD5, only the modification time of its document. */
function comparison(here: LocalFile, there: RemoteFile): 'same' | 'check' | 'replace' {
  if (there.exported) return isSameTime(here, there) ? 'same' : 'replace'
  return here.size === there.size && there.md5 !== undefined ? 'check' : 'replace'
}
