// The published tarball with other versions of Node and TypeScript than the checkout's. They are pinned in matrix/, and
// fetched when this runs.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  entries,
  forBundler,
  manifest,
  nodeEntries,
  PackedProject,
  pageEntries,
  root,
  withNode,
  withoutNode,
} from './packed.suite.ts'
import { fetchPinned } from './pinned-tools.ts'

const project = new PackedProject()
let tools = ''

beforeAll(() => {
  const fetched = fetchPinned('matrix', 'matrix')
  if ('missing' in fetched) throw new Error(fetched.missing)
  tools = fetched.folder
  project.make()
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const peers = [...Object.keys(manifest.peerDependencies), 'react-dom', '@types/node', '@types/react']
  project.install(...peers.map((name) => `${name}@${devDependencies[name]}`))
})
afterAll(() => project.remove())

const oldest = Number(/^>=(\d+)/.exec(manifest.engines.node)?.[1])
const node = (name: string): string => join(tools, 'node_modules', name, 'bin/node')

const nodes = ['node-24', 'node-26']
const isSupported = (name: string): boolean => Number(name.slice('node-'.length)) >= oldest

describe.each(nodes)('%s', (name) => {
  test('starts the command, or says which Node it needs', () => {
    if (isSupported(name)) expect(project.command('bridle', ['--version'], node(name))).toContain(manifest.version)
    else
      expect(() => project.command('bridle', ['--version'], node(name))).toThrow(
        `bridle: Node ${oldest} or newer is needed`,
      )
  })

  test('loads the client, which is for everybody', () => {
    expect(project.namesOf('./client', node(name))).toContain('HarnessClient')
  })
})

describe.each(nodes.filter(isSupported))('%s, which is supported,', (name) => {
  test('serves a session', async () => {
    for (const entry of nodeEntries) expect(project.namesOf(entry, node(name))).not.toBe('')
    const main = join(project.installed, 'dist/cli/bridle.js')
    const server = spawn(node(name), [main, 'start', '--port', '0', '--data', 'data'], {
      cwd: project.folder,
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { PATH: process.env.PATH },
    })
    try {
      const url = await readyUrl(server.stdout)
      const asked = await fetch(`${url}/agents/scripted/hello`, { method: 'POST', body: '{"prompt":"Hello"}' })
      expect([asked.status, ((await asked.json()) as { sessionId: string }).sessionId]).toEqual([200, 'hello'])
      const seen = await fetch(`${url}/sessions/hello`)
      expect(((await seen.json()) as { status: string }).status).toBe('idle')
    } finally {
      server.kill('SIGTERM')
      await once(server, 'exit')
    }
  })
})

// Each with the oldest and the newest of what it supports; the last is what the checkout has.
describe.each(['typescript-5.5', 'typescript-5.9', 'typescript-6.0', 'typescript-7.0'])('%s', (name) => {
  const tsc = (): string => join(tools, 'node_modules', name, 'bin/tsc')

  test("reads the types of every entry, as a bundler resolves them, without Node's types", () => {
    expect(project.typeErrors(entries, { tsc: tsc(), options: forBundler })).toBe('')
  })

  // Without the entries for pages: assistant-ui's own types take most of the time.
  test.each([
    ['without', withoutNode],
    ['with', withNode],
  ])("reads the types as Node resolves them, %s Node's types", (_name, options) => {
    const own = entries.filter((entry) => !pageEntries.includes(entry))
    expect(project.typeErrors(own, { tsc: tsc(), options })).toBe('')
  })

  test("reads the types of a Worker with the platform's own", () => {
    const platform = join(tools, 'node_modules/@cloudflare/workers-types/index.d.ts')
    const text = `/// <reference path="${platform}" />
      import { HarnessDirectory, HarnessGateway, HarnessSession, harness } from 'bridle/cloudflare'
      export { HarnessDirectory, HarnessSession }
      export const sessions = (env: { readonly of: DurableObjectNamespace<HarnessSession> }) => env.of.idFromName('a')
      export const mine = harness({ agents: [] })
      export default HarnessGateway`
    const options = ['--module', 'nodenext', '--lib', 'es2023', '--typeRoots', 'none']
    expect(project.typeErrorsOf(text, { tsc: tsc(), options })).toBe('')
  })
})

const readyUrl = async (output: NodeJS.ReadableStream): Promise<string> => {
  for await (const line of createInterface({ input: output })) {
    const url = /ready at (\S+)/.exec(line)?.[1]
    if (url !== undefined) return url
  }
  throw new Error('The server ended before it was ready.')
}
