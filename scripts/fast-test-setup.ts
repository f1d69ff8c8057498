// For the fast tests: none starts a program or leaves a listener behind. Tools that process tests load in their own process, such as Miniflare,
// keep a listener each.
import childProcess from 'node:child_process'
import { syncBuiltinESMExports } from 'node:module'
import { afterAll, expect } from 'vitest'

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

const listeners = () =>
  Object.fromEntries(process.eventNames().map((name) => [String(name), process.listenerCount(name)]))

const before = listeners()

// Setup hooks come first in the file, so this one runs after all others.
afterAll(() => expect(listeners(), 'A fast test file leaves no listeners behind').toEqual(before))
