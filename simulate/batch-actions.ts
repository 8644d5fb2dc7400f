import {join} from 'node:path'
import {type Action, type Maker, type Situation, WHO} from './action.js'
import {apart, stillMissing} from './areas.js'
import {access, placed, property, type Remote, type RemoteItem} from './remote.js'

/** Commands that change several items with one table, or with a list on standard input. */

/** A command that reads a table, with a checkpoint; `remote` are the differences that the whole table makes. */
function tableAction(
  {machine, next, file}: Situation,
  command: readonly string[],
  records: readonly object[],
  remote: (now: Remote) => readonly string[],
): (now: Remote) => Action {
  const number = next()
  const text = records.map(record => `${JSON.stringify(record)}\n`).join('')
  const from = file(`table-${number}.ndjson`, text)
  const checkpoint = join(machine.files, `${number}.done`)
  const action = (now: Remote): Action => ({
    argv: [...command, '--from', from, '--checkpoint', checkpoint],
    remote: stillMissing(remote(now), now),
    repeat: action,
  })
  return action
}

/** Gives somebody access to some items. */
export const shareTable: Maker = situation => {
  const {remote, random} = situation
  const who = WHO[Math.floor(random() * WHO.length)]!
  const found = apart(situation, 4).filter(({id}) =>
    remote.whole(id).every(one => one.access[who] === undefined),
  )
  if (found.length === 0) return undefined
  const records = found.map(({id}) => ({fileId: id, role: 'reader', type: 'user', value: who}))
  const command = ['permissions', 'insert', '--no-send-notification-emails']
  return tableAction(situation, command, records, now =>
    found.flatMap(({id}) => now.whole(id).map(one => access(one.id, who, 'reader'))),
  )(remote)
}

/** Sets a property of some items. */
export const propertyTable: Maker = situation => {
  const found = apart(situation, 6)
  if (found.length === 0) return undefined
  const value = `value ${situation.next()}`
  const records = found.map(({id}) => ({fileId: id, key: 'state', value, visibility: 'PUBLIC'}))
  return tableAction(situation, ['properties', 'insert'], records, () =>
    found.map(({id}) => property(id, value)),
  )(situation.remote)
}

/** Renames some items. */
export const renameTable: Maker = situation => {
  const {remote, machine} = situation
  const found = apart(situation, 5).filter(({id}) => remote.pathOf(id) !== `${machine.area}/tree`)
  if (found.length === 0) return undefined
  const renamed = found.map(item => ({item, title: `it's "n° ${situation.next()}", 100% & more`}))
  const records = renamed.map(({item, title}) => ({fileId: item.id, title}))
  return tableAction(situation, ['files', 'patch'], records, now =>
    renamed.map(({item, title}) => placed(item.id, `${now.pathOf(item.parent)}/${title}`)),
  )(remote)
}

/** Trashes the items of a list on standard input. */
export const trashList: Maker = situation => {
  const found = apart(situation, 4)
  if (found.length === 0) return undefined
  const input = found.map(({id}: RemoteItem) => `${id}\n`).join('')
  return {argv: ['files', 'trash', '-'], input, remote: found.map(({id}) => `trash ${id}`)}
}
