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

/** Parts that another page has on purpose. */
const SHARED: readonly string[] = ['list', 'list-more', 'notice', 'cites', 'insp-empty', 'box']

test('a sheet beside its components styles none of another folder', () => {
  const filesOf = (pattern: string) =>
    globSync(pattern, { cwd: root }).map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }))
  const components = filesOf('src/**/*.tsx').map(({ file, text }) => ({
    file,
    classes: new Set(
      (text.match(/className=("[^"]*"|\{[^}]*\})/g) ?? []).flatMap((each) =>
        (each.slice('className='.length).match(/(["'`])(?:(?!\1).)*\1/g) ?? []).flatMap(
          (part) => part.match(/[\w-]+/g) ?? [],
        ),
      ),
    ),
  }))
  const findings: string[] = []
  for (const { file, text } of filesOf('src/**/*.css')) {
    const folder = file.slice(0, file.lastIndexOf('/') + 1)
    // Shared sheets are for everybody.
    if (/^src\/(styles|ui)\//.test(folder)) continue
    const selectors = text.replace(/\/\*[\s\S]*?\*\//g, '').match(/[^{}]+(?=\{)/g) ?? []
    const bare = selectors
      .flatMap((each) => each.split(','))
      .flatMap((each) => /^\s*\.([\w-]+)\s*$/.exec(each)?.[1] ?? [])
    for (const name of new Set(bare.filter((each) => !SHARED.includes(each))))
      for (const other of components)
        if (!other.file.startsWith(folder) && other.classes.has(name))
          findings.push(`${file}: .${name} in ${other.file}`)
  }
  expect(findings).toEqual([])
})
