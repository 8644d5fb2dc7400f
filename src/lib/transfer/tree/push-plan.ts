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
import {holdsLeftOut} from './leftout.js'
import {pairEntries, type Pairing} from './pair-entries.js'
import {below, type Beside, only, type PushStep} from './steps.js'

export interface PushPlan {
  /** In an order in which they can be done: a folder before what is in it, the trash at the end. */
  readonly steps: readonly PushStep[]
  /** IDs of the folders that are there, by path; '' for the top. */
  readonly folders: ReadonlyMap<string, string>
  /** IDs of all that was in those folders when the plan was made. */
  readonly seen: ReadonlySet<string>
  /** What is here of several things that would have the same name. */
  readonly twins: readonly PushedTwin[]
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
  /** What becomes an editor document is not sent where one of its name is. */
  readonly converts?: boolean
}

/**
 * What makes a folder of the service like one of this machine. Nothing is deleted unless `mirror`
 * is set, and then only where the local folder is known as a whole.
 */
export function planPush(
  local: LocalFolder,
  remote: RemoteFolder | undefined,
  options: PushPlanOptions,
): PushPlan {
  const {mirror, rules = CASE_SENSITIVE, known, isCopy = () => false, renames, converts} = options
  const steps: PushStep[] = []
  const folders = new Map<string, string>()
  const seen = new Set<string>()
  const twins: PushedTwin[] = []
  visit(local, remote, '')
  const isLast = ({action}: PushStep) => action === 'trash'
  return {
    steps: [...steps.filter(step => !isLast(step)), ...steps.filter(isLast)],
    folders,
    seen,
    twins,
  }

  function visit(from: LocalFolder, to: RemoteFolder | undefined, path: string): void {
    if (to) folders.set(path, to.id)
    const there = to?.entries ?? []
    for (const {id} of there) seen.add(id)
    const pairing = pairEntries(from.entries, there, {rules, known, direction: 'push'})
    const {remotes, locals} = pairing
    const ours = groupBy(from.entries, entry => titleKey(titleOf(entry)))
    const taken = new Set([...there.map(({title}) => titleKey(title)), ...ours.keys()])
    const documents = there.filter(one => one.kind === 'other')
    const siblings = {to, taken, pairing, documents}
    for (const entries of ours.values()) {
      const [entry] = entries
      const paired = entries.filter(one => remotes.has(one)).length
      const isDistinct = new Set(entries.map(titleOf)).size === entries.length
      // Two spellings of one title are two files where the service has one of them already.
      if (entries.length === 1 || paired === entries.length || (isDistinct && paired > 0)) {
        for (const one of entries) visitEntry(one, siblings, path)
      } else {
        const paths = entries.map(one => one.path).join(' and ')
        const reason = `${paths} have the same name`
        steps.push({action: 'fail', path: below(path, entry!.name), reason})
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
      if (known?.has(entry.id) || !group.some(one => locals.has(one))) trash(entry, path)
      else {
        const reason = `${wordFor(entry)} of this name is here, but perhaps not this one (ID ${entry.id})`
        steps.push({action: 'skip', path: below(path, pairing.names.get(entry)!), reason})
      }
    }
  }

  /** A folder goes as a whole, unless it holds something that stays. */
  function trash(entry: RemoteEntry, parent: string): void {
    const path = below(parent, entry.title)
    if (entry.kind === 'folder' && holdsLeftOut(entry)) {
      for (const inner of entry.entries ?? []) trash(inner, path)
    } else steps.push({action: 'trash', path, id: entry.id})
  }

  /** The document that a file is a copy of, unless the service has a file of its name too. */
  function originalOf(entry: LocalEntry, other: RemoteEntry | undefined, {documents}: Siblings) {
    if (entry.kind !== 'file' || (other && other.kind !== 'other')) return undefined
    return documents.find(one => isCopy(one, entry.name))
  }

  function visitEntry(entry: LocalEntry, siblings: Siblings, parent: string): void {
    const {pairing} = siblings
    const title = titleOf(entry)
    const path = below(parent, entry.name)
    const other = pairing.remotes.get(entry)
    const fail = (reason: string) => steps.push({action: 'fail', path, reason})
    const original = originalOf(entry, other, siblings)
    if (original) {
      const reason = `it is a copy of ${wordFor(original)}, ${original.title} (ID ${original.id})`
      steps.push({action: 'skip', path, reason})
    } else if (entry.kind === 'other') {
      const reason = `it is ${entry.what}`
      if (entry.isFault) fail(reason)
      else steps.push({action: 'skip', path, reason})
    } else if (entry.kind === 'file' && other?.kind === 'other' && converts) {
      const reason = `it is ${wordFor(other)} there already (ID ${other.id})`
      steps.push({action: 'skip', path, reason})
    } else if (other && other.kind !== entry.kind) {
      fail(`${wordFor(other)} of this name is in the way (ID ${other.id})`)
    } else if (entry.kind === 'folder') {
      if (other) noteTwin(other, pairing, path)
      else steps.push({action: 'folder', path, name: title, parent})
      visit(entry, other?.kind === 'folder' ? other : undefined, path)
    } else if (other?.kind === 'file') {
      noteTwin(other, pairing, path)
      const candidates = known?.has(other.id) ? [] : unpairedTwins(other, pairing)
      const isCandidate = [other, ...candidates].some(one => isAlike(entry, one))
      const action = isCandidate ? 'check' : 'replace'
      const beside = renames && besideFor(title, parent, siblings)
      steps.push({
        ...{action, path, local: entry, remote: other},
        ...(beside && {beside}),
        ...(candidates.length > 0 && {candidates}),
      })
    } else steps.push({action: 'upload', path, name: title, parent, local: entry})
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
 * What gives a file of the service, wherever it is, the content of one of this machine. `siblings` is its
 * folder, where a conflict is to be resolved by another name in it.
 */
export function planContent(
  local: LocalFile,
  remote: RemoteFile,
  siblings?: RemoteFolder,
): PushPlan {
  const {title: path} = remote
  const taken = new Set((siblings?.entries ?? []).map(({title}) => titleKey(title)))
  const beside = siblings && besideFor(path, '', {to: siblings, taken})
  const action = isAlike(local, remote) ? 'check' : 'replace'
  const folders = new Map(siblings ? [['', siblings.id]] : [])
  const seen = new Set([remote.id])
  return {
    steps: [{action, path, local, remote, ...(beside && {beside})}],
    folders,
    seen,
    twins: [],
  }
}

/** Whether the content may be the same. Nothing is known of a stream before. */
function isAlike(local: LocalFile, {size, md5}: RemoteFile): boolean {
  return !local.stream && size === local.size && md5 !== undefined
}

function besideFor(
  title: string,
  parent: string,
  {to, taken}: Pick<Siblings, 'to' | 'taken'>,
): Beside {
  const free = freeName(title, next => taken.has(titleKey(next)))
  taken.add(titleKey(free))
  const earlier = (to?.entries ?? []).flatMap(one =>
    one.kind === 'file' && isNumbered(titleKey(one.title), titleKey(title)) ? [one] : [],
  )
  return {path: below(parent, free), name: free, parent, earlier}
}

/** The twins of a plan with their IDs, as far as they stay what they are; its `check` steps are decided. */
export function resolveTwins(
  {twins, folders}: PushPlan,
  steps: readonly PushStep[],
): Array<PushedTwin & {readonly id: string}> {
  const files = new Map(only(steps, 'same', 'replace').map(({path, remote}) => [path, remote.id]))
  return twins.flatMap(twin => {
    const id = folders.get(twin.path) ?? files.get(twin.path)
    return id === undefined ? [] : [{...twin, id}]
  })
}

const CASE_SENSITIVE: NameRules = {isWindows: false, isCaseSensitive: true}

/** What is in a folder of the service, the keys of all titles on either side, and what belongs together. */
interface Siblings {
  readonly to: RemoteFolder | undefined
  readonly taken: Set<string>
  readonly pairing: Pairing
  readonly documents: readonly RemoteOther[]
}
