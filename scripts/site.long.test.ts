// The site of the documentation, built with the VitePress that apps/site pins. A dead link is an error, and so is a dead anchor.
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, posix } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildSite } from './site.ts'
import { sitePages } from './site-pages.ts'

const target = mkdtempSync(join(tmpdir(), 'bridle-site-test-'))
const pages = sitePages(join(import.meta.dirname, '..'))
beforeAll(() => buildSite(target, pages))
afterAll(() => rmSync(target, { recursive: true, force: true }))

const files = () => globSync('**/*.html', { cwd: target }).map((file) => file.replaceAll('\\', '/'))
const read = (file: string) => readFileSync(join(target, file), 'utf8')

test('every page is built, and can be searched', () => {
  expect(files()).toEqual(expect.arrayContaining([...pages.keys()].map((path) => path.replace(/\.md$/, '.html'))))
  expect(globSync('assets/chunks/*localSearchIndex*', { cwd: target })).not.toEqual([])
})

test('every link and every anchor leads somewhere', () => {
  const anchors = new Map(
    files().map((file) => [file, new Set([...read(file).matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id))]),
  )
  const dead = files().flatMap((file) => {
    const links = [...(/<main[\s\S]*<\/main>/.exec(read(file))?.[0] ?? '').matchAll(/href="([^"]+)"/g)]
    return links.flatMap(([, href = '']) => {
      if (/^[a-z]+:/.test(href)) return []
      const [path = '', anchor] = href.replaceAll('&amp;', '&').split('#')
      const page = path === '' ? file : posix.join(path.startsWith('/') ? '' : posix.dirname(file), path)
      const found = page.replace(/^\//, '').replace(/(^|\/)$/, '$1index.html')
      const isThere =
        anchor === undefined ? existsSync(join(target, found)) : anchors.get(found)?.has(decodeURIComponent(anchor))
      return isThere ? [] : [`${file}: ${href}`]
    })
  })
  expect(dead).toEqual([])
})

test('a dead link fails the build, and is named', () => {
  const broken = new Map([...pages].slice(0, 1).map(([path]) => [path, '# A page\n\n[gone](gone.md)\n']))
  expect(() => buildSite(join(target, 'broken'), broken)).toThrow(/gone/)
})
