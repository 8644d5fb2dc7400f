import type {LocalEntry, LocalFolder, RemoteEntry, RemoteFolder} from './entries.js'
import {wordFor} from './entries.js'
import {groupBy} from './groups.js'
import {holdsLeftOut} from './leftout.js'
import {freeName, isNumbered, titleKey} from '../local/names.js'
import type {IsCopy} from '../remote/exports.js'
import {listWithIds} from '../remote/resolveerror.js'
import {type Beside, below, type PushStep} from './steps.js'

export interface PushPlan {
  /** In an order in which they can be done: a folder before what is in it, the trash at the end. */
  readonly steps: readonly PushStep[]
  /** IDs of the folders that are there, by path; '' for the top. */
  readonly folders: ReadonlyMap<string, string>
}

export interface PushPlanOptions {
  /** Trash what this machine does not have. */
  readonly mirror: boolean
  /** What is a copy of a document stands for it here, and never goes up. */
  readonly isCopy?: IsCopy
  /** Find a free name too for what other content has the name of. */
  readonly renames?: boolean
}

/**
 * What makes a folder of the service like one of this machine. Nothing is deleted unless `mirror`
 * is set, and then only where the local folder is known as a whole.
 */
export function planPush(
  local: LocalFolder,
  remote: RemoteFolder | undefined,
  {mirror, isCopy = () => false, renames}: PushPlanOptions,
): PushPlan {
  const steps: PushStep[] = []
  const folders = new Map<string, string>()
  visit(local, remote, '')
  const isLast = ({action}: PushStep) => action === 'trash'
  return {steps: [...steps.filter(step => !isLast(step)), ...steps.filter(isLast)], folders}

  function visit(from: LocalFolder, to: RemoteFolder | undefined, path: string): void {
    if (to) folders.set(path, to.id)
    const there = groupBy(to?.entries ?? [], ({title}) => titleKey(title))
    const ours = groupBy(from.entries, ({name}) => titleKey(name))
    const taken = new Set([...there.keys(), ...ours.keys()])
    for (const [key, entries] of ours) {
      const [entry, second] = entries
      const siblings = {to, taken}
      const at = below(path, entry!.name)
      if (second) {
        const paths = entries.map(one => one.path).join(' and ')
        steps.push({action: 'fail', path: at, reason: `${paths} have the same name`})
      } else visitEntry(entry!, there.get(key) ?? [], siblings, path)
    }
    if (!mirror || from.isPartial) return
    for (const [key, entries] of there) {
      if (ours.has(key)) continue
      for (const entry of entries) {
        const isHere = (name: string) => entry.kind === 'other' && isCopy(entry, name)
        if (!from.entries.some(({kind, name}) => kind === 'file' && isHere(name))) {
          trash(entry, path)
        }
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

  function besideFor(name: string, parent: string, {to, taken}: Siblings): Beside {
    const free = freeName(name, next => taken.has(titleKey(next)))
    taken.add(titleKey(free))
    const earlier = (to?.entries ?? []).flatMap(one =>
      one.kind === 'file' && isNumbered(titleKey(one.title), titleKey(name)) ? [one] : [],
    )
    return {path: below(parent, free), name: free, parent, earlier}
  }

  /** The document that a file is a copy of, unless the service has a file of its name too. */
  function originalOf(entry: LocalEntry, there: readonly RemoteEntry[], to?: RemoteFolder) {
    if (entry.kind !== 'file' || there.some(({kind}) => kind !== 'other')) return undefined
    return to?.entries?.find(one => one.kind === 'other' && isCopy(one, entry.name))
  }

  function visitEntry(
    entry: LocalEntry,
    there: readonly RemoteEntry[],
    {to, taken}: Siblings,
    parent: string,
  ): void {
    const {name} = entry
    const path = below(parent, name)
    const [other, second] = there
    const fail = (reason: string) => steps.push({action: 'fail', path, reason})
    const original = originalOf(entry, there, to)
    if (original) {
      const reason = `it is a copy of ${wordFor(original)}, ${original.title} (ID ${original.id})`
      steps.push({action: 'skip', path, reason})
    } else if (entry.kind === 'other') {
      const reason = `it is ${entry.what}`
      if (entry.isFault) fail(reason)
      else steps.push({action: 'skip', path, reason})
    } else if (second) {
      fail(`the folder has several things of this name: ${listWithIds(there)}`)
    } else if (other && other.kind !== entry.kind) {
      fail(`${wordFor(other)} of this name is in the way (ID ${other.id})`)
    } else if (entry.kind === 'folder') {
      if (!other) steps.push({action: 'folder', path, name, parent})
      visit(entry, other?.kind === 'folder' ? other : undefined, path)
    } else if (other?.kind === 'file') {
      const action = other.size === entry.size && other.md5 !== undefined ? 'check' : 'replace'
      const beside = renames && besideFor(name, parent, {to, taken})
      steps.push({action, path, local: entry, remote: other, ...(beside && {beside})})
    } else steps.push({action: 'upload', path, name, parent, local: entry})
  }
}

/** What is in a folder of the service, and the keys of all names that are taken on either side. */
interface Siblings {
  readonly to: RemoteFolder | undefined
  readonly taken: Set<string>
}
