import { existsSync, globSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { mapFindings } from './architecture-map.ts'
import { FOLDER_ADVICE, folderKnots, folderPairs } from './folder-cycles.ts'
import { ADVICE, findForeignWires, findViolations } from './import-boundaries.ts'
import { CYCLE_ADVICE, findCycles } from './import-cycles.ts'
import { readRules } from './import-table.ts'
import { parseModules } from './modules.ts'
import { dependencyFindings, type Manifest, type PackageFacts, packageCycles } from './package-dependencies.ts'
import { isTest, packageSources, root, sourcesIn, withoutTests } from './source-files.ts'

const names = globSync('packages/*/package.json', { cwd: root }).map((file) => file.split(/[\\/]/)[1]!)
const manifestOf = (name: string): Manifest => JSON.parse(readFileSync(`${root}/packages/${name}/package.json`, 'utf8'))
const page = readFileSync(`${root}/docs/architecture.md`, 'utf8')
const sources = packageSources()
const modules = parseModules(withoutTests(sources))
const everyModule = parseModules(sources)
const apps = existsSync(`${root}/apps`) ? [...withoutTests(sourcesIn('apps'))] : []

const { dependencies, peerDependencies } = manifestOf('bridle')
const rules = readRules(page, [...names, ...Object.keys({ ...dependencies, ...peerDependencies })])

const facts = new Map(
  names.map((name): [string, PackageFacts] => {
    const own = [...everyModule].filter(([file]) => file.startsWith(`${name}/`))
    return [
      name,
      {
        manifest: manifestOf(name),
        product: new Map(own.filter(([file]) => !isTest(file))),
        tests: new Map(own.filter(([file]) => isTest(file))),
      },
    ]
  }),
)

test('a package depends on what it imports, and on nothing else of ours', () => {
  expect(dependencyFindings(facts)).toEqual([])
})

test('no package depends on itself through others, tests included', () => {
  expect(packageCycles(facts)).toEqual([])
})

test('every package keeps to the table of docs/architecture.md', () => {
  expect(findViolations(modules, rules), ADVICE).toEqual([])
})

test('a wire imports no other wire', () => {
  expect(findForeignWires(modules)).toEqual([])
})

test('the map of docs/architecture.md names what exists, and every folder down to the second level', () => {
  const exclude = ['node_modules', 'dist', '.types', '.bridle', '.git'].map((name) => `**/${name}`)
  const files = globSync('**/*.*', { cwd: root, exclude }).map((file) => file.replaceAll('\\', '/'))
  expect(mapFindings(page, files)).toEqual([])
})

test('an app imports nothing of ours but the published package', () => {
  const imports = [...parseModules(new Map(apps))].flatMap(([file, { imports }]) =>
    imports.map(({ specifier, path }) => ({ file, specifier, path })),
  )
  const leaving = imports.filter(
    ({ file, specifier, path }) =>
      specifier.startsWith('@bridle/') || (path !== undefined && path.split('/')[0] !== file.split('/')[0]),
  )
  expect(leaving).toEqual([])
})

test('no modules import each other by value', () => {
  expect(findCycles(modules), CYCLE_ADVICE).toEqual([])
})

/** Pairs of folders that import each other by value. The list may only shrink. */
const PAIRS: { readonly [pair: string]: string } = {
  'agents/loop/context <-> agents/loop/transcript': 'a cut of the context is an entry of the transcript',
  'agents/schemas <-> agents/session': 'the limits of the session bound a schema of its input',
  'kernel <-> kernel/positions': 'an event names its position, and a position is parsed from the id of an event',
  'kernel/rules <-> kernel/rules/approvals': 'decide calls each rule; pausing and unapproved calls are shared',
  'kernel/rules <-> kernel/rules/budgets': 'decide calls each rule; a crossed budget pauses the session',
  'kernel/rules <-> kernel/rules/runs': 'decide calls each rule; a run publishes its artifacts',
  'kernel/rules/approvals <-> kernel/rules/budgets': 'a granted approval raises a budget, and a crossed budget asks',
  'kernel/rules/approvals <-> kernel/rules/runs': 'an answer resumes a run, and the end of a run settles its questions',
  'runners/credentials <-> runners/credentials/spending': 'a provider is known by what its answers cost',
  'runners/engine-table <-> runners/engines/claude': 'the table names the packages of an engine, which looks for them',
  'runners/engine-table <-> runners/engines/codex': 'the table names the packages of an engine, which looks for them',
  'surfaces/http/access <-> surfaces/http/router': 'tickets are bought on a route, and every route is authorized',
}

test('folders import each other only where the list says so', () => {
  expect(folderPairs(modules), FOLDER_ADVICE).toEqual(Object.keys(PAIRS).sort())
})

test('no knot of folders has more than five', () => {
  expect(folderKnots(modules).filter((knot) => knot.length > 5)).toEqual([])
})

test('the advice beside a breach is what AGENTS.md says', () => {
  expect(readFileSync(`${root}/AGENTS.md`, 'utf8').replace(/\s+/g, ' ')).toContain(ADVICE)
})

describe('the check of the map', () => {
  const files = [
    'packages/kernel/src/event.ts',
    'packages/kernel/src/rules/runs/runs.ts',
    'packages/kernel/package.json',
    'packages/cli/src/main.ts',
    'packages/cli/templates/agent/README.md',
  ]
  const findings = (...lines: string[]) =>
    mapFindings(['## The map', '```', 'packages/', ...lines, '```', ''].join('\n'), files)

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
      ['the map does not name `packages/kernel/src/rules`'],
    ],
    ['a package that it leaves out', ['  kernel/   rules/'], ['the map does not name `packages/cli`']],
  ])('%s', (_name, lines, expected) => expect(findings(...lines)).toEqual(expected))
})

const table = (rows: string) => `| package | never |\n| --- | --- |\n${rows}\n`
const fewRules = readRules(
  table('| `kernel` | `fetch`, `new Date()`, `node:*` |\n| `client` | `stores`, `valibot` |'),
  [...names, 'valibot'],
)

describe('the check itself', () => {
  test.each<[string, Record<string, string>, string[]]>([
    ['a package without a row', { 'cli/a.ts': `import 'node:fs'` }, []],
    [
      'a forbidden package',
      { 'client/a.ts': `\nimport 'valibot'` },
      ['client/a.ts:2: `client` never reaches `valibot`: client/a.ts -> valibot'],
    ],
    [
      'a package reached through others, by its name',
      {
        'client/a.ts': `import '@bridle/kernel/b'`,
        'kernel/b.ts': `import './c.ts'`,
        'kernel/c.ts': `import 'valibot'`,
      },
      ['client/a.ts:1: `client` never reaches `valibot`: client/a.ts -> kernel/b.ts -> kernel/c.ts -> valibot'],
    ],
    ['types of it', { 'client/a.ts': `import type { X } from 'valibot'` }, []],
    [
      'a package of ours',
      { 'client/a.ts': `import '@bridle/stores/x'` },
      ['client/a.ts:1: `client` never reaches `stores`: client/a.ts -> stores/x.ts'],
    ],
    [
      'one edge that several files reach: the shortest way',
      { 'client/a.ts': `import './b.ts'`, 'client/b.ts': `import 'valibot'`, 'client/c.ts': `import './b.ts'` },
      ['client/b.ts:1: `client` never reaches `valibot`: client/b.ts -> valibot'],
    ],
    [
      'globals',
      { 'kernel/a.ts': `new Date()\nexport const g = fetch\nconst o = { fetch: 1 }\nnew Date(0)` },
      ['kernel/a.ts:1: `kernel` never uses `new Date()`', 'kernel/a.ts:2: `kernel` never uses `fetch`'],
    ],
    [
      'a module of Node',
      { 'kernel/a.ts': `import 'node:fs'` },
      ['kernel/a.ts:1: `kernel` never reaches `node:*`: kernel/a.ts -> node:fs'],
    ],
  ])('%s', (_name, files, expected) => {
    expect(findViolations(parseModules(new Map(Object.entries(files))), fewRules)).toEqual(expected)
  })

  test.each<[string, Record<string, string>, string[]]>([
    ['what all wires share', { 'surfaces/fabric/a.ts': `import '../http/b.ts'` }, []],
    ['a file beside the wires', { 'surfaces/all.ts': `import './fabric/b.ts'` }, []],
    [
      'another wire',
      { 'surfaces/fabric/a.ts': `import '../voice/b.ts'` },
      ["surfaces/fabric/a.ts:1: imports '../voice/b.ts', which belongs to another wire"],
    ],
  ])('wires: %s', (_name, files, expected) => {
    expect(findForeignWires(parseModules(new Map(Object.entries(files))))).toEqual(expected)
  })

  test('dependencies that are missing, unused, or lead in a circle', () => {
    const of = (name: string, manifest: object, product: string, tests = ''): [string, PackageFacts] => [
      name,
      {
        manifest: { name: `@bridle/${name}`, private: true, ...manifest },
        product: parseModules(new Map([[`${name}/a.ts`, product]])),
        tests: parseModules(new Map([[`${name}/a.test.ts`, tests]])),
      },
    ]
    const packages = new Map([
      of('one', { dependencies: { '@bridle/two': '*' } }, `import '@bridle/three/x'`, `import '@bridle/two/y'`),
      of('two', { devDependencies: { '@bridle/one': '*' } }, ''),
      of('three', { dependencies: { '@bridle/one': '*' } }, `import type { X } from '@bridle/one/x'`),
    ])
    expect(dependencyFindings(packages)).toEqual([
      'one: imports without a dependency: three',
      'one: has an unused dependency: two',
      'two: has an unused dependency of tests: one',
    ])
    expect(packageCycles(packages)).toEqual(['one', 'two'])
  })

  test('folders that import each other, and knots of them', () => {
    const files = {
      'a/x.ts': `import '../b/y.ts'`,
      'b/y.ts': `import '../c/z.ts'\nimport '../a/w.ts'`,
      'c/z.ts': `import '../a/w.ts'`,
    }
    const found = parseModules(new Map(Object.entries({ ...files, 'a/w.ts': '', 'd/v.ts': `import '../a/w.ts'` })))
    expect([folderPairs(found), folderKnots(found)]).toEqual([['a <-> b'], [['a', 'b', 'c']]])
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
    ['no table', '', 'expected one table of packages, found 0'],
    ['prose in a cell', table('| `kernel` | anything |'), 'expected one name in backticks'],
    ['an unknown name', table('| `kernel` | `kernal` |'), 'names `kernal`, which is no package, dependency, or global'],
    ['a missing cell', table('| `kernel` |'), 'expected two cells'],
    ['a package twice', table('| `kernel` | `fetch` |\n| `kernel` | `fetch` |'), 'two rows'],
  ])('refuses a page with %s', (_name, page, message) => {
    expect(() => readRules(page, ['valibot'])).toThrow(message)
  })
})
