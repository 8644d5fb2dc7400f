import {availableParallelism} from 'node:os'
import {defineConfig} from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // End-to-end tests start real processes, some of them on slow machines.
    testTimeout: 30_000,
    // A service that ends waits for what it has begun, and a busy disk may take long for that.
    hookTimeout: 15_000,
    // Some talk to other programs, such as a keychain, which do not always answer alike.
    retry: 2,
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
