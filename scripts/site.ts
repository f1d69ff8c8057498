// npm run site [-- folder]: the documentation as a site, in apps/site/dist or in the folder. VitePress is pinned in apps/site, and
// fetched when this runs. A dead link is an error.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fetchPinned } from './pinned-tools.ts'
import { searchWeight, sidebarOf, sitePages } from './site-pages.ts'

const root = join(import.meta.dirname, '..')

/** Builds the site into a folder; throws with the output of the builder. */
export const buildSite = (target: string, pages: ReadonlyMap<string, string> = sitePages(root)): void => {
  const tools = fetchPinned('apps/site', 'site')
  if ('missing' in tools) throw new Error(tools.missing)
  const stage = mkdtempSync(join(tmpdir(), 'bridle-site-'))
  try {
    for (const [path, text] of pages) {
      mkdirSync(dirname(join(stage, path)), { recursive: true })
      writeFileSync(join(stage, path), text)
    }
    cpSync(join(root, 'docs/images'), join(stage, 'images'), { recursive: true })
    symlinkSync(join(tools.folder, 'node_modules'), join(stage, 'node_modules'))
    mkdirSync(join(stage, '.vitepress'))
    writeFileSync(join(stage, '.vitepress/config.mjs'), configFile(target, pages))
    const program = join(tools.folder, 'node_modules/vitepress/bin/vitepress.js')
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, 'build', stage], {
      encoding: 'utf8',
      env: { ...process.env, NODE_OPTIONS: '' },
    })
    if (status !== 0) throw new Error(`The site could not be built:\n${stdout}${stderr}`)
  } finally {
    rmSync(stage, { recursive: true, force: true })
  }
}

/** Anchors are made as those of a repository's pages are, so that one link works in both. */
const configFile = (outDir: string, pages: ReadonlyMap<string, string>): string =>
  `const site = ${JSON.stringify(config(outDir, pages))}
const slugify = (title) => title.toLowerCase().replace(/[^\\p{L}\\p{N} _-]/gu, '').replaceAll(' ', '-')
const boostDocument = ${searchWeight}
const search = { provider: 'local', options: { miniSearch: { searchOptions: { boostDocument } } } }
export default {
  ...site,
  markdown: { ...site.markdown, anchor: { slugify } },
  themeConfig: { ...site.themeConfig, search },
}
`

const config = (outDir: string, pages: ReadonlyMap<string, string>) => ({
  title: 'Bridle',
  description: 'One durable session between any agent and any frontend.',
  lang: 'en',
  outDir,
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  // Placeholders such as <id> are text, not elements.
  markdown: { html: false },
  themeConfig: {
    sidebar: sidebarOf(pages),
    nav: [
      { text: 'Start', link: '/' },
      { text: 'Agents', link: '/agents' },
      { text: 'Settings', link: '/settings' },
      { text: 'Changes', link: '/changelog' },
    ],
    outline: [2, 3],
    notFound: {
      title: 'There is no such page',
      quote: 'Search for it with Ctrl+K, or go to the first page.',
      linkText: 'The first page',
    },
  },
})

if (import.meta.main) {
  const folder = process.argv[2]
  const target = folder === undefined ? join(root, 'apps/site/dist') : resolve(process.env.INIT_CWD ?? '.', folder)
  rmSync(target, { recursive: true, force: true })
  console.log('Building the site: some 20 seconds, and longer the first time, when VitePress is fetched …')
  buildSite(target)
  console.log(`The site is in ${target}. To look at it: npx vite preview --outDir ${target}`)
}
