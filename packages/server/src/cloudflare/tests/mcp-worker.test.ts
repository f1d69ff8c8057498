// MCP servers behind an address in the real runtime of Workers.
import { fileURLToPath } from 'node:url'
import { type HttpFixture, startHttpFixture } from '@bridle/mcp/http-fixture.suite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bundleWorker, noTools, startWorkerd, type WorkerdProcess } from './workerd.suite.ts'

describe.skipIf(noTools)('an MCP server of a Worker', () => {
  let server: HttpFixture
  let world: WorkerdProcess
  beforeAll(async () => {
    server = await startHttpFixture()
    const code = await bundleWorker(fileURLToPath(new URL('./mcp-worker.suite.ts', import.meta.url)))
    world = await startWorkerd({ code, objects: {}, vars: { MCP_URL: server.url } })
  })
  afterAll(async () => {
    await world.dispose()
    await server[Symbol.asyncDispose]()
  })
  const call = async (path: string, input: object) => {
    const response = await fetch(`${world.url}/${path}`, { method: 'POST', body: JSON.stringify(input) })
    return (await response.json()) as object
  }

  test('[N139] each run has a connection of its own, also where runs share the source', async () => {
    const texts = ['a', 'b', 'c']
    for (const turn of [1, 2]) {
      const calls = texts.map((text) => call('docs_echo', { text: `${turn}${text}` }))
      expect(await Promise.all(calls)).toEqual(texts.map((text) => ({ result: `${turn}${text}` })))
    }
    expect(await call('docs_sum', { a: 2, b: 3 })).toEqual({ result: { sum: 5 } })
    expect(server.sessions.size).toBe(7)
  })

  test.each([
    ['docs_die', 'mcp_connection_lost'],
    ['docs_fail', 'mcp_tool_failed'],
    ['docs_echo?program', 'mcp_program_unsupported'],
  ])('[N139] [N140] %s has its reason', async (path, code) => {
    expect(await call(path, {})).toMatchObject({ code })
  })
})
