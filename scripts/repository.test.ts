// The files that newcomers read first are correct: links lead to existing pages, editors and workflows run existing commands.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const read = (file: string): string => readFileSync(join(root, file), 'utf8')
const isIgnored = (path: string): boolean =>
  /(^|\/)(node_modules|dist(\.\d+)?|coverage|\.(git|types|bridle|bench))$/.test(path)
const list = (...patterns: string[]): string[] =>
  globSync(patterns, { cwd: root, exclude: isIgnored })
    .map((file) => file.replaceAll('\\', '/'))
    .sort()
const manifest = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
/** JSON with lines of comments, as editors write it. */
const readCommented = <T>(file: string): T => JSON.parse(read(file).replace(/^\s*\/\/.*$/gm, '')) as T

describe('markdown', () => {
  const pages = list('**/*.md', '.github/**/*.md')
  const withoutCode = (text: string): string => text.replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`\n]*`/g, '')
  const anchorsOf = (file: string): string[] =>
    [...read(file).matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
      title
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    )

  test('there are pages to look at', () => {
    expect(pages).toEqual(expect.arrayContaining(['README.md', 'docs/versioning.md', 'packages/bridle/README.md']))
  })

  test.each(pages)('links of %s lead somewhere', (page) => {
    const links = [...withoutCode(read(page)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
    const broken = links.filter((link) => {
      if (/^(https?|mailto):/.test(link)) return false
      const [path = '', anchor] = link.split('#')
      const file = path === '' ? page : posix.join(dirname(page), path)
      if (!existsSync(join(root, file))) return true
      return anchor !== undefined && file.endsWith('.md') && !anchorsOf(file).includes(anchor)
    })
    expect(broken).toEqual([])
  })

  const handwritten = ['CONTRIBUTING.md', 'AGENTS.md', 'docs/versioning.md', 'docs/releasing.md']
  test.each(handwritten)('npm scripts and source files that %s names exist', (page) => {
    const scripts = [...read(page).matchAll(/npm run ([\w:]+)/g)].map(([, name = '']) => name)
    expect(scripts.filter((name) => !manifest.scripts[name])).toEqual([])
    const sources = list('{packages/*/src,apps/cockpit}/**/*.{ts,tsx}', 'scripts/*.ts', 'conformance/**/*.ts')
    const named = [...read(page).matchAll(/`([\w./-]+\.tsx?)`/g)].map(([, name = '']) => name)
    // AGENTS.md shows how names look with these.
    const samples = ['./session.ts', 'health.ts', 'health.test.ts', '.suite.ts', '.long.test.ts']
    const missing = named.filter(
      (name) => !samples.includes(name) && !sources.some((file) => `/${file}`.endsWith(`/${name}`)),
    )
    expect(missing).toEqual([])
  })
})

test('docs/versioning.md names what the code has', () => {
  const rows = [...read('docs/versioning.md').matchAll(/^\| `(\w+)` \| `([\w.-]+)` \|$/gm)]
  expect(rows.length).toBeGreaterThan(5)
  const missing = rows.filter(([, name = '', file = '']) => {
    const declaration = new RegExp(`^(export )?(async )?(const|function) ${name}\\b`, 'm')
    return !list(`packages/*/src/**/${file}`).some((path) => declaration.test(read(path)))
  })
  expect(missing.map(([row]) => row)).toEqual([])
  const [sockets = ''] = list('packages/*/src/**/socket-route.ts')
  const names = /^export const SUBPROTOCOLS = \[(.*)\]/m.exec(read(sockets))?.[1]?.match(/[\w.]+/g) ?? []
  expect(names.length).toBeGreaterThan(0)
  for (const name of names) expect(read('docs/versioning.md')).toContain(`\`${name}\``)
})

test('the changelog has a section for the version in the making', () => {
  const { version } = JSON.parse(read('packages/bridle/package.json')) as { version: string }
  const changelog = read('CHANGELOG.md')
  expect(changelog).toContain('## Unreleased')
  expect(changelog).toContain(version)
})

test('the workflow runs .ci/run, which is a program', () => {
  expect(read('.github/workflows/ci.yml')).toMatch(/^ {6}- run: \.ci\/run$/m)
  expect(read('.ci/run')).toMatch(/^#!/)
  for (const [, file = ''] of read('.github/workflows/ci.yml').matchAll(/(\.ci\/\w+)/g))
    expect(existsSync(join(root, file)), file).toBe(true)
})

describe('.vscode/launch.json', () => {
  interface Launch {
    readonly name: string
    readonly runtimeExecutable: string
    readonly runtimeArgs: readonly string[]
  }
  const { configurations } = readCommented<{ configurations: Launch[] }>('.vscode/launch.json')

  test.each(configurations)('$name starts what exists, with the pinned Node', ({ runtimeExecutable, runtimeArgs }) => {
    const [first = '', second = ''] = runtimeArgs
    if (runtimeExecutable === 'npm') expect(manifest.scripts[first === 'run' ? second : first]).toBeTruthy()
    else {
      expect(runtimeExecutable).toBe('npx')
      expect(existsSync(join(root, 'node_modules/.bin', first))).toBe(true)
    }
  })

  test('a server and the test file on the screen can be debugged', () => {
    const commands = configurations.map(({ runtimeExecutable, runtimeArgs }) =>
      [runtimeExecutable, ...runtimeArgs].join(' '),
    )
    expect(commands).toContain('npm start')
    expect(commands).toContainEqual(expect.stringMatching(/^npx vitest run \$\{relativeFile\}/))
  })
})

test('a build of the cockpit that was cut off, by kill -9 for instance, is neither committed nor linted', () => {
  expect(read('.gitignore')).toMatch(/^dist\.\*\/$/m)
  const { files } = readCommented<{ files: { includes: string[] } }>('biome.json')
  expect(files.includes).toContain('!**/dist.*')
})

test('editors agree with the formatter', () => {
  const { formatter } = readCommented<{ formatter: { lineWidth: number; indentWidth: number } }>('biome.json')
  expect(read('.editorconfig')).toContain(`max_line_length = ${formatter.lineWidth}`)
  expect(read('.editorconfig')).toContain(`indent_size = ${formatter.indentWidth}`)
  const { recommendations } = readCommented<{ recommendations: string[] }>('.vscode/extensions.json')
  expect(recommendations).toContain(
    readCommented<Record<string, string>>('.vscode/settings.json')['editor.defaultFormatter'],
  )
})

test('templates of issues have a name and what they are for', () => {
  const templates = list('.github/ISSUE_TEMPLATE/*.md')
  expect(templates.map((file) => basename(file))).toEqual(['bug.md', 'idea.md'])
  for (const file of templates) expect(read(file)).toMatch(/^---\nname: .+\nabout: .+\n---\n/)
})
