// The files that `bridle init` writes, and the input that it refuses.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, describe, expect, test } from 'vitest'
import { chooseTemplate, nextSteps } from '../commands/init.ts'
import { packageSource } from './package-source.ts'
import { TEMPLATES, type TemplateName, templateFiles } from './templates.ts'
import { writeProject } from './write-project.ts'

const root = mkdtempSync(join(tmpdir(), 'bridle-init-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
const names = Object.keys(TEMPLATES) as TemplateName[]
let count = 0
const folderWith = (files: Readonly<Record<string, string>> = {}): string => {
  const folder = join(root, String(++count), 'My App!')
  mkdirSync(folder, { recursive: true })
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return folder
}
const registry = { kind: 'registry', version: '0.1.0' } as const
const json = (folder: string, file = 'package.json') => JSON.parse(readFileSync(join(folder, file), 'utf8'))
const tarball = join(root, 'bridle-0.1.0.tgz')
writeFileSync(tarball, 'a tarball')

describe('[C110] templates', () => {
  test.each(names)('%s has a manifest, settings, a test and a README', (template) => {
    const paths = [...templateFiles(template).keys()]
    expect(paths).toEqual(
      expect.arrayContaining(['package.json', 'tsconfig.json', '.env.example', '.gitignore', 'README.md']),
    )
    expect(paths.filter((path) => path.startsWith('tests/'))).toHaveLength(1)
    expect(paths.filter((path) => /(^|\/)_/.test(path))).toEqual([])
    for (const list of ['.gitignore', '.dockerignore']) expect(templateFiles(template).get(list)).toMatch(/^\.env$/m)
  })

  test.each(names)('%s says what to do with an older Node, and npm asks nothing about it', (template) => {
    const files = templateFiles(template)
    expect(files.get('README.md')).toContain('`npm install --save-dev node@24`')
    // The package `node` fetches its program with an install script.
    expect(JSON.parse(files.get('package.json') ?? '')).toMatchObject({ allowScripts: { node: true } })
  })

  test.each(names)('%s uses the versions that this checkout tests with', (template) => {
    const checkout = new URL('../../../../', import.meta.url)
    const read = (file: string) => JSON.parse(readFileSync(new URL(file, checkout), 'utf8'))
    const tested = {
      ...read('package.json').devDependencies,
      ...read('packages/bridle/package.json').dependencies,
      ...read('apps/sandbox/package.json').dependencies,
    }
    const { dependencies, devDependencies, engines, type } = JSON.parse(
      templateFiles(template).get('package.json') ?? '',
    )
    const { bridle, ...others } = { ...dependencies, ...devDependencies }
    expect([bridle, type, engines]).toEqual(['*', 'module', read('packages/bridle/package.json').engines])
    for (const [name, version] of Object.entries(others))
      expect([name, String(version).replace('^', '')]).toEqual([name, tested[name]])
  })
})

test.each([
  ['npm/11.19.1 node/v20.20.2 linux x64 workspaces/false', true],
  ['npm/11.19.1 node/v22.17.1 linux x64', true],
  ['npm/11.19.1 node/v22.18.0 linux x64', false],
  ['npm/11.19.1 node/v24.1.0 linux x64', false],
  [undefined, false],
])('[C110] the next steps for %s', (userAgent, isOld) =>
  expect(nextSteps({ where: '../my app', template: 'agent', source: registry, userAgent })).toEqual([
    "cd '../my app'",
    'npm install',
    ...(isOld ? ['npm install --save-dev node@24'] : []),
    'npm run dev',
  ]),
)

test('[C110] the next steps of claude fill in its settings, under the names that its files have', () => {
  const steps = nextSteps({ where: '', template: 'claude', source: registry, userAgent: undefined })
  expect(steps).toEqual(['npm install', expect.stringMatching(/^cp \.env\.example \.env {3}# /), 'npm run dev'])
  const files = templateFiles('claude')
  const names = steps[1]?.match(/\b[A-Z][A-Z_]{4,}\b/g) ?? []
  expect(names).toEqual(['ANTHROPIC_API_KEY', 'REPOSITORY'])
  for (const name of [...names, 'CLAUDE_CODE_OAUTH_TOKEN']) {
    expect(files.get('.env.example')).toMatch(new RegExp(`^# ${name}=`, 'm'))
    expect(files.get('README.md')).toContain(`\`${name}\``)
  }
})

describe('[C111] package.json', () => {
  test.each(names)('of a new %s project names the folder and installs this package', (template) => {
    const folder = folderWith()
    const { size } = templateFiles(template)
    expect(writeProject({ folder, template, source: registry })).toEqual({ count: size })
    expect(json(folder)).toMatchObject({ name: 'my-app', type: 'module', dependencies: { bridle: '0.1.0' } })
    expect(readFileSync(join(folder, 'README.md'), 'utf8')).toMatch(/^# my-app\n/)
  })

  test('a tarball goes with the project; one that lies there is used where it is', () => {
    const folder = folderWith()
    writeProject({ folder, template: 'agent', source: { kind: 'tarball', file: tarball } })
    expect(json(folder).dependencies.bridle).toBe('file:vendor/bridle-0.1.0.tgz')
    expect(readFileSync(join(folder, 'vendor/bridle-0.1.0.tgz'), 'utf8')).toBe('a tarball')
    const other = folderWith({ 'lib/bridle.tgz': '' })
    writeProject({ folder: other, template: 'agent', source: { kind: 'tarball', file: join(other, 'lib/bridle.tgz') } })
    expect([json(other).dependencies.bridle, existsSync(join(other, 'vendor'))]).toEqual(['file:lib/bridle.tgz', false])
  })

  test('as npm init left it gets everything; one with decisions of its own keeps them', () => {
    const scripts = { test: 'echo "Error: no test specified" && exit 1' }
    const fresh = folderWith({ 'package.json': JSON.stringify({ name: 'x', type: 'commonjs', main: 'a.js', scripts }) })
    writeProject({ folder: fresh, template: 'agent', source: registry })
    expect(json(fresh)).toMatchObject({
      name: 'x',
      type: 'module',
      scripts: { dev: 'bridle dev', test: expect.stringMatching(/^node --test/) },
    })
    expect(json(fresh)).not.toHaveProperty('main')
    const own = { name: 'y', private: false, scripts: { test: 'vitest' }, dependencies: { valibot: '1.0.0' } }
    const grown = folderWith({ 'package.json': JSON.stringify(own) })
    writeProject({ folder: grown, template: 'agent', source: registry })
    expect(json(grown)).toMatchObject({
      ...own,
      type: 'module',
      scripts: { test: 'vitest', dev: 'bridle dev' },
      dependencies: { bridle: '0.1.0', valibot: '1.0.0' },
    })
  })

  test.each([
    [
      '{ "type": "commonjs" }',
      'package.json says "type": "commonjs"; agents need "type": "module". Choose another folder, or run: npm pkg set type=module',
    ],
    ['{', 'package.json is not JSON.'],
  ])('%s is in the way, and nothing is written', (text, problem) => {
    const folder = folderWith({ 'package.json': text })
    expect(writeProject({ folder, template: 'agent', source: registry })).toEqual({ problem })
    expect(existsSync(join(folder, 'README.md'))).toBe(false)
  })
})

test('[C110] the page of chat names files of the project alone: the policy of the server refuses every other address', () => {
  const files = templateFiles('chat')
  const addresses = [...(files.get('index.html') ?? '').matchAll(/(?:src|href)="([^"]*)"/g)].map(
    ([, address]) => address,
  )
  expect(addresses).toEqual(['/icon.svg', '/src/main.tsx'])
  for (const address of addresses) expect(files.has(`public${address}`) || files.has(`${address}`.slice(1))).toBe(true)
})

test('[C112] files in the way are named, and nothing is written', () => {
  const folder = folderWith({ 'README.md': 'mine', 'agents/helper.ts': 'mine', 'notes.txt': 'mine' })
  expect(writeProject({ folder, template: 'chat', source: registry })).toEqual({
    problem: expect.stringMatching(
      /^(README\.md, agents\/helper\.ts|agents\/helper\.ts, README\.md) would be overwritten\./,
    ),
  })
  expect(existsSync(join(folder, 'package.json'))).toBe(false)
  expect(readFileSync(join(folder, 'README.md'), 'utf8')).toBe('mine')
})

describe('[C111] the package came from', () => {
  const installed = (resolved: string | null): string => {
    const folder = join(root, String(++count))
    const own = join(folder, 'node_modules/bridle')
    mkdirSync(own, { recursive: true })
    writeFileSync(join(own, 'package.json'), '{ "name": "bridle", "version": "0.1.0" }')
    const packages = { 'node_modules/bridle': { resolved } }
    if (resolved !== null) writeFileSync(join(folder, 'node_modules/.package-lock.json'), JSON.stringify({ packages }))
    return own
  }

  test.each<[string, string | null, object]>([
    ['a tarball', 'file:../bridle-0.1.0.tgz', { kind: 'tarball', file: tarball }],
    ['a tarball that is gone', 'file:../gone.tgz', { kind: 'unknown', version: '0.1.0' }],
    ['a registry', 'https://registry.example/bridle.tgz', { kind: 'registry', version: '0.1.0' }],
    ['an installation that notes nothing', null, { kind: 'unknown', version: '0.1.0' }],
  ])('%s', (_name, resolved, source) => {
    expect(packageSource(installed(resolved))).toEqual(source)
  })

  test('a checkout, before and after npm run pack', () => {
    const checkout = join(root, String(++count))
    const own = join(checkout, 'packages/bridle')
    mkdirSync(own, { recursive: true })
    writeFileSync(join(own, 'package.json'), '{ "name": "bridle", "version": "0.1.0" }')
    expect(packageSource(own)).toEqual({ kind: 'unpacked', checkout })
    writeFileSync(join(checkout, 'bridle-0.1.0.tgz'), '')
    expect(packageSource(own)).toEqual({ kind: 'tarball', file: join(checkout, 'bridle-0.1.0.tgz') })
  })
})

test.each([
  ['\n', 'agent', 1],
  ['2\n', 'chat', 1],
  ['nonsense\n0\n4\nClaude\n', 'claude', 4],
  ['', null, 1],
])('[C110] %j at the menu chooses %s', async (typed, chosen, questions) => {
  const said: string[] = []
  const out = {
    line: (text: string) => said.push(text),
    write: (text: string) => said.push(text),
    style: (_: unknown, text: string) => text,
  }
  expect(await chooseTemplate(out as never, Readable.from([Buffer.from(typed)]))).toBe(chosen)
  expect(said.slice(0, 3).map((line) => line.trim().split(/\s+/)[1])).toEqual(names)
  expect(said.filter((text) => text.includes('Which one?'))).toHaveLength(questions)
  expect(said.filter((text) => text.startsWith('There is no "'))).toHaveLength(questions - 1)
})
