import {join} from 'node:path'
import {randomOf} from '../test/support/random.js'
import type {Machine} from './action.js'
import {isFinished, leaks, strayFiles} from './judge.js'
import type {LiveFolder} from './live.js'
import type {Failure, NextAction, Runs} from './runs.js'
import type {SignIns} from './sign-ins.js'
import {pull, push} from './tree-actions.js'
import type {World} from './world.js'

/** Attempts until a repeatable command must have succeeded under failures. */
const ATTEMPTS = 15

interface Finishing {
  readonly world: World
  readonly runs: Runs
  readonly signIns: SignIns
  readonly live: readonly LiveFolder[]
  readonly seed: number
  /** The names of the machines that run commands (default: all). */
  readonly only?: readonly string[]
  /** The number of the round after all others. */
  readonly round: number
}

/** Every repeatable command ends with 0 at last, and nothing is left over. */
export async function finish({
  world,
  runs,
  signIns,
  live,
  seed,
  only,
  round,
}: Finishing): Promise<Failure | undefined> {
  world.enlargeDisks()
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) await signIns.renew()
  for (const folder of live) {
    const wrong = await folder.finish(() => runs.remoteOf(world.machines[0]!))
    if (wrong.length > 0) return {round, machine: 'live', observations: wrong}
  }
  for (const machine of world.machines) {
    if (only && !only.includes(machine.name)) continue
    const own = randomOf(seed)
    const makers: NextAction[] = [
      ...(runs.pending.has(machine.name) ? [runs.pending.get(machine.name)!] : []),
      remote => push(runs.situation(machine, remote, own)),
      remote => pull(runs.situation(machine, remote, own)),
    ]
    for (const make of makers) {
      let next: NextAction | undefined = make
      for (let attempt = 1; next; attempt++) {
        const remote = await runs.remoteOf(machine)
        const action = next(remote)
        if (!action) break
        const one = await runs.run(machine, action)
        const failure = await runs.observe(round, [one], new Map([[machine.name, remote]]))
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
      ...(await openTransfers(world, machine)),
    ]
    if (observations.length > 0) return {round, machine: machine.name, observations}
  }
  const observations = await world.check()
  return observations.length > 0 ? {round, machine: 'service', observations} : undefined
}

/** The transfers that a machine lists although all have ended. */
async function openTransfers(world: World, machine: Machine): Promise<string[]> {
  const {code, stdout, stderr} = await world.run(machine, ['transfers', 'list'])
  return code === 0 && stdout === '' ? [] : [`drv transfers list: ${code} ${stdout}${stderr}`]
}
