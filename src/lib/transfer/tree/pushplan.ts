import type {LocalEntry, LocalFolder, RemoteEntry, RemoteFolder} from './entries.js'
import {wordFor} from './entries.js'
import {titleKey} from '../local/names.js'
import {listed} from '../remote/resolveerror.js'
import {below, type PushStep} from './steps.js'

export interface PushPlan {
  /** In an order in which they can be done: a folder before what is in it, the trash at the end. */
  readonly steps: readonly PushStep[]
  /** IDs of the folders that are there, by path; '' for the top. */
  readonly folders: ReadonlyMap<string, string>
}

/**
 * What makes a folder of the service like one of this machine. Nothing is deleted unless `mirror`
 * is set, and then only where the local folder is known as a whole.
 */
export function planPush(
  local: LocalFolder,
  remote: RemoteFolder | undefined,
  {mirror}: {readonly mirror: boolean},
): PushPlan {
  const steps: PushStep[] = []
  const folders = new Map<string, string>()
  visit(local, remote, '')
  return {steps: [...steps.filter(isNoTrash), ...steps.filter(step => !isNoTrash(step))], folders}

  function visit(from: LocalFolder, to: RemoteFolder | undefined, path: string): void {
    if (to) folders.set(path, to.id)
    const there = group(to?.entries ?? [])
    const ours = new Map<string, LocalEntry[]>()
    for (const entry of from.entries) {
      const key = titleKey(entry.name)
      ours.set(key, [...(ours.get(key) ?? []), entry])
    }
    for (const [key, entries] of ours) {
      const [entry, second] = entries
      const at = below(path, entry!.name)
      if (second) {
        const paths = entries.map(one => one.path).join(' and ')
        steps.push({action: 'fail', path: at, reason: `${paths} have the same name`})
      } else visitEntry(entry!, there.get(key) ?? [], path)
    }
    if (!mirror || from.isPartial) return
    for (const [key, entries] of there) {
      if (ours.has(key)) continue
      for (const {id, title} of entries) {
        steps.push({action: 'trash', path: below(path, title), id})
      }
    }
  }

  function visitEntry(entry: LocalEntry, there: readonly RemoteEntry[], parent: string): void {
    const {name} = entry
    const path = below(parent, name)
    const [other, second] = there
    const fail = (reason: string) => steps.push({action: 'fail', path, reason})
    if (entry.kind === 'other') {
      const reason = `it is ${entry.what}`
      if (entry.isFault) fail(reason)
      else steps.push({action: 'skip', path, reason})
    } else if (second) {
      fail(`the folder has several things of this name: ${listed(there)}`)
    } else if (other && other.kind !== entry.kind) {
      fail(`${wordFor(other)} of this name is in the way (ID ${other.id})`)
    } else if (entry.kind === 'folder') {
      if (!other) steps.push({action: 'folder', path, name, parent})
      visit(entry, other?.kind === 'folder' ? other : undefined, path)
    } else if (other?.kind === 'file') {
      const action = other.size === entry.size && other.md5 !== undefined ? 'check' : 'replace'
      steps.push({action, path, local: entry, remote: other})
    } else steps.push({action: 'upload', path, name, parent, local: entry})
  }
}

function isNoTrash({action}: PushStep): boolean {
  return action !== 'trash'
}

function group(entries: readonly RemoteEntry[]): Map<string, RemoteEntry[]> {
  const groups = new Map<string, RemoteEntry[]>()
  for (const entry of entries) {
    const key = titleKey(entry.title)
    groups.set(key, [...(groups.get(key) ?? []), entry])
  }
  return groups
}
