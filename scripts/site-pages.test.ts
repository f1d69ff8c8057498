// The pages of the site, before anything is built: every page is in the sidebar, and links lead to pages.
import { join, posix } from 'node:path'
import { expect, test } from 'vitest'
import { searchWeight, sidebarOf, sitePages } from './site-pages.ts'

const pages = sitePages(join(import.meta.dirname, '..'))
const groups = sidebarOf(pages)

test('every page is in the sidebar once, and has a title', () => {
  const links = groups.flatMap(({ items }) => items.map(({ link }) => link))
  const expected = [...pages.keys()].map((path) => `/${path.replace(/\.md$/, '').replace(/(^|\/)index$/, '$1')}`)
  expect(links.toSorted()).toEqual(expected.toSorted())
  expect(groups.flatMap(({ items }) => items.filter(({ text }) => text === 'Untitled'))).toEqual([])
})

test('the sidebar begins where a reader begins', () => {
  expect(groups.map(({ text }) => text).filter((text) => text !== 'Tutorials')).toEqual([
    'Start here',
    'Guides',
    'Agents',
    'Protocols',
    'API',
    'Examples',
    'Decisions',
    'The project',
  ])
  expect(groups[0]?.items.map(({ link }) => link)).toEqual(['/', '/agents', '/cli', '/settings', '/wires', '/package'])
})

test('no two pages of a group have one name', () => {
  const twins = groups.flatMap(({ text: group, items }) => {
    const names = items.map(({ text }) => text.toLowerCase())
    return names.filter((name, index) => names.indexOf(name) !== index).map((name) => `${group}: ${name}`)
  })
  expect(twins).toEqual([])
})

test('a search finds the pages that explain before generated types and decisions', () => {
  const ids = [
    '/settings.html#a-server',
    '/api/node.html#serveroptions',
    '/decisions/0001-node-pin.html',
    '/agents/memory.html',
  ]
  expect(ids.map(searchWeight)).toEqual([1, 0.1, 0.1, 1])
})

test('the tutorials stand in the order in which the first page names them', () => {
  const tutorials = groups.find(({ text }) => text === 'Tutorials')?.items.map(({ link }) => link)
  expect(tutorials).toEqual(
    ['project', 'model', 'react', 'claude', 'users', 'approvals', 'going-live'].map((name) => `/tutorials/${name}`),
  )
})

test('links of pages lead to pages of the site', () => {
  const dead = [...pages].flatMap(([path, text]) => {
    const prose = text.replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`\n]*`/g, '')
    const targets = [...prose.matchAll(/(?<!!)\[[^\]]+\]\(([^)\s#]+)(?:#[^)\s]*)?\)/g)].map(([, to = '']) => to)
    return targets
      .filter((to) => !/^(https?:|mailto:)/.test(to) && !pages.has(posix.join(posix.dirname(path), to)))
      .map((to) => `${path}: ${to}`)
  })
  expect(dead).toEqual([])
})

test('a link out of docs/ leads to the page that the site has of it', () => {
  expect(pages.get('agents.md')).toContain('](package.md#install)')
  expect(pages.get('agents.md')).toContain('](examples/index.md)')
})
