// The published tarball with other versions of Node and TypeScript than the checkout's. They are pinned in matrix/, and
// fetched when this runs.
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testNewProject } from './new-project.suite.ts'
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
  mkdirSync(join(project.folder, 'agents'))
  writeFileSync(join(project.folder, 'agents/greeter.ts'), AGENT)
  project.install(...peers.map((name) => `${name}@${devDependencies[name]}`))
})
const running: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const end of running) await end()
  project.remove()
})

const node = (name: string): string => join(tools, 'node_modules', name, 'bin/node')
const main = join(project.installed, 'dist/cli/bridle.js')

test('the oldest Node that is tried is the oldest that the package allows', () => {
  const { stdout } = spawnSync(node('node-22'), ['--version'], { encoding: 'utf8' })
  expect(`v${manifest.engines.node.replace('>=', '')}`).toBe(stdout.trim())
})

describe.each(['node-22', 'node-24', 'node-26'])('%s', (name) => {
  const data = `data-${name}`

  /** A command to its end, and everything it said. */
  const bridle = (...args: string[]) => said(spawnSync(node(name), [main, ...args], inProject))
  const program = (text: string) => said(spawnSync(node(name), ['--input-type=module', '--eval', text], inProject))
  const inProject = { cwd: project.folder, encoding: 'utf8', env: { PATH: process.env.PATH }, timeout: 60_000 } as const

  test.each(nodeEntries)('loads %s, and has nothing to warn of', (entry) => {
    const text = `console.log(Object.keys(await import('${entry.replace('.', manifest.name)}')).length > 0)`
    expect(program(text)).toEqual({ code: 0, stdout: 'true', stderr: '' })
  })

  test('starts the commands, and has nothing to warn of', () => {
    expect(bridle('--version')).toMatchObject({ code: 0, stderr: '' })
    expect(bridle('doctor', '--data', data, '--json')).toMatchObject({ code: 0, stderr: '' })
    const ran = bridle('run', 'greeter', 'Ann', '--json', '--data', data)
    expect([ran.code, ran.stderr.includes('Warning')]).toEqual([0, false])
    expect(JSON.parse(ran.stdout.split('\n').at(-1) ?? '')).toMatchObject({ status: 'completed', result: 'Hello, Ann' })
  })

  test('keeps a conversation through kill -9, serves agents/*.ts and our client, and has nothing to warn of', async () => {
    const first = await started(name, data)
    const invoked = await fetch(`${first.url}/agents/greeter/kept`, { method: 'POST', body: '{"prompt":"Ann"}' })
    expect([invoked.status, await invoked.json()]).toMatchObject([200, { result: 'Hello, Ann' }])
    const conversation = program(clientProgram(first.url, 'Hello'))
    expect(conversation).toEqual({
      code: 0,
      stdout: expect.stringMatching(/"role":"user".*"role":"assistant"/),
      stderr: '',
    })
    const session = await kept(first.url)
    expect(session).toContain('Hello, Ann')
    expect((await first.end('SIGKILL')).includes('Warning')).toBe(false)

    const second = await started(name, data)
    expect(await kept(second.url)).toBe(session)
    expect(program(clientProgram(second.url, null))).toEqual(conversation)
    expect((await second.end('SIGTERM')).includes('Warning')).toBe(false)
  })
})

/** A program that uses the client: with a prompt it waits for the answer, without one it prints the state. */
const clientProgram = (url: string, prompt: string | null): string => `
  import { HarnessClient } from 'bridle/client'
  const client = new HarnessClient({ url: '${url.replace('http', 'ws')}/ws?userId=ann' })
  const isThere = () => client.getSnapshot().messages.length >= 2 && client.getSnapshot().status === 'idle'
  const settled = new Promise((resolve) => client.subscribe(() => isThere() && resolve()))
  if (${JSON.stringify(prompt)} !== null) await client.submit(${JSON.stringify(prompt)})
  await settled
  console.log(JSON.stringify(client.getSnapshot().messages))
  client.close()`

const AGENT = `import { agent } from 'bridle'
interface Greeting { readonly who: string }
const greet = ({ who }: Greeting): string => \`Hello, \${who}\`
export default agent({ name: 'greeter', run: ({ input }) => greet({ who: input.prompt } as Greeting) })
`

const kept = async (url: string): Promise<string> => (await fetch(`${url}/agents/greeter/kept`)).text()

const said = ({ status, stdout, stderr }: { status: number | null; stdout: string; stderr: string }) => ({
  code: status,
  stdout: stdout.trim(),
  stderr,
})

/** A server from the packed package; `end` gives what it wrote to standard error. */
const started = async (name: string, data: string) => {
  const server = spawn(node(name), [main, 'start', '--port', '0', '--data', data], {
    cwd: project.folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH },
  })
  const stderr = text(server.stderr)
  const end = async (signal: 'SIGKILL' | 'SIGTERM'): Promise<string> => {
    if (server.exitCode === null && server.signalCode === null) server.kill(signal)
    return stderr
  }
  running.push(() => end('SIGKILL'))
  return { url: await readyUrl(server.stdout), end }
}

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

describe("a project of one's own", () => testNewProject(project))
