// For the fast tests, which share a process from file to file: each file leaves it as it found it, and none starts a program.
import childProcess from 'node:child_process'
import { syncBuiltinESMExports } from 'node:module'
import { afterAll, expect, vi } from 'vitest'

const STARTS = ['exec', 'execFile', 'execFileSync', 'execSync', 'fork', 'spawn', 'spawnSync'] as const

for (const name of STARTS) {
  Object.assign(childProcess, {
    [name]: (program: unknown) => {
      throw new Error(
        `A fast test starts a program: ${name}(${JSON.stringify(program)}). Give the test a program of its own making, or move ` +
          'it to a test file that imports node:child_process or a suite that does (scripts/test-kinds.ts).',
      )
    },
  })
}
// Named imports of child_process see the change only after this.
syncBuiltinESMExports()

/** Process-wide state that Vitest does not restore. */
const processState = () => ({
  cwd: process.cwd(),
  env: { ...process.env },
  listeners: Object.fromEntries(process.eventNames().map((name) => [String(name), process.listenerCount(name)])),
  globals: [Date, fetch, WebSocket, setTimeout, setInterval, setImmediate, Math.random, console.log],
})

const before = processState()

// Setup hooks come first in the file, so this one runs after all others.
afterAll(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
  expect(processState(), 'A fast test file leaves the process as it found it').toEqual(before)
})
