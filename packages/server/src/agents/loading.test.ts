// Agent files that cannot be loaded, what is said about each, and how a correction is taken up in the same process.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { isAgent } from '@bridle/agents/agent'
import { afterEach, describe, expect, test } from 'vitest'
import { type AgentFileStates, fileChanges, fileStates } from './file-changes.ts'
import { type AgentFile, findAgents, watchAgents } from './folder.ts'
import { projectModules } from './project-modules.ts'

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0).reverse()) close()
})

const entry = new URL('../../../bridle/src/index.ts', import.meta.url).href
const importAgent = `import { agent } from '${entry}'\n`
const agentSaying = (name: string, run: string, imports = '') =>
  `${importAgent}${imports}export default agent({ name: '${name}', run: () => ${run} })\n`

let age = 0
class Project {
  readonly root = mkdtempSync(join(tmpdir(), 'bridle-project-'))

  constructor(files: { readonly [file: string]: string }) {
    closing.push(() => rmSync(this.root, { recursive: true, force: true }))
    for (const [file, text] of Object.entries(files)) this.write(file, text)
  }

  write(file: string, text: string): void {
    const path = join(this.root, file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
    // Two writes within one tick of the file system's clock are two changes here.
    const time = new Date(Date.now() - 600_000 + ++age * 100)
    utimesSync(path, time, time)
  }

  async find(): Promise<{ readonly [file: string]: AgentFile }> {
    return Object.fromEntries((await findAgents(this.root)).map((each) => [each.file.replace('agents/', ''), each]))
  }

  /** The result of each agent, or the problem with it. */
  async answers(): Promise<{ readonly [file: string]: unknown }> {
    const found = Object.entries(await this.find()).map(([file, each]) => [
      file,
      'problem' in each ? each.problem : each.definition.run?.({} as never),
    ])
    return Object.fromEntries(found)
  }
}

const MODULE = '{ "type": "module" }'
const COMMON = '{ "name": "mine", "type": "commonjs" }'
const commonJsProblem =
  'package.json says "type": "commonjs", but the file uses import or export. Run: npm pkg set type=module'

describe('[N230] a file that cannot be loaded has one line that says what to do', () => {
  test.each<[string, { readonly [file: string]: string }, string]>([
    ['a CommonJS project', { 'package.json': COMMON, 'agents/a.ts': agentSaying('a', '1') }, commonJsProblem],
    [
      'a CommonJS project, in JavaScript',
      { 'package.json': COMMON, 'agents/a.js': agentSaying('a', '1') },
      commonJsProblem,
    ],
    [
      'a missing package',
      { 'package.json': MODULE, 'agents/a.ts': `import { z } from 'zod-that-is-not-there/v4'\n` },
      'it imports "zod-that-is-not-there/v4", which is not installed. Run: npm install zod-that-is-not-there',
    ],
    [
      'a missing package with a scope, in an imported file',
      { 'agents/a.ts': `import '../lib/deep.ts'\n`, 'lib/deep.ts': `import '@nobody/none/sub'\n` },
      'lib/deep.ts imports "@nobody/none/sub", which is not installed. Run: npm install @nobody/none',
    ],
    [
      "a misspelt name of Bridle's own package",
      { 'agents/a.ts': `import { useThread } from 'bridel/react'\n` },
      'it imports "bridel/react", which is not installed. Did you mean "bridle/react"?',
    ],
    [
      'a misspelt name of a package of the project',
      {
        'package.json': '{ "type": "module", "devDependencies": { "@nobody/lodash": "1" } }',
        'agents/a.ts': `import '@nobody/lodahs'\n`,
      },
      'it imports "@nobody/lodahs", which is not installed. Did you mean "@nobody/lodash"?',
    ],
    [
      'a package of the project that is not installed yet',
      { 'package.json': '{ "dependencies": { "lodash-none": "1" } }', 'agents/a.ts': `import 'lodash-none'\n` },
      'it imports "lodash-none", which is not installed. Run: npm install lodash-none',
    ],
    [
      'an import without its ending',
      { 'agents/a.ts': `import '../lib/words'\n`, 'lib/words.ts': '' },
      'it imports "../lib/words", which is not there. Write "../lib/words.ts": an import names the whole file.',
    ],
    [
      'an import with the ending of the built file',
      { 'agents/a.ts': `import '../lib/words.js'\n`, 'lib/words.ts': '' },
      'it imports "../lib/words.js", which is not there. Write "../lib/words.ts": an import names the whole file.',
    ],
    [
      'an import of a folder',
      { 'agents/a.ts': `import '../lib'\n`, 'lib/index.ts': '' },
      'it imports "../lib", which is not there. Write "../lib/index.ts": an import names the whole file.',
    ],
    [
      'a missing default export',
      { 'agents/a.ts': 'export const a = 1' },
      expect.stringMatching(/^There is no default export/),
    ],
    [
      'a name that is not exported',
      { 'agents/a.ts': `import { words } from '../lib/words.ts'\n`, 'lib/words.ts': 'export const word = 1' },
      expect.stringMatching(/^SyntaxError: .*'words' \(agents\/a\.ts:1:10\)$/),
    ],
  ])('%s', async (_name, files, problem) => {
    const [found] = Object.values(await new Project(files).find())
    expect(found).toMatchObject({ problem })
  })

  test('a syntax error has file, line, column and code frame, also in an imported file', async () => {
    const project = new Project({
      'package.json': MODULE,
      'agents/a.ts': `import '../lib/words.ts'\n`,
      'lib/words.ts':
        'const a: number = 1\nexport const words = {\n\tfirst: (1 +\n}\nexport const b = 2\nexport const c = 3\n',
    })
    expect((await project.find())['a.ts']).toEqual({
      file: 'agents/a.ts',
      name: 'a',
      problem: 'SyntaxError: Expression expected (lib/words.ts:4:1)',
      frame: `lib/words.ts:4:1
  2 | export const words = {
  3 | 	first: (1 +
> 4 | }
    | ^
  5 | export const b = 2
  6 | export const c = 3`,
    })
  })

  test.each<[string, { readonly [file: string]: string }, string]>([
    [
      'in several lines',
      { 'agents/a.ts': `// import './nope.ts'\nimport {\n  word,\n} from "./nope.ts"\n` },
      `agents/a.ts:4:8
  2 | import {
  3 |   word,
> 4 | } from "./nope.ts"
    |        ^
  5 |`,
    ],
    [
      'in a file that the agent imports',
      { 'agents/a.ts': `import '../lib/deep.ts'\n`, 'lib/deep.ts': `export * from 'none-none'` },
      `lib/deep.ts:1:15
> 1 | export * from 'none-none'
    |               ^`,
    ],
    [
      'at run time',
      { 'agents/a.ts': `const words = await import('./nope.ts')` },
      `agents/a.ts:1:28
> 1 | const words = await import('./nope.ts')
    |                            ^`,
    ],
  ])('an import that is missing has file, line, column and code frame: %s', async (_name, files, frame) => {
    expect((await new Project({ 'package.json': MODULE, ...files }).find())['a.ts']).toMatchObject({ frame })
  })

  test('files of a project without a type are modules where they use import, without a warning', async () => {
    const warnings: string[] = []
    const warn = (warning: Error) => warnings.push(String(warning))
    process.on('warning', warn)
    closing.push(() => process.off('warning', warn))
    const project = new Project({
      'package.json': '{}',
      'agents/a.ts': agentSaying('a', '1'),
      'agents/b.js': agentSaying('b', '2'),
    })
    expect(await project.answers()).toEqual({ 'a.ts': 1, 'b.js': 2 })
    await new Promise(setImmediate)
    expect(warnings.filter((each) => each.includes(project.root))).toEqual([])
  })
})

describe('[N231] a correction is taken up in the same process', () => {
  test.each<[string, { readonly [file: string]: string }, (project: Project) => void]>([
    [
      'of the file',
      { 'agents/a.ts': 'export default {' },
      (project) => project.write('agents/a.ts', agentSaying('a', `'mended'`)),
    ],
    [
      'of package.json',
      { 'package.json': COMMON, 'agents/a.ts': agentSaying('a', `'mended'`) },
      (project) => project.write('package.json', MODULE),
    ],
    [
      'of node_modules',
      { 'package.json': MODULE, 'agents/a.ts': agentSaying('a', 'word', `import { word } from 'words-package'\n`) },
      (project) => {
        project.write('node_modules/words-package/package.json', '{ "type": "module", "exports": "./index.js" }')
        project.write('node_modules/words-package/index.js', `export const word = 'mended'`)
      },
    ],
    [
      'of a missing file that another file imports',
      {
        'agents/a.ts': agentSaying('a', 'word', `import { word } from '../lib/a.ts'\n`),
        'lib/a.ts': `export * from './b.ts'`,
      },
      (project) => project.write('lib/b.ts', `export const word = 'mended'`),
    ],
    [
      'of a variable that the file needs',
      {
        'agents/a.ts': agentSaying(
          'a',
          `'mended'`,
          `if (!process.env.BRIDLE_LOADING_TEST) throw new Error('no key')\n`,
        ),
      },
      () => {
        process.env.BRIDLE_LOADING_TEST = '1'
        closing.push(() => void delete process.env.BRIDLE_LOADING_TEST)
      },
    ],
  ])('%s', async (_name, files, mend) => {
    const project = new Project({ ...files, 'agents/other.mjs': agentSaying('other', '1') })
    const before = await project.find()
    expect(before['a.ts']).toHaveProperty('problem')
    mend(project)
    expect(await project.answers()).toEqual({ 'a.ts': 'mended', 'other.mjs': 1 })
    expect((await project.find())['other.mjs']).toEqual(before['other.mjs'])
  })

  test('a CommonJS agent is loaded again, too', async () => {
    const source = (answer: string) =>
      `const { agent } = require('${new URL(entry).pathname}')\nmodule.exports = agent({ name: 'c', run: () => '${answer}' })`
    const project = new Project({ 'package.json': COMMON, 'agents/c.js': source('one') })
    expect(await project.answers()).toEqual({ 'c.js': 'one' })
    project.write('agents/c.js', source('two'))
    expect(await project.answers()).toEqual({ 'c.js': 'two' })
  })
})

describe('[N232] imported files', () => {
  const words = `import { word } from '../lib/words.ts'\n`
  const files = {
    'package.json': MODULE,
    'agents/a.ts': agentSaying('a', 'word', words),
    'agents/b.ts': agentSaying('b', 'word', words),
    'agents/c.ts': agentSaying('c', `'c'`),
    'lib/words.ts': `export { word } from './deeper/word.ts'`,
    'lib/deeper/word.ts': `export const word = { said: 'one' }`,
  }

  test('a change serves the agents that import the file, and no other; they share what has not changed', async () => {
    const project = new Project(files)
    const first = await project.find()
    const answers = await project.answers()
    expect(answers).toEqual({ 'a.ts': { said: 'one' }, 'b.ts': { said: 'one' }, 'c.ts': 'c' })
    expect(answers['a.ts']).toBe(answers['b.ts'])

    project.write('lib/deeper/word.ts', `export const word = { said: 'two' }`)
    const second = await project.find()
    expect(second['c.ts']).toEqual(first['c.ts'])
    const later = await project.answers()
    expect(later).toEqual({ 'a.ts': { said: 'two' }, 'b.ts': { said: 'two' }, 'c.ts': 'c' })
    expect(later['a.ts']).toBe(later['b.ts'])
    // A run that began before keeps its definition.
    expect(
      'definition' in (first['a.ts'] as object) && isAgent((first['a.ts'] as { definition: unknown }).definition),
    ).toBe(true)
    expect((first['a.ts'] as { definition: { run: (call: object) => unknown } }).definition.run({})).toEqual({
      said: 'one',
    })

    // An edit of one agent does not split what both import.
    project.write('agents/a.ts', `${files['agents/a.ts']}// edited\n`)
    const edited = await project.answers()
    expect(edited['a.ts']).toBe(later['b.ts'])
  })

  test('files in node_modules, and beyond the root, are loaded once', async () => {
    const beyond = new Project({ 'shared.mjs': `export const shared = 'one'` })
    const project = new Project({
      'package.json': MODULE,
      'agents/a.ts': agentSaying(
        'a',
        '[word, shared]',
        `import { word } from 'words'\nimport { shared } from '../link/shared.mjs'\n`,
      ),
      'node_modules/words/package.json': '{ "type": "module", "exports": "./index.js" }',
      'node_modules/words/index.js': `export const word = 'one'`,
    })
    symlinkSync(beyond.root, join(project.root, 'link'))
    expect(await project.answers()).toEqual({ 'a.ts': ['one', 'one'] })
    project.write('node_modules/words/index.js', `export const word = 'two'`)
    beyond.write('shared.mjs', `export const shared = 'two'`)
    project.write(
      'agents/a.ts',
      agentSaying(
        'a',
        '[word, shared, 2]',
        `import { word } from 'words'\nimport { shared } from '../link/shared.mjs'\n`,
      ),
    )
    expect(await project.answers()).toEqual({ 'a.ts': ['one', 'one', 2] })
    expect(projectModules(project.root).files).toEqual([join(project.root, 'agents/a.ts')])
  })

  test('an import while the agent runs is of the newest version when its agent was loaded, and cycles end', async () => {
    const project = new Project({
      'package.json': MODULE,
      'agents/a.ts': `${importAgent}export const name = 'a'\nexport default agent({ name, run: async () => (await import('../lib/late.ts')).said() })\n`,
      'lib/late.ts': `import { name } from '../agents/a.ts'\nexport const said = () => name + ' one'`,
    })
    const said = async () => (await project.answers())['a.ts']
    expect(await said()).toBe('a one')
    project.write('lib/late.ts', `import { name } from '../agents/a.ts'\nexport const said = () => name + ' two'`)
    expect(await said()).toBe('a two')
  })

  test('a hundred changes load the changed file a hundred times, and nothing else again', async () => {
    const project = new Project({
      ...files,
      'lib/count.mjs': `globalThis.bridleCount = (globalThis.bridleCount ?? 0) + 1`,
    })
    project.write('agents/c.ts', agentSaying('c', `'c'`, `import '../lib/count.mjs'\n`))
    closing.push(() => void Reflect.deleteProperty(globalThis, 'bridleCount'))
    for (let at = 0; at < 100; at++) {
      project.write('agents/a.ts', agentSaying('a', String(at)))
      expect((await project.answers())['a.ts']).toBe(at)
    }
    expect(Reflect.get(globalThis, 'bridleCount')).toBe(1)
    // The memory of the process about its modules is bounded by the files that are there.
    expect(projectModules(project.root).files).toHaveLength(6)
  })

  test('the folder of an imported file is watched, and package.json', async () => {
    const project = new Project(files)
    await project.find()
    let changes = 0
    const watcher = watchAgents(project.root, async () => {
      await project.find()
      changes += 1
    })
    closing.push(() => watcher.close())
    const soon = (count: number) =>
      expect.poll(() => changes, { timeout: 10_000, interval: 20 }).toBeGreaterThanOrEqual(count)
    project.write('lib/deeper/word.ts', `export * from '../../extra/more.ts'`)
    project.write('extra/more.ts', `export const word = 1`)
    await soon(1)
    const seen = changes
    project.write('extra/more.ts', `export const word = 2`)
    await soon(seen + 1)
    const later = changes
    project.write('package.json', '{ "type": "module", "private": true }')
    await soon(later + 1)
  })
})

test('[N233] a change of files is named once, and a problem that stays is no change', () => {
  const definition = (name: string) => ({ name }) as never
  const broken = (file: string, problem: string) => ({ file, name: 'x', problem })
  const states = (files: { readonly [file: string]: unknown }): AgentFileStates => {
    const rows = Object.entries(files)
    const isProblem = (each: unknown): each is string => typeof each === 'string'
    return fileStates(
      rows.map(([file, each]) => (isProblem(each) ? broken(file, each) : { file, definition: each as never })),
      rows.flatMap(([file, each]) => (isProblem(each) ? [broken(file, each)] : [])),
    )
  }
  const [kept, old, edited] = [definition('kept'), definition('old'), definition('old')]
  const before = states({ kept, old, gone: definition('gone'), ill: 'bad', sick: 'bad' })
  const after = states({
    kept,
    old: edited,
    ill: 'bad',
    sick: definition('sick'),
    fresh: definition('fresh'),
    worse: 'bad',
  })
  expect(fileChanges(before, after).map(({ file, state }) => [file, state])).toEqual([
    ['old', 'changed'],
    ['sick', 'mended'],
    ['fresh', 'added'],
    ['worse', 'broken'],
    ['gone', 'removed'],
  ])
  expect(fileChanges(after, after)).toEqual([])
  // The files of one agent, before and after.
  const changes = (files: { readonly [file: string]: unknown }, later: { readonly [file: string]: unknown }) =>
    fileChanges(states(files), states(later)).map(({ file, state, from }) => [file, state, from])
  const [agent, same] = [definition('agent'), definition('agent')]
  expect(changes({ old: agent }, { fresh: same })).toEqual([['fresh', 'renamed', 'old']])
  expect(changes({ ill: 'bad' }, {})).toEqual([['ill', 'dropped', undefined]])
  expect(changes({ ill: 'bad' }, { fresh: 'bad' })).toEqual([
    ['fresh', 'broken', undefined],
    ['ill', 'dropped', undefined],
  ])
  expect(changes({ old: agent, twin: 'taken' }, { twin: same })).toEqual([
    ['twin', 'mended', undefined],
    ['old', 'dropped', undefined],
  ])
})
