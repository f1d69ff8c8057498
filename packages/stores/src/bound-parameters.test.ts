// No value of a caller becomes a part of an SQL statement: only constants of this package are inserted, and all values are bound.
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const files = globSync('{kernel,stores,server}/src/**/*.ts', { cwd: root }).filter(
  (file) => !/\.(test|suite|d)\.ts$/.test(file),
)

/** Texts that the code itself spells out: names of columns and tables, and conditions made of those with `?` in them. */
const constants = [
  'IS_UNREAD',
  'LINEAGE_MAX',
  'behind',
  'columns',
  "columns.replaceAll(/\\w+/g, 's.$&')",
  'index',
  'order',
  'order.order',
  'order.outer',
  'orphans',
  'select',
  'sql',
  'stateIndex',
  'table',
  'upTo',
  'openTo',
  'where',
]

const statements = (text: string): string[] =>
  [...text.matchAll(/`[^`]*`/g)]
    .map(([each]) => each)
    .filter((each) => /\b(SELECT|INSERT INTO|UPDATE|DELETE FROM)\b/.test(each))

test('a statement has constants and bound values, and nothing else', () => {
  const found = files.flatMap((file) =>
    statements(readFileSync(`${root}/${file}`, 'utf8')).map((each) => ({ file, each })),
  )
  expect(found.length).toBeGreaterThan(10)
  const inserted = found.flatMap(({ file, each }) =>
    [...each.matchAll(/\$\{([^}]*)\}/g)].map(([, name = '']) => ({ file, name })),
  )
  expect(inserted.filter(({ name }) => !constants.includes(name))).toEqual([])
})
