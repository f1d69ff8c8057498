// docs/differences.md leads to pages and rules that exist. Links between all pages are tested in repository.test.ts.
import { existsSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const page = readFileSync(join(root, 'docs/differences.md'), 'utf8')
const RULE = /\b(?:CF|OHS?|[A-Z])\d+\b/g
const links = [...page.matchAll(/\[([^\]]+)\]\(([^)\s#]+)(#[^)\s]+)?\)/g)].map(([, words = '', path = '']) => ({
  words,
  path: posix.join('docs', path),
}))

test('every link leads to a page, and every rule to the page that has it', () => {
  const broken = links.filter(({ words, path }) => {
    if (!existsSync(join(root, path))) return true
    const text = readFileSync(join(root, path), 'utf8')
    return [...words.matchAll(RULE)].some(([id]) => !text.includes(`**${id}**`))
  })
  expect(broken).toEqual([])
  expect(links.filter(({ words }) => words.match(RULE)).length).toBeGreaterThan(30)
})

test('every rule is a link, and every row has its four cells', () => {
  const plain = page.replaceAll(/\[[^\]]+\]\([^)\s]+\)/g, '').replaceAll(/`[^`\n]*`/g, '')
  expect(plain.match(RULE)).toBeNull()
  const rows = page.split('\n').filter((line) => line.startsWith('|'))
  expect(rows.filter((row) => row.split(/(?<!\\)\|/).length !== 6 || /\|\s*\|/.test(row))).toEqual([])
})

test('readers find the page from where they begin', () => {
  for (const file of ['README.md', 'docs/index.md', 'docs/wires.md'])
    expect(readFileSync(join(root, file), 'utf8')).toContain('differences.md')
})
