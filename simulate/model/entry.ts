import fc from 'fast-check'
import {ACTIONS} from './actions.js'
import {replaceBuiltins} from './builtins.js'
import {EXAMPLES} from './examples.js'
import {FAULTS} from './network.js'
import {type Ending, type Plant, type Program, runProgram} from './program.js'
import {createSimulatedService, type SimulatedService} from './service.js'
import {AREAS} from './terminals.js'

/** Random programs, and the smallest one that still fails. */

/** The result of a search. */
export interface Search {
  /** The number of programs that were run, without those that only shrink a failure. */
  readonly programs: number
  /** The smallest program that fails, and how it ends. */
  readonly failure?: {readonly program: Program} & Ending
}

export interface SearchOptions {
  /** Decides all programs. */
  readonly seed: number
  /** How many programs to run (default: until `time`). */
  readonly programs?: number
  /** Milliseconds after which no other program begins. */
  readonly time?: number
  readonly plant?: Plant
  /** Whether to look for a smaller program after a failure (default: true). */
  readonly shrinks?: boolean
}

/** `null`, to which it shrinks, or a value of `arbitrary` once in `nulls + 1` times. */
const seldom = <T>(arbitrary: fc.Arbitrary<T>, nulls: number) =>
  fc.oneof(
    {withCrossShrink: true},
    {weight: nulls, arbitrary: fc.constant(null)},
    {weight: 1, arbitrary},
  )

const weights = [...ACTIONS, [6, 'again'] as const, [4, 'undo'] as const]

const command = fc.record({
  action: fc.oneof(
    ...weights.map(([weight, name]) => ({weight, arbitrary: fc.constant<string>(name)})),
  ),
  choices: fc.nat(999),
  killAt: seldom(fc.nat(120), 3),
  powerLoss: seldom(fc.constantFrom(0, 0.5), 3),
})

const round = fc.record({
  commands: fc.tuple(...AREAS.map(() => seldom(command, 1))),
  faults: fc.array(fc.record({request: fc.nat(40), fault: fc.constantFrom(...FAULTS)}), {
    maxLength: 4,
  }),
  order: fc.nat(999),
})

const programs: fc.Arbitrary<Program> = fc.array(round, {minLength: 1, maxLength: 4, size: 'max'})

/** Runs the programs that failed once, then random ones, and shrinks the first that fails. */
export async function search({
  seed,
  programs: count = 10_000_000,
  time = Infinity,
  plant,
  shrinks = true,
}: SearchOptions): Promise<Search> {
  const end = Date.now() + time
  let ran = 0
  let failure: Search['failure']
  await inSimulation(async service => {
    const property = fc.asyncProperty(programs, async program => {
      if (!failure && Date.now() > end) return fc.pre(false)
      if (!failure) ran++
      const ending = await runProgram(service, program, plant)
      const isWrong = ending.wrong.length > 0
      if (isWrong) failure = {program, ...ending}
      return !isWrong
    })
    const {errorInstance} = await fc.check(property, {
      seed,
      numRuns: count,
      maxSkipsPerRun: 0,
      endOnFailure: !shrinks,
      examples: EXAMPLES.map(({program}): [Program] => [program]),
    })
    if (errorInstance !== null && !failure) throw errorInstance
  })
  return {programs: ran, failure}
}

/** Runs one program. */
export function replay(program: Program, plant?: Plant): Promise<Ending> {
  return inSimulation(service => runProgram(service, program, plant))
}

async function inSimulation<T>(work: (service: SimulatedService) => Promise<T>): Promise<T> {
  const service = await createSimulatedService()
  const restore = replaceBuiltins()
  try {
    return await work(service)
  } finally {
    restore()
    await service.close()
  }
}
