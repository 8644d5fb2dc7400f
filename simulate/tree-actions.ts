import type {Action, Machine, Maker} from './action.js'
import {editTree, type LocalTree, readTree} from './local.js'
import {created, type Remote, type RemoteItem} from './remote.js'

/** Pushes and pulls of whole folders. */

function pushed(machine: Machine, remote: Remote, isDeleting: boolean): string[] {
  const top = `${machine.area}/tree`
  const tree = readTree(machine.work)
  const wanted: string[] = remote.at(top) ? [] : [created(top, 'folder')]
  for (const [path, sum] of tree) {
    const item = remote.at(`${top}/${path}`)
    if (!item) wanted.push(created(`${top}/${path}`, sum))
    else if (sum !== 'folder' && item.md5 !== sum) wanted.push(`content ${item.id} ${sum}`)
  }
  if (isDeleting) wanted.push(...surplus(remote, top, tree).map(({id}) => `trash ${id}`))
  return wanted
}

/** The remote items that a tree does not have, without those in another of them. */
function surplus(remote: Remote, top: string, tree: LocalTree): RemoteItem[] {
  const folder = remote.at(top)
  if (!folder) return []
  const isSurplus = ({id}: RemoteItem) => !tree.has(remote.pathOf(id).slice(top.length + 1))
  return remote
    .below(folder.id)
    .filter(
      item =>
        isSurplus(item) &&
        (item.parent === folder.id || !isSurplus(remote.items.get(item.parent)!)),
    )
}

/** Changes the local tree, and pushes it. */
export const push: Maker = situation => {
  const {machine, remote, random} = situation
  const edits = Math.floor(random() * 8)
  for (let n = 0; n < edits; n++) editTree(machine.work, random)
  const isDeleting = random() < 0.4
  const action = (now: Remote): Action => ({
    argv: [
      ...['push', `${machine.work}/`, `${machine.area}/tree`],
      ...(isDeleting ? ['--delete', '--yes'] : []),
    ],
    remote: pushed(machine, now, isDeleting),
    repeat: action,
  })
  return action(remote)
}

/** Pulls the folder that is pushed into another local folder. */
export const pull: Maker = ({machine, remote, random}) => {
  const top = `${machine.area}/tree`
  if (!remote.at(top)) return undefined
  const isDeleting = random() < 0.5
  const action = (now: Remote): Action => {
    const have = readTree(machine.copy)
    const local = new Map<string, string | undefined>()
    const there = new Map(
      now
        .below(now.at(top)!.id)
        .map(item => [
          now.pathOf(item.id).slice(top.length + 1),
          item.isFolder ? 'folder' : item.md5,
        ]),
    )
    for (const [path, sum] of there) if (have.get(path) !== sum) local.set(path, sum)
    if (isDeleting) for (const path of have.keys()) if (!there.has(path)) local.set(path, undefined)
    return {
      argv: ['pull', `${top}/`, machine.copy, ...(isDeleting ? ['--delete', '--yes'] : [])],
      remote: [],
      local,
      repeat: action,
    }
  }
  return action(remote)
}
