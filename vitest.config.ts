import {availableParallelism} from 'node:os'
import {defineConfig} from 'vitest/config'
import {BaseSequencer, type TestSpecification} from 'vitest/node'

/** Runs the slow end-to-end tests first, the others in vitest's order (known durations, else file size). */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const sorted = await super.sort(files)
    const isLong = ({moduleId}: TestSpecification) => moduleId.includes('/test/e2e/')
    return [...sorted.filter(isLong), ...sorted.filter(file => !isLong(file))]
  }
}

/** Orders the tests, and starts the random ones that have no seed of their own. */
const seed = Number(process.env.TEST_SEED) || Date.now()

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // End-to-end tests start real processes, also on slow machines, and hooks do as much work.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Polling has a shorter limit than the test, so that the failure names the assertion.
    expect: {poll: {timeout: 15_000}},
    // Shuffled, because no test may depend on another.
    sequence: {
      shuffle: {files: false, tests: true},
      sequencer: LongestFirst,
      seed,
    },
    globalSetup: 'test/setup.ts',
    setupFiles: 'test/support/to-read.ts',
    // Used with --coverage. Code that only the bundle runs is not counted.
    coverage: {provider: 'v8', include: ['src/**/*.ts'], reporter: ['text-summary', 'html']},
    // Tests that start processes wait half of the time, so more workers than cores are faster.
    maxWorkers: availableParallelism() * 2,
    // Modules keep no state, so test files can share them; loading them per file would take twice as long.
    isolate: false,
    // Fewer and simpler garbage collections: with more workers than cores, threads for them only cost time.
    execArgv: ['--max-semi-space-size=64', '--single-threaded-gc'],
    restoreMocks: true,
    env: {
      NO_COLOR: '1',
      TZ: 'UTC',
      TEST_SEED: String(seed),
      // The environment of the developer must not affect tests.
      ...Object.fromEntries(
        [
          'TOKEN',
          'PROFILE',
          'BASE_URL',
          'AUTH_URL',
          'CLIENT_ID',
          'CLIENT_SECRET',
          'NO_INPUT',
          'DEBUG',
        ].map(name => [`DRV_${name}`, '']),
      ),
    },
  },
})
