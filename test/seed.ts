import type {TestProject} from 'vitest/node'

/** Tells how the tests run in the same order again. */
export default function tellSeed({config}: TestProject): void {
  console.log(`The same order again: TEST_SEED=${config.sequence.seed}`)
}
