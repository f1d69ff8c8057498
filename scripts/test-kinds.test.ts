import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { testKinds } from './test-kinds.ts'

const root = mkdtempSync(join(tmpdir(), 'bridle-test-kinds-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const sources = {
  'packages/p/src/start.ts': `import { spawn } from 'node:child_process'`,
  'packages/p/src/server.ts': `import './start.ts'`,
  'packages/p/src/types.ts': `import type { ChildProcess } from 'node:child_process'`,
  'packages/p/src/server.suite.ts': `import './deeper.suite.ts'`,
  'packages/p/src/deeper.suite.ts': `import '../../../scripts/tool.ts'`,
  'packages/p/src/plain.suite.ts': `import './server.ts'`,
  'packages/p/src/round.suite.ts': `import './round.suite.ts'; import './plain.suite.ts'`,
  'scripts/tool.ts': `export { spawnSync } from 'node:child_process'`,
}

const tests: readonly [file: string, kind: 'fast' | 'processes', text: string][] = [
  ['packages/p/src/none.test.ts', 'fast', `import './missing.ts'; import './data.json'`],
  ['packages/p/src/types.test.ts', 'fast', `import './types.ts'; import type { Start } from './start.ts'`],
  // A server can start programs, and most tests of a server start none: the guard finds those that do.
  ['packages/p/src/server.test.ts', 'fast', `import './server.ts'; import './plain.suite.ts'`],
  ['packages/p/src/round.test.ts', 'fast', `import './round.suite.ts'`],
  ['packages/p/src/itself.test.ts', 'processes', `import { spawn } from 'node:child_process'`],
  ['packages/p/src/start.test.tsx', 'processes', `import { start } from './start.ts'`],
  ['packages/p/src/suite.test.ts', 'processes', `import './server.suite.ts'`],
  ['packages/p/src/dynamic.test.ts', 'processes', `const { chromium } = await import('playwright-core')`],
  ['scripts/again.test.ts', 'processes', `export * from './tool.ts'`],
]

for (const [file, text] of [...Object.entries(sources), ...tests.map(([file, , text]) => [file, text] as const)]) {
  mkdirSync(dirname(join(root, file)), { recursive: true })
  writeFileSync(join(root, file), text)
}
const kinds = testKinds(root, ['packages/**/*.test.{ts,tsx}', 'scripts/**/*.test.ts'], [])

test.each(tests)('%s is one of the %s tests: %s', (file, kind) => {
  expect([kinds.fast.includes(file), kinds.processes.includes(file)]).toEqual([kind === 'fast', kind === 'processes'])
})

// Not imported, since an import would make this file a process test.
const childProcess = process.getBuiltinModule('node:child_process')

test.each(['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork'] as const)(
  'a fast test cannot start a program with %s',
  (name) => {
    expect(() => childProcess[name]('true')).toThrow(`A fast test starts a program: ${name}("true")`)
  },
)

test('most tests of this repository are fast', () => {
  const own = testKinds(
    join(import.meta.dirname, '..'),
    ['packages/**/src/**/*.test.{ts,tsx}', 'scripts/**/*.test.ts'],
    ['**/node_modules/**', '**/*.long.test.ts'],
  )
  // A source file that many tests import, and that begins to start programs by itself, moves them all: keep that apart.
  expect(own.fast.length).toBeGreaterThan(2 * own.processes.length)
})
