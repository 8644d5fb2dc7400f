import {mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {parseArgs} from 'node:util'
import {createCoverage} from './coverage.js'
import {FAILURES} from './faults.js'
import {runProgram} from './program.js'
import {FAILED_SEEDS} from './seeds.js'
import {shrink} from './shrink.js'

/**
 * Runs random programs of several machines against a service that fails, until the time is over:
 * `npm run simulate -- --minutes 10`. `--repeat` is for CI: the moments of kills differ between runs, so not every
 * failure can be repeated.
 */

/** The commands that a run of some minutes reaches. */
const COMMANDS = [
  ...[
    'push',
    'pull',
    'mkdir',
    'cp',
    'mv',
    'rm',
    'restore',
    'share',
    'unshare',
    'star',
    'apply',
    'undo',
  ],
  ...['files insert', 'files patch', 'files trash', 'permissions insert', 'properties insert'],
  ...['auth login', 'push --follow', 'pull --follow', 'follow', 'follow --exec'],
  ...['push --follow (both)', 'pull --follow (both)'],
]

const ROUNDS = {small: 12, large: 60}

const USAGE = `Usage: npm run simulate -- [--seed N | --kept] [--minutes M] [--world WORLD] [--repeat] [--verbose]

  --seed N       run one program again, from the seed that a failure printed
  --kept         run the programs that failed once
  --minutes M    run programs with new seeds for M minutes (1 by default)
  --world WORLD  small (${ROUNDS.small} rounds per program, the default) or large (${ROUNDS.large})
  --repeat       ignore a failure that does not happen again
  --verbose      print each command as it runs
  -h, --help     print this help`

function usageError(text: string): never {
  console.error(`Error: ${text}`)
  process.exit(2)
}

function readOptions() {
  try {
    const {values} = parseArgs({
      options: {
        seed: {type: 'string'},
        minutes: {type: 'string', default: '1'},
        world: {type: 'string', default: 'small'},
        kept: {type: 'boolean', default: false},
        repeat: {type: 'boolean', default: false},
        verbose: {type: 'boolean', default: false},
        help: {type: 'boolean', short: 'h', default: false},
      },
    })
    if (values.help) {
      console.log(USAGE)
      process.exit(0)
    }
    const {seed, minutes, world} = values
    if (seed !== undefined && !/^\d{1,10}$/.test(seed)) {
      return usageError('--seed must be a whole number of up to 10 digits.')
    }
    if (!(Number(minutes) > 0)) return usageError('--minutes must be a positive number.')
    if (!(world in ROUNDS)) return usageError('--world must be small or large.')
    return {...values, minutes: Number(minutes), world: world as keyof typeof ROUNDS}
  } catch (error) {
    return usageError((error as Error).message)
  }
}

const options = readOptions()
const rounds = ROUNDS[options.world]
const coverage = createCoverage()

/** Runs a program in a new folder, which is kept if it fails; returns whether it did not, or not again. */
async function isSound(seed: number, isAgain = false): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), `drv-simulate-${seed}-`))
  console.log(`seed ${seed}`)
  const lines: string[] = []
  const failure = await runProgram({seed, rounds}, folder, {
    coverage,
    log(line) {
      lines.push(line)
      if (options.verbose) console.log(`  ${line}`)
    },
  })
  if (!failure) {
    rmSync(folder, {recursive: true})
    return true
  }
  console.log(lines.map(line => `  ${line}`).join('\n'))
  console.log(`Failure in round ${failure.round} of ${failure.machine}:`)
  console.log(failure.observations.map(line => `  ${line}`).join('\n'))
  console.log(`World: ${folder}`)
  console.log(`Again: npm run simulate -- --seed ${seed} --world ${options.world}`)
  if (options.repeat && !isAgain) {
    const isPassing = await isSound(seed, true)
    if (isPassing) console.log(`seed ${seed} did not fail again, so it does not count.`)
    return isPassing
  }
  await shrink({seed, rounds: Math.min(rounds, failure.round)}, failure, console.log)
  return false
}

/** Runs the programs that failed once, two at a time, because they mostly wait; returns whether none fails. */
async function areKeptSound(): Promise<boolean> {
  const seeds = FAILED_SEEDS.map(({seed}) => seed)
  let isFailed = false
  async function runNext(): Promise<void> {
    for (let seed = seeds.shift(); seed !== undefined && !isFailed; seed = seeds.shift()) {
      if (!(await isSound(seed))) isFailed = true
    }
  }
  await Promise.all([runNext(), runNext()])
  return !isFailed
}

const started = Date.now()
const end = started + options.minutes * 60_000
const first = options.seed === undefined ? started % 1_000_000_000 : Number(options.seed)
let programs = 0
if (options.kept) {
  programs = FAILED_SEEDS.length
  if (!(await areKeptSound())) process.exit(1)
} else {
  do {
    if (!(await isSound(first + programs))) process.exit(1)
    programs += 1
  } while (options.seed === undefined && Date.now() < end)
}
const minutes = (Date.now() - started) / 60_000
const speed = (programs / minutes).toFixed(1)
console.log(coverage.table({actions: COMMANDS, faults: FAILURES}))
console.log(
  `${programs} programs of ${rounds} rounds in ${minutes.toFixed(1)} min (${speed} per minute): no failure.`,
)
process.exit(0)
