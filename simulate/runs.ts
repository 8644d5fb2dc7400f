import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {setTimeout as wait} from 'node:timers/promises'
import type {Action, Machine, Situation} from './action.js'
import {undoing} from './actions.js'
import {commandName, type Coverage} from './coverage.js'
import {createForeign} from './foreign.js'
import {judgeHistory} from './history.js'
import {isFinished, judge, leaksInOutput, type Run} from './judge.js'
import {readTree} from './local.js'
import {newSteps, settled} from './quiet.js'
import {type Difference, differences, readRemote, type Remote} from './remote.js'
import type {SignIns} from './sign-ins.js'
import type {Kill, World} from './world.js'

/** The first wrong observation of a world. */
export interface Failure {
  readonly round: number
  readonly machine: string
  readonly observations: readonly string[]
}

/** An action for the present state of the service. */
export type NextAction = (remote: Remote) => Action | undefined

interface Running {
  readonly world: World
  readonly signIns: SignIns
  readonly coverage: Coverage
  /** Gets a line for each command. */
  readonly log: (line: string) => void
}

/** Runs the commands of machines, and observes what they have done. */
export function createRuns({world, signIns, coverage, log}: Running) {
  /** What the next command of a machine has to be, because the last one is not done. */
  const pending = new Map<string, (remote: Remote) => Action>()
  /** What undoes the last command of each machine. */
  const undoable = new Map<string, (remote: Remote) => Action>()
  let count = 0

  function situation(machine: Machine, remote: Remote, own: () => number): Situation {
    return {
      machine,
      remote,
      random: own,
      next: () => ++count,
      file(name, text) {
        const path = join(world.folder, `${machine.name}-${name}`)
        writeFileSync(path, text)
        return path
      },
    }
  }

  const remoteOf = (machine: Machine) =>
    readRemote(world.sound.url, world.tokens.get(world.userOf(machine))!)

  async function run(machine: Machine, action: Action, kill?: Kill): Promise<Run> {
    const trees = () => ({work: readTree(machine.work), copy: readTree(machine.copy)})
    const before = trees()
    const {input} = action
    const isExpired = signIns.isExpired(machine)
    signIns.note(machine)
    const result = await world.run(machine, action.argv, {
      ...(input !== undefined && {input}),
      ...(kill && {kill}),
    })
    const end = String(result.signal ?? result.code)
    log(`${machine.name}: ${shown(action.argv, world)} → ${end}`)
    signIns.note(machine)
    coverage.count(commandName(action.argv), end)
    if (kill && end !== '0') coverage.strike(kill.signal)
    return {
      machine,
      action,
      result,
      isExpired,
      ...(kill && {kill: kill.signal}),
      before,
      after: trees(),
    }
  }

  /** Observes after commands of several machines. */
  async function observe(
    round: number,
    runs: readonly Run[],
    before: ReadonlyMap<string, Remote>,
  ): Promise<Failure | undefined> {
    await settled(world)
    for (const one of runs) {
      const {machine, result} = one
      const was = before.get(machine.name)!
      const now = await remoteOf(machine)
      const changes = differences(was, now).filter(({path}) => isWithin(path, machine.area))
      const steps = await newSteps(world, machine)
      // On a full disk, a notice says that changes are not recorded. A repeated command records again what its
      // first run has changed.
      const isRecorded = !machine.hasSmallDisk && !pending.has(machine.name)
      const own = changes.filter(({text}) => text !== one.foreign?.text)
      const history = isRecorded ? judgeHistory(steps, own, now, was) : []
      const observations = [
        ...judge(one, changes),
        ...history,
        ...leaksInOutput(result, signIns.secrets()),
      ]
      undoable.delete(machine.name)
      if (isRecorded && steps[0] && canUndo(own) && !one.foreign) {
        undoable.set(machine.name, undoing(steps[0].id.split('/')[0]!, own))
      }
      if (observations.length > 0) {
        return {
          round,
          machine: machine.name,
          observations: [...observations.slice(0, 20), `stderr: ${result.stderr.slice(0, 3000)}`],
        }
      }
    }
    return undefined
  }

  /** The same run; another client creates a file in the pushed folder meanwhile. */
  async function withForeign(
    running: Promise<Run>,
    machine: Machine,
    remote: Remote,
  ): Promise<Run> {
    const folder = `${machine.area}/tree`
    const top = remote.at(folder)
    const isOver = await Promise.race([running.then(() => true), wait(50, false)])
    if (!top || isOver) return running
    const token = world.tokens.get(world.userOf(machine))!
    const name = `foreign ${++count}.txt`
    coverage.strike('another client')
    const foreign = await createForeign(world.sound.url, token, {folder, folderId: top.id, name})
    return {...(await running), foreign}
  }

  /** Notes what has to come next on the machine of a run. */
  function settle(one: Run): void {
    const {machine, action} = one
    const isDone = isFinished(one)
    if (isDone && action.then) pending.set(machine.name, action.then)
    else if (!isDone && action.repeat) pending.set(machine.name, action.repeat)
    else pending.delete(machine.name)
  }

  return {pending, undoable, situation, remoteOf, run, withForeign, observe, settle}
}

export type Runs = ReturnType<typeof createRuns>

const canUndo = (changes: readonly Difference[]) =>
  changes.length > 0 && changes.every(({reverse}) => reverse !== undefined)

const isWithin = (path: string, area: string) => path === area || path.startsWith(`${area}/`)

const shown = (argv: readonly string[], world: World) =>
  `drv ${argv.map(word => word.replace(`${world.folder}/`, '')).join(' ')}`
