// Tests that take minutes, `*.long.test.ts`. scripts/test-long.ts starts them, with a deadline for each part.
import { defineConfig } from 'vitest/config'
import base from './vitest.config.ts'

const { projects: _projects, ...shared } = base.test ?? {}

export default defineConfig({
  ...base,
  test: {
    ...shared,
    include: ['apps/cockpit/tests/*.long.test.ts', 'packages/**/src/**/*.long.test.ts', 'scripts/**/*.long.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**', '**/.types/**'],
    testTimeout: 900_000,
    hookTimeout: 300_000,
  },
})
