import {mkdirSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {setTimeout as wait} from 'node:timers/promises'
import {randomOf} from '../test/support/random.js'
import type {Action, Machine, Situation} from './action.js'
import {ACTIONS, undoing} from './actions.js'
import {commandName, type Coverage} from './coverage.js'
import {chooseKill, faultPlan} from './faults.js'
import {createForeign} from './foreign.js'
import {judgeHistory} from './history.js'
import {isFinished, judge, leaks, leaksInOutput, type Run, strayFiles} from './judge.js'
import {type LiveFolder, startLiveFolder} from './live.js'
import {liveFolders} from './live-folders.js'
import {readTree} from './local.js'
import {newSteps, settled} from './quiet.js'
import {type Difference, differences, readRemote, type Remote} from './remote.js'
import {createSignIns} from './sign-ins.js'
import {pull, push} from './tree-actions.js'
import {createWorld, type Kill, type World} from './world.js'

/** Attempts until a repeatable command must have succeeded under failures. */
const ATTEMPTS = 15

/** The first wrong observation of a world. */
export interface Failure {
  readonly round: number
  readonly machine: string
  readonly observations: readonly string[]
}

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
  const pending = new Map<string, (remote: Remote) => Action>()
  /** What undoes the last command of each machine. */
  const undoable = new Map<string, (remote: Remote) => Action>()
  const signIns = createSignIns(world, coverage, log)
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

  const live = await startFollowing()
  try {
    for (const machine of world.machines) await newSteps(world, machine)
    const faults = faultPlan(random)
    if (!isFaultless) await world.setFaults(faults)
    for (let round = 1; round <= rounds; round++) {
      // Each machine has its own numbers, so that the choices of one do not depend on the state of another.
      const own = world.machines.map(() => randomOf(Math.floor(random() * 2 ** 32)))
      const isRestarted = random() < 0.2
      const restartAfter = 100 + random() * 1500
      const dice = random()
      // The longer jump exceeds the lifetime of refresh tokens.
      const clock = dice < 0.1 ? '+20m' : dice < 0.13 ? '+200d' : undefined
      const isReadOnly = random() < 0.1
      if (round <= idle) continue
      const before = new Map<string, Remote>()
      const work: Array<Promise<Run>> = []
      for (const [index, machine] of world.machines.entries()) {
        const remote = await remoteOf(machine)
        before.set(machine.name, remote)
        const chance = own[index]!
        const undo = chance() < 0.25 ? undoable.get(machine.name) : undefined
        const next = pending.get(machine.name) ?? undo
        const action = next ? next(remote) : chooseAction(situation(machine, remote, chance))
        const kill = chooseKill(chance)
        const isForeign =
          chance() < 0.3 && ['push', 'pull'].includes(action.argv[0]!) && !action.input
        if (only && !only.includes(machine.name)) continue
        if (without.includes(`${round} ${machine.name}`)) continue
        if (machine.hasSmallDisk && isReadOnly) {
          world.setReadOnly(machine, true)
          coverage.strike('read-only disk')
        }
        const running = run(machine, action, isUnkilled ? undefined : kill)
        work.push(isForeign ? withForeign(running, machine, remote) : running)
      }
      const wrong = live.flatMap(folder => folder.step(random, !isUnkilled))
      if (wrong.length > 0) return {round, machine: 'live', observations: wrong}
      if (isRestarted && !isUnkilled) {
        await wait(restartAfter)
        log('service: SIGKILL')
        coverage.strike('service SIGKILL')
        await world.restart()
      }
      const runs = await Promise.all(work)
      for (const machine of world.machines) world.setReadOnly(machine, false)
      const failure = await observe(round, runs, before)
      if (failure) return failure
      for (const one of runs) {
        const {machine, action} = one
        const isDone = isFinished(one)
        if (isDone && action.then) pending.set(machine.name, action.then)
        else if (!isDone && action.repeat) pending.set(machine.name, action.repeat)
        else pending.delete(machine.name)
      }
      if (clock !== undefined) {
        log(`service: clock ${clock}`)
        coverage.strike(`clock ${clock}`)
        await world.moveClock(clock)
        if (clock === '+200d') signIns.expireAll()
      } else await signIns.renew()
    }
    return await finish(rounds + 1)
  } finally {
    for (const folder of live) folder.close()
    await world.close()
  }

  /** The transfers that a machine lists although all have ended. */
  async function openTransfers(machine: Machine): Promise<string[]> {
    const {code, stdout, stderr} = await world.run(machine, ['transfers', 'list'])
    return code === 0 && stdout === '' ? [] : [`drv transfers list: ${code} ${stdout}${stderr}`]
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

  /** Every repeatable command ends with 0 at last, and nothing is left over. */
  async function finish(round: number): Promise<Failure | undefined> {
    world.enlargeDisks()
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) await signIns.renew()
    for (const folder of live) {
      const wrong = await folder.finish(() => remoteOf(world.machines[0]!))
      if (wrong.length > 0) return {round, machine: 'live', observations: wrong}
    }
    for (const machine of world.machines) {
      if (only && !only.includes(machine.name)) continue
      const own = randomOf(seed)
      const makers: Array<(remote: Remote) => Action | undefined> = [
        ...(pending.has(machine.name) ? [pending.get(machine.name)!] : []),
        remote => push(situation(machine, remote, own)),
        remote => pull(situation(machine, remote, own)),
      ]
      for (const make of makers) {
        let next: ((remote: Remote) => Action | undefined) | undefined = make
        for (let attempt = 1; next; attempt++) {
          const remote = await remoteOf(machine)
          const action: Action | undefined = next(remote)
          if (!action) break
          const one = await run(machine, action)
          const failure = await observe(round, [one], new Map([[machine.name, remote]]))
          if (failure) return failure
          const isDone = isFinished(one)
          if (attempt === ATTEMPTS && !isDone) {
            const observations = [`Still ${one.result.code} after ${ATTEMPTS} attempts.`]
            return {round, machine: machine.name, observations}
          }
          next = isDone ? action.then : action.repeat
        }
      }
      const home = join(world.folder, machine.name)
      const observations = [
        ...strayFiles(home).map(path => `Left over: ${path}`),
        ...leaks(home, signIns.secrets()),
        ...(await openTransfers(machine)),
      ]
      if (observations.length > 0) return {round, machine: machine.name, observations}
    }
    const observations = await world.check()
    return observations.length > 0 ? {round, machine: 'service', observations} : undefined
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

const canUndo = (changes: readonly Difference[]) =>
  changes.length > 0 && changes.every(({reverse}) => reverse !== undefined)

const isWithin = (path: string, area: string) => path === area || path.startsWith(`${area}/`)

const shown = (argv: readonly string[], world: World) =>
  `drv ${argv.map(word => word.replace(`${world.folder}/`, '')).join(' ')}`
