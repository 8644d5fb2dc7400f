import {parseArgs} from 'node:util'
import {loadBundled} from './build.js'

/**
 * Runs random programs of commands in one process, whose time, network and disks are simulated:
 * `npm run simulate:model -- --minutes 10`. Every failure is repeatable: `--seed N` runs the same programs again, and
 * `--program JSON` runs one of them with the output of its commands.
 */

/** Programs for one seed. */
const PROGRAMS = 100

const {values} = parseArgs({
  options: {
    seed: {type: 'string'},
    minutes: {type: 'string', default: '1'},
    program: {type: 'string'},
  },
})
const {search, replay} = await loadBundled<typeof import('./entry.js')>('simulate/model/entry.ts')

const print = (lines: readonly string[]) => {
  for (const line of lines) console.log(`  ${line}`)
}

if (values.program !== undefined) {
  const {log, wrong} = await replay(JSON.parse(values.program), {isVerbose: true})
  print(log)
  console.log(wrong.length > 0 ? 'The first wrong observation:' : 'No failure')
  print(wrong)
  process.exit(wrong.length > 0 ? 1 : 0)
}

const end = Date.now() + Number(values.minutes) * 60_000
let seed = values.seed === undefined ? Date.now() % 1_000_000_000 : Number(values.seed)
let total = 0
do {
  const begun = performance.now()
  const {programs, failure} = await search({seed, programs: PROGRAMS})
  total += programs
  console.log(`seed ${seed}: ${programs} programs, ${Math.round(performance.now() - begun)} ms`)
  if (failure) {
    console.log('The smallest program that fails:')
    print(failure.log)
    console.log('The first wrong observation:')
    print(failure.wrong)
    console.log(`Again: npm run simulate:model -- --program '${JSON.stringify(failure.program)}'`)
    process.exit(1)
  }
  seed++
} while (values.seed === undefined && Date.now() < end)
console.log(`${total} programs without a failure`)
process.exit()
