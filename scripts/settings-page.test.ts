// docs/settings.md has every setting that the code reads, and no other.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { clientOptions } from '../packages/bridle/src/cli/command.ts'
import { dev } from '../packages/bridle/src/cli/commands/dev.ts'
import { start } from '../packages/bridle/src/cli/commands/start.ts'
import { INTERNAL_NAMES, OTHER_NAMES, VARIABLE_NAMES } from '../packages/bridle/src/cli/config/variable-names.ts'
import { serverOptionNames } from '../packages/bridle/src/targets/node/server-option-names.ts'
import { PROVIDERS } from '../packages/bridle/src/voice/realtime/providers.ts'

const root = join(import.meta.dirname, '..')
const rows = readFileSync(join(root, 'docs/settings.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| ---'))
  .map((line) => line.split(/ ?\| ?/).slice(1, -1))
/** Rows of tables with these columns, and what is written in backticks in one of them. */
const cells = (columns: number, at: number): string[] =>
  rows
    .filter((row) => row.length === columns)
    .flatMap((row) => [...(row[at] ?? '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name))

test('flags', () => {
  const server = new Set([...Object.keys(start.options), ...Object.keys(dev.options)].map((name) => `--${name}`))
  expect(cells(5, 0).toSorted()).toEqual([...server].toSorted())
  const client = Object.keys(clientOptions).map((name) => `--${name}`)
  expect([...cells(4, 0), '--data'].toSorted()).toEqual(client.toSorted())
})

test('names in the settings file', () => {
  expect(cells(5, 2).toSorted()).toEqual(Object.keys(serverOptionNames).toSorted())
})

/** Names that the code mentions and nobody sets. */
const INTERNAL = [
  ...INTERNAL_NAMES,
  // Beginnings of names.
  'BRIDLE_STT',
  'BRIDLE_TTS',
]
/** The list of names reads none of them, and a note of the start only names what people expect. */
const LISTS = /config\/variable-(names|notes)\.ts$/

test('variables of the environment', () => {
  const sources = globSync('packages/bridle/src/**/*.ts', { cwd: root }).filter(
    (file) => !/\.(test|suite)\.ts$/.test(file) && !LISTS.test(file),
  )
  const code = sources.map((file) => readFileSync(join(root, file), 'utf8')).join('\n')
  const read = new Set(
    [
      ...code.matchAll(
        /\b(?:(?:BRIDLE|FABRIC|FH)_[A-Z_]*[A-Z]|(?:ANTHROPIC|OPENAI)_(?:API_KEY|AUTH_TOKEN|BASE_URL)|NODE_ENV|NO_COLOR)\b/g,
      ),
    ].map(([name]) => name),
  )
  for (const { keyVariable, urlVariable } of PROVIDERS) read.add(keyVariable).add(urlVariable)
  for (const name of ['PORT', 'VISUAL', 'EDITOR']) if (code.includes(`env.${name}`)) read.add(name)
  const written = new Set([...cells(5, 1), ...cells(4, 1), ...cells(3, 0)])
  expect([...written].toSorted()).toEqual([...read].filter((name) => !INTERNAL.includes(name)).toSorted())
  expect(INTERNAL.filter((name) => !read.has(name))).toEqual([])
  const ours = [...written].filter((name) => /^(BRIDLE|FABRIC_HARNESS)_/.test(name))
  expect(VARIABLE_NAMES.toSorted()).toEqual(ours.toSorted())
})

test('every variable of the tests, benchmarks and examples is known, so that a start does not warn of it', () => {
  const files = globSync(
    '{packages/bridle/src,scripts,crash,fuzz,bench,matrix,simulation,conformance,examples,apps/*/src,apps/*/tests}/**/*.{ts,tsx,c}',
    {
      cwd: root,
      exclude: (path) => /(^|\/)(node_modules|dist)(\/|$)/.test(path),
    },
  ).filter((file) => !/config\/variable-/.test(file))
  const names = files.flatMap((file) => [
    ...readFileSync(join(root, file), 'utf8').matchAll(
      /(?:env\.|getenv\("|^\s*(?:\.\.\.)?\{?\s*|[{,]\s*|')(BRIDLE_[A-Z_]*[A-Z])\b/gm,
    ),
  ])
  const misspelt = ['BRIDLE_TOKN', 'BRIDLE_PORT']
  // The token that shells of OpenHarness send. A server that is given it says which one it reads.
  const sent = 'BRIDLE_AUTH_TOKEN'
  const known = [...VARIABLE_NAMES, ...INTERNAL, ...OTHER_NAMES, ...misspelt, sent]
  expect([...new Set(names.map(([, name = '']) => name))].filter((name) => !known.includes(name))).toEqual([])
})

test('docs/wires.md names exports and routes that exist', () => {
  const page = readFileSync(join(root, 'docs/wires.md'), 'utf8')
  const exported = globSync('docs/api/*.md', { cwd: root })
    .map((file) => readFileSync(join(root, file), 'utf8'))
    .join('\n')
  const table = page.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| ---'))
  const names = table.flatMap((line) => [...(line.split(' | ')[2] ?? '').matchAll(/`(\w+)[^`]*`/g)])
  const known = ['fetch', 'bridle']
  expect(names.length).toBeGreaterThan(10)
  const missing = names.filter(([, name = '']) => !known.includes(name) && !exported.includes(`### \`${name}\``))
  expect(missing.map(([, name]) => name)).toEqual([])
})
