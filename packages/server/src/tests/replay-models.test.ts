// A replay with another model, on a real server whose providers are functions of the test.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { agent } from '@bridle/agents/agent'
import { scriptedModel } from '@bridle/agents/testing/index'
import { get, post } from '@bridle/surfaces/http/test-client.suite'
import { afterAll, expect, test, vi } from 'vitest'
import { HarnessServer } from '../node/index.ts'

const root = mkdtempSync(join(tmpdir(), 'bridle-replay-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

test('[X62] an agent with a model is asked again with another one; a model that cannot be asked is 400', async () => {
  const acme = (modelId: string) => scriptedModel(() => ({ text: `by ${modelId}` }), { provider: 'acme', modelId })
  const helper = agent({ name: 'helper', description: 'Helps.', model: 'acme/small' })
  const other = agent({ name: 'other', description: 'Helps too.', model: acme('own') })
  const options = {
    port: 0,
    store: 'memory',
    data: root,
    agentsRoot: root,
    tokenPaceMs: 0,
    env: {},
    log: () => {},
  } as const
  const server = await HarnessServer.start({ ...options, agents: [helper, other], models: { acme } })
  try {
    const at = (path: string) => `${server.url}${path}`
    for (const turn of ['one', 'two'])
      for (const [name, answer] of [
        ['helper', 'by small'],
        ['other', 'by own'],
      ])
        expect((await post(at(`/agents/${name}/of-${name}`), { prompt: turn })).body.result).toBe(answer)
    for (const name of ['helper', 'other']) {
      const { status, body } = await post(at(`/sessions/of-${name}/replay`), { model: 'acme/large' })
      expect([status, body.prompts]).toEqual([201, 2])
      const messages = async () => {
        const detail = (await get(at(`/sessions/${String(body.sessionId)}`))).body
        return (detail.messages as { role: string; content: string }[]).map(({ content }) => content)
      }
      await vi.waitFor(async () => expect(await messages()).toEqual(['one', 'by large', 'two', 'by large']))
      const card = (await get(at(`/sessions/${String(body.sessionId)}`))).body
      expect([card.model, (await get(at(`/sessions/of-${name}`))).body.status]).toEqual(['acme/large', 'idle'])
    }
    for (const model of ['large', 'unknown/large', 'openai-compatible/x'])
      expect((await post(at('/sessions/of-helper/replay'), { model })).status).toBe(400)
  } finally {
    await server.close()
  }
})
