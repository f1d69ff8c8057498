import { existsSync, globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { findViolations, readRules, type Sources } from '../../../scripts/import-boundaries.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const packageJson = JSON.parse(readFileSync(`${root}/packages/bridle/package.json`, 'utf8'))
const packages = [packageJson.name, ...Object.keys({ ...packageJson.dependencies, ...packageJson.peerDependencies })]
const rules = readRules(readFileSync(`${root}/docs/architecture.md`, 'utf8'), packages)

test('every source file obeys the import table of docs/architecture.md', () => {
  expect(findViolations(sourcesIn('packages/bridle/src'), rules)).toEqual([])
})

test('an app imports nothing of ours but published entry points', () => {
  expect(findViolations(appSources(), rules).filter((line) => line.includes('leaves the app'))).toEqual([])
})

describe('the check itself', () => {
  test.each<[string, Record<string, string>, string[]]>([
    ['a folder imports itself', { 'kernel/a.ts': `import './rules/b.ts'`, 'kernel/rules/b.ts': '' }, []],
    ['a folder outside the table', { 'utils/a.ts': '' }, ['utils/a.ts:1: no row of the import table covers this file']],
    [
      'a folder the row does not list',
      { 'stores/a.ts': `\nimport { x } from '../cli/x.ts'`, 'cli/x.ts': '' },
      ["stores/a.ts:2: imports '../cli/x.ts', but `stores` may import only itself, `kernel`, `node:*`"],
    ],
    [
      'another surface',
      { 'surfaces/fabric/a.ts': `export * from '../voice/b.ts'`, 'surfaces/voice/b.ts': '' },
      [
        "surfaces/fabric/a.ts:1: imports '../voice/b.ts', but `surfaces/*` may import only itself, `kernel`, `surfaces/http`, `hono`, `valibot`",
      ],
    ],
    ['the shared surface', { 'surfaces/fabric/a.ts': `import '../http/b.ts'`, 'surfaces/http/b.ts': '' }, []],
    ['a package the row lists', { 'surfaces/fabric/a.ts': `import { Hono } from 'hono/tiny'` }, []],
    [
      'a package in the kernel',
      { 'kernel/a.ts': `const v = await import('valibot')` },
      ["kernel/a.ts:1: imports 'valibot', but `kernel` may import only itself"],
    ],
    [
      'a name that is a folder and a package',
      { 'react/a.tsx': `import { useMemo } from 'react'\nimport './b.ts'`, 'react/b.ts': '' },
      [],
    ],
    [
      'React in the client',
      { 'client/a.ts': `import 'react'` },
      [
        "client/a.ts:1: imports 'react', but `client` may import only itself, `kernel/delta.ts`, `kernel/log-place.ts`, `kernel/state-operations.ts`, `kernel/catalogue.ts`, `kernel/projections`, `surfaces/*/wire.ts`, `surfaces/*/socket-wire.ts` (types only)",
        'client/a.ts:1: `client` never reaches `react`: client/a.ts -> react',
      ],
    ],
    ['the schema file alone has the schema library', { 'kernel/schemas.ts': `import * as v from 'valibot'` }, []],
    [
      'a value where only types may pass',
      { 'client/a.ts': `import { x } from '../surfaces/fabric/socket-wire.ts'`, 'surfaces/fabric/socket-wire.ts': '' },
      ["client/a.ts:1: imports '../surfaces/fabric/socket-wire.ts', which wants `import type`"],
    ],
    [
      'types where only types may pass',
      {
        'client/a.ts': `import type { X } from '../surfaces/fabric/socket-wire.ts'`,
        'surfaces/fabric/socket-wire.ts': '',
      },
      [],
    ],
    [
      'a missing file',
      { 'kernel/a.ts': `import './b.ts'` },
      ["kernel/a.ts:1: imports './b.ts', which is not a source file of this package"],
    ],
    [
      'something reached by way of others',
      {
        'client/a.ts': `\nimport '../kernel/delta.ts'`,
        'kernel/delta.ts': `import './schemas.ts'`,
        'kernel/schemas.ts': `import 'valibot'`,
      },
      [
        'client/a.ts:2: `client` never reaches `valibot`: client/a.ts -> kernel/delta.ts -> kernel/schemas.ts -> valibot',
      ],
    ],
    [
      'the clock, chance and timers in the kernel',
      { 'kernel/a.ts': `Date.now()\nnew Date()\nMath.random()\nsetTimeout(f)\nexport const g = fetch\nDate()` },
      [
        'kernel/a.ts:1: `kernel` never uses `Date.now`',
        'kernel/a.ts:2: `kernel` never uses `new Date()`',
        'kernel/a.ts:3: `kernel` never uses `Math.random`',
        'kernel/a.ts:4: `kernel` never uses `setTimeout`',
        'kernel/a.ts:5: `kernel` never uses `fetch`',
        'kernel/a.ts:6: `kernel` never uses `new Date()`',
      ],
    ],
    [
      'the same words where they are harmless',
      {
        'kernel/a.ts': `// Date.now()\nconst o = { fetch: 'setTimeout' }\no.fetch\nnew Date(0)\ntype T = { crypto: string }`,
      },
      [],
    ],
  ])('%s', (_name, files, expected) => {
    expect(findViolations(new Map(Object.entries(files)), rules)).toEqual(expected)
  })

  test.each([
    ['no table', '', 'expected one import table, found 0'],
    ['prose in a cell', table('| `kernel` | anything goes | |'), 'expected one name in backticks'],
    ['an unknown name', table('| `kernel` | `kernal` | |'), 'names `kernal`, which is no folder, dependency or global'],
    ['a missing cell', table('| `kernel` | itself |'), 'expected three cells'],
    ['a folder twice', table('| `kernel` | itself | |\n| `kernel` | itself | |'), 'two rows'],
    ['a contradiction', table('| `kernel` | `valibot` | `valibot` |'), 'both may and never'],
  ])('refuses a page with %s', (_name, page, message) => {
    expect(() => readRules(page, ['valibot'])).toThrow(message)
  })
})

function table(rows: string): string {
  return `| folder | may import | never |\n| --- | --- | --- |\n${rows}\n`
}

function sourcesIn(folder: string): Sources {
  const files = globSync('**/*.{ts,tsx}', { cwd: `${root}/${folder}`, exclude: ['**/node_modules', '**/dist'] })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => !/\.(test|suite)\.tsx?$/.test(file))
  return new Map(files.sort().map((file) => [file, readFileSync(`${root}/${folder}/${file}`, 'utf8')]))
}

function appSources(): Sources {
  if (!existsSync(`${root}/apps`)) return new Map()
  return new Map([...sourcesIn('apps')].map(([file, text]) => [`apps/${file}`, text]))
}
