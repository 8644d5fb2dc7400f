import {groupBy} from '#lib/platform/values.js'
import {titleForName} from '#lib/transfer/local/encode-name.js'
import {freeName, isNumbered, type NameRules, titleKey} from '#lib/transfer/local/names.js'
import type {IsCopy} from '#lib/transfer/remote/exports.js'
import {
  entryKindText,
  type LocalEntry,
  type LocalFile,
  type LocalFolder,
  type RemoteEntry,
  type RemoteFile,
  type RemoteFolder,
  type RemoteOther,
} from './entries.js'
import {pairEntries, type Pairing} from './pair-entries.js'
import {
  type Beside,
  type CheckStep,
  joinPath,
  type PushStep,
  type ReplaceStep,
  stepsOfAction,
} from './steps.js'
import type {FolderPair, SubfolderPair} from './walk.js'

/** The plan that makes one remote folder equal to a local one, without its subfolders. */
export interface PushPlan {
  /** In executable order, trashing last. */
  readonly steps: readonly PushStep[]
  /** The subfolders to plan next. */
  readonly below: readonly SubfolderPair[]
  /** Local entries that correspond to one of several remote ones with the same name. */
  readonly twins: readonly PushedTwin[]
  readonly pair: FolderPair
}

/** A local entry that corresponds to one of several remote ones. */
export interface PushedTwin {
  readonly path: string
  /** The local name that a pull gives it. */
  readonly name: string
  /** Number of remote entries that compete for the name. */
  readonly count: number
  /** Whether the choice among them is a guess. */
  readonly isGuess: boolean
}

export interface PushPlanOptions {
  /** Whether to trash remote entries that do not exist here. */
  readonly mirror: boolean
  readonly rules?: NameRules
  /** The local names that entries had before, by ID. */
  readonly known?: ReadonlyMap<string, string>
  /** Recognizes copies of documents, which are never uploaded. */
  readonly isCopy?: IsCopy
  /** Whether to find a free name too, for content whose name is taken. */
  readonly renames?: boolean
  /**
   * The title for such content (default: the first free one with a number). With it, an entry whose name another
   * kind of entry has gets such a title too.
   */
  readonly besideTitle?: (title: string) => string
  /** Whether files are converted; one is then skipped if a document of its name exists. */
  readonly converts?: boolean
}

/**
 * Plans one folder. Trashes entries only with `mirror`, and only if the local folder is completely known. Never trashes
 * entries that a pull can leave out: editor documents and shortcuts.
 */
export function planPush(pair: FolderPair, options: PushPlanOptions): PushPlan {
  const {
    mirror,
    rules = CASE_SENSITIVE,
    known,
    isCopy = () => false,
    renames,
    converts,
    besideTitle,
  } = options
  const {local: from, remote: to, path, fault} = pair
  const steps: PushStep[] = []
  const below: SubfolderPair[] = []
  const twins: PushedTwin[] = []
  if (fault !== undefined) steps.push({action: 'fail', path, reason: fault})
  else if (from) visit(from)
  return {steps, below, twins, pair}

  function visit(from: LocalFolder): void {
    const there = to?.entries ?? []
    const pairing = pairEntries(from.entries, there, {rules, known, direction: 'push'})
    const {remotes, locals} = pairing
    const ours = groupBy(from.entries, entry => titleKey(titleOf(entry)))
    const taken = new Set([...there.map(({title}) => titleKey(title)), ...ours.keys()])
    const documents = there.filter(one => one.kind === 'other')
    const siblings = {taken, pairing, documents}
    for (const entries of ours.values()) {
      const [entry] = entries
      const paired = entries.filter(one => remotes.has(one)).length
      const isDistinct = new Set(entries.map(titleOf)).size === entries.length
      // Two spellings of a title are separate files if the service already has one of them.
      if (entries.length === 1 || paired === entries.length || (isDistinct && paired > 0)) {
        for (const one of entries) visitEntry(one, siblings)
      } else {
        const paths = entries.map(one => one.path).join(' and ')
        const reason = `${paths} have the same name`
        steps.push({action: 'fail', path: joinPath(path, entry!.name), reason})
      }
    }
    if (!mirror || from.isPartial) return
    for (const entry of there) {
      if (locals.has(entry)) continue
      const isCopied =
        entry.kind === 'other' &&
        from.entries.some(({kind, name}) => kind === 'file' && isCopy(entry, name))
      if (isCopied) continue
      if (entry.kind === 'other') {
        // A pull may have left it out, so that its absence here says nothing.
        const reason = `it is ${entry.what} without a local copy; --delete does not trash it`
        steps.push({action: 'skip', path: joinPath(path, pairing.names.get(entry)!), reason})
        continue
      }
      const group = pairing.twins.get(entry) ?? []
      if (known?.has(entry.id) || !group.some(one => locals.has(one))) {
        const trashed = entry.shortcut ?? entry
        steps.push({action: 'trash', path: joinPath(path, entry.title), entry: trashed})
      } else {
        const reason = `${entryKindText(entry)} with this name exists on this machine, but it may be a different one (ID ${entry.id})`
        steps.push({action: 'skip', path: joinPath(path, pairing.names.get(entry)!), reason})
      }
    }
  }

  /** The document that a file is a copy of, unless the service also has a file with its name. */
  function originalOf(entry: LocalEntry, other: RemoteEntry | undefined, {documents}: Siblings) {
    if (entry.kind !== 'file' || (other && other.kind !== 'other')) return undefined
    return documents.find(one => isCopy(one, entry.name))
  }

  function visitEntry(entry: LocalEntry, siblings: Siblings): void {
    const {pairing} = siblings
    const title = titleOf(entry)
    const at = joinPath(path, entry.name)
    const other = pairing.remotes.get(entry)
    const fail = (reason: string) => steps.push({action: 'fail', path: at, reason})
    const original = originalOf(entry, other, siblings)
    if (original) {
      const reason = `it is a copy of ${entryKindText(original)}, ${original.title} (ID ${original.id})`
      steps.push({action: 'skip', path: at, reason})
    } else if (entry.kind === 'other') {
      const reason = `it is ${entry.what}`
      if (entry.isFault) fail(reason)
      else steps.push({action: 'skip', path: at, reason})
    } else if (entry.kind === 'file' && other?.kind === 'other' && converts) {
      const reason = `it already exists in the service as ${entryKindText(other)} (ID ${other.id})`
      steps.push({action: 'skip', path: at, reason})
    } else if (other && other.kind !== entry.kind && besideTitle && other.kind !== 'other') {
      const {path: beside, name} = besideFor(title, path, {taken: siblings.taken, to, besideTitle})
      if (entry.kind === 'file') {
        steps.push({action: 'upload', path: beside, name, parent: path, local: entry})
      } else {
        steps.push({action: 'folder', path: at, name, parent: path})
        below.push({path: at, local: entry})
      }
    } else if (other && other.kind !== entry.kind) {
      fail(`${entryKindText(other)} with this name already exists (ID ${other.id})`)
    } else if (entry.kind === 'folder') {
      if (other) noteTwin(other, pairing, at)
      else steps.push({action: 'folder', path: at, name: title, parent: path})
      below.push({path: at, local: entry, ...(other?.kind === 'folder' && {remote: other})})
    } else if (other?.kind === 'file') {
      noteTwin(other, pairing, at)
      const candidates = known?.has(other.id) ? [] : unpairedTwins(other, pairing)
      const isCandidate = [other, ...candidates].some(one => isAlike(entry, one))
      const action = isCandidate ? 'check' : 'replace'
      const place = {taken: siblings.taken, to, besideTitle}
      const beside = renames && besideFor(title, path, place)
      steps.push({
        ...{action, path: at, local: entry, remote: other},
        ...(beside && {beside}),
        ...(candidates.length > 0 && {candidates}),
      })
    } else steps.push({action: 'upload', path: at, name: title, parent: path, local: entry})
  }

  function noteTwin(other: RemoteEntry, {twins: all, assigned, locals}: Pairing, path: string) {
    const group = all.get(other)
    if (!group) return
    const isGuess = !known?.has(other.id) && !group.every(one => locals.has(one))
    twins.push({path, name: assigned.get(other)!, count: group.length, isGuess})
  }

  /** Files with the same title that correspond to nothing here, so any of them may be the right one. */
  function unpairedTwins(file: RemoteFile, {twins: all, locals}: Pairing): RemoteFile[] {
    const isMeant = ({id, title}: RemoteFile) =>
      titleKey(title) === titleKey(file.title) && !known?.has(id)
    return (all.get(file) ?? []).filter(
      (one): one is RemoteFile => one.kind === 'file' && !locals.has(one) && isMeant(one),
    )
  }

  function titleOf({name, title}: LocalEntry & {readonly title?: string}): string {
    return title ?? titleForName(name, rules.isWindows)
  }
}

/**
 * The step that replaces the content of a remote file with that of a local one. `folder` is the remote
 * file's parent, for finding a free name in it.
 */
export function planContent(
  local: LocalFile,
  remote: RemoteFile,
  folder?: RemoteFolder,
): CheckStep | ReplaceStep {
  const {title: path} = remote
  const taken = new Set((folder?.entries ?? []).map(({title}) => titleKey(title)))
  const beside = folder && besideFor(path, '', {taken, to: folder})
  const action = isAlike(local, remote) ? 'check' : 'replace'
  return {action, path, local, remote, ...(beside && {beside})}
}

/** Whether the contents may be equal; unknown for a stream. */
function isAlike(local: LocalFile, {size, md5}: RemoteFile): boolean {
  return !local.stream && size === local.size && md5 !== undefined
}

interface BesidePlace extends Pick<PushPlanOptions, 'besideTitle'> {
  /** The keys of titles that exist. */
  readonly taken: Set<string>
  readonly to: RemoteFolder | undefined
}

function besideFor(title: string, parent: string, {taken, to, besideTitle}: BesidePlace): Beside {
  const isTaken = (next: string) => taken.has(titleKey(next))
  const given = besideTitle?.(title)
  const free = given === undefined || isTaken(given) ? freeName(given ?? title, isTaken) : given
  taken.add(titleKey(free))
  const earlier = (to?.entries ?? []).flatMap(one =>
    one.kind === 'file' && isNumbered(titleKey(one.title), titleKey(title)) ? [one] : [],
  )
  return {path: joinPath(parent, free), name: free, parent, earlier}
}

/** The twins of a folder with their IDs, after its `check` steps are decided. */
export function resolveTwins(
  {twins, below}: PushPlan,
  steps: readonly PushStep[],
): Array<PushedTwin & {readonly id: string}> {
  const ids = new Map([
    ...below.map(({path, remote}) => [path, remote?.id] as const),
    ...stepsOfAction(steps, 'same', 'replace').map(({path, remote}) => [path, remote.id] as const),
  ])
  return twins.flatMap(twin => {
    const id = ids.get(twin.path)
    return id === undefined ? [] : [{...twin, id}]
  })
}

const CASE_SENSITIVE: NameRules = {isWindows: false, isCaseSensitive: true}

/** The context of an entry: the keys of titles on both sides, the pairs, and the remote documents. */
interface Siblings {
  readonly taken: Set<string>
  readonly pairing: Pairing
  readonly documents: readonly RemoteOther[]
}
