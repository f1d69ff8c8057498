// Rules of AGENTS.md that a machine checks, over the sources and over small examples.
import { describe, expect, test } from 'vitest'
import { isTest, packageSources, sourcesIn } from './source-files.ts'
import { bareLimits } from './source-rules/bare-limits.ts'
import { pronounComments } from './source-rules/comment-openings.ts'
import { type Check, type Finding, readSource } from './source-rules/finding.ts'
import { functionStyle } from './source-rules/function-style.ts'
import { matchedMessages } from './source-rules/matched-messages.ts'
import { straySql } from './source-rules/stray-sql.ts'
import { participleTypes, twinTypes } from './source-rules/type-names.ts'

/** Programs of others that tell errors apart in their message and nowhere else. */
const FOREIGN_MESSAGES: Record<string, string> = {
  'agents/model/provider-errors.ts': 'some providers have no code for a conversation that is too long',
  'conformance/case-socket.ts': 'the WebSocket library has no code for a handshake that takes too long',
  'runners/engines/claude/claude.ts': 'the engine has no code for a transcript that is gone',
  'stores/object/object-driver.ts': 'the platform puts the code of SQLite at the end of its message',
  'simulation/process.ts': 'a store refuses a branch of a lost parent with the code of every other refusal',
}

/** Numbers that nobody chose: formats, ports and statuses. */
const NOT_LIMITS: Record<string, string> = {
  FRAME_HEADER_BYTES: 'the file format of SQLite',
  GIBIBYTE: 'a unit',
  HEADER_BYTES: 'the file format of SQLite',
  HTTP_PORT: 'a port',
  INDENT: 'the layout of a text',
  IV_BYTES: 'the size that AES-GCM has',
  MAGIC: 'the file format of SQLite',
  OPEN: 'a state of a WebSocket',
  VERSION: 'the file format of SQLite',
}

/** Types of one name that must be two. */
const TWINS_ALLOWED: Record<string, string> = {}

const PARTICIPLES_ALLOWED: Record<string, string> = {
  ToolDenied: 'an error that agents catch by this name',
}

const read = (folder: string, name: string) =>
  [...sourcesIn(folder)].map(([file, text]) => readSource(`${name}/${file}`, text))
const written = ({ file, line, says }: Finding) => `${file}:${line}: ${says}`
const list = (findings: readonly Finding[]) => findings.map(written).join('\n')

const folders = ['scripts', 'bench', 'simulation', 'crash', 'fuzz', 'conformance', 'examples', 'apps']
const src = [...packageSources()].map(([file, text]) => readSource(file, text))
const all = [...src, ...folders.flatMap((folder) => read(folder, folder))]
const product = src.filter(({ file }) => !isTest(file))

test('functions are arrow functions', () => {
  expect(all.flatMap(functionStyle).map(written)).toEqual([])
})

test('errors are told apart by their code', () => {
  const findings = all.filter(({ file }) => !isTest(file)).flatMap(matchedMessages)
  expect(findings.filter(({ file }) => !(file in FOREIGN_MESSAGES)).map(written)).toEqual([])
  expect([...new Set(findings.map(({ file }) => file))].sort()).toEqual(Object.keys(FOREIGN_MESSAGES).sort())
})

test('a limit has a reason', () => {
  const findings = product.flatMap((source) => bareLimits(source, Object.keys(NOT_LIMITS)))
  expect(findings.map(written)).toEqual([])

  const everything = list(product.flatMap((source) => bareLimits(source)))
  expect(Object.keys(NOT_LIMITS).filter((name) => !everything.includes(`\`${name}\``))).toEqual([])
})

test('a limits.ts holds what several files share, and there are few', () => {
  const shared = product.filter(({ file }) => file.endsWith('/limits.ts'))
  expect(shared.length).toBeLessThanOrEqual(14)
  const single = shared.flatMap(({ file, text }) =>
    [...text.matchAll(/^export const (\w+)/gm)].flatMap(([, name = '']) => {
      const users = product.filter((other) => new RegExp(`\\b${name}\\b`).test(other.text))
      return users.length < 3 ? [`${file}: ${name}`] : []
    }),
  )
  expect(single).toEqual([])
})

test('SQL stands in stores', () => {
  expect(
    product
      .filter(({ file }) => !file.startsWith('stores/'))
      .flatMap(straySql)
      .map(written),
  ).toEqual([])
})

test('one exported type has a name', () => {
  const twins = twinTypes(product, Object.keys(TWINS_ALLOWED))
  expect(Object.keys(twins).sort(), JSON.stringify(twins, null, 2)).toEqual([])
})

test('types are nouns', () => {
  const names = new Set(product.flatMap(participleTypes).filter((name) => !(name in PARTICIPLES_ALLOWED)))
  expect([...names].sort()).toEqual([])
})

test('comments open with the thing that they are about', () => {
  const findings = all.flatMap(pronounComments)
  expect(findings.map(written)).toEqual([])
})

describe('the checks themselves', () => {
  const examples = (check: Check, good: readonly string[], bad: readonly string[]) => () => {
    const lines = (text: string) => check(readSource('a.ts', text)).map(({ line }) => line)
    for (const text of good) expect([text, lines(text)]).toEqual([text, []])
    for (const text of bad) expect([text, lines(text)]).toEqual([text, [1]])
  }

  test(
    'function style',
    examples(
      functionStyle,
      [
        'const f = () => 1',
        'function f(): number { return this.x }',
        'function f(this: Date) {}',
        'function f() { return () => arguments }',
        'function f() { return new.target }',
        'function* f() {}',
        'export async function* f() {}',
        'export function f(x: 1): 1\nexport function f(x: 2): 2\nexport function f(x: number) { return x }',
        'function f(x: unknown): asserts x is string {}',
        'const o = { f() {}, get g() { return 1 } }',
        'class C { constructor() {} f() {} static g() {} }',
        'declare function f(): void',
      ],
      [
        'function f() {}',
        'export async function f() {}',
        'export default function () {}',
        'function f() { return import.meta.url }',
        'const f = function () {}',
        'const o = { f: function () {} }',
        'function f(x: unknown): x is string { return true }',
        'function f() { class C { x = this } }',
        'function f() { return { g() { return this } } }',
      ],
    ),
  )

  test(
    'SQL',
    examples(
      straySql,
      [
        "const text = 'Select a session, or start one.'",
        "const text = 'UPDATE of Bridle'",
        `const text = \`DELETE \${path}\``,
        "const text = 'with'",
        '// SELECT 1 FROM sessions',
      ],
      [
        "driver.get('SELECT 1 FROM sessions')",
        "const find = 'SELECT * FROM sessions'",
        `driver.run(\`INSERT INTO \${table} (run) VALUES (?)\`)`,
        "driver.run('INSERT OR IGNORE INTO taken_over (tenant) VALUES (?)')",
        "driver.run('UPDATE sessions SET base = ?')",
        `driver.run(\`UPDATE \${table} SET base = ?\`)`,
        "driver.run('DELETE FROM nonces')",
        'driver.run(` CREATE TABLE x (y)`)',
        "const first = ['CREATE UNIQUE INDEX x ON y (z)']",
        "driver.run('ALTER TABLE x ADD COLUMN y')",
        "driver.all('WITH RECURSIVE x (a) AS (SELECT 1) SELECT * FROM x')",
        "driver.run('PRAGMA journal_mode = WAL')",
      ],
    ),
  )

  test(
    'messages matched as text',
    examples(
      matchedMessages,
      [
        `if (error.code === 'gone') f(error.message)`,
        `if (typeof error.message === 'string') f()`,
        `if (error.message !== undefined) f()`,
        `const text = error.message; f(text)`,
        `const f = () => { const { message } = error; return message }; const g = (message) => message.includes('x')`,
        `messages.includes(error.message)`,
        `if (event.type === 'message') f()`,
      ],
      [
        `if (error.message === 'gone') f()`,
        `if ('gone' != error.message) f()`,
        `if (error.message.includes('gone')) f()`,
        `if ((error as Error).message?.startsWith('gone')) f()`,
        `if (/gone/.test(error.message)) f()`,
        `if (/gone/.test(error instanceof Error ? error.message : '')) f()`,
        `const text = error.message ?? ''; if (text.endsWith('gone')) f()`,
        `const { message } = error; if (message.match(/gone/)) f()`,
        `const { message: text } = error; f(text.replace('gone', ''))`,
        `switch (error.message) { case 'gone': f() }`,
      ],
    ),
  )

  test(
    'limits',
    examples(
      (source) => bareLimits(source, ['HTTP_PORT']),
      [
        `const HTTP_PORT = 80`,

        `const f = () => { const TRIES_MAX = 3; return TRIES_MAX }`,
        `let next = 1`,
        `const NAME = 'text'`,
        `const COUNT = list.length * 2`,
        `const BIG = 1n`,
      ],
      [
        `const WAIT_MS = 30_000`,
        `export const bodyBytesMax = 64 * 1024`,
        `const BYTES_MAX: number = 2 ** 20 - 1`,
        `const LEAST = -1`,
      ],
    ),
  )

  test('the reason of a limit is right above it', () => {
    const lines = (text: string) => bareLimits(readSource('a.ts', text)).map(({ line }) => line)
    expect(
      lines('/** Twice a heartbeat. */\nconst WAIT_MS = 1\nexport const SIZE_MAX = 2\n\nconst REST_MAX = 3'),
    ).toEqual([5])
  })

  test(
    'comments',
    examples(
      pronounComments,
      [
        '// A socket that sleeps',
        '// The first line ends with\n// What the second begins with',
        '/** Whatsoever */',
        '// `It` in code',
        'f() // the rest',
        `const text = '// What'`,
      ],
      [
        '// What a socket says',
        '/** One of them */',
        '/**\n * Those that sleep\n */',
        'f() // It is late',
        '/* Of all sockets */',
        '/** Whoever asks */',
        '// These are two lines\n// One after the other',
      ],
    ),
  )

  test('a comment after another one that does not touch it', () => {
    const lines = pronounComments(readSource('a.ts', '// A line\n\n// What follows\n/** A doc */\n// It too')).map(
      ({ line }) => line,
    )
    expect(lines).toEqual([3, 5])
  })

  test.each<[string, string[]]>([
    ['export type Told = string', ['Told']],
    ['interface RunSeen { x: 1 }', ['RunSeen']],
    ['export class Working {}', ['Working']],
    ['type Asked = 1\ntype HTTPFound = 2', ['Asked', 'HTTPFound']],
    ['class NotFoundError extends Error {}', []],
    ['type DeltaFeed = 1\ntype Setting = 2\ntype KnownRun = 3\ntype Id = 4', []],
    ['const Told = 1\nexport type { Said } from "./a.ts"', []],
  ])('participles: %s', (text, expected) => {
    expect(participleTypes(readSource('a.ts', text))).toEqual(expected)
  })

  test.each<[string, Record<string, string>, Record<string, string[]>]>([
    [
      'declared twice',
      { 'a.ts': 'export type A = 1', 'b.ts': 'export interface A { x: 1 }', 'c.ts': 'class A {}\nexport { A }' },
      { A: ['a.ts', 'b.ts', 'c.ts'] },
    ],
    ['exported again', { 'a.ts': 'export type A = 1', 'b.ts': `export type { A } from './a.ts'` }, {}],
    [
      'imported and exported',
      { 'a.ts': 'export type A = 1', 'b.ts': `import type { A } from './a.ts'\nexport { A }` },
      {},
    ],
    ['used in its file only', { 'a.ts': 'export type A = 1', 'b.ts': 'type A = 2' }, {}],
    ['a type and a value', { 'a.ts': 'export type A = 1', 'b.ts': 'export const A = 2' }, {}],
    ['twice in one file', { 'a.ts': 'export interface A { x: 1 }\nexport interface A { y: 1 }' }, {}],
    ['allowed', { 'a.ts': 'export type Twin = 1', 'b.ts': 'export type Twin = 2' }, {}],
  ])('twins: %s', (_name, files, expected) => {
    const sources = Object.entries(files).map(([file, text]) => readSource(file, text))
    expect(twinTypes(sources, ['Twin'])).toEqual(expected)
  })
})
