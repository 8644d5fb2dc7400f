import {availableParallelism} from 'node:os'
import {defineConfig} from 'vitest/config'
import {BaseSequencer, type TestSpecification} from 'vitest/node'

/** What starts processes takes longest, so it begins first; then as vitest knows it, or guesses by size. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const sorted = await super.sort(files)
    const isLong = ({moduleId}: TestSpecification) => moduleId.includes('/test/e2e/')
    return [...sorted.filter(isLong), ...sorted.filter(file => !isLong(file))]
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // End-to-end tests start real processes, some of them on slow machines; hooks prepare as much.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // What a test waits for comes when it comes; what never comes fails before the test's own time is over.
    expect: {poll: {timeout: 15_000}},
    // No test may live on what another one left: a new order each time.
    sequence: {
      shuffle: {files: false, tests: true},
      sequencer: LongestFirst,
      seed: Number(process.env.TEST_SEED) || Date.now(),
    },
    globalSetup: 'test/setup.ts',
    setupFiles: 'test/support/to-read.ts',
    // Asked for with --coverage. What only the bundle runs does not count.
    coverage: {provider: 'v8', include: ['src/**/*.ts'], reporter: ['text-summary', 'html']},
    // A third of the time of tests that start processes is spent waiting, so there are more workers than cores.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    // No module keeps a state, so files may share them: to load them anew for each costs half of the time.
    isolate: false,
    restoreMocks: true,
    env: {
      NO_COLOR: '1',
      TZ: 'UTC',
      // What the surroundings say about a real service is none of a test's business.
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
