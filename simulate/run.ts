import {mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {parseArgs} from 'node:util'
import {runProgram} from './program.js'

/**
 * Runs random programs of several machines against a service that fails, until the time is over:
 * `npx tsx simulate/run.ts --minutes 10`, or one program again with `--seed N`.
 */

const ROUNDS = {small: 12, large: 60}

const {values} = parseArgs({
  options: {
    seed: {type: 'string'},
    minutes: {type: 'string', default: '1'},
    world: {type: 'string', default: 'small'},
    verbose: {type: 'boolean', default: false},
  },
})
const rounds = ROUNDS[values.world as keyof typeof ROUNDS]
const end = Date.now() + Number(values.minutes) * 60_000
let seed = values.seed === undefined ? Date.now() % 1_000_000_000 : Number(values.seed)
let programs = 0
do {
  const folder = mkdtempSync(join(tmpdir(), `drv-simulate-${seed}-`))
  console.log(`seed ${seed}`)
  const lines: string[] = []
  const failure = await runProgram({seed, rounds}, folder, line => {
    lines.push(line)
    if (values.verbose) console.log(`  ${line}`)
  })
  programs++
  if (failure) {
    console.log(lines.map(line => `  ${line}`).join('\n'))
    console.log(`Failure in round ${failure.round} of ${failure.machine}:`)
    console.log(failure.observations.map(line => `  ${line}`).join('\n'))
    console.log(`World: ${folder}`)
    console.log(`Again: npx tsx simulate/run.ts --seed ${seed} --world ${values.world}`)
    process.exit(1)
  }
  rmSync(folder, {recursive: true})
  seed++
} while (Date.now() < end && values.seed === undefined)
console.log(`${programs} programs of ${rounds} rounds: no failure.`)
process.exit(0)
