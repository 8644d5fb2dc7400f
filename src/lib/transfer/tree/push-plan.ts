import {groupBy} from '#lib/platform/values.js'
import {decodeName} from '#lib/transfer/local/encode-name.js'
import {freeName, isNumbered, type NameRules, titleKey} from '#lib/transfer/local/names.js'
import type {IsCopy} from '#lib/transfer/remote/exports.js'
import {
  type LocalEntry,
  type LocalFile,
  type LocalFolder,
  type RemoteEntry,
  type RemoteFile,
  type RemoteFolder,
  type RemoteOther,
  wordFor,
} from './entries.js'
import {pairEntries, type Pairing} from './pair-entries.js'
import {
  type Beside,
  type CheckStep,
  only,
  pathBelow,
  type PushStep,
  type ReplaceStep,
} from './steps.js'
import type {Below, Pair} from './walk.js'

/** What makes one folder of the service like one of this machine, but for the folders in it. */
export interface PushPlan {
  /** In an order in which they can be done. What goes to the trash goes last of all. */
  readonly steps: readonly PushStep[]
  /** The folders in it that are to become alike. */
  readonly below: readonly Below[]
  /** What is here of several things that would have the same name. */
  readonly twins: readonly PushedTwin[]
  readonly pair: Pair
}

/** One thing here that stands for one of several in the service. */
export interface PushedTwin {
  readonly path: string
  /** The local name that a pull gives it. */
  readonly name: string
  /** How many things of the service would have that name. */
  readonly count: number
  /** Nothing tells which of them it stands for. */
  readonly isGuess: boolean
}

export interface PushPlanOptions {
  /** Trash what this machine does not have. */
  readonly mirror: boolean
  readonly rules?: NameRules
  /** The local names that entries had before, by ID. */
  readonly known?: ReadonlyMap<string, string>
  /** What is a copy of a document stands for it here, and never goes up. */
  readonly isCopy?: IsCopy
  /** Find a free name too for what other content has the name of. */
  readonly renames?: boolean
  /** What becomes an editor document is not sent where one of its name exists. */
  readonly converts?: boolean
}

/**
 * Plans for one folder. Nothing is deleted unless `mirror` is set, and then only where the local folder
 * is known as a whole.
 */
export function planPush(pair: Pair, options: PushPlanOptions): PushPlan {
  const {mirror, rules = CASE_SENSITIVE, known, isCopy = () => false, renames, converts} = options
  const {local: from, remote: to, path, fault} = pair
  const steps: PushStep[] = []
  const below: Below[] = []
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
      // Two spellings of one title are two files where the service has one of them already.
      if (entries.length === 1 || paired === entries.length || (isDistinct && paired > 0)) {
        for (const one of entries) visitEntry(one, siblings)
      } else {
        const paths = entries.map(one => one.path).join(' and ')
        const reason = `${paths} have the same name`
        steps.push({action: 'fail', path: pathBelow(path, entry!.name), reason})
      }
    }
    if (!mirror || from.isPartial) return
    for (const entry of there) {
      if (locals.has(entry)) continue
      const isCopied =
        entry.kind === 'other' &&
        from.entries.some(({kind, name}) => kind === 'file' && isCopy(entry, name))
      if (isCopied) continue
      const group = pairing.twins.get(entry) ?? []
      if (known?.has(entry.id) || !group.some(one => locals.has(one))) {
        const shortcut = entry.kind === 'other' ? undefined : entry.shortcut
        const trashed = shortcut ?? entry
        steps.push({action: 'trash', path: pathBelow(path, entry.title), entry: trashed})
      } else {
        const reason = `${wordFor(entry)} of this name is here, but perhaps not this one (ID ${entry.id})`
        steps.push({action: 'skip', path: pathBelow(path, pairing.names.get(entry)!), reason})
      }
    }
  }

  /** The document that a file is a copy of, unless the service has a file of its name too. */
  function originalOf(entry: LocalEntry, other: RemoteEntry | undefined, {documents}: Siblings) {
    if (entry.kind !== 'file' || (other && other.kind !== 'other')) return undefined
    return documents.find(one => isCopy(one, entry.name))
  }

  function visitEntry(entry: LocalEntry, siblings: Siblings): void {
    const {pairing} = siblings
    const title = titleOf(entry)
    const at = pathBelow(path, entry.name)
    const other = pairing.remotes.get(entry)
    const fail = (reason: string) => steps.push({action: 'fail', path: at, reason})
    const original = originalOf(entry, other, siblings)
    if (original) {
      const reason = `it is a copy of ${wordFor(original)}, ${original.title} (ID ${original.id})`
      steps.push({action: 'skip', path: at, reason})
    } else if (entry.kind === 'other') {
      const reason = `it is ${entry.what}`
      if (entry.isFault) fail(reason)
      else steps.push({action: 'skip', path: at, reason})
    } else if (entry.kind === 'file' && other?.kind === 'other' && converts) {
      const reason = `it is ${wordFor(other)} there already (ID ${other.id})`
      steps.push({action: 'skip', path: at, reason})
    } else if (other && other.kind !== entry.kind) {
      fail(`${wordFor(other)} of this name is in the way (ID ${other.id})`)
    } else if (entry.kind === 'folder') {
      if (other) noteTwin(other, pairing, at)
      else steps.push({action: 'folder', path: at, name: title, parent: path})
      below.push({path: at, local: entry, ...(other?.kind === 'folder' && {remote: other})})
    } else if (other?.kind === 'file') {
      noteTwin(other, pairing, at)
      const candidates = known?.has(other.id) ? [] : unpairedTwins(other, pairing)
      const isCandidate = [other, ...candidates].some(one => isAlike(entry, one))
      const action = isCandidate ? 'check' : 'replace'
      const beside = renames && besideFor(title, path, {taken: siblings.taken, to})
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

  /** Files of the same title that nothing here stands for, so that any of them may be meant. */
  function unpairedTwins(file: RemoteFile, {twins: all, locals}: Pairing): RemoteFile[] {
    const isMeant = ({id, title}: RemoteFile) =>
      titleKey(title) === titleKey(file.title) && !known?.has(id)
    return (all.get(file) ?? []).filter(
      (one): one is RemoteFile => one.kind === 'file' && !locals.has(one) && isMeant(one),
    )
  }

  function titleOf({name, title}: LocalEntry & {readonly title?: string}): string {
    // A service gives a name of its own to what has an empty title.
    return title ?? (decodeName(name, rules.isWindows) || name)
  }
}

/**
 * The step that gives a file of the service, wherever it is, the content of one of this machine; `folder`
 * is the one that it is in, where another name in that is to be found for other content.
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

/** Whether the content may be the same. Nothing is known of a stream before. */
function isAlike(local: LocalFile, {size, md5}: RemoteFile): boolean {
  return !local.stream && size === local.size && md5 !== undefined
}

function besideFor(
  title: string,
  parent: string,
  {taken, to}: {readonly taken: Set<string>; readonly to: RemoteFolder | undefined},
): Beside {
  const free = freeName(title, next => taken.has(titleKey(next)))
  taken.add(titleKey(free))
  const earlier = (to?.entries ?? []).flatMap(one =>
    one.kind === 'file' && isNumbered(titleKey(one.title), titleKey(title)) ? [one] : [],
  )
  return {path: pathBelow(parent, free), name: free, parent, earlier}
}

/** The twins of a folder with their IDs, as far as they stay what they are; its `check` steps are decided. */
export function resolveTwins(
  {twins, below}: PushPlan,
  steps: readonly PushStep[],
): Array<PushedTwin & {readonly id: string}> {
  const ids = new Map([
    ...below.map(({path, remote}) => [path, remote?.id] as const),
    ...only(steps, 'same', 'replace').map(({path, remote}) => [path, remote.id] as const),
  ])
  return twins.flatMap(twin => {
    const id = ids.get(twin.path)
    return id === undefined ? [] : [{...twin, id}]
  })
}

const CASE_SENSITIVE: NameRules = {isWindows: false, isCaseSensitive: true}

/** What is in a folder of the service, the keys of all titles on either side, and what belongs together. */
interface Siblings {
  readonly taken: Set<string>
  readonly pairing: Pairing
  readonly documents: readonly RemoteOther[]
}
