import {join} from 'node:path'
import {type Action, type Maker, pick, type Situation, WHO} from './action.js'
import {apart, areaItems, stillMissing} from './areas.js'
import {propertyTable, renameTable, shareTable, trashList} from './batch-actions.js'
import {contentOf, md5} from './local.js'
import {access, created, type Difference, placed, type Remote, type RemoteItem} from './remote.js'
import {pull, push} from './tree-actions.js'

const makeFolders: Maker = ({machine, next, remote}) => {
  const path = `${machine.area}/made ${next()} – "q" 'é' $x ;&|*?[]/inner`
  const action = (now: Remote): Action => ({
    argv: ['mkdir', '-p', path],
    remote: [machine.area, path.slice(0, -6), path]
      .filter(folder => !now.at(folder))
      .map(folder => created(folder, 'folder')),
    repeat: action,
  })
  return action(remote)
}

const copy: Maker = situation => {
  const {machine, remote, next} = situation
  const item = pick(situation, areaItems(situation))
  if (!item) return undefined
  const from = remote.pathOf(item.id)
  const to = `${machine.area}/copy ${next()}`
  const made = [item, ...remote.below(item.id)]
  if (made.length > 40) return undefined
  return {
    argv: ['cp', from, to],
    remote: made.map(({id, isFolder, md5: sum}) =>
      created(to + remote.pathOf(id).slice(from.length), isFolder ? 'folder' : sum),
    ),
  }
}

const move: Maker = situation => {
  const {machine, remote, next} = situation
  const item = pick(situation, areaItems(situation))
  if (!item || remote.pathOf(item.id) === `${machine.area}/tree`) return undefined
  const to = `${machine.area}/moved ${next()}`
  // Access that the folder passes on ends.
  const inherited = Object.keys(remote.items.get(item.parent)?.access ?? {})
  const ended = remote
    .whole(item.id)
    .flatMap(({id}) => inherited.map(who => access(id, who, undefined)))
  return {argv: ['mv', remote.pathOf(item.id), to], remote: [placed(item.id, to), ...ended]}
}

const trash: Maker = situation => {
  const found = apart(situation, 1 + Math.floor(situation.random() * 3))
  if (found.length === 0) return undefined
  return {
    argv: ['rm', ...found.map(({id}) => situation.remote.pathOf(id))],
    remote: found.map(({id}) => `trash ${id}`),
  }
}

/** The items of the area that were trashed themselves, with no folder above them in the trash. */
function trashed({machine, remote}: Situation): readonly RemoteItem[] {
  return [...remote.items.values()].filter(
    ({id, parent, isTrashed}) =>
      isTrashed && remote.pathOf(id).startsWith(`${machine.area}/`) && !remote.isInTrash(parent),
  )
}

const restore: Maker = situation => {
  const item = pick(situation, trashed(situation))
  if (!item || situation.remote.at(situation.remote.pathOf(item.id))) return undefined
  return {argv: ['restore', item.id], remote: [`untrash ${item.id}`]}
}

const destroy: Maker = situation => {
  const {remote} = situation
  const item = pick(situation, trashed(situation))
  if (!item) return undefined
  return {
    argv: ['rm', item.id, '--permanently', '--yes'],
    remote: remote.whole(item.id).map(({id}) => `remove ${id}`),
  }
}

const share: Maker = situation => {
  const item = pick(situation, areaItems(situation))
  const who = pick(situation, WHO)!
  if (!item) return undefined
  const affected = situation.remote.whole(item.id)
  if (affected.some(one => one.access[who] !== undefined)) return undefined
  const role = situation.random() < 0.5 ? 'reader' : 'writer'
  return {
    argv: ['share', situation.remote.pathOf(item.id), who, '--role', role, '--no-notify'],
    // Access to a folder shows at everything in it.
    remote: affected.map(({id}) => access(id, who, role)),
  }
}

const unshare: Maker = situation => {
  const {remote} = situation
  const shared = areaItems(situation).filter(item => {
    const above = remote.items.get(item.parent)?.access ?? {}
    return Object.keys(item.access).some(who => above[who] === undefined)
  })
  const item = pick(situation, shared)
  if (!item) return undefined
  const above = remote.items.get(item.parent)?.access ?? {}
  const who = pick(
    situation,
    Object.keys(item.access).filter(one => above[one] === undefined),
  )!
  return {
    argv: ['unshare', remote.pathOf(item.id), who],
    remote: remote.whole(item.id).map(({id}) => access(id, who, undefined)),
  }
}

const star: Maker = situation => {
  const found = apart(situation, 3).filter(({isStarred}) => !isStarred)
  if (found.length === 0) return undefined
  return {
    argv: ['star', ...found.map(({id}) => situation.remote.pathOf(id))],
    remote: found.map(({id}) => `star ${id}`),
  }
}

/** Folders from a table, with a checkpoint. */
const table: Maker = ({machine, remote, random, next, file}) => {
  const area = remote.at(machine.area)
  if (!area) return undefined
  const number = next()
  const titles = Array.from({length: 3 + Math.floor(random() * 30)}, (_, n) => `row ${number}-${n}`)
  const lines = titles.map(title =>
    JSON.stringify({
      title,
      mimeType: 'application/vnd.google-apps.folder',
      parents: [{id: area.id}],
    }),
  )
  const from = file(`table-${number}.ndjson`, `${lines.join('\n')}\n`)
  const action = (now: Remote): Action => ({
    argv: [
      'files',
      'insert',
      '--from',
      from,
      '--checkpoint',
      join(machine.files, `${number}.done`),
    ],
    remote: titles
      .map(title => `${machine.area}/${title}`)
      .filter(path => !now.at(path))
      .map(path => created(path, 'folder')),
    repeat: action,
  })
  return action(remote)
}

const upload: Maker = ({machine, remote, random, next}) => {
  if (!remote.at(machine.area)) return undefined
  const content = contentOf(random)
  const path = `${machine.area}/piped ${next()}`
  return {argv: ['push', '-', path], input: content, remote: [created(path, md5(content))]}
}

/** A plan, which is applied next. */
const plan: Maker = situation => {
  const action = pick(situation, [trash, star, copy, move, share])!(situation)
  if (!action) return undefined
  const path = join(situation.machine.files, `${situation.next()}.plan`)
  const apply = (now: Remote): Action => ({
    argv: ['apply', path, '--yes'],
    remote: stillMissing(action.remote, now),
    repeat: apply,
  })
  return {argv: [...action.argv, '--plan', path], remote: [], then: apply}
}

/** Undoes a command; `changes` are the differences that it made. */
export function undoing(id: string, changes: readonly Difference[]): (remote: Remote) => Action {
  const wanted = changes.map(({reverse}) => reverse!)
  const undo = (now: Remote): Action => {
    const missing = stillMissing(wanted, now)
    const argv = ['undo', id, '--yes']
    // After a kill at its very end, nothing is left to undo.
    return {argv, remote: missing, repeat: undo, codes: missing.length === 0 ? [5] : []}
  }
  return undo
}

/** How often each kind of command is chosen. */
export const ACTIONS: ReadonlyArray<readonly [weight: number, name: string, make: Maker]> = [
  [6, 'push', push],
  [3, 'pull', pull],
  [2, 'makeFolders', makeFolders],
  [3, 'copy', copy],
  [3, 'move', move],
  [3, 'trash', trash],
  [2, 'restore', restore],
  [1, 'destroy', destroy],
  [2, 'share', share],
  [2, 'unshare', unshare],
  [1, 'star', star],
  [2, 'table', table],
  [2, 'upload', upload],
  [2, 'plan', plan],
  [2, 'shareTable', shareTable],
  [2, 'propertyTable', propertyTable],
  [1, 'renameTable', renameTable],
  [1, 'trashList', trashList],
]
