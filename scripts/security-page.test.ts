// docs/security.md promises a test for each row of its checklist: the rows are all there, and so are the tests.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packageFile, root } from './source-files.ts'

const page = readFileSync(join(root, 'docs/security.md'), 'utf8')
const rows = page.split('\n').filter((line) => /^\| S\d+ \|/.test(line))
const testsIn = (text: string): string[] =>
  [...text.matchAll(/`([\w./-]+\.test\.ts)`/g)].map(([, file]) => file as string)
const isThere = (file: string): boolean => [file, packageFile(file)].some((path) => existsSync(join(root, path)))

test('the checklist has its 32 rows, in order', () => {
  expect(rows.map((row) => /^\| (S\d+) /.exec(row)?.[1])).toEqual(
    Array.from({ length: 32 }, (_, index) => `S${index + 1}`),
  )
})

test('a row names a test, or says why there is none', () => {
  const bare = rows.filter((row) => testsIn(row).length === 0 && !row.includes('| Not done: '))
  expect(bare).toEqual([])
})

test('each test that the page names is there', () => {
  // Behind a part with this marker the test is still to come.
  const texts = page.split(/;|\n/).filter((part) => !part.includes('(see '))
  expect(texts.flatMap(testsIn).filter((file) => !isThere(file))).toEqual([])
})

test('README and the operators’ page lead there', () => {
  const linked = (file: string, target: string) => readFileSync(join(root, file), 'utf8').includes(`](${target})`)
  expect(linked('README.md', 'docs/security.md')).toBe(true)
  expect(linked('README.md', 'SECURITY.md')).toBe(true)
  expect(linked('docs/operating.md', 'security.md')).toBe(true)
  expect(linked('docs/security.md', '../SECURITY.md')).toBe(true)
})
