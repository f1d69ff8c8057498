// The real engines with MCP servers of the operator: at an address, behind the relay and the proxy, and as programs.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { isThorough } from '../../../../scripts/variants.ts'
import { type CredentialProxy, startCredentialProxy } from '../credentials/proxy.ts'
import { type EngineMcpServers, runMcpServers } from '../mcp/declaration.ts'
import { type DemandingServer, LOOK_PROGRAM, startDemandingServer } from '../mcp/demanding-server.suite.ts'
import { listening, runName } from '../mcp/mcp-world.suite.ts'
import { urlServers } from '../mcp/url-server.ts'
import { startTimeOf } from '../process/process-table.ts'
import type { RunnerEvent } from '../protocol/protocol.ts'
import { withoutIsolation } from '../sandboxes/isolation/engine-start.suite.ts'
import { caller, type RunReading } from '../server/runner.suite.ts'
import { SandboxRunner } from '../server/sandbox-runner.ts'
import { startAnthropicStub, stubbed } from './claude/anthropic-stub.suite.ts'
import { claudeEngine } from './claude/claude.ts'
import { prompt, says } from './codex/codex.suite.ts'
import { codexEngine } from './codex/codex.ts'
import { responsesStub } from './codex/responses-stub.suite.ts'
import { engineEnv, noEngines } from './engines.suite.ts'

const CREDENTIAL = 'Bearer docs-canary-0002'

interface EngineUnderTest {
  readonly name: string
  readonly env: { readonly [name: string]: string }
  /** A prompt in which the model calls a tool and then says something. */
  readonly calls: (server: string, tool: string, input?: object) => string
  /** The result of its last call, as the model got it. */
  readonly lastResult: () => string
  readonly close: () => Promise<void>
}

const claude = async (): Promise<EngineUnderTest> => {
  const stub = await startAnthropicStub()
  return {
    name: 'claude',
    env: { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: stub.url },
    calls: (server, tool, input = {}) => {
      const call = { tool_use: `mcp__${server}__${tool}`, id: `toolu_${tool}`, input }
      return stubbed({ blocks: [call] }, { blocks: [{ text: 'Done.' }] })
    },
    lastResult: () =>
      JSON.stringify(
        stub.requests
          .filter(({ isAux }) => !isAux)
          .at(-1)
          ?.body.messages?.at(-1),
      ),
    close: () => stub.close(),
  }
}

const codex = async (): Promise<EngineUnderTest> => {
  const stub = await responsesStub()
  return {
    name: 'codex',
    env: { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: stub.url },
    calls: (server, tool, input = {}) =>
      prompt({ items: [{ call: tool, args: input, id: `call_${tool}`, namespace: `mcp__${server}` }] }, says('Done.')),
    lastResult: () =>
      JSON.stringify(
        stub.requests
          .filter(({ step }) => step !== null)
          .at(-1)
          ?.body.input?.at(-1),
      ),
    close: () => stub.close(),
  }
}

describe.skipIf(noEngines !== null).each([
  ['Claude Code', claude],
  ['Codex', codex],
] as const)('MCP servers of the operator in %s', (_name, start) => {
  let engine: EngineUnderTest
  let docs: DemandingServer
  let hangs: Awaited<ReturnType<typeof listening>>
  let proxy: CredentialProxy
  let folder: string
  let runner: SandboxRunner
  let resume: string | undefined
  let runs = 0
  beforeEach(async () => {
    engine = await start()
    docs = await startDemandingServer(CREDENTIAL)
    hangs = await listening(() => {})
    proxy = await startCredentialProxy({ secret: 's', keys: {}, env: {} })
    folder = mkdtempSync(join(tmpdir(), 'bridle-engine-mcp-'))
    mkdirSync(join(folder, 'work', 'tools'), { recursive: true })
    writeFileSync(join(folder, 'work', 'server.mjs'), LOOK_PROGRAM)
    const env = { ...process.env, ...engineEnv(), IS_SANDBOX: '1', SECRET_OF_THE_SERVER: 'hidden' }
    runner = await SandboxRunner.start({
      engines: [claudeEngine(env), codexEngine(env, { retries: 1 })],
      workFolder: join(folder, 'work'),
      stateFolder: join(folder, 'state'),
      ...withoutIsolation(folder),
      env: engine.env,
    })
    resume = undefined
  })
  afterEach(async () => {
    await runner.close()
    await Promise.all([proxy.close(), docs.close(), hangs.close(), engine.close()])
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  })

  const servers = (): EngineMcpServers => ({
    docs: { url: docs.url, headers: { authorization: CREDENTIAL }, exclude: ['left_*'] },
    files: { command: process.execPath, args: ['../server.mjs'], env: { ROOT: '/srv' }, cwd: 'tools' },
  })
  const of = <T extends RunnerEvent['type']>(reading: RunReading, type: T) =>
    reading.events().filter((event): event is Extract<RunnerEvent, { type: T }> => event.type === type)

  /** A turn with a grant of its own, in which each approval is given. */
  const play = async (text: string, mcp: EngineMcpServers = servers(), mode = 'default') => {
    const name = { ...runName('s1'), runId: `r${++runs}` }
    const { token, url } = proxy.grantMcp(name, () => urlServers(mcp, () => ({ count: () => 1 })))
    const caller_ = caller(runner.url)
    const requestId = `run-${runs}`
    const reading = await caller_.query({
      ...{ requestId, prompt: text, engine: engine.name, mcp: runMcpServers(mcp) },
      ...(resume !== undefined && { resume }),
      env: { BRIDLE_MCP_URL: url, BRIDLE_MCP_TOKEN: token },
      settings: { permission_mode: mode },
    })
    let isOver = false
    const end = reading.end.finally(() => (isOver = true))
    for (let answered = 0; !isOver; ) {
      const asked = of(reading, 'approval.required')[answered]
      if (asked) {
        answered += 1
        const answer = asked.kind === 'question' ? { values: { city: 'Rome' } } : {}
        await caller_.post(`/runs/${requestId}/approvals/${asked.toolUseId}`, { decision: 'approved', ...answer })
      }
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    const last = await end
    if (last?.type === 'run.completed') resume = last.resume
    proxy.revokeMcp(name)
    return { reading, last }
  }
  const warnings = (reading: RunReading) =>
    of(reading, 'context.warning').flatMap(({ kind, message }) => (kind === 'mcp_unavailable' ? [message] : []))

  test('[EN42] [EN43] [EN44] [EN51] [R37] [R40] turn after turn: a call at an address with the credential, and one of a program with its own environment', async () => {
    const first = await play(engine.calls('docs', 'search', { query: 'cats' }))
    expect([first.last, warnings(first.reading)]).toMatchObject([{ type: 'run.completed', result: 'Done.' }, []])
    expect(of(first.reading, 'approval.required')).toMatchObject([
      { toolName: 'mcp__docs__search', input: { query: 'cats' } },
    ])
    expect(docs.calls).toEqual([{ name: 'search', input: { query: 'cats' } }])
    // The server repeats the credential, and the model does not read it.
    expect(engine.lastResult()).toContain('for [credential]')
    expect([docs.refused(), JSON.stringify(first.reading.events())]).toEqual([0, expect.not.stringContaining('canary')])

    const second = await play(engine.calls('files', 'look'))
    expect([second.last, warnings(second.reading)]).toMatchObject([{ type: 'run.completed' }, []])
    const result = engine.lastResult()
    expect(result).toContain('/work/tools')
    expect(result).toContain('ROOT')
    for (const secret of ['hidden', 'ANTHROPIC', 'OPENAI', '127.0.0.1', 'canary']) expect(result).not.toContain(secret)
    // The program has ended with its turn, and nothing was left to be stopped.
    expect(startTimeOf(Number(/pid\W+(\d+)/.exec(result)?.[1]))).toBeNull()
    expect(of(second.reading, 'context.warning')).toEqual([])
    // The address of the turn before is over, and this turn has its own.
    const third = await play(engine.calls('docs', 'search', { query: 'dogs' }))
    expect([third.last?.type, warnings(third.reading)]).toEqual(['run.completed', []])
    expect(docs.calls).toHaveLength(2)
    expect(of(third.reading, 'context.warning')).toEqual([])
  })

  test('[EN50] what does not start, is not there, or hangs is a notice, and the turn goes on', async () => {
    const mcp: EngineMcpServers = {
      ...servers(),
      gone: { command: '/nonexistent/program' },
      away: { url: 'http://127.0.0.1:1/mcp' },
      // Claude Code waits ten seconds for it.
      ...(isThorough && { hangs: { url: hangs.url } }),
    }
    const first = await play(engine.calls('docs', 'search'), mcp)
    expect(first.last).toMatchObject({ type: 'run.completed', result: 'Done.' })
    expect(docs.calls).toHaveLength(1)
    const told = warnings(first.reading)
    const missing = Object.keys(mcp).filter((name) => !Object.hasOwn(servers(), name))
    for (const name of missing)
      expect(
        told.filter((message) => message.startsWith(`The run continues without the MCP server "${name}": `)),
      ).toHaveLength(1)
    expect(told).toHaveLength(missing.length)
    expect(told.join('\n')).toContain('The MCP server "away" cannot be reached from this server (ECONNREFUSED).')
  })

  if (isThorough)
    test('[EN51] [R32] a question of a server comes through the relay, and its answer goes back', async () => {
      const { reading, last } = await play(engine.calls('docs', 'ask'))
      expect(last).toMatchObject({ type: 'run.completed' })
      expect(of(reading, 'approval.required').map(({ toolName, kind }) => [toolName, kind])).toEqual([
        ['mcp__docs__ask', undefined],
        ['mcp.elicitation', 'question'],
      ])
      expect(engine.lastResult()).toContain('Rome')
    })
})
