import { execFileSync } from 'node:child_process'
import { expect, test, vi } from 'vitest'
import type { EngineMcpServer } from '../engine.ts'
import { ClaudeMcpServers, type McpControl } from './mcp-servers.ts'

const docs = (part: string): EngineMcpServer => ({ name: 'docs', url: `http://127.0.0.1:1/secret/mcp/${part}/docs` })
const files: EngineMcpServer = { name: 'files', command: 'node', args: ['s.js'], env: { ROOT: '/srv' }, cwd: 'tools' }

type Statuses = Awaited<ReturnType<NonNullable<McpControl['mcpServerStatus']>>>

/** Claude Code as far as its MCP servers are concerned. */
const control = (errors: { [name: string]: string } = {}, statuses: Statuses = []) => {
  const sets: { readonly [name: string]: object }[] = []
  const setMcpServers = async (servers: { readonly [name: string]: object }) => {
    sets.push(servers)
    return { errors }
  }
  return { sets, setMcpServers, mcpServerStatus: async () => statuses }
}

test('[R40] each turn gets its addresses, and the end of a turn disconnects', async () => {
  const claude = control()
  const servers = new ClaudeMcpServers(claude)
  for (const part of ['one', 'two']) {
    expect(await servers.connect([docs(part), files])).toEqual([])
    await servers.disconnect()
  }
  expect(claude.sets.map((set) => Object.keys(set))).toEqual([['docs', 'files'], [], ['docs', 'files'], []])
  expect(
    claude.sets.map(({ docs: config }) => (config as { url?: string } | undefined)?.url?.split('/').at(-2)),
  ).toEqual(['one', undefined, 'two', undefined])
})

test('[EN50] a turn without servers asks for nothing', async () => {
  const claude = control()
  const servers = new ClaudeMcpServers(claude)
  await servers.connect([])
  await servers.disconnect()
  expect(claude.sets).toEqual([])
})

test('[EN50] a problem is reported until it is known, and again when its reason changes', async () => {
  const errors: { [name: string]: string } = { docs: 'refused' }
  const claude = control(errors, [
    { name: 'files', status: 'pending' },
    { name: 'another', status: 'failed' },
  ])
  const servers = new ClaudeMcpServers(claude)
  const connect = async () => {
    const told = await servers.connect([docs('one'), files])
    await servers.disconnect()
    return told
  }
  expect(await connect()).toEqual([
    'The run continues without the MCP server "docs": refused',
    'The run continues without the MCP server "files": It did not answer in time.',
  ])
  expect(await connect()).toEqual([])
  errors.docs = 'gone'
  expect(await connect()).toEqual(['The run continues without the MCP server "docs": gone'])
})

test('[EN50] the relay’s reason replaces the one of Claude Code, which names the relay only', async () => {
  const servers = new ClaudeMcpServers(control({ docs: 'ProtocolError dialing http://127.0.0.1' }))
  const server = { name: 'docs', url: 'http://127.0.0.1:1/x', problem: () => 'It rejected its credential.' }
  expect(await servers.connect([server])).toEqual([
    'The run continues without the MCP server "docs": It rejected its credential.',
  ])
})

test.each<[string, McpControl, RegExp]>([
  ['has no MCP servers', {}, /takes none/],
  ['refuses them', { setMcpServers: () => Promise.reject(new Error('no\nmore')) }, /: no$/],
])('[EN50] a Claude Code that %s is a warning', async (_name, claude, message) => {
  expect(await new ClaudeMcpServers(claude).connect([files])).toEqual([expect.stringMatching(message)])
})

test('[EN50] a Claude Code that does not answer delays the turn for a time only', async () => {
  vi.useFakeTimers()
  try {
    const never = () => new Promise<never>(() => {})
    const connecting = new ClaudeMcpServers({ setMcpServers: never, mcpServerStatus: never }).connect([files])
    await vi.advanceTimersByTimeAsync(60_000)
    expect(await connecting).toEqual(['The run continues without the MCP server "files": It did not answer in time.'])
  } finally {
    vi.useRealTimers()
  }
})

test('[EN42] a program gets its own variables and a few others, in its folder', async () => {
  const claude = control()
  const server = {
    ...files,
    command: 'sh',
    args: ['-c', 'pwd; env | sort'],
    env: { ROOT: '/srv', ODD: 'a b\n"$x"=1' },
    cwd: '/',
  }
  await new ClaudeMcpServers(claude).connect([server])
  const [set] = claude.sets as { files: { command: string; args: string[]; env: NodeJS.ProcessEnv } }[]
  const { command = '', args = [], env } = set?.files ?? {}
  const inherited = {
    PATH: process.env.PATH,
    HOME: '/tmp',
    ANTHROPIC_BASE_URL: 'secret',
    CLAUDECODE: '1',
    AWS_SECRET: 's',
  }
  const shown = execFileSync(command, args, { env: { ...inherited, ...env }, encoding: 'utf8' })
  const [folder, ...lines] = shown.trim().split('\n')
  const names = lines.map((line) => line.split('=')[0])
  expect([folder, names.includes('ROOT'), names.includes('HOME')]).toEqual(['/', true, true])
  expect(shown).toContain('ODD=a b\n')
  for (const name of ['ANTHROPIC_BASE_URL', 'CLAUDECODE', 'AWS_SECRET']) expect(names).not.toContain(name)
})
