// A container whose runner was written from its document alone: its environment, set when it is started, is all it ever gets.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { containerCalls, containerVars, startTestWorker } from '@bridle/server/cloudflare/tests/test-worker.suite'
import { noTools, type WorkerdProcess } from '@bridle/server/cloudflare/tests/workerd.suite'
import { post } from '@bridle/surfaces/http/test-client.suite'
import { describe, expect, test } from 'vitest'
import { type CleanAgent, startCleanRunner } from './runner.ts'

describe.skipIf(noTools)('a container of the document', () => {
  test('[CF24] has a lent key in its environment, good for each run of its session while it is under way, and never the real one', async () => {
    const keys: (string | undefined)[] = []
    const provider = createServer((request, response) => {
      keys.push(request.headers['x-api-key'] as string | undefined)
      request.resume()
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ usage: { input_tokens: 1, output_tokens: 1 } }))
    })
    await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve))
    let world: WorkerdProcess | null = null
    const ask = async (): Promise<number> => {
      const vars = world ? await containerVars(world, 'box') : {}
      const body = JSON.stringify({
        model: 'claude-sonnet-4-5',
        max_tokens: 1,
        messages: [{ role: 'user', content: 'Hi' }],
      })
      const headers = { 'content-type': 'application/json', 'x-api-key': vars.ANTHROPIC_API_KEY ?? '' }
      return (await fetch(`${vars.ANTHROPIC_BASE_URL}/v1/messages`, { method: 'POST', headers, body })).status
    }
    const agent: CleanAgent = async function* (prompt) {
      yield { text: `${prompt}: ${await ask()}` }
    }
    const runner = await startCleanRunner(agent)
    try {
      world = await startTestWorker({
        hasContainers: true,
        vars: {
          TEST_RUNNER_URL: runner.url,
          BRIDLE_SECRET: 'a secret of this test, long enough',
          ANTHROPIC_API_KEY: 'the-real-key',
          ANTHROPIC_BASE_URL: `http://127.0.0.1:${(provider.address() as AddressInfo).port}`,
        },
      })
      for (const turn of ['one', 'two', 'three']) {
        const { body } = await post(`${world.url}/agents/claude/box`, { prompt: turn })
        expect(body.result).toBe(`${turn}: 200`)
      }
      expect(keys).toEqual(['the-real-key', 'the-real-key', 'the-real-key'])
      const vars = await containerVars(world, 'box')
      expect(Object.keys(vars)).toEqual(['BRIDLE_RUNNER_TOKEN', 'ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL'])
      expect(JSON.stringify(vars)).not.toContain('the-real-key')
      expect((await containerCalls(world, 'box')).filter((call) => call.startsWith('start'))).toHaveLength(1)
      // No run is under way: what the container left behind may ask nothing.
      expect(await ask()).toBe(401)
    } finally {
      await world?.dispose()
      await runner.close()
      provider.close()
      provider.closeAllConnections()
    }
  })
})
