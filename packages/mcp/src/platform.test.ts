import { keyOf, LoopWorld } from '@bridle/agents/loop/loop.suite'
import { expect, test, vi } from 'vitest'
import { mcp } from './mcp.ts'
import { callerAgent, eventually } from './mcp-world.suite.ts'

vi.mock('@modelcontextprotocol/client', () => {
  throw new Error('Cannot find the package.')
})

test('[N140] without the client an agent can be declared, and each run says what to install', async () => {
  const it = new LoopWorld(callerAgent([mcp({ name: 'docs', url: 'http://127.0.0.1:9/mcp' })]))
  for (const key of [keyOf('a'), keyOf('b'), keyOf('c')]) {
    await it.submit('docs_echo', key)
    await eventually(async () => expect(await it.payloads('error', key)).toHaveLength(1))
    expect((await it.payloads('error', key))[0]).toMatchObject({
      reason: 'tool_source_failed',
      message: expect.stringContaining('Run: npm install @modelcontextprotocol/client'),
    })
  }
})
