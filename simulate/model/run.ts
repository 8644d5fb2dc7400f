import {fork} from 'node:child_process'
import {once} from 'node:events'
import {availableParallelism} from 'node:os'
import {fileURLToPath} from 'node:url'
import {parseArgs} from 'node:util'
import {loadBundled} from './build.js'

/**
 * Runs random programs of commands in one process, whose time, network and disks are simulated:
 * `npm run simulate:model -- --minutes 10`. One process per core runs different seeds. Every failure is
 * repeatable: `--seed N` runs the same programs again, and `--program JSON` runs one of them with the output of its
 * commands.
 */

/** Programs for one seed. */
const PROGRAMS = 100

const {values} = parseArgs({
  options: {
    seed: {type: 'string'},
    minutes: {type: 'string', default: '1'},
    program: {type: 'string'},
    /** For the process of one core: its first seed. */
    first: {type: 'string'},
  },
})
const {seed, minutes, program, first} = values
const cores = availableParallelism()
const end = Date.now() + Number(minutes) * 60_000

if (program !== undefined) await runOne(program)
else if (seed !== undefined) await runSeeds(Number(seed), {isOne: true})
else if (first !== undefined) await runSeeds(Number(first))
else await runOnAllCores()
process.exit()

/** Runs different seeds on every core, until the time is over or a program fails. */
async function runOnAllCores(): Promise<void> {
  const started = Date.now()
  let total = 0
  const children = Array.from({length: cores}, (_, core) => {
    const own = String((started % 1_000_000_000) + core)
    const child = fork(fileURLToPath(import.meta.url), ['--first', own, '--minutes', minutes])
    return child.on('message', programs => (total += Number(programs)))
  })
  await Promise.all(
    children.map(async child => {
      const [code] = await once(child, 'exit')
      if (code === 0) return
      for (const other of children) other.kill()
      process.exit(1)
    }),
  )
  const speed = Math.round(total / ((Date.now() - started) / 60_000))
  console.log(`${total} programs without a failure on ${cores} cores (${speed} per minute)`)
}

/** Runs the programs of a seed, and of every seed of this core after it; exits with 1 after a failure. */
async function runSeeds(from: number, {isOne = false} = {}): Promise<void> {
  const {search} = await loadModel()
  let seed = from
  do {
    const begun = performance.now()
    const {programs, failure} = await search({seed, programs: PROGRAMS})
    process.send?.(programs)
    console.log(`seed ${seed}: ${programs} programs, ${Math.round(performance.now() - begun)} ms`)
    if (failure) {
      console.log('The smallest program that fails:')
      print(failure.log)
      console.log('The first wrong observation:')
      print(failure.wrong)
      console.log(`Again: npm run simulate:model -- --program '${JSON.stringify(failure.program)}'`)
      process.exit(1)
    }
    seed += cores
  } while (!isOne && Date.now() < end)
}

/** Runs one program with the output of its commands. */
async function runOne(program: string): Promise<void> {
  const {replay} = await loadModel()
  const {log, wrong} = await replay(JSON.parse(program), {isVerbose: true})
  print(log)
  console.log(wrong.length > 0 ? 'The first wrong observation:' : 'No failure')
  print(wrong)
  if (wrong.length > 0) process.exit(1)
}

function loadModel() {
  return loadBundled<typeof import('./entry.js')>('simulate/model/entry.ts')
}

function print(lines: readonly string[]): void {
  for (const line of lines) console.log(`  ${line}`)
}
