// The table of settings has every variable that the code reads, and no other; docs/settings.md follows from it.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { clientOptions } from '@bridle/cli/command/command'
import { dev } from '@bridle/cli/commands/dev'
import { start } from '@bridle/cli/commands/start'
import { INTERNAL_VARIABLES, OTHER_VARIABLES } from '@bridle/cli/config/start-notes'
import { type SettingTarget, settingRows, variablesOf } from '@bridle/server/settings'
import { PROVIDERS } from '@bridle/voice/realtime/providers'
import { expect, test } from 'vitest'
import { settingsPage } from './docs.ts'
import { regenerateSettings } from './settings-page.ts'

const root = join(import.meta.dirname, '..')
const variables = settingRows.flatMap(variablesOf)

test('the page is what `npm run docs` writes', () => {
  const page = readFileSync(settingsPage, 'utf8')
  expect(regenerateSettings(page)).toBe(page)
})

test('no flag of a setting is forgotten by the commands that take it', () => {
  const flags = (target: SettingTarget) =>
    settingRows.flatMap(([, { on, flag }]) =>
      flag && on.includes(target) ? [flag.slice(2).split(' ', 1).join('')] : [],
    )
  expect([...new Set([...Object.keys(start.options), ...Object.keys(dev.options)])].toSorted()).toEqual(
    flags('node').toSorted(),
  )
  expect(Object.keys(clientOptions).toSorted()).toEqual(['data', ...flags('cli')].toSorted())
})

/** Names that the code mentions and nobody sets. */
const INTERNAL = [
  ...INTERNAL_VARIABLES,
  // Beginnings of names.
  'BRIDLE_STT',
  'BRIDLE_TTS',
]
/** Neither reads a variable: the table has all of them, and the notes name those of other programs. */
const LISTS = /(server\/src\/settings|config\/start-notes)\.ts$/

test('variables of the environment', () => {
  const sources = globSync('packages/*/src/**/*.ts', { cwd: root }).filter(
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
  expect([...new Set(variables)].toSorted()).toEqual([...read].filter((name) => !INTERNAL.includes(name)).toSorted())
  expect(INTERNAL.filter((name) => !read.has(name))).toEqual([])
})

test('every variable of the tests, benchmarks and examples is known, so that a start does not warn of it', () => {
  const files = globSync(
    '{packages/*/src,scripts,crash,fuzz,bench,matrix,simulation,conformance,examples,apps/*/src,apps/*/tests}/**/*.{ts,tsx,c}',
    {
      cwd: root,
      exclude: (path) => /(^|\/)(node_modules|dist)(\/|$)/.test(path),
    },
  ).filter((file) => !/config\/start-notes|server\/src\/settings\.ts/.test(file))
  const names = files.flatMap((file) => [
    ...readFileSync(join(root, file), 'utf8').matchAll(
      /(?:env\.|getenv\("|^\s*(?:\.\.\.)?\{?\s*|[{,]\s*|')(BRIDLE_[A-Z_]*[A-Z])\b/gm,
    ),
  ])
  const misspelt = ['BRIDLE_TOKN', 'BRIDLE_PORT']
  // The token that shells of OpenHarness send. A server that is given it says which one it reads.
  const sent = 'BRIDLE_AUTH_TOKEN'
  const known = [...variables, ...INTERNAL, ...OTHER_VARIABLES, ...misspelt, sent]
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
