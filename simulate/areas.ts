import {pick, type Situation} from './action.js'
import type {Remote, RemoteItem} from './remote.js'

/** The items that the commands of a machine may choose, and what is left to do for them. */

/** Everything in the area of a machine, outside the trash. */
export function areaItems({machine, remote}: Situation): readonly RemoteItem[] {
  const area = remote.at(machine.area)
  return area ? remote.below(area.id) : []
}

/** Some different items, none inside another. */
export function apart(situation: Situation, count: number): readonly RemoteItem[] {
  const {remote} = situation
  const found = new Map<string, RemoteItem>()
  for (let n = 0; n < count; n++) {
    const item = pick(situation, areaItems(situation))
    if (!item) continue
    const path = `${remote.pathOf(item.id)}/`
    const isApart = [...found.values()].every(other => {
      const otherPath = `${remote.pathOf(other.id)}/`
      return !path.startsWith(otherPath) && !otherPath.startsWith(path)
    })
    if (isApart) found.set(item.id, item)
  }
  return [...found.values()]
}

/** The promised differences that are not there yet. */
export function stillMissing(wanted: readonly string[], remote: Remote): string[] {
  return wanted.filter(text => {
    const [word, id = '', ...rest] = text.split(' ')
    const item = remote.items.get(id)
    if (word === 'create') return !remote.at(text.slice(7, text.lastIndexOf(' ')))
    if (word === 'content') return item?.md5 !== rest[0]
    if (word === 'trash') return !item?.isTrashed
    if (word === 'untrash') return item?.isTrashed
    if (word === 'star') return !item?.isStarred
    if (word === 'unstar') return item?.isStarred
    if (word === 'place') return remote.pathOf(id) !== rest.join(' ')
    if (word === 'grant') return item?.access[rest[0]!] !== rest[1]
    if (word === 'revoke') return item?.access[rest[0]!] !== undefined
    if (word === 'property') return item?.property !== rest.join(' ')
    throw new Error(`Unknown difference: ${text}`)
  })
}
