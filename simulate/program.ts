import {mkdirSync} from 'node:fs'
import {setTimeout as wait} from 'node:timers/promises'
import {randomOf} from '../test/support/random.js'
import type {Action, Situation} from './action.js'
import {ACTIONS} from './actions.js'
import type {Coverage} from './coverage.js'
import {chooseKill, faultPlan} from './faults.js'
import {finish} from './finish.js'
import type {Run} from './judge.js'
import {type LiveFolder, startLiveFolder} from './live.js'
import {liveFolders} from './live-folders.js'
import {newSteps} from './quiet.js'
import type {Remote} from './remote.js'
import {createRuns, type Failure} from './runs.js'
import {createSignIns} from './sign-ins.js'
import {createWorld} from './world.js'

/** A program: numbers from which everything random follows, up to timing, and parts that are left out. */
export interface Program {
  readonly seed: number
  readonly rounds: number
  /** The names of the machines that run commands (default: all). */
  readonly only?: readonly string[]
  readonly isFaultless?: boolean
  readonly isUnkilled?: boolean
  /** The number of rounds at the start in which nothing runs. */
  readonly idle?: number
  /** Commands that are left out, such as `3 ada-ci` for that of a machine in the third round. */
  readonly without?: readonly string[]
}

export interface ProgramOptions {
  /** Gets a line for each command. */
  readonly log: (line: string) => void
  readonly coverage: Coverage
}

/** Runs a program in a new world; returns the first failure. */
export async function runProgram(
  {seed, rounds, only, isFaultless = false, isUnkilled = false, idle = 0, without = []}: Program,
  folder: string,
  {log, coverage}: ProgramOptions,
): Promise<Failure | undefined> {
  mkdirSync(folder, {recursive: true})
  const random = randomOf(seed)
  const world = await createWorld(folder, coverage.strike)
  const signIns = createSignIns(world, coverage, log)
  const runs = createRuns({world, signIns, coverage, log})
  const live = await startFollowing()
  try {
    for (const machine of world.machines) await newSteps(world, machine)
    const faults = faultPlan(random)
    if (!isFaultless) await world.setFaults(faults)
    let hasJumped = false
    for (let round = 1; round <= rounds; round++) {
      // Each machine has its own numbers, so that the choices of one do not depend on the state of another.
      const own = world.machines.map(() => randomOf(Math.floor(random() * 2 ** 32)))
      const isRestarted = random() < 0.2
      const restartAfter = 100 + random() * 1500
      const dice = random()
      // The longer jump exceeds the lifetime of refresh tokens; two exceed that of personal access tokens.
      const clock = dice < 0.1 ? '+20m' : dice < 0.13 && !hasJumped ? '+200d' : undefined
      const isReadOnly = random() < 0.1
      if (round <= idle) continue
      const before = new Map<string, Remote>()
      const work: Array<Promise<Run>> = []
      for (const [index, machine] of world.machines.entries()) {
        const remote = await runs.remoteOf(machine)
        before.set(machine.name, remote)
        const chance = own[index]!
        const undo = chance() < 0.25 ? runs.undoable.get(machine.name) : undefined
        const next = runs.pending.get(machine.name) ?? undo
        const action = next ? next(remote) : chooseAction(runs.situation(machine, remote, chance))
        const kill = chooseKill(chance)
        const isForeign =
          chance() < 0.3 && ['push', 'pull'].includes(action.argv[0]!) && !action.input
        if (only && !only.includes(machine.name)) continue
        if (without.includes(`${round} ${machine.name}`)) continue
        if (machine.hasSmallDisk && isReadOnly) {
          world.setReadOnly(machine, true)
          coverage.strike('read-only disk')
        }
        const running = runs.run(machine, action, isUnkilled ? undefined : kill)
        work.push(isForeign ? runs.withForeign(running, machine, remote) : running)
      }
      const wrong = live.flatMap(folder => folder.step(random, !isUnkilled))
      if (wrong.length > 0) return {round, machine: 'live', observations: wrong}
      if (isRestarted && !isUnkilled) {
        await wait(restartAfter)
        log('service: SIGKILL')
        coverage.strike('service SIGKILL')
        await world.restart()
      }
      const ended = await Promise.all(work)
      for (const machine of world.machines) world.setReadOnly(machine, false)
      const failure = await runs.observe(round, ended, before)
      if (failure) return failure
      for (const one of ended) runs.settle(one)
      if (clock !== undefined) {
        log(`service: clock ${clock}`)
        coverage.strike(`clock ${clock}`)
        await world.moveClock(clock)
        if (clock === '+200d') {
          hasJumped = true
          signIns.expireAll()
          for (const folder of live) folder.signedOut()
        }
      } else await signIns.renew()
    }
    return await finish({world, runs, signIns, live, seed, only, round: rounds + 1})
  } finally {
    for (const folder of live) folder.close()
    await world.close()
  }

  /** The folders that two machines of one user follow. */
  async function startFollowing(): Promise<LiveFolder[]> {
    if (only && !only.includes('live')) return []
    const [pusher, puller] = world.machines
    const started: LiveFolder[] = []
    for (const plan of liveFolders({pusher: pusher!, puller: puller!, seed})) {
      const {code, stderr} = await world.run(pusher!, ['mkdir', plan.path])
      if (code !== 0) throw new Error(`drv mkdir: ${stderr}`)
      for (const {argv, machine, isReporting} of plan.followers) {
        // Without the start of its changes, a follower that is killed at once reports only those after the next start.
        if (isReporting) await world.run(machine, [...argv, '--once'])
      }
      const {isExpired} = signIns
      started.push(startLiveFolder({...plan, log, count: coverage.count, isExpired}))
    }
    return started
  }
}

function chooseAction(situation: Situation): Action {
  const {random} = situation
  const bag = ACTIONS.flatMap(([weight, , make]) => Array.from({length: weight}, () => make))
  for (;;) {
    const action = bag[Math.floor(random() * bag.length)]!(situation)
    if (action) return action
  }
}
