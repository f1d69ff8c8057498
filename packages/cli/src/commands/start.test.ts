// `bridle start` with a store of another kind: the real command in real processes.
import { once } from 'node:events'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { variants } from '../../../../scripts/variants.ts'
import { CliWorkspace, freePort, parseJsonRows } from '../cli.suite.ts'

// Every step is a process of its own, and the machine may be busy.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })
let work: CliWorkspace
beforeAll(() => {
  work = new CliWorkspace()
  const memory = import.meta.resolve('@bridle/kernel/memory/memory-store')
  writeFileSync(
    join(work.folder, 'own.ts'),
    `import { memoryStore } from ${JSON.stringify(memory)}
     export default async ({ data }: { data: string }) => ({ name: 'own', ...memoryStore(), close: async () => {} })`,
  )
})
afterAll(() => work.remove())

const storeSeen = async (args: readonly string[], env = {}) => {
  const { stdout } = await work.bridle(['doctor', ...args], { env })
  return parseJsonRows(stdout).find(({ check }) => check === 'store')?.detail
}

test.each<[string, string[], NodeJS.ProcessEnv, string]>([
  ['memory by the flag', ['--store', 'memory'], { BRIDLE_STORE: 'sqlite' }, 'memory: sessions end with the server'],
  ['a module by the flag', ['--store', './own.ts'], {}, 'own'],
  ['memory by the environment', [], { BRIDLE_STORE: 'memory' }, 'memory: sessions end with the server'],
])('[C27] %s', async (name, args, env, detail) => {
  const data = name.replaceAll(' ', '-')
  const port = String(await freePort())
  const server = work.start(['start', '--port', port, '--data', data, ...args], { env })
  await server.until((line) => line.includes('ready at'))
  const url = `http://127.0.0.1:${port}`
  const { code, stdout } = await work.bridle(['run', 'scripted', 'hello', '--url', url])
  expect([code, stdout]).toEqual([0, expect.stringContaining('"status":"completed"')])
  // The server says which store it has, even if this caller's settings name another.
  expect(await storeSeen(['--url', url, '--data', data])).toBe(detail)
  server.process.kill('SIGTERM')
  expect((await server.ended).code).toBe(0)
  expect(readdirSync(join(work.folder, data)).filter((file) => file.startsWith('bridle.sqlite'))).toEqual([])
})

test('[C14] without a server doctor names the store that one would have', async () => {
  const url = `http://127.0.0.1:${await freePort()}`
  expect([
    await storeSeen(['--url', url]),
    await storeSeen(['--url', url, '--data', 'd2']),
    await storeSeen(['--url', url], { BRIDLE_STORE: './own.ts' }),
  ]).toEqual(['sqlite, in .bridle', 'sqlite, in d2', './own.ts'])
})

test.each(variants(['start'], ['dev']))('[C311] %s names variables that change nothing', async (verb) => {
  const env = { BRIDLE_TOKN: '1', BRIDLE_AGENT: 'scriptd', BRIDLE_ENGINES: '/nope', BRIDLE_SEED: '1' }
  const server = work.start([verb, '--port', '0', '--data', `variables-${verb}`], { env })
  await server.until((line) => line.startsWith('BRIDLE_AGENT'))
  server.process.kill('SIGTERM')
  const { stdout } = await server.ended
  expect(stdout.split('\n').filter((line) => line.startsWith('BRIDLE_'))).toEqual([
    'BRIDLE_TOKN is not read. Did you mean FABRIC_HARNESS_API_TOKEN?',
    'BRIDLE_ENGINES is /nope, and there is no such folder.',
    'BRIDLE_AGENT is scriptd, and there is no such agent. Did you mean scripted?',
  ])
})

test.each(variants(['dev'], ['start']))(
  '[C120] %s says that the page of the project is not built; once it is, the server has it',
  async (verb) => {
    const project = new CliWorkspace()
    onTestFinished(() => project.remove())
    writeFileSync(join(project.folder, 'bridle.config.mjs'), `export default { cockpit: 'dist' }`)
    const server = project.start([verb, '--port', '0'])
    const url = /http:\S+/.exec(await server.until((line) => line.includes('ready at')))?.[0] ?? ''
    const sentence = 'The folder dist of the setting "cockpit" has no index.html: build the page first.'
    await server.until((line) => line === sentence)
    const page = async (path: string) => {
      const answer = await fetch(`${url}${path}`, { headers: { accept: 'text/html' } })
      return [answer.status, await answer.text()]
    }
    for (const path of ['/', '/a/place']) expect(await page(path)).toEqual([503, `${sentence}\n`])
    mkdirSync(join(project.folder, 'dist'))
    writeFileSync(join(project.folder, 'dist/index.html'), '<h1>mine</h1>')
    for (const path of ['/', '/a/place']) expect(await page(path)).toEqual([200, '<h1>mine</h1>'])
    server.process.kill('SIGTERM')
    await server.ended
  },
)

test.each(variants(['dev'], ['start']))('[C311] %s that cannot listen has named them', async (verb) => {
  const port = await freePort()
  const other = createServer().listen(port, '127.0.0.1')
  await once(other, 'listening')
  const failed = await work.bridle([verb, '--port', String(port), '--data', `taken-${verb}`], {
    env: { BRIDLE_PORT: '4417' },
  })
  other.close()
  expect(failed).toEqual({
    code: 1,
    stdout: 'BRIDLE_PORT is not read. Did you mean PORT?',
    stderr: expect.stringContaining(`Port ${port} is in use`),
  })
})

test.each(['start', 'dev'])(
  '[C345] Ctrl+C on %s says that a run is at work; without one it says nothing',
  async (verb) => {
    const agents = join(work.folder, `stop-${verb}`)
    mkdirSync(agents)
    const href = import.meta.resolve('@bridle/agents/agent')
    writeFileSync(
      join(agents, 'busy.ts'),
      `import { agent } from ${JSON.stringify(href)}
     export default agent({ name: 'busy', durable: false, run: () => new Promise(() => {}) })`,
    )
    const begin = async (data: string) => {
      const port = String(await freePort())
      const server = work.start([verb, '--port', port, '--agents', agents, '--data', `${data}-${verb}`])
      await server.until((line) => line.includes(verb === 'dev' ? 'is watched' : 'or        curl'))
      return { server, url: `http://127.0.0.1:${port}` }
    }
    const idle = await begin('idle')
    idle.server.process.kill('SIGINT')
    const { code, stdout } = await idle.server.ended
    expect([code, stdout]).toEqual([0, expect.not.stringContaining('Stopping')])

    const { server, url } = await begin('busy')
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ agent: 'busy', prompt: 'x' })
    const { session_id } = (await (await fetch(`${url}/sessions`, { method: 'POST', headers, body })).json()) as {
      session_id: string
    }
    await vi.waitFor(
      async () =>
        expect(await (await fetch(`${url}/sessions/${session_id}`)).json()).toMatchObject({ status: 'running' }),
      { timeout: 20_000 },
    )
    server.process.kill('SIGINT')
    const line = await server.until((each) => each.startsWith('Stopping'))
    expect(line).toBe('Stopping; 1 run is at work and has 5 s to end. Ctrl+C again ends at once.')
    server.process.kill('SIGKILL')
    await server.ended
  },
)

test('[C14] [C120] [C159] in production the banner, agents and doctor tell private agents from open ones', async () => {
  const agents = join(work.folder, 'production')
  mkdirSync(agents)
  const href = import.meta.resolve('@bridle/agents/agent')
  writeFileSync(
    join(agents, 'helper.ts'),
    `import { agent } from ${JSON.stringify(href)}
     export default agent({ name: 'helper', run: () => 'helped' })`,
  )
  const port = String(await freePort())
  const env = { NODE_ENV: 'production', BRIDLE_EXPOSE: 'scripted', BRIDLE_ENGINES: '' }
  const server = work.start(['start', '--port', port, '--agents', agents, '--data', 'production-data'], { env })
  await server.until((line) => line.includes('or        curl'))
  expect(server.lines).toContain('  agents    scripted')
  const call = (verb: string) => work.bridle([verb, '--text', '--url', `http://127.0.0.1:${port}`])
  const advice =
    'In production the agent "helper" is private. To open it, declare triggers: { webhook: true } in it or add it to BRIDLE_EXPOSE (BRIDLE_EXPOSE=scripted,helper).'
  const words = (text: string) => text.replaceAll(/\s+/g, ' ')
  const listed = (await call('agents')).stdout
  expect(listed).toMatch(/^helper +native +private/m)
  expect(listed).toMatch(/^scripted +scripted +yes/m)
  expect(words(listed)).toContain(`closed: ${advice}`)
  expect(words((await call('doctor')).stdout)).toContain(`! agent helper ${advice}`)
  server.process.kill('SIGTERM')
  await server.ended
})
