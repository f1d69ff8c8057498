// Models by name in the real runtime: from the options of the Worker, and behind an address.

import { startProviderStub } from '@bridle/agents/model/provider-stub.suite'
import { get, post } from '@bridle/surfaces/http/test-client.suite'
import { afterAll, describe, expect, test } from 'vitest'
import { spoken } from '../../models/chat-completions/chat-stub.suite.ts'
import { startTestWorker } from '../tests/test-worker.suite.ts'
import { noTools, type WorkerdProcess } from '../tests/workerd.suite.ts'

const stub = await startProviderStub()
afterAll(() => stub.close())

describe.skipIf(noTools)('models of a Worker', () => {
  const needsOf = async (url: string) => {
    const { agents } = (await get(`${url}/ready`)).body as { agents: { name: string; needs?: string }[] }
    return agents.find(({ name }) => name === 'assistant')?.needs
  }
  const ask = async ({ url }: WorkerdProcess, agent: string, id: string, prompt: string) => {
    const { status, body } = await post(`${url}/agents/${agent}/${id}`, { prompt })
    return status === 200 ? body.result : (body.error as { message: string }).message
  }
  const withWorker = async (vars: Record<string, string>, work: (world: WorkerdProcess) => Promise<void>) => {
    const world = await startTestWorker({ vars })
    try {
      await work(world)
    } finally {
      await world.dispose()
    }
  }

  test('[N106] [N107] [H152] harness({ models }) gives the names, and BRIDLE_MODEL the assistant its model', async () => {
    await withWorker({ BRIDLE_MODEL: 'gone/x, echo/quiet' }, async (world) => {
      expect(await needsOf(world.url)).toBeUndefined()
      const { agents } = (await get(`${world.url}/agents`)).body as { agents: { name: string; models?: string[] }[] }
      expect(agents.find(({ name }) => name === 'assistant')?.models).toEqual(['gone/x', 'echo/quiet'])
      expect(agents.find(({ name }) => name === 'scripted')?.models).toBeUndefined()
      for (const id of ['a', 'b']) {
        expect(await ask(world, 'named', id, 'Hi')).toBe('loud heard "Hi" in turn 1.')
        expect(await ask(world, 'assistant', id, 'Hi')).toBe('quiet heard "Hi" in turn 1.')
        expect(await ask(world, 'assistant', id, 'And?')).toBe('quiet heard "And?" in turn 2.')
      }
    })
  })

  test('[N108] an address needs no package; without a model the assistant says what to set', async () => {
    await withWorker({}, async (world) => {
      expect(await needsOf(world.url)).toMatch(/^Set BRIDLE_MODEL=/)
      expect(await ask(world, 'assistant', 'a', 'Hi')).toBe(
        `The agent "assistant" is not available: ${await needsOf(world.url)}`,
      )
    })
    const vars = { BRIDLE_MODEL: 'openai-compatible/llama', BRIDLE_MODEL_URL: `${stub.url}/v1`, BRIDLE_MODEL_KEY: 'k' }
    await withWorker(vars, async (world) => {
      stub.reply(spoken('From next door.'))
      expect(await ask(world, 'assistant', 'a', 'Hi')).toBe('From next door.')
      expect(stub.addresses.at(-1)).toEqual({ path: '/v1/chat/completions', key: 'Bearer k' })
    })
  })
})
