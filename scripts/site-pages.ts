// The pages of the documentation site: all of docs/, and the pages of the repository that docs/ links to. Links lead to pages of the
// site; a link to a file that is no page becomes its words.
import { globSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

export interface SidebarGroup {
  readonly text: string
  readonly collapsed: boolean
  readonly items: readonly { readonly text: string; readonly link: string }[]
}

/** Pages of the site by their path, read from the checkout. */
export const sitePages = (root: string): ReadonlyMap<string, string> => {
  const places = new Map(sources(root).map((file) => [file, placeOf(file)]))
  const read = ([file, place]: [string, string]): [string, string] => [
    place,
    withLinks(readFileSync(join(root, file), 'utf8'), file, place, places),
  ]
  const pages = new Map([...places].map(read))
  const examples = [...pages].filter(([path]) => path.startsWith('examples/'))
  const list = examples.map(([path, text]) => `* [${titleOf(text)}](${posix.basename(path)})`)
  return new Map([
    ...pages,
    ['examples/index.md', `# Examples\n\nIn the checkout, below \`examples\`.\n\n${list.join('\n')}\n`],
  ])
}

const sources = (root: string): string[] =>
  globSync(['docs/**/*.md', 'examples/*/README.md', 'packages/bridle/README.md', 'CHANGELOG.md', 'SECURITY.md'], {
    cwd: root,
  })
    .map((file) => file.replaceAll('\\', '/'))
    .sort()

const placeOf = (file: string): string => {
  if (file === 'packages/bridle/README.md') return 'package.md'
  return file
    .replace(/^docs\//, '')
    .replace(/^(examples\/[^/]+)\/README\.md$/, '$1.md')
    .replace(/^[A-Z]+\.md$/, (name) => name.toLowerCase())
}

/** Code stays as it is: a link in it is an example. */
const withLinks = (text: string, file: string, place: string, places: ReadonlyMap<string, string>): string => {
  const relink = (part: string) =>
    part.replaceAll(/(!?)\[([^\]]+)\]\(([^)\s]+)\)/g, (link, image: string, words: string, to: string) => {
      const [path = '', anchor] = to.split('#')
      if (image !== '' || path === '' || to.includes('://') || to.startsWith('mailto:')) return link
      const target = posix.join(posix.dirname(file), path).replace(/\/$/, '')
      const found =
        target === 'examples' ? 'examples/index.md' : (places.get(target) ?? places.get(`${target}/README.md`))
      if (found === undefined) return words
      const relative = posix.relative(posix.dirname(place), found)
      return `[${words}](${relative}${anchor === undefined ? '' : `#${anchor}`})`
    })
  return text
    .split(/(^```[\s\S]*?^```|`[^`\n]+`(?!\]))/m)
    .map((part, index) => (index % 2 === 0 ? relink(part) : part))
    .join('')
}

const START = ['index.md', 'agents.md', 'cli.md', 'settings.md', 'wires.md', 'package.md']
const PROJECT = ['architecture.md', 'words.md', 'benchmarks.md', 'crash-matrix.md', 'progress.md', 'releasing.md']
const FOLDERS = {
  Agents: 'agents/',
  Protocols: 'protocol/',
  API: 'api/',
  Examples: 'examples/',
  Decisions: 'decisions/',
}

/** Every page once: where to start, tutorials, guides, and the reference by folder. */
export const sidebarOf = (pages: ReadonlyMap<string, string>): readonly SidebarGroup[] => {
  const paths = [...pages.keys()].sort()
  const group = (text: string, members: readonly string[], collapsed = false): SidebarGroup[] =>
    members.length === 0
      ? []
      : [
          {
            text,
            collapsed,
            items: members.map((path) => ({ text: sidebarText(path, pages.get(path) ?? ''), link: linkOf(path) })),
          },
        ]
  const within = (folder: string) => paths.filter((path) => path.startsWith(folder))
  return [
    ...group(
      'Start here',
      START.filter((path) => pages.has(path)),
    ),
    ...group('Tutorials', inOrderOf(pages.get('index.md') ?? '', within('tutorials/'))),
    ...group(
      'Guides',
      paths.filter((path) => !path.includes('/') && ![...START, ...PROJECT].includes(path)),
    ),
    ...Object.entries(FOLDERS).flatMap(([text, folder]) => group(text, within(folder), true)),
    ...group(
      'The project',
      PROJECT.filter((path) => pages.has(path)),
      true,
    ),
  ]
}

/** As the page names them; what it does not name comes last. */
const inOrderOf = (page: string, paths: readonly string[]): readonly string[] => {
  const place = (path: string): number => {
    const at = page.indexOf(path.replace(/\.md$/, ''))
    return at === -1 ? page.length : at
  }
  return paths.toSorted((a, b) => place(a) - place(b))
}

/** The first page and the README of the package have one title but for its case. */
const sidebarText = (path: string, text: string): string => (path === 'package.md' ? 'The package' : titleOf(text))

/** The weight of a page in a search: generated types and old decisions stand behind the pages that explain. The site's config has its source. */
export const searchWeight = (id: string): number => (/^\/(api|decisions)\//.test(id) ? 0.1 : 1)

const titleOf = (text: string): string => (/^# (.*)$/m.exec(text)?.[1] ?? 'Untitled').replaceAll('`', '')
const linkOf = (path: string): string => `/${path.replace(/\.md$/, '').replace(/(^|\/)index$/, '$1')}`
