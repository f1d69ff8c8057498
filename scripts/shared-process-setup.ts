// For tests that share a process from file to file: each file leaves it as it found it.
import { afterAll, expect, vi } from 'vitest'

/** Variables that the SDK of Claude Code sets when it is imported. */
const SET_BY_ENGINES = ['CLAUDE_AGENT_SDK_VERSION', 'NoDefaultCurrentDirectoryInExePath']

/** Process-wide state that Vitest does not restore. */
const processState = () => ({
  cwd: process.cwd(),
  env: Object.fromEntries(Object.entries(process.env).filter(([name]) => !SET_BY_ENGINES.includes(name))),
  globals: [Date, fetch, WebSocket, setTimeout, setInterval, setImmediate, Math.random, console.log],
})

const before = processState()

// Setup hooks come first in the file, so this one runs after all others.
afterAll(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
  expect(processState(), 'A test file leaves the process as it found it').toEqual(before)
})
