// Nobody skips by hand: a skip for a program goes through `needs`, and every other reason is in the list below.
import { spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { needs, PROGRAMS } from './needs.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const files = globSync('{packages,conformance,crash,examples,simulation,scripts}/**/*.{test,suite}.{ts,tsx}', {
  cwd: root,
  exclude: (name) => name === 'node_modules' || name === 'dist',
}).toSorted()

/** File, condition, and why it needs no program. A row that nothing uses any more fails too. */
const allowed: readonly (readonly [file: string, condition: string, reason: string])[] = [
  [
    'conformance/conformance.test.ts',
    'reason',
    'a difference between targets, listed with its reason in differences.ts',
  ],
  ['packages/cli/src/main.test.ts', 'isInstalled', 'only a checkout without wrangler sees how to get it'],
  ['packages/runners/src/engines/process-mark.test.ts', `!existsSync('/proc/self/environ')`, 'Linux only'],
  ['packages/cli/src/config/sealed-environment.test.ts', `!existsSync('/proc/self/environ')`, 'Linux only'],
  ['packages/cli/src/commands/models.test.ts', `!existsSync('/proc/self/environ')`, 'Linux only'],
  ['packages/runners/src/sandboxes/folders/folder-copy.test.ts', '!isLinux', 'Linux only'],
  ['packages/runners/src/sandboxes/folders/folder-copy.test.ts', '!isRoot', 'only root gives a file to another user'],
  [
    'packages/runners/src/sandboxes/folders/session-folders.test.ts',
    '!isRoot',
    'only root gives a file to another user',
  ],
  [
    'packages/server/src/node/workspaces/workspace-sources.test.ts',
    '!isRoot',
    'only root gives a file to another user',
  ],
  [
    'packages/runners/src/sandboxes/isolation/engine-start.test.ts',
    'process.getuid?.() !== 0',
    'only root starts another user',
  ],
  [
    'packages/runners/src/sandboxes/resources/engine-watch.test.ts',
    'process.getuid?.() !== 0',
    'only root starts another user',
  ],
  ['packages/runners/src/sandboxes/runner-launch.test.ts', `!existsSync('/proc/self/environ')`, 'Linux only'],
  ['packages/runners/src/sandboxes/resources/resource-watch.test.ts', `!existsSync('/proc/self/stat')`, 'Linux only'],
  [
    'packages/runners/src/sandboxes/resources/resource-watch.test.ts',
    '!hasPython',
    'Python makes processes that Node cannot',
  ],
  ['packages/runners/src/remote/unix-socket-fetch.test.ts', '.runIf', 'Linux only'],
  ['packages/runners/src/process/sandbox-processes.test.ts', `!existsSync('/proc/self/environ')`, 'Linux only'],
  ['packages/runners/src/server/leftovers.test.ts', 'reason !== null', 'a row of a table that asks `needs`'],
  ['packages/cli/src/config/data-folder.test.ts', '.runIf', 'Linux only'],
  ['packages/stores/src/folder-lock.test.ts', '.runIf', 'Linux only'],
  ['packages/stores/src/data-folder.test.ts', `process.platform === 'win32'`, 'Windows has no such modes'],
]

/** A condition may name a constant that a suite made with `needs`, for several files. */
const asksNeeds = (condition: string): boolean => {
  const names = files.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/const (\w+) = needs\('[\w-]+'\)/g)].map(([, name]) => name),
  )
  return /\bneeds\('/.test(condition) || names.some((name) => new RegExp(`\\b${name}\\b`).test(condition))
}

const skipsOf = (file: string, text: string): { readonly file: string; readonly condition: string }[] => {
  if (file === 'scripts/needs.test.ts') return []
  // Comments about skipping do not count.
  const code = text.replaceAll(/^\s*(\/\/|\*|\/\*\*).*$/gm, '')
  const conditional = [...code.matchAll(/\.skipIf\(/g)].map(({ index }) => argument(code, index + '.skipIf('.length))
  const flat = [...code.matchAll(/\b(?:test|it|describe|suite|each)(\.(?:skip|todo|runIf|fails))\b/g)].map(
    ([, word]) => word!,
  )
  const inner = [...code.matchAll(/(?<![.\w])skip(?:\(|: (?=true\b))/g)].map(([word]) => word.trim())
  return [...conditional, ...flat, ...inner].map((condition) => ({ file, condition }))
}

/** Up to the bracket that closes it. */
const argument = (code: string, start: number): string => {
  let open = 1
  let at = start
  for (; open > 0 && at < code.length; at++) open += code[at] === '(' ? 1 : code[at] === ')' ? -1 : 0
  return code.slice(start, at - 1)
}

const skips = files.flatMap((file) => skipsOf(file, readFileSync(join(root, file), 'utf8')))

describe('skips', () => {
  test('a condition asks `needs`, or is listed with its reason', () => {
    const own = skips.filter(({ condition }) => !asksNeeds(condition))
    const listed = allowed.map(([file, condition]) => `${file}: ${condition}`)
    const found = new Set(own.map(({ file, condition }) => `${file}: ${condition}`))
    expect([...found].toSorted()).toEqual(listed.toSorted())
  })

  test.each([
    ['test.skip', `test.skip('x', () => {})`, ['.skip']],
    ['describe.todo', `describe.todo('x')`, ['.todo']],
    ['runIf', 'test.runIf(isLinux)(…)', ['.runIf']],
    ['from within', 'test(async ({ skip }) => skip(true))', ['skip(']],
    ['an option', `test('x', { skip: true }, f)`, ['skip:']],
    ['needs', `test.skipIf(needs('nginx'))('x', f)`, [`needs('nginx')`]],
    ['nested brackets', 'test.skipIf(!(a && b(c)))(…)', ['!(a && b(c))']],
    ['other words', `slice.skipped(); events.skip_to('x')`, []],
  ])('%s is seen', (_name, text, expected) => {
    expect(skipsOf('a.test.ts', text).map(({ condition }) => condition)).toEqual(expected)
  })
})

describe('[BRIDLE_TESTS]', () => {
  /** A Vitest inside of one takes itself for a part of it. */
  const outside = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_OPTIONS)/.test(name)),
  )
  const folder = mkdtempSync(join(tmpdir(), 'bridle-needs-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const run = (env: NodeJS.ProcessEnv): string[][] => {
    const vitest = join(root, 'node_modules/vitest/vitest.mjs')
    const report = join(folder, 'report.json')
    const args = [vitest, 'run', '--reporter=json', `--outputFile=${report}`, 'scripts/needs.fixture.test.ts']
    spawnSync(process.execPath, args, { cwd: root, env: { ...outside, ...env } })
    const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as {
      testResults: { assertionResults: { title: string; status: string }[] }[]
    }
    return testResults.flatMap((file) => file.assertionResults.map(({ title, status }) => [title, status]))
  }

  test('without it a missing program is a skip', () => {
    expect(run({ PATH: '/nonexistent', BRIDLE_TESTS: '' })).toEqual([
      ['with tmux', 'skipped'],
      ['again with tmux', 'skipped'],
    ])
  })

  test('with "all" a missing program fails by name, once a file', () => {
    expect(run({ PATH: '/nonexistent', BRIDLE_TESTS: 'all' })).toEqual([
      ['BRIDLE_TESTS=all: tmux is there', 'failed'],
      ['with tmux', 'skipped'],
      ['again with tmux', 'skipped'],
    ])
  })

  test('a reason is one line that names the program', () => {
    for (const program of PROGRAMS.filter((each) => each !== 'engines' && each !== 'wrangler'))
      expect(needs(program) ?? `${program} is needed: x`).toMatch(new RegExp(`^${program} is needed: [^\\n]+$`))
  })
})
