// The tarball as users install it, on plain Node without flags. Only these tests use dist.
import { cpSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { verbs } from '@bridle/cli/verbs'
import { build } from 'vite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { apiPages, undocumented } from './api-report.ts'
import { entryDeclarations, readDeclarations } from './build-declarations.ts'
import { packedPages, readPages } from './build-docs.ts'
import { apiFolder } from './docs.ts'
import {
  entries,
  manifest,
  nodeEntries,
  PackedProject,
  pageEntries,
  root,
  withNode,
  workerEntries,
  workletEntries,
} from './packed.suite.ts'
import { parseTutorial } from './tutorials/page.ts'
import { variants } from './variants.ts'

const { devDependencies }: { devDependencies: Record<string, string> } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
)
/** Names under which the documents import the package. */
const ALIASES = ['@fabric-harness/node', '@fabric-harness/sdk', 'harness-sdk']
const project = new PackedProject()

beforeAll(() => project.make(), 120_000)
afterAll(() => project.remove())

describe('the packed package', () => {
  test.each(nodeEntries)('exports something from %s', (entry) => {
    expect(project.namesOf(entry)).not.toBe('')
  })

  test.each([...workerEntries, ...workletEntries])('has %s', (entry) => {
    expect(existsSync(join(project.installed, manifest.exports[entry]!.default))).toBe(true)
  })

  test("every entry that needs no peer has types that check by themselves, without Node's types", () => {
    expect(project.typeErrors(entries.filter((entry) => !pageEntries.includes(entry)))).toBe('')
  })

  test('the plain type of each schema is what the schema infers; a wrong use of it is an error', () => {
    const sourceOf = (entry: string): string => join(root, 'packages/bridle', manifest.exports[entry]!['bridle-source'])
    const text = `
      import type { EventType, Payloads } from 'bridle'
      import type { AgentList, SessionDetail, SessionLogPage, SessionPage } from 'bridle/client'
      import type { RunnerEvent, RunnerQuery, IsolationPlan } from 'bridle/runner'
      import type * as client from '${sourceOf('./client')}'
      import type * as main from '${sourceOf('.')}'
      import type * as runner from '${sourceOf('./runner')}'
      type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false
      type Differing = { [T in EventType]: Same<Payloads[T], main.Payloads[T]> extends true ? never : T }[EventType]
      export const differing: Differing[] = []
      export const none: never[] = differing
      export const same: [Same<RunnerEvent, runner.RunnerEvent>, Same<RunnerQuery, runner.RunnerQuery>] = [true, true]
      export const plan: Same<IsolationPlan, runner.IsolationPlan> = true
      export const pages: [Same<SessionPage, client.SessionPage>, Same<SessionLogPage, client.SessionLogPage>] = [true, true]
      export const others: [Same<SessionDetail, client.SessionDetail>, Same<AgentList, client.AgentList>] = [true, true]
      export const wrong: Payloads['token']['text'] = 1`
    const options = ['--module', 'nodenext', '--allowImportingTsExtensions', '--skipLibCheck', '--lib', 'es2024,dom']
    const types = ['--typeRoots', join(root, 'node_modules/@types'), '--types', 'node']
    expect(project.typeErrorsOf(text, { options: [...options, ...types] })).toMatch(
      /^consumer\.ts\(16,20\): error TS2322: .*'number'.*'string'\.$/,
    )
  })

  test('brings its dependencies and nothing else', () => {
    const { packages } = JSON.parse(readFileSync(join(project.folder, 'node_modules/.package-lock.json'), 'utf8')) as {
      packages: Record<string, object>
    }
    const names = Object.keys(packages).map((path) => path.replace('node_modules/', ''))
    expect(names.toSorted()).toEqual([manifest.name, ...Object.keys(manifest.dependencies)].toSorted())
  })

  describe('with React alone', () => {
    beforeAll(() => copyPinned('react', 'react-dom', 'scheduler', '@types/react', 'csstype'))

    test('has the hooks, with their types', () => {
      expect(project.namesOf('./react')).toBe('useHarness useThreads')
      expect(project.typeErrors(['./react'])).toBe('')
    })

    test('a bundler makes a page of the hooks, and assistant-ui is nowhere', async () => {
      expect(existsSync(join(project.folder, 'node_modules/@assistant-ui'))).toBe(false)
      const modules = await bundled(`
        import { HarnessClient } from 'bridle/client'
        import { useHarness } from 'bridle/react'
        import { createElement } from 'react'
        import { createRoot } from 'react-dom/client'
        const client = new HarnessClient({ url: 'ws://127.0.0.1:4317/ws?userId=ann' })
        const Page = () => createElement('button', { onClick: useHarness(client).cancel })
        createRoot(document.body).render(createElement(Page))`)
      const ours = modules.filter((id) => id.startsWith(project.installed))
      expect(ours.some((id) => id.endsWith('use-harness.js'))).toBe(true)
      expect(modules.filter((id) => id.includes('assistant-ui'))).toEqual([])
    }, 120_000)
  })

  describe('with all of its optional peers', () => {
    // All that follows is installed at once: each installation takes npm several seconds.
    beforeAll(() => {
      const pinned = ['@types/react', '@types/react-dom', '@types/node', ...Object.keys(manifest.peerDependencies)]
      project.install(...pinned.map((name) => `${name}@${devDependencies[name]}`), ...project.aliases(...ALIASES))
    }, 120_000)

    test.each(pageEntries)('exports something from %s', (entry) => {
      expect(project.namesOf(entry)).not.toBe('')
    })

    test("all types check by themselves, with Node's types", () => {
      expect(project.typeErrors(entries, { options: withNode })).toBe('')
    }, 120_000)
  })

  describe('[O8] with OpenTelemetry', () => {
    const SDK_2 = 'node_modules'
    const SDK_3 = 'packages/bridle/node_modules'
    const spans = 'invoke_agent scripted, POST /agents/:name/:id'

    test.each(
      variants<readonly [string, string | null, string | null, { readonly spans: string; readonly warnings: string }]>(
        [
          ['SDK 3 and its API 1.10', SDK_3, SDK_3, { spans, warnings: '' }],
          ['neither of them', null, null, { spans: '', warnings: '' }],
        ],
        [
          ['SDK 2 and its API 1.9', SDK_2, SDK_2, { spans, warnings: '' }],
          ['an SDK of an older API', SDK_3, SDK_2, { spans: '', warnings: 'registered with another version' }],
          ['an SDK, and no API', null, SDK_2, { spans: '', warnings: 'Run: npm install @opentelemetry/api' }],
          ['an API, and no SDK', SDK_2, null, { spans: '', warnings: '' }],
        ],
      ),
    )(
      '%s',
      (_name, api, sdk, expected) => {
        installTelemetry(api, sdk)
        const register = `
          const { api, sdk, base = sdk } = await import('vendor/index.mjs')
          const { BasicTracerProvider: Provider = sdk.TracerProvider, InMemorySpanExporter, SimpleSpanProcessor } = base
          exporter = new InMemorySpanExporter()
          const processor = new SimpleSpanProcessor(sdk.TracerProvider === Provider ? { exporter } : exporter)
          api.trace.setGlobalTracerProvider(new Provider({ spanProcessors: [processor] }))`
        const printed = project.program(`
          let exporter
          ${sdk === null ? '' : register}
          const { HarnessServer } = await import('bridle/node')
          const warnings = []
          const log = (level, message) => level === 'warn' && warnings.push(message)
          const server = await HarnessServer.start({ port: 0, data: 'traced', log })
          const answer = await fetch(server.url + '/agents/scripted/traced', { method: 'POST', body: '{"prompt":"Hello"}' })
          await answer.text()
          await server.close()
          const spans = exporter?.getFinishedSpans().map(({ name }) => name).filter((name) => !name.startsWith('execute_tool')) ?? []
          console.log(JSON.stringify({ status: answer.status, spans: spans.join(', '), warnings: warnings.join() }))`)
        expect(JSON.parse(printed)).toEqual({
          status: 200,
          spans: expected.spans,
          warnings: expected.warnings === '' ? '' : expect.stringContaining(expected.warnings),
        })
      },
      60_000,
    )
  })

  test.each([
    ['react.md', ['src/main.tsx', 'src/approvals.tsx', 'src/assistant.tsx']],
    ['users.md', ['src/threads.tsx', 'src/thread.tsx', 'src/main.tsx']],
  ])(
    'the pages in React of the tutorial %s compile',
    (page, expected) => {
      const steps = parseTutorial(readFileSync(join(project.installed, 'docs/tutorials', page), 'utf8'))
      const files = steps.flatMap((step) => (step.kind === 'file' && step.path.endsWith('.tsx') ? [step] : []))
      expect(files.map(({ path }) => path)).toEqual(expected)
      const options = ['--lib', 'es2024,dom,dom.iterable', '--jsx', 'react-jsx', '--types', '', '--skipLibCheck']
      const modules = ['--module', 'esnext', '--moduleResolution', 'bundler', '--allowImportingTsExtensions']
      const texts = Object.fromEntries(files.map(({ path, content }) => [basename(path), content]))
      expect(project.typeErrorsOf(texts, { options: [...options, ...modules, '--verbatimModuleSyntax'] })).toBe('')
    },
    120_000,
  )

  test('the page that npm shows names every entry and the oldest Node; its examples compile, and the one of a test passes', () => {
    const page = readFileSync(join(project.installed, 'README.md'), 'utf8')
    const names = entries.map((entry) => entry.replace('.', manifest.name))
    expect(names.filter((name) => !page.includes(`| [\`${name}\`](#`))).toEqual([])
    expect(page).toContain(`Node ${manifest.engines.node.replace(/^>=(\d+\.\d+)\.0$/, '$1')} or newer`)
    const blocks = [...page.matchAll(/```(tsx?)\n([\s\S]*?)```/g)]
    const imported = names.filter((_name, at) => !workletEntries.includes(entries[at] ?? ''))
    expect(imported.filter((name) => !blocks.some(([, , text]) => text?.includes(`from '${name}'`)))).toEqual([])
    const files: (readonly [string, string])[] = blocks.map(([, ending, text = ''], index) => [
      `readme-${index}.${ending}`,
      text,
    ])
    const guide = ['docs/agents.md', 'docs/agents/testing.md'].flatMap((path) => [
      ...readFileSync(join(project.installed, path), 'utf8').matchAll(/```ts\n([\s\S]*?)```/g),
    ])
    const examples = guide.map(([, text = '']) => text)
    const tests = examples.filter((text) => text.includes("from 'bridle/testing'"))
    expect([examples.length, tests.length]).toEqual([3, 1])
    for (const [index, text] of examples.entries()) files.push([`guide-${index}.ts`, text])
    const shells = readFileSync(join(project.installed, 'docs/openharness.md'), 'utf8').matchAll(
      /```ts\n([\s\S]*?)```/g,
    )
    for (const [index, [, text = '']] of [...shells].entries()) files.push([`shell-${index}.ts`, text])
    expect(files.filter(([name]) => name.startsWith('shell-'))).toHaveLength(4)
    // page-examples.test.ts has the other examples of that page.
    const operator = [
      ...readFileSync(join(project.installed, 'docs/client.md'), 'utf8').matchAll(/```ts\n([\s\S]*?)```/g),
    ].filter(([, text]) => text?.includes('fabricClient'))
    for (const [index, [, text = '']] of operator.entries()) files.push([`operator-${index}.ts`, text])
    expect(operator).toHaveLength(4)
    const options = [
      '--module',
      'nodenext',
      '--lib',
      'es2023,dom',
      '--types',
      'node',
      '--jsx',
      'react-jsx',
      '--skipLibCheck',
    ]
    expect(project.typeErrorsOf(Object.fromEntries(files), { options })).toBe('')
    for (const [index, text] of tests.entries())
      expect(project.runTests(`guide-${index}.test.ts`, text)).toContain('pass 1')
  }, 120_000)

  test('brings the pages that a user reads, and no link of theirs is dead', () => {
    const pages = readPages(join(project.installed, 'docs'))
    expect([...pages.keys()]).toEqual(expect.arrayContaining(['agents.md', 'cli.md', 'client.md', 'protocol/http.md']))
    expect([...pages.keys()].filter((path) => path.startsWith('decisions/'))).toEqual([])
    expect(packedPages(pages)).toEqual(pages)
    expect(manifest.keywords.length).toBeGreaterThan(5)
  })

  test('every export has a doc comment, and so has every member of its classes and interfaces', () => {
    expect(undocumented(readDeclarations(join(project.installed, 'dist')), entryDeclarations(manifest))).toEqual([])
  })

  test('no declaration names the schema library', () => {
    const published = [...readDeclarations(join(project.installed, 'dist'))]
    expect(published.flatMap(([path, text]) => (text.includes('valibot') ? [path] : []))).toEqual([])
  })

  test('docs/api is what `npm run docs` writes', () => {
    const pages = apiPages(readDeclarations(join(project.installed, 'dist')), manifest)
    expect(readPages(apiFolder)).toEqual(pages)
  })

  test('carries no tests and no sources', () => {
    expect(existsSync(join(project.installed, 'src'))).toBe(false)
    expect(existsSync(join(project.installed, 'dist/boundaries.test.js'))).toBe(false)
  })

  test('brings the wire exchanges that `bridle conformance` plays', () => {
    expect(project.command('bridle', ['conformance', '--help'])).toContain('conformance-')
    expect(existsSync(join(project.installed, 'dist/conformance/cases/http.js'))).toBe(true)
  })

  test('brings the cockpit built, with the licences of what is in it, and serves it', () => {
    const app = join(project.installed, 'dist/cockpit')
    for (const name of ['packages.md', 'inter.txt', 'jetbrains-mono.txt', 'lucide.txt'])
      expect(readFileSync(join(app, 'licenses', name), 'utf8')).toMatch(/copyright/i)
    const page = readFileSync(join(app, 'index.html'), 'utf8')
    const [script = ''] = page.match(/(?<=<script[^>]* src=")[^"]+/) ?? []
    const program = `
      import { HarnessServer } from 'bridle/node'
      const server = await HarnessServer.start({ port: 0, data: 'cockpit', log: () => {} })
      const types = []
      for (const path of ['/', '/fleet', '${script}'])
        types.push((await fetch(new URL(path, server.url), { headers: { accept: 'text/html' } })).headers.get('content-type').split(';')[0])
      await server.close()
      console.log(types.join(' '))`
    expect(project.program(program)).toBe('text/html text/html text/javascript')
  })

  test.each(Object.entries(manifest.bin))('%s --version prints the version', (name, file) => {
    expect(existsSync(join(project.installed, file))).toBe(true)
    expect(project.command(name, ['--version'])).toContain(manifest.version)
  })

  test('has every verb of the command', () => {
    // Each verb is loaded as the command loads it, all by one program.
    const table = pathToFileURL(join(project.installed, 'dist/cli/verbs.js')).href
    const program = `
      const { verbs } = await import(${JSON.stringify(table)})
      const commands = await Promise.all(Object.values(verbs).map(({ load }) => load()))
      console.log(Object.keys(verbs).filter((_, at) => typeof commands[at]?.run === 'function').join(' '))`
    expect(project.program(program)).toBe(Object.keys(verbs).join(' '))
    expect(project.command('bridle', ['sessions', '--help'])).toContain('sessions')
  })

  test('as @fabric-harness/node, @fabric-harness/sdk and harness-sdk it has what the documents import', () => {
    const program = `
      import { startDevServer } from '@fabric-harness/node'
      import { connectFabricVoice, connectFabricWs, isEvent } from '@fabric-harness/sdk'
      import { HarnessClient } from 'harness-sdk'
      const server = await startDevServer({ port: 0, data: 'aliased', authToken: process.env.FABRIC_HARNESS_API_TOKEN })
      const { status } = await fetch(server.url + '/health')
      await server.close()
      console.log(status, typeof connectFabricWs, typeof connectFabricVoice, typeof isEvent, typeof HarnessClient)`
    expect(project.program(program)).toBe('200 function function function function')
    expect(
      project.typeErrorsOf(
        `import { startDevServer } from '@fabric-harness/node'\nawait startDevServer({ port: 0 })\n`,
      ),
    ).toBe('')
  }, 120_000)
})

/** OpenTelemetry in the project: the API of one checkout folder, and the SDK of another with the API that it needs. */
const installTelemetry = (api: string | null, sdk: string | null): void => {
  const modules = join(project.folder, 'node_modules')
  rmSync(join(modules, '@opentelemetry'), { recursive: true, force: true })
  rmSync(join(modules, 'vendor'), { recursive: true, force: true })
  const copy = (from: string, to: string) =>
    cpSync(join(root, from, '@opentelemetry'), join(modules, to, '@opentelemetry'), { recursive: true })
  if (sdk !== null) {
    copy('node_modules', 'vendor/node_modules')
    if (sdk !== 'node_modules') copy(sdk, 'vendor/node_modules')
    const main = "export * as api from '@opentelemetry/api'; export * as sdk from '@opentelemetry/sdk-trace'"
    const base = "export * as base from '@opentelemetry/sdk-trace-base'"
    writeFileSync(join(modules, 'vendor/index.mjs'), sdk === 'node_modules' ? `${main}\n${base}\n` : `${main}\n`)
  }
  if (api === null) return
  const own = join(modules, '@opentelemetry/api')
  cpSync(join(root, api, '@opentelemetry/api'), own, { recursive: true })
  // npm installs one copy for both if the versions agree.
  const vendored = join(modules, 'vendor/node_modules/@opentelemetry/api')
  if (sdk !== api) return
  rmSync(vendored, { recursive: true })
  symlinkSync(own, vendored)
}

/** Packages as the checkout has them: npm would take seconds to fetch the same files. */
const copyPinned = (...names: readonly string[]): void => {
  for (const name of names)
    cpSync(join(root, 'node_modules', name), join(project.folder, 'node_modules', name), { recursive: true })
}

/** The files that a page's bundle is made of. */
const bundled = async (text: string): Promise<string[]> => {
  writeFileSync(join(project.folder, 'page.js'), text)
  const input = join(project.folder, 'page.js')
  const built = await build({
    root: project.folder,
    configFile: false,
    logLevel: 'silent',
    build: { write: false, rolldownOptions: { input } },
  })
  return (built as { output: { moduleIds?: string[] }[] }).output.flatMap(({ moduleIds = [] }) => moduleIds)
}
