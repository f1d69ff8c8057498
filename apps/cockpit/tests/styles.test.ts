// The sheets of the app have no rule for a class that no component has.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const textsOf = (pattern: string): string[] =>
  globSync(pattern, { cwd: root }).map((file) => readFileSync(join(root, file), 'utf8'))

/** Classes whose names are put together from a value. */
const MADE: readonly string[] = ['align-', 'i-', 'm-']

test('every class of a sheet is named by a component', () => {
  const sources = [...textsOf('src/**/*.{ts,tsx}'), ...textsOf('index.html')].join('\n')
  const words = new Set(sources.match(/[\w-]+/g))
  const selectors = textsOf('src/**/*.css').flatMap(
    (sheet) => sheet.replace(/\/\*[\s\S]*?\*\//g, '').match(/[^{}]+(?=\{)/g) ?? [],
  )
  const classes = new Set(selectors.flatMap((selector) => selector.match(/(?<=\.)[a-zA-Z_][\w-]*/g) ?? []))
  const unused = [...classes].filter((name) => !words.has(name) && !MADE.some((start) => name.startsWith(start)))
  expect(classes.size).toBeGreaterThan(100)
  expect(unused).toEqual([])
})
