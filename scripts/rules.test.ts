// The numbered rules of the docs, and the tests that name them: each rule is shown by some test, and no test names a rule that
// is not there.
import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { root } from './source-files.ts'

const textsOf = (...patterns: string[]): string[] =>
  globSync(patterns, { cwd: root }).map((name) => readFileSync(`${root}/${name}`, 'utf8'))
const namesIn = (texts: readonly string[], pattern: RegExp): Set<string> =>
  new Set(texts.flatMap((text) => [...text.matchAll(pattern)].map(([, name = '']) => name)))

const pages = textsOf('docs/*.md', 'docs/agents/*.md', 'docs/protocol/*.md')
const RULE = /^\* \*\*([A-Z]{1,3}\d+)\*\*/gm
const rules = namesIn(pages, RULE)
const named = namesIn(
  textsOf(
    'packages/*/src/**/*.{test,suite}.ts',
    'packages/conformance/src/cases/*.ts',
    'apps/cockpit/**/*.test.ts',
    'conformance/clean-room/*.test.ts',
    'scripts/*.{test,suite}.ts',
    '{crash,simulation}/**/*.ts',
  ),
  /\[([A-Z]{1,3}\d+)\]/g,
)

test('no two rules have the same number', () => {
  const numbers = pages.flatMap((text) => [...text.matchAll(RULE)].map(([, number]) => number))
  expect(numbers.filter((number, at) => numbers.indexOf(number) !== at)).toEqual([])
})

// A test names a rule in its title: `[H20] a row of a list …`.
test('each rule is named by a test', () => {
  expect([...rules].filter((rule) => !named.has(rule)).sort()).toEqual([])
})

test('each rule that a test names is there', () => {
  expect([...named].filter((name) => !rules.has(name))).toEqual([])
})
