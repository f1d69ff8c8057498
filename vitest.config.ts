import { join } from 'node:path'
import { defaultServerConditions } from 'vite'
import { defineConfig } from 'vitest/config'
import { testKinds } from './scripts/test-kinds.ts'
import { LongestFirst } from './scripts/test-order.ts'

// Workspace packages run from source, as `npm start` runs them; only the packed tarball test sees dist.
// `module` is for bundlers: what it names need not run on Node as it is.
const conditions = ['bridle-source', ...defaultServerConditions.filter((condition) => condition !== 'module')]

const include = [
  'apps/cockpit/**/*.test.{ts,tsx}',
  'packages/**/src/**/*.test.{ts,tsx}',
  'conformance/**/*.test.ts',
  'crash/**/*.test.ts',
  'examples/**/*.test.ts',
  'fuzz/**/*.test.ts',
  'simulation/**/*.test.ts',
  'scripts/**/*.test.ts',
]
// `npm run test:long` runs those that take minutes: vitest.long.config.ts.
const exclude = ['**/node_modules/**', '**/dist/**', '**/.types/**', '**/*.long.test.ts']
const { processes } = testKinds(import.meta.dirname, include, exclude)

const SLOW = '**/*.slow.test.ts'
/** Tests against a Worker in a program of its own. */
const isWorkers = (file: string) => /^packages\/server\/src\/cloudflare\/|^conformance\//.test(file)
/** Tests in Chromium, which a process starts once. */
const isPages = (file: string) => /^(apps\/cockpit|examples\/chat)\//.test(file)

/** Files of a project share a process and its modules, which saves a start per file. */
const shared = { isolate: false, setupFiles: ['scripts/shared-process-setup.ts'] }
/** The same, and a file that starts a program fails. */
const programless = (name: string, include: string[], exclude: string[]) => ({
  extends: true as const,
  test: { name, include, exclude, ...shared, setupFiles: ['scripts/fast-test-setup.ts', ...shared.setupFiles] },
})

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    environment: 'node',
    // Files of a user's project are loaded by Node, as in a server, and not by Vite.
    server: { deps: { external: [/[?]changed=/] } },
    env: {
      // Keys of the machine are not for tests.
      ...{ ANTHROPIC_API_KEY: '', OPENAI_API_KEY: '', ANTHROPIC_BASE_URL: '', OPENAI_BASE_URL: '' },
      // Servers under test keep their log lines to themselves; a test that reads them sets a level.
      BRIDLE_LOG: process.env.BRIDLE_LOG ?? 'silent',
      // Programs of ours that tests start from source find it compiled: each start costs a third.
      NODE_COMPILE_CACHE:
        process.env.NODE_COMPILE_CACHE ?? join(import.meta.dirname, 'node_modules/.cache/node-compile'),
    },
    // Real processes on a busy machine take their time; a test that hangs still ends.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    // Forks, because tests own data folders, servers and process signals. Five, because small machines have two cores, and tests wait for a
    // third of their time: starts of programs, disks, timeouts.
    pool: 'forks',
    maxWorkers: 5,
    sequence: { sequencer: LongestFirst },
    projects: [
      // A test file that is added while Vitest watches is fast until the next start.
      programless('fast', include, [...exclude, ...processes, SLOW]),
      // No program either, but seconds of disks, timeouts or seeds: not for the inner loop.
      programless('slow', [SLOW], [...exclude, ...processes]),
      {
        extends: true,
        test: {
          name: 'processes',
          include: processes.filter((file) => !isPages(file) && !isWorkers(file)),
          exclude,
          ...shared,
          globalSetup: ['scripts/process-test-setup.ts'],
        },
      },
      // A process for several files, which would each load the whole server, and start a browser or a Worker. They change nothing else.
      { extends: true, test: { name: 'workers', include: processes.filter(isWorkers), exclude, isolate: false } },
      { extends: true, test: { name: 'pages', include: processes.filter(isPages), exclude, isolate: false } },
    ],
  },
})
