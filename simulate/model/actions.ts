import type {Action, Maker} from '../action.js'
import {ACTIONS as COMMON} from '../actions.js'
import {access, type Remote, type RemoteItem} from '../remote.js'

/** The actions of simulated programs: those of real processes too, large batches, and commands that share a folder. */

/** The folder that the commands of all terminals change. */
export const SHARED = '/shared'

/** How many files it has at the beginning. */
export const SHARED_COUNT = 3

const WHO = ['cleo@example.com', 'dora@example.com']

/** The items directly in a folder outside the trash. */
function insideOf(remote: Remote, path: string): readonly RemoteItem[] {
  const folder = remote.at(path)
  return folder ? remote.inside(folder.id) : []
}

/** Every item of the area that can be starred, in one command. */
const starAll: Maker = ({machine, remote}) => {
  const area = remote.at(machine.area)
  const found = area ? remote.below(area.id).filter(({isStarred}) => !isStarred) : []
  if (found.length === 0) return undefined
  return {
    argv: ['star', ...found.map(({id}) => remote.pathOf(id))],
    remote: found.map(({id}) => `star ${id}`),
  }
}

const unstarAll: Maker = ({machine, remote}) => {
  const area = remote.at(machine.area)
  const found = area ? remote.below(area.id).filter(({isStarred}) => isStarred) : []
  if (found.length === 0) return undefined
  return {
    argv: ['unstar', ...found.map(({id}) => id)],
    remote: found.map(({id}) => `unstar ${id}`),
  }
}

const trashAll: Maker = ({machine, remote}) => {
  const found = insideOf(remote, machine.area)
  if (found.length === 0) return undefined
  return {
    argv: ['rm', ...found.map(({id}) => remote.pathOf(id))],
    remote: found.map(({id}) => `trash ${id}`),
  }
}

/** Shares every item directly in the area with two people. */
const shareAll: Maker = ({machine, remote}) => {
  const found = insideOf(remote, machine.area).filter(({id}) =>
    remote.whole(id).every(one => Object.keys(one.access).length === 0),
  )
  if (found.length === 0) return undefined
  return {
    argv: ['share', ...found.map(({id}) => remote.pathOf(id)), ...WHO, '--no-notify'],
    remote: found
      .flatMap(({id}) => remote.whole(id))
      .flatMap(({id}) => WHO.map(who => access(id, who, 'reader'))),
  }
}

/** What commands of several terminals do with the same files at the same time. */
const SHARED_WAYS: ReadonlyArray<(item: RemoteItem, next: () => number) => Omit<Action, 'codes'>> =
  [
    ({id}) => ({argv: ['star', id], remote: [`star ${id}`]}),
    ({id}) => ({argv: ['unstar', id], remote: [`unstar ${id}`]}),
    ({id}) => ({argv: ['rm', id], remote: [`trash ${id}`]}),
    ({id}) => ({argv: ['restore', id], remote: [`untrash ${id}`]}),
    ({id, title}, next) => {
      const to = `${SHARED}/renamed ${next()}`
      return {argv: ['mv', `${SHARED}/${title}`, to], remote: [`place ${id} ${to}`]}
    },
  ]

const shared: Maker = ({remote, random, next}) => {
  const items = [...remote.items.values()].filter(({id}) =>
    remote.pathOf(id).startsWith(`${SHARED}/`),
  )
  const item = items[Math.floor(random() * items.length)]!
  const way = SHARED_WAYS[Math.floor(random() * SHARED_WAYS.length)]!
  // Another command may have moved or removed the item first.
  return {...way(item, next), codes: [1, 5, 12]}
}

/** The name of the action that reports the changes since its last run. */
export const FOLLOW = 'follow'

const follow: Maker = ({machine}) => ({
  argv: [
    ...['follow', '--once', '--checkpoint', `${machine.files}/follow.checkpoint`],
    ...['--format', 'ndjson'],
  ],
  remote: [],
})

/** How often each kind of command is chosen. */
export const ACTIONS: ReadonlyArray<readonly [weight: number, name: string, make: Maker]> = [
  ...COMMON,
  [1, 'starAll', starAll],
  [1, 'unstarAll', unstarAll],
  [1, 'trashAll', trashAll],
  [1, 'shareAll', shareAll],
  [6, 'shared', shared],
  [4, FOLLOW, follow],
]
