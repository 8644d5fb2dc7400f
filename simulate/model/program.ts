import {join} from 'node:path'
import type {Send} from '#lib/client/transport/transport.js'
import type {Result} from '../../test/support/drv.js'
import {randomOf} from '../../test/support/random.js'
import type {Action} from '../action.js'
import type {HistoryStep} from '../history.js'
import {isFinished, leaks, strayFiles} from '../judge.js'
import {differences, readRemote, type Remote} from '../remote.js'
import {ACTIONS} from './actions.js'
import {type Line, startDrv, type Started} from './drv.js'
import {conclude, isRepeated, judgeRound, type Run} from './judging.js'
import {ROOT, World} from './kernel.js'
import {ADDRESS, createNetwork, type PlannedFault} from './network.js'
import {directFetch, type SimulatedService} from './service.js'
import {createTerminals, lineOf, type Terminal, treesOf} from './terminals.js'

/** Runs programs of commands, and compares what they leave behind with what they may. */

/** A command of one terminal. */
export interface Command {
  /** The name of an action, `again` for the last command if it is not done, or `undo`. */
  readonly action: string
  /** The choices of the action, as a seed; 0 for the first of everything. */
  readonly choices: number
  /** The effect in whose place the process is killed. */
  readonly killAt?: number | null
  /** Whether the machine loses power at that moment: the share of the bytes since the last flush that remain. */
  readonly powerLoss?: number | null
}

/** Commands that run at the same time, at most one in each terminal. */
export interface Round {
  readonly commands: ReadonlyArray<Command | null>
  readonly faults: readonly PlannedFault[]
  /** The order of events that are due at the same time, and latencies, as a seed; 0 for the first of each. */
  readonly order: number
}

export type Program = readonly Round[]

/** The end of a program. */
export interface Ending {
  /** The first wrong observations; empty if it went well. */
  readonly wrong: readonly string[]
  /** The command lines and failures until then, as sentences. */
  readonly log: readonly string[]
}

/** What a simulation does wrong, to prove that it notices. */
export interface Plant {
  /** Replaces the transport of every command. */
  readonly send?: (send: Send) => Send
  /** Whether the log has the output of all commands. */
  readonly isVerbose?: boolean
}

/** Attempts, without failures, until a repeatable command must have succeeded. */
const ATTEMPTS = 3

/** Milliseconds until a machine works again after it lost power. */
const BOOT = 60_000

/** Runs a program in a new world, until something is wrong. */
export async function runProgram(
  service: SimulatedService,
  program: Program,
  plant: Plant = {},
): Promise<Ending> {
  let choose = () => 0
  const world = new World(1, count => Math.floor(choose() * count))
  await service.enter(world)
  const host = world.start()
  const observer = world.start({fetch: directFetch(service)})
  const terminals = createTerminals(world)
  const disks = [...new Set(terminals.map(({disk}) => disk))]
  const log: string[] = []
  let files = 0
  let now: Remote | undefined
  /** Whether every command was completed, so that nothing may be left over. */
  let isClean = true

  const observe = <T>(work: () => T): T => world.within(observer, work)
  const look = () => observe(() => readRemote(ADDRESS, service.token))

  /** Runs command lines at the same time. `onStart` receives their processes before they do anything. */
  async function runLines(
    lines: readonly Line[],
    {faults = [], order = 0}: Partial<Round> = {},
    onStart: (all: readonly Started[]) => void = () => undefined,
  ): Promise<Result[]> {
    choose = order === 0 ? () => 0 : randomOf(order)
    const pick = (count: number) => Math.floor(choose() * count)
    const network = createNetwork({handle: service.handle, service: host, faults, pick})
    const send = plant.send?.(network.send) ?? network.send
    const started = lines.map(line => startDrv(world, line, send))
    onStart(started)
    await world.run(started)
    choose = () => 0
    await world.settle(host)
    log.push(...network.log)
    return Promise.all(started.map(one => (one.process.isEnded ? one.killed() : one.result)))
  }

  /** The steps that the histories of the machines have got since the last call, by machine. */
  const seen = new Set<string>()
  async function newSteps(of: Iterable<string>): Promise<Map<string, HistoryStep[]>> {
    const found = new Map<string, HistoryStep[]>()
    for (const disk of of) {
      const terminal = terminals.find(one => one.disk === disk)!
      const argv = ['history', '--steps', '--format', 'ndjson']
      const [result] = await runLines([lineOf(terminal, service.token, argv)])
      const {code, stdout, stderr} = result!
      if (code !== 0) throw new Error(`drv history: ${stderr}`)
      const lines = stdout.split('\n').filter(Boolean)
      const steps = lines.map(line => JSON.parse(line) as HistoryStep)
      found.set(
        disk,
        steps.filter(({id}) => !seen.has(id)),
      )
      for (const {id} of steps) seen.add(id)
    }
    return found
  }

  /** The action of a command, if it makes sense in this situation. */
  function actionOf(terminal: Terminal, command: Command, remote: Remote): Action | undefined {
    const {machine, disk, pending, undo} = terminal
    if (command.action === 'again') return pending?.(remote)
    if (command.action === 'undo') return undo?.(remote)
    const [, , make] = ACTIONS.find(([, name]) => name === command.action)!
    return make({
      machine,
      remote,
      random: command.choices === 0 ? () => 0 : randomOf(command.choices),
      next: () => ++files,
      file(name, text) {
        const path = join(machine.files, name)
        world.disk(disk).fs.writeFileSync(path, text)
        return path
      },
    })
  }

  async function runRound(round: Round): Promise<string[]> {
    const before = (now ??= await look())
    const planned = round.commands.flatMap((command, index) => {
      const terminal = terminals[index]!
      const action = command && observe(() => actionOf(terminal, command, before))
      return action ? [{terminal, command, action}] : []
    })
    if (planned.length === 0) return []
    for (const disk of disks) world.disk(disk).flush()
    let all: readonly Started[] = []
    const lost = new Set<string>()
    const lines = planned.map(({terminal, command, action}): Line => {
      const {killAt, powerLoss} = command
      const losePower = () => {
        if (typeof powerLoss !== 'number') return
        lost.add(terminal.disk)
        for (const [index, {process}] of all.entries()) {
          if (planned[index]!.terminal.disk === terminal.disk) process.isEnded = true
        }
        world.disk(terminal.disk).losePower(powerLoss)
      }
      return {
        ...lineOf(terminal, service.token, action.argv),
        ...(action.input !== undefined && {input: action.input}),
        ...(typeof killAt === 'number' && {kill: {at: killAt, then: losePower}}),
      }
    })
    const trees = planned.map(({terminal}) => observe(() => treesOf(terminal)))
    const results = await runLines(lines, round, started => (all = started))
    const runs = planned.map(({terminal, command, action}, index) => ({
      ...{terminal, action, command},
      ...{before: trees[index]!, result: results[index]!},
    }))
    for (const {terminal, action, result} of runs) {
      log.push(shown(terminal, action, result))
      if (plant.isVerbose) log.push(result.stdout + result.stderr)
    }
    for (const disk of lost) {
      log.push(`Machine ${disk} lost power.`)
      world.later(BOOT, () => undefined, host)
      await world.settle(host)
    }
    return judged(runs, before, lost)
  }

  /** What is wrong after commands have ended. `lost`: the machines that lost power. */
  async function judged(
    ended: ReadonlyArray<Omit<Run, 'after'>>,
    before: Remote,
    lost: ReadonlySet<string>,
  ): Promise<string[]> {
    const after = (now = await look())
    const runs = ended.map(run => ({...run, after: observe(() => treesOf(run.terminal))}))
    const steps = await newSteps(new Set(runs.map(({terminal}) => terminal.disk)))
    const changes = differences(before, after)
    const wrong = judgeRound(runs, terminals, {before, after, changes, steps, lost})
    for (const run of runs) {
      const {terminal} = run
      isClean &&= isFinished(run) && (isRepeated(run) || !terminal.pending)
      conclude(run, changes, steps.get(terminal.disk)!)
    }
    return [...wrong, ...service.takeErrors().map(error => `The service failed: ${String(error)}`)]
  }

  /** Every command that is not done is done at last, and nothing is left over. */
  async function finish(): Promise<string[]> {
    for (let attempt = 1; terminals.some(({pending}) => pending); attempt++) {
      if (attempt > ATTEMPTS) return [`Not done after ${ATTEMPTS} more attempts.`]
      const again = {action: 'again', choices: 0}
      const commands = terminals.map(({pending}) => (pending ? again : null))
      const wrong = await runRound({commands, faults: [], order: 0})
      if (wrong.length > 0) return wrong
    }
    return disks.flatMap(disk => [
      ...(isClean ? observe(() => strayFiles(`${ROOT}${disk}`)) : []).map(
        path => `Left over: ${path}`,
      ),
      ...observe(() => leaks(`${ROOT}${disk}`, [service.token])),
    ])
  }

  for (const step of [...program.map(round => () => runRound(round)), finish]) {
    const wrong = await step().catch((error: unknown) => [String((error as Error).stack)])
    if (wrong.length > 0) {
      world.end()
      return {wrong, log}
    }
  }
  world.end()
  return {wrong: [], log}
}

function shown({machine}: Terminal, {argv}: Action, {signal, code}: Result): string {
  const words = argv.map(word => (/^[\w./-]+$/.test(word) ? word : `'${word}'`))
  return `${machine.name}: drv ${words.join(' ')} → ${signal ?? code}`
}
