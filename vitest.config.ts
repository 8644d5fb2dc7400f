import {availableParallelism} from 'node:os'
import {defineConfig} from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // End-to-end tests start real processes, some of them on slow machines.
    testTimeout: 30_000,
    // What a test waits for comes when it comes; what never comes fails before the test's own time is over.
    expect: {poll: {timeout: 15_000}},
    // No test may live on what another one left: a new order each time.
    sequence: {shuffle: true, seed: Number(process.env.TEST_SEED) || Date.now()},
    globalSetup: 'test/seed.ts',
    // By default one core is kept for the runner, which hardly does anything: of two that is half.
    maxWorkers: availableParallelism(),
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
