import {mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {createCoverage} from './coverage.js'
import {type Program, runProgram} from './program.js'
import type {Failure} from './runs.js'
import {MACHINES} from './world.js'

/** Runs of a smaller program before it counts as one that does not fail: timing differs between runs. */
const RUNS = 2
/** Milliseconds for all attempts. */
const LIMIT = 10 * 60_000

/**
 * Looks for a smaller program that still fails: without faults, without kills, without some machines, from a later
 * round on, and without single commands. Prints the smallest one with its commands.
 */
export async function shrink(
  program: Program,
  {machine}: Pick<Failure, 'machine'>,
  log: (line: string) => void,
): Promise<void> {
  const end = Date.now() + LIMIT
  let smallest: Program = program
  let found: {readonly lines: readonly string[]; readonly failure: Failure} | undefined

  async function fails(next: Program): Promise<boolean> {
    for (let run = 0; run < RUNS && Date.now() < end; run++) {
      const folder = mkdtempSync(join(tmpdir(), 'drv-simulate-shrink-'))
      const lines: string[] = []
      const coverage = createCoverage()
      const failure = await runProgram(next, folder, {log: line => lines.push(line), coverage})
      rmSync(folder, {recursive: true})
      if (!failure) continue
      smallest = next
      found = {lines, failure}
      return true
    }
    return false
  }

  if (machine !== 'service') await fails({...smallest, only: [machine]})
  await fails({...smallest, isFaultless: true})
  await fails({...smallest, isUnkilled: true})
  for (let idle = Math.floor(program.rounds / 2); idle > 0; idle = Math.floor(idle / 2)) {
    const next = (smallest.idle ?? 0) + idle
    if (next < program.rounds) await fails({...smallest, idle: next})
  }
  const commands = commandsOf(smallest, machine)
  for (let size = Math.ceil(commands.length / 2); size > 0; size = Math.floor(size / 2)) {
    for (let from = 0; from < commands.length; from += size) {
      const without = [...(smallest.without ?? []), ...commands.slice(from, from + size)]
      if (without.length > (smallest.without?.length ?? 0)) await fails({...smallest, without})
    }
  }
  if (!found) {
    log('No smaller program failed again; the failure depends on timing.')
    return
  }
  log(`Smallest program that failed again: ${JSON.stringify(smallest)}`)
  log(found.lines.map(line => `  ${line}`).join('\n'))
  log(found.failure.observations.map(line => `  ${line}`).join('\n'))
}

/** The commands of a program that may be left out: all but the last of the machine that failed. */
function commandsOf({rounds, idle = 0, only}: Program, failed: string): string[] {
  const machines = MACHINES.map(({name}) => name).filter(name => !only || only.includes(name))
  return Array.from({length: rounds - idle}, (_, index) => idle + index + 1).flatMap(round =>
    machines.filter(name => round < rounds || name !== failed).map(name => `${round} ${name}`),
  )
}
