// An MCP server that asks for approvals itself: the engine calls its tools without a question of its own.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { variants } from '../../../../scripts/variants.ts'
import { listening } from '../mcp/mcp-world.suite.ts'
import { type AnthropicStub, startAnthropicStub, stubbed } from './claude/anthropic-stub.suite.ts'
import { claudeEngine } from './claude/claude.ts'
import { CodexWorld, prompt, says } from './codex/codex.suite.ts'
import { codexMcpServers } from './codex/mcp-servers.ts'
import { engineEnv, noEngines, startHere } from './engines.suite.ts'
import { denyRule, RecordingTurn } from './recording-turn.suite.ts'

test('[R41] Codex is configured not to ask about the tools of an approved server', () => {
  const url = 'http://127.0.0.1:1/mcp'
  expect(
    codexMcpServers([
      { name: 'own', url, approved: true },
      { name: 'docs', url },
    ]),
  ).toMatchObject({
    config: { mcp_servers: { own: { default_tools_approval_mode: 'approve' }, docs: { url } } },
  })
  expect(JSON.stringify(codexMcpServers([{ name: 'docs', url }]))).not.toContain('approval')
})

describe.skipIf(noEngines !== null)('the real engines', () => {
  const called: string[] = []
  let server: Awaited<ReturnType<typeof listening>>
  let stub: AnthropicStub
  let folder: string
  beforeAll(async () => {
    server = await listening(async (incoming, outgoing) => {
      const { id, method, params = {} } = JSON.parse((await text(incoming)) || '{}')
      if (id === undefined) return void outgoing.writeHead(incoming.method === 'POST' ? 202 : 405).end()
      if (method === 'tools/call') called.push(params.name)
      const results: { readonly [method: string]: object } = {
        initialize: {
          ...{ protocolVersion: params.protocolVersion, capabilities: { tools: {} } },
          serverInfo: { name: 'own', version: '1' },
        },
        'tools/list': {
          tools: [{ name: 'ship', inputSchema: { type: 'object' }, _meta: { 'anthropic/alwaysLoad': true } }],
        },
        'tools/call': { content: [{ type: 'text', text: 'shipped' }] },
      }
      const message = { jsonrpc: '2.0', id, result: results[method] ?? {} }
      outgoing.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(message))
    })
    stub = await startAnthropicStub()
    folder = mkdtempSync(join(tmpdir(), 'bridle-approved-'))
  })
  afterAll(async () => {
    await server?.close()
    await stub?.close()
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  })

  const modes = variants<[string, boolean]>(
    [['dontAsk', true]],
    [
      ['default', true],
      ['plan', true],
      ['default', false],
    ],
  )
  test.each(modes)('[R41] Claude Code in the mode %s, approved: %s', async (mode, isApproved) => {
    called.length = 0
    const session = await claudeEngine({ ...process.env, ...engineEnv() }).open({
      ...{ workFolder: folder, stateFolder: join(folder, 's'), privateFolder: join(folder, 'p'), resume: null },
      launcher: async () => ({ start: startHere, baseUrl: stub.url }),
      settings: { permission_mode: mode },
      mcp: [{ name: 'own', url: server.url, ...(isApproved && { approved: true }) }],
    })
    const turn = new RecordingTurn(denyRule('No.'))
    const call = { tool_use: 'mcp__own__ship', id: 'toolu_1', input: {} }
    await session.play(stubbed({ blocks: [call] }, { blocks: [{ text: 'Done.' }] }), turn)
    await session.close()
    expect(turn.asked.map(({ toolName }) => toolName)).toEqual(isApproved ? [] : ['mcp__own__ship'])
    expect(called).toEqual(isApproved ? ['ship'] : [])
  })

  test.each(variants([['default']], [['plan'], ['acceptEdits']]))('[R41] Codex in the mode %s', async (mode) => {
    called.length = 0
    const world = await CodexWorld.make()
    const session = await world.open({ mode, mcp: [{ name: 'own', url: server.url, approved: true }] })
    const turn = new RecordingTurn(denyRule('No.'))
    const call = { items: [{ call: 'ship', namespace: 'mcp__own', args: {}, id: 'call_1' }] }
    await session.play(prompt(call, says('Done.')), turn)
    await world.end()
    expect([turn.asked, called]).toEqual([[], ['ship']])
  })
})
