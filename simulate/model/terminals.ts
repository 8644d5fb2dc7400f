import type {Action, Machine} from '../action.js'
import {type LocalTree, readTree} from '../local.js'
import type {Remote} from '../remote.js'
import type {Line} from './drv.js'
import {ROOT, type World} from './kernel.js'
import {ADDRESS} from './network.js'

/** The terminals in which commands are typed. */

/** A terminal: its commands run one after the other, and change only its own folder of the service. */
export interface Terminal {
  readonly machine: Machine
  /** The machine that it belongs to. */
  readonly disk: string
  /** The last command again, as long as it is not done, or the one that follows it. */
  pending: ((remote: Remote) => Action) | undefined
  /** What undoes the last command. */
  undo: ((remote: Remote) => Action) | undefined
  /** The IDs of changed items that its follower has not reported yet; `undefined` before its first run. */
  unreported: Set<string> | undefined
}

/** The local folders of a terminal. */
export interface Trees {
  readonly work: LocalTree
  readonly copy: LocalTree
}

/** Two terminals of one machine, which share its history, and one of another. */
const TERMINALS = [
  {disk: 'A', name: 'one'},
  {disk: 'A', name: 'two'},
  {disk: 'B', name: 'three'},
] as const

/** The folders of the terminals in the service. */
export const AREAS: readonly string[] = TERMINALS.map(({name}) => `/${name}`)

export function createTerminals(world: World): Terminal[] {
  return TERMINALS.map(({disk, name}) => {
    const home = `${ROOT}${disk}`
    const machine: Machine = {
      ...{name, area: `/${name}`, env: {}, hasSmallDisk: false},
      ...{
        work: `${home}/${name}/work`,
        copy: `${home}/${name}/copy`,
        files: `${home}/${name}/files`,
      },
    }
    const {fs} = world.disk(disk)
    for (const folder of [machine.work, machine.copy, machine.files, `${home}/tmp`]) {
      fs.mkdirSync(folder, {recursive: true})
    }
    return {machine, disk, pending: undefined, undo: undefined, unreported: undefined}
  })
}

export const treesOf = ({machine: {work, copy}}: Terminal): Trees => ({
  work: readTree(work),
  copy: readTree(copy),
})

/** A command line as typed in a terminal. */
export function lineOf({disk, machine}: Terminal, token: string, argv: readonly string[]): Line {
  const home = `${ROOT}${disk}`
  return {
    argv,
    cwd: machine.files,
    env: {
      ...{HOME: home, TMPDIR: `${home}/tmp`, NO_COLOR: '1'},
      ...{DRV_TOKEN: token, DRV_BASE_URL: ADDRESS, DRV_AUTH_URL: ADDRESS},
    },
  }
}
