import {mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {createCoverage} from './coverage.js'
import {type Failure, type Program, runProgram} from './program.js'

/** Runs of a smaller program before it counts as one that does not fail: timing differs between runs. */
const RUNS = 2
/** Milliseconds for all attempts. */
const LIMIT = 5 * 60_000

/**
 * Looks for a smaller program that still fails: without faults, without kills, without some machines, and from a
 * later round on. Prints the smallest one with its commands.
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
  if (!found) {
    log('No smaller program failed again; the failure depends on timing.')
    return
  }
  const {seed, rounds, only, isFaultless, isUnkilled, idle} = smallest
  log(
    `Smallest program that failed again: ${JSON.stringify({seed, rounds, only, isFaultless, isUnkilled, idle})}`,
  )
  log(found.lines.map(line => `  ${line}`).join('\n'))
  log(found.failure.observations.map(line => `  ${line}`).join('\n'))
}
