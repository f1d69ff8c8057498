import { defaultServerConditions } from 'vite'
import { defineConfig } from 'vitest/config'

// Workspace packages run from source, as `npm start` runs them; only the packed tarball test sees dist.
// `module` is for bundlers: what it names need not run on Node as it is.
const conditions = ['bridle-source', ...defaultServerConditions.filter((condition) => condition !== 'module')]

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    environment: 'node',
    // Whatever keys the machine has are not for tests.
    env: { ANTHROPIC_API_KEY: '', OPENAI_API_KEY: '', ANTHROPIC_BASE_URL: '', OPENAI_BASE_URL: '' },
    // Real processes on a busy machine take their time; a test that hangs still ends.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    include: [
      'packages/**/src/**/*.test.{ts,tsx}',
      'conformance/**/*.test.ts',
      'crash/**/*.test.ts',
      'examples/**/*.test.ts',
      'fuzz/**/*.test.ts',
      'simulation/**/*.test.ts',
      'scripts/**/*.test.ts',
    ],
    // `npm run test:long` runs those that take minutes: vitest.long.config.ts.
    exclude: ['**/node_modules/**', '**/dist/**', '**/.types/**', '**/*.long.test.ts'],
    // Forks, because tests own data folders, servers and process signals. Two, because small machines have two cores.
    pool: 'forks',
    maxWorkers: 2,
  },
})
