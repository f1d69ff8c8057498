import { existsSync, globSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { mapFindings } from '../../../scripts/architecture-map.ts'
import { ADVICE, findViolations } from '../../../scripts/import-boundaries.ts'
import { CYCLE_ADVICE, findCycles } from '../../../scripts/import-cycles.ts'
import { readRules } from '../../../scripts/import-table.ts'
import { parseModules } from '../../../scripts/modules.ts'
import { productSourcesIn, root } from '../../../scripts/source-files.ts'

const packageJson = JSON.parse(readFileSync(`${root}/packages/bridle/package.json`, 'utf8'))
const packages = [packageJson.name, ...Object.keys({ ...packageJson.dependencies, ...packageJson.peerDependencies })]
const page = readFileSync(`${root}/docs/architecture.md`, 'utf8')
const rules = readRules(page, packages)
const modules = parseModules(productSourcesIn('packages/bridle/src'))
const apps = existsSync(`${root}/apps`) ? [...productSourcesIn('apps')] : []

test('every source file obeys the import table of docs/architecture.md', () => {
  expect(findViolations(modules, rules), ADVICE).toEqual([])
})

test('the map of docs/architecture.md names what exists, and every folder down to the second level', () => {
  const exclude = ['node_modules', 'dist', '.types', '.bridle', '.git'].map((name) => `**/${name}`)
  const files = globSync('**/*.*', { cwd: root, exclude }).map((file) => file.replaceAll('\\', '/'))
  expect(mapFindings(page, files)).toEqual([])
})

test('an app imports nothing of ours but published entry points', () => {
  const lines = findViolations(parseModules(new Map(apps.map(([file, text]) => [`apps/${file}`, text]))), rules)
  expect(
    lines.filter((line) => line.includes('leaves the app')),
    ADVICE,
  ).toEqual([])
})

test('no modules import each other by value', () => {
  expect(findCycles(modules), CYCLE_ADVICE).toEqual([])
})

test('the advice beside a breach is what AGENTS.md says', () => {
  expect(readFileSync(`${root}/AGENTS.md`, 'utf8').replace(/\s+/g, ' ')).toContain(ADVICE)
})

describe('the check of the map', () => {
  const src = 'packages/bridle/src'
  const files = [`${src}/kernel/event.ts`, `${src}/kernel/rules/runs/runs.ts`, `${src}/cli/main.ts`]
  const findings = (...lines: string[]) =>
    mapFindings(['## The map', '```', `${src}/`, ...lines, '```', ''].join('\n'), files)

  test.each<[string, string[], string[]]>([
    ['each folder on a line', ['  kernel/   the log', '    rules/   what follows', '  cli/   verbs'], []],
    [
      'folders and files inside a sentence',
      ['  kernel/   the log: event.ts; rules/, runs.ts of rules/runs/runs.ts', '  cli/'],
      ['the map names `runs.ts`, which does not exist'],
    ],
    ['two folders on a line, and a folder of a parent', ['  kernel/ cli/   both', '    rules/   those of kernel/'], []],
    [
      'a folder that is gone',
      ['  kernel/   rules/', '  cli/', '  verbs/'],
      ['the map names `verbs/`, which does not exist'],
    ],
    [
      'a folder that it leaves out',
      ['  kernel/   the log', '  cli/'],
      [`the map does not name \`${src}/kernel/rules\``],
    ],
  ])('%s', (_name, lines, expected) => expect(findings(...lines)).toEqual(expected))
})

const table = (rows: string) => `| folder | may import | never |\n| --- | --- | --- |\n${rows}\n`

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
        "surfaces/fabric/a.ts:1: imports '../voice/b.ts', but `surfaces/*` may import only itself, `kernel`, `words`, `history`, `surfaces/http`, `hono`, `valibot`",
      ],
    ],
    ['the shared surface', { 'surfaces/fabric/a.ts': `import '../http/b.ts'`, 'surfaces/http/b.ts': '' }, []],
    ['a package the row lists', { 'surfaces/fabric/a.ts': `import { Hono } from 'hono/tiny'` }, []],
    [
      'a package in the kernel',
      { 'kernel/a.ts': `const v = await import('valibot')` },
      ["kernel/a.ts:1: imports 'valibot', but `kernel` may import only itself, `words`"],
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
        "client/a.ts:1: imports 'react', but `client` may import only itself, `kernel/delta.ts`, `kernel/positions/log-position.ts`, `kernel/state-operations.ts`, `kernel/catalogue.ts` (types only), `kernel/projections`, `surfaces/*/wire.ts`",
      ],
    ],
    ['the schema file alone has the schema library', { 'kernel/schemas.ts': `import * as v from 'valibot'` }, []],
    [
      'a value where only types may pass',
      { 'client/a.ts': `import { x } from '../kernel/catalogue.ts'`, 'kernel/catalogue.ts': '' },
      ["client/a.ts:1: imports '../kernel/catalogue.ts', which wants `import type`"],
    ],
    [
      'types where only types may pass',
      {
        'client/a.ts': `import type { X } from '../kernel/catalogue.ts'`,
        'kernel/catalogue.ts': '',
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
      'one way to a forbidden package, seen from several files: the shortest',
      {
        'client/a.ts': `import './b.ts'`,
        'client/b.ts': `import '../kernel/delta.ts'`,
        'client/c.ts': `import './b.ts'`,
        'kernel/delta.ts': `import './schemas.ts'`,
        'kernel/schemas.ts': `import 'valibot'`,
        'react/d.ts': `import '../client/a.ts'`,
      },
      [
        'client/b.ts:1: `client` never reaches `valibot`: client/b.ts -> kernel/delta.ts -> kernel/schemas.ts -> valibot',
      ],
    ],
    [
      'two forbidden packages behind one file, each by itself',
      {
        'stores/a.ts': `import '../kernel/b.ts'`,
        'index.ts': `\nimport './kernel/b.ts'\nimport './client/c.ts'`,
        'kernel/b.ts': `import './schemas.ts'`,
        'kernel/schemas.ts': `import 'valibot'`,
        'client/c.ts': `import '../surfaces/fabric/wire.ts'`,
        'surfaces/fabric/wire.ts': `import 'hono'`,
      },
      [
        'index.ts:2: `index.ts` never reaches `valibot`: index.ts -> kernel/b.ts -> kernel/schemas.ts -> valibot',
        'client/c.ts:1: `client` never reaches `hono`: client/c.ts -> surfaces/fabric/wire.ts -> hono',
      ],
    ],
    [
      'a forbidden import in a leaf, which is not repeated for the files that pull it in',
      {
        'surfaces/fabric/a.ts': `import '../../kernel/b.ts'`,
        'surfaces/voice/a.ts': `import '../../kernel/b.ts'`,
        'client/a.ts': `import '../kernel/delta.ts'`,
        'kernel/delta.ts': `import './b.ts'`,
        'kernel/b.ts': `import 'node:fs'`,
      },
      ["kernel/b.ts:1: imports 'node:fs', but `kernel` may import only itself, `words`"],
    ],
    [
      'a forbidden folder in a leaf, which is not repeated for all that lies behind it',
      {
        'surfaces/fabric/a.ts': `import '../../kernel/b.ts'`,
        'kernel/a.ts': `import './b.ts'`,
        'kernel/b.ts': `import '../stores/c.ts'`,
        'stores/c.ts': `import 'node:fs'`,
      },
      ["kernel/b.ts:1: imports '../stores/c.ts', but `kernel` may import only itself, `words`"],
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
    expect(findViolations(parseModules(new Map(Object.entries(files))), rules)).toEqual(expected)
  })

  test.each<[string, Record<string, string>, string[]]>([
    ['a chain', { 'a.ts': `import './b.ts'`, 'b.ts': `import './c.ts'`, 'c.ts': '' }, []],
    ['two files', { 'a.ts': `import './b.ts'`, 'b.ts': `export * from './a.ts'` }, ['a.ts -> b.ts -> a.ts']],
    ['a file and itself', { 'a.ts': `import './a.ts'` }, ['a.ts -> a.ts']],
    ['types one way', { 'a.ts': `import './b.ts'`, 'b.ts': `import type { A } from './a.ts'` }, []],
    ['types between values', { 'a.ts': `import './b.ts'`, 'b.ts': `export type { A } from './a.ts'` }, []],
    ['a late import', { 'a.ts': `import './b.ts'`, 'b.ts': `await import('./a.ts')` }, ['a.ts -> b.ts -> a.ts']],
    [
      'three files, and files that lead to them',
      {
        'a.ts': `import './x/c.ts'`,
        'x/b.ts': `import '../d.ts'`,
        'x/c.ts': `import './b.ts'`,
        'd.ts': `import './x/c.ts'`,
        'e.ts': `import './d.ts'`,
      },
      ['d.ts -> x/c.ts -> x/b.ts -> d.ts'],
    ],
    [
      'two circles that share a file',
      { 'a.ts': `import './b.ts'\nimport './c.ts'`, 'b.ts': `import './a.ts'`, 'c.ts': `import './a.ts'` },
      ['a.ts -> b.ts -> a.ts', 'a.ts -> c.ts -> a.ts'],
    ],
  ])('a circle of imports: %s', (_name, files, expected) => {
    expect(findCycles(parseModules(new Map(Object.entries(files))))).toEqual(expected)
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
