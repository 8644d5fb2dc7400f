import {mkdirSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {setTimeout as wait} from 'node:timers/promises'
import {randomOf} from '../test/support/random.js'
import type {Action, Machine, Situation} from './action.js'
import {ACTIONS, undoing} from './actions.js'
import {type HistoryStep, judgeHistory} from './history.js'
import {judge, leaks, type Run, strayFiles} from './judge.js'
import {readTree} from './local.js'
import {type Difference, differences, readRemote, type Remote} from './remote.js'
import {pull, push} from './tree-actions.js'
import {createWorld, type World} from './world.js'

/** Attempts until a repeatable command must have succeeded under failures. */
const ATTEMPTS = 15

/** The first wrong observation of a world. */
export interface Failure {
  readonly round: number
  readonly machine: string
  readonly observations: readonly string[]
}

/** A program: numbers from which everything random follows, up to timing. */
export interface Program {
  readonly seed: number
  readonly rounds: number
}

/** Failures of the service in a world. */
function faultPlan(random: () => number): object {
  const rate = random() * 0.08
  const rules = [
    {operations: '*', fault: 'status', status: 503, probability: rate},
    {operations: '*', fault: 'status', status: 502, body: 'html', probability: rate / 3},
    {operations: '*', fault: 'reset', at: 'request', after: 1000, probability: rate / 2},
    {operations: '*', fault: 'reset', at: 'response', after: 200, probability: rate / 2},
    {operations: '*', fault: 'lose', probability: rate},
    {operations: '*', via: 'download', fault: 'truncate', after: 2000, probability: rate},
    {operations: '*', fault: 'rateLimit', perSecond: 60},
  ]
  return {seed: Math.floor(random() * 2 ** 31), rules}
}

/** Runs a program in a new world; returns the first failure. `log` gets a line for each command. */
export async function runProgram(
  {seed, rounds}: Program,
  folder: string,
  log: (line: string) => void,
): Promise<Failure | undefined> {
  mkdirSync(folder, {recursive: true})
  const random = randomOf(seed)
  const world = await createWorld(folder)
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

  async function run(machine: Machine, action: Action, killAfter?: number): Promise<Run> {
    const trees = () => ({work: readTree(machine.work), copy: readTree(machine.copy)})
    const before = trees()
    const {input} = action
    const result = await world.run(machine, action.argv, {
      ...(input !== undefined && {input}),
      ...(killAfter !== undefined && {killAfter}),
    })
    log(`${machine.name}: ${shown(action.argv, world)} → ${result.signal ?? result.code}`)
    return {machine, action, result, before, after: trees()}
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
      const history = isRecorded ? judgeHistory(steps, changes, now, was) : []
      const observations = [...judge(one, changes), ...history]
      undoable.delete(machine.name)
      if (isRecorded && steps[0] && canUndo(changes)) {
        undoable.set(machine.name, undoing(steps[0].id.split('/')[0]!, changes))
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

  try {
    for (const machine of world.machines) await newSteps(world, machine)
    await world.setFaults(faultPlan(random))
    for (let round = 1; round <= rounds; round++) {
      // Each machine has its own numbers, so that the choices of one do not depend on the state of another.
      const own = world.machines.map(() => randomOf(Math.floor(random() * 2 ** 32)))
      const isRestarted = random() < 0.2
      const restartAfter = 100 + random() * 1500
      const clock = random() < 0.1 ? '+20m' : undefined
      const before = new Map<string, Remote>()
      const work: Array<Promise<Run>> = []
      for (const [index, machine] of world.machines.entries()) {
        const remote = await remoteOf(machine)
        before.set(machine.name, remote)
        const chance = own[index]!
        const undo = chance() < 0.25 ? undoable.get(machine.name) : undefined
        const next = pending.get(machine.name) ?? undo
        const action = next ? next(remote) : chooseAction(situation(machine, remote, chance))
        const killAfter = chance() < 0.25 ? 150 + chance() * 1500 : undefined
        work.push(run(machine, action, killAfter))
      }
      if (isRestarted) {
        await wait(restartAfter)
        log('service: SIGKILL')
        await world.restart()
      }
      const runs = await Promise.all(work)
      const failure = await observe(round, runs, before)
      if (failure) return failure
      for (const {machine, action, result} of runs) {
        const isDone = result.code === 0 || action.codes?.includes(result.code!)
        if (isDone && action.then) pending.set(machine.name, action.then)
        else if (!isDone && action.repeat) pending.set(machine.name, action.repeat)
        else pending.delete(machine.name)
      }
      if (clock !== undefined) {
        log(`service: clock ${clock}`)
        await world.moveClock(clock)
      }
    }
    return await finish(rounds + 1)
  } finally {
    await world.close()
  }

  /** Every repeatable command ends with 0 at last, and nothing is left over. */
  async function finish(round: number): Promise<Failure | undefined> {
    world.enlargeDisks()
    for (const machine of world.machines) {
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
          if (attempt === ATTEMPTS && one.result.code !== 0) {
            const observations = [`Still ${one.result.code} after ${ATTEMPTS} attempts.`]
            return {round, machine: machine.name, observations}
          }
          const {code} = one.result
          next = code === 0 || action.codes?.includes(code!) ? action.then : action.repeat
        }
      }
      const home = join(world.folder, machine.name)
      const observations = [
        ...strayFiles(home).map(path => `Left over: ${path}`),
        ...leaks(home, [...world.tokens.values()]),
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

/** Waits until the service has no more changes to finish. */
async function settled(world: World): Promise<void> {
  const last = () =>
    world.sound.store.get<{last: number | null}>('SELECT max(id) AS last FROM changes')!.last
  for (let before = last(); ;) {
    await wait(60)
    const now = last()
    if (now === before) return
    before = now
  }
}

/** The steps of the last command of a machine, if it is newer than those seen before. */
const seen = new WeakMap<Machine, Set<string>>()
async function newSteps(world: World, machine: Machine): Promise<HistoryStep[]> {
  const {code, stdout, stderr} = await world.run(machine, [
    ...['history', '--steps', '--format', 'ndjson'],
  ])
  if (code !== 0) throw new Error(`drv history: ${stderr}`)
  const steps = stdout
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line) as HistoryStep)
  const old = seen.get(machine) ?? new Set<string>()
  const fresh = steps.filter(({id}) => !old.has(id))
  seen.set(machine, new Set(steps.map(({id}) => id)))
  return fresh
}

const shown = (argv: readonly string[], world: World) =>
  `drv ${argv.map(word => word.replace(`${world.folder}/`, '')).join(' ')}`
