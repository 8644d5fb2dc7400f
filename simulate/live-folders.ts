import {mkdirSync, writeFileSync} from 'node:fs'
import {dirname, join} from 'node:path'
import {randomOf} from '../test/support/random.js'
import {createEditor} from '../test/support/random-edits.js'
import type {Machine} from './action.js'
import type {LiveOptions} from './live.js'

/** Which folders are followed, how, and who changes them. */

/** The two machines of one user, and the seed of a program. */
interface Following {
  readonly pusher: Machine
  readonly puller: Machine
  readonly seed: number
}

type LiveFolderPlan = Pick<LiveOptions, 'path' | 'followers' | 'sides' | 'edit'>

/** The folders of a program. Half of the programs run a command for each change; some have two writers. */
export function liveFolders(following: Following): LiveFolderPlan[] {
  const random = randomOf(following.seed)
  const one = followedFolder(following, random() < 0.5)
  return random() < 0.3 ? [one, sharedFolder(following)] : [one]
}

/** A folder that one machine edits and pushes, that another one pulls, and whose changes `drv follow` reports. */
function followedFolder({pusher, puller, seed}: Following, isExecuting: boolean): LiveFolderPlan {
  const path = '/live'
  const local = join(pusher.files, '../live')
  const mirror = join(puller.files, '../mirror')
  const deleting = ['--follow', '--delete', '--yes']
  const checkpoint = ['--checkpoint', join(puller.files, 'followed.checkpoint')]
  const output = join(puller.files, 'followed.ndjson')
  const follow = isExecuting
    ? {
        ...{name: 'follow --exec', output},
        argv: ['follow', path, '--exec', `cat >> '${output}'`, '--shell', ...checkpoint],
      }
    : {name: 'follow', argv: ['follow', path, '--format', 'ndjson', ...checkpoint]}
  return {
    path,
    followers: [
      {name: 'push --follow', argv: ['push', `${local}/`, path, ...deleting], machine: pusher},
      {name: 'pull --follow', argv: ['pull', `${path}/`, mirror, ...deleting], machine: puller},
      {...follow, machine: puller, isReporting: true},
    ],
    sides: {local, mirror},
    edit: createEditor(local, seed, true).edit,
  }
}

/** A folder that two machines push and pull, each of which saves files of its own. */
function sharedFolder({pusher, puller, seed}: Following): LiveFolderPlan {
  const path = '/both'
  const random = randomOf(seed)
  const machines = [pusher, puller]
  const localOf = ({files}: Machine) => join(files, '../both')
  return {
    path,
    followers: machines.flatMap(machine => [
      {
        ...{name: 'push --follow (both)', machine},
        argv: ['push', `${localOf(machine)}/`, path, '--follow'],
      },
      {
        ...{name: 'pull --follow (both)', machine},
        argv: ['pull', `${path}/`, localOf(machine), '--follow'],
      },
    ]),
    sides: Object.fromEntries(machines.map(one => [one.name, localOf(one)])),
    edit() {
      const machine = machines[Math.floor(random() * machines.length)]!
      const folder = ['', 'x', 'x/y'][Math.floor(random() * 3)]!
      const file = join(localOf(machine), folder, `${machine.name} ${Math.floor(random() * 6)}.txt`)
      mkdirSync(dirname(file), {recursive: true})
      writeFileSync(file, `${random()}`)
    },
  }
}
