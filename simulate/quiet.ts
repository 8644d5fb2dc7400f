import {setTimeout as wait} from 'node:timers/promises'
import type {Machine} from './action.js'
import type {HistoryStep} from './history.js'
import type {World} from './world.js'

/** What is read from a world between the rounds. */

/** Waits until the service has no more changes to finish. */
export async function settled(world: World): Promise<void> {
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
export async function newSteps(world: World, machine: Machine): Promise<HistoryStep[]> {
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
