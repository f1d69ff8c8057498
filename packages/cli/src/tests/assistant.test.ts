// The agent `assistant`: on a real server, and as a Worker lists it.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LanguageModel } from '@bridle/agents/model/model'
import { startProviderStub } from '@bridle/agents/model/provider-stub.suite'
import { createWorkerAgents } from '@bridle/server/cloudflare/agents/worker-agents'
import type { HarnessEnv } from '@bridle/server/cloudflare/platform/options'
import { spoken } from '@bridle/server/models/chat-completions/chat-stub.suite'
import { HarnessServer, type ServerOptions } from '@bridle/server/node/index'
import { openTestSocket } from '@bridle/server/tests/socket-client.suite'
import { get, post } from '@bridle/surfaces/http/test-client.suite'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { assistantFinding } from '../commands/doctor.ts'

const stub = await startProviderStub()
let root: string
const servers: HarnessServer[] = []
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'bridle-assistant-'))
})
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
  stub.reply()
})
afterAll(async () => {
  await stub.close()
  rmSync(root, { recursive: true, force: true })
})

const lines: string[] = []
const start = async (env: Record<string, string>, options: ServerOptions = {}): Promise<string> => {
  lines.splice(0)
  const data = mkdtempSync(join(root, 'data-'))
  const server = await HarnessServer.start({
    ...{ port: 0, store: 'memory', data, agentsRoot: root, tokenPaceMs: 0, env },
    log: (_level, line) => void lines.push(line),
    ...options,
  })
  servers.push(server)
  return server.url
}
const listed = async (url: string) => {
  const { agents } = (await get(`${url}/ready`)).body as { agents: { name: string; needs?: string }[] }
  return agents.find(({ name }) => name === 'assistant')
}
const UNSET =
  /^Set BRIDLE_MODEL=\S+ and BRIDLE_MODEL_URL=\S+\/v1 for a local model\. For Claude, set BRIDLE_MODEL=anthropic\/\S+ and ANTHROPIC_API_KEY, and run: npm install @ai-sdk\/anthropic$/
const LOCAL = 'BRIDLE_MODEL=openai-compatible/llama3.2, or the name of another model that BRIDLE_MODEL_URL has'
const CLAUDE = 'BRIDLE_MODEL=anthropic/claude-sonnet-4-5'

describe('[N107] [N110] without a model', () => {
  test.each<[string, Record<string, string>, RegExp]>([
    ['that is set', {}, UNSET],
    ['that has a name', { BRIDLE_MODEL: 'gpt-5' }, /^"gpt-5" is not the name of a model\. Write provider\/model-id/],
    ['whose package is there', { BRIDLE_MODEL: 'acme/x' }, /Run: npm install @ai-sdk\/acme$/],
    ['whose address is set', { BRIDLE_MODEL: 'openai-compatible/x' }, /^Set BRIDLE_MODEL_URL to /],
  ])('%s it is listed, and /ready, a prompt and doctor say the same in one line', async (_name, env, sentence) => {
    const url = await start(env)
    const { needs = '', ...card } = (await listed(url)) ?? {}
    expect(card).toEqual({
      name: 'assistant',
      description: 'Answers questions with the model that BRIDLE_MODEL names.',
      available: false,
      triggers: { webhook: false },
    })
    expect(needs).toMatch(sentence)
    expect(needs).not.toContain('\n')

    const { status, body } = await post(`${url}/agents/assistant/x`, { prompt: 'Hi' })
    expect([status, (body.error as { message: string }).message]).toEqual([
      503,
      `The agent "assistant" is not available: ${needs}`,
    ])
    // A socket that names the agent asks nobody what the agent needs: the run fails at once.
    for (const id of ['a', 'b']) {
      const line = await openTestSocket(`${url}/ws?sessionId=${id}&agent=assistant`)
      line.say({ type: 'commands', commands: [{ type: 'submit', prompt: 'Hi', commandId: 'c-1' }] })
      const said = await line.until((all) => JSON.stringify(all).includes(JSON.stringify(needs).slice(1, -1)))
      expect(JSON.stringify(said)).toContain(JSON.stringify(needs).slice(1, -1))
      line.ws.close()
    }
    expect(await assistantFinding(env, { agentsRoot: root })).toEqual({
      check: 'agent assistant',
      state: 'note',
      detail: `not available: ${needs}`,
    })
  })

  test.each<[string, Record<string, string>, string[], string]>([
    ['an address', { BRIDLE_MODEL_URL: 'http://127.0.0.1:1/v1' }, [], `Set ${LOCAL}`],
    ['a package', {}, ['anthropic'], `Set ${CLAUDE} and ANTHROPIC_API_KEY`],
    ['a key', { ANTHROPIC_API_KEY: 'k' }, [], `Set ${CLAUDE} and run: npm install @ai-sdk/anthropic`],
    ['a package and a key', { ANTHROPIC_API_KEY: 'k' }, ['anthropic'], `Set ${CLAUDE}`],
    ['a package of OpenAI', {}, ['openai'], 'Set BRIDLE_MODEL=openai/gpt-5 and OPENAI_API_KEY'],
    [
      'an address and a package',
      { BRIDLE_MODEL_URL: 'http://127.0.0.1:1/v1' },
      ['anthropic'],
      `Set ${LOCAL}; or set ${CLAUDE} and ANTHROPIC_API_KEY`,
    ],
  ])('of which %s is there, it needs the rest alone', async (_name, env, packages, needs) => {
    const agentsRoot = mkdtempSync(join(root, 'begun-'))
    for (const name of packages) {
      const at = join(agentsRoot, 'node_modules', '@ai-sdk', name)
      mkdirSync(at, { recursive: true })
      writeFileSync(join(at, 'package.json'), '{}')
    }
    expect((await listed(await start(env, { agentsRoot })))?.needs).toBe(needs)
  })

  test('that can be asked, of several, /ready has a sentence for each', async () => {
    const { needs } = (await listed(await start({ BRIDLE_MODEL: 'acme/x,other/y' }))) ?? {}
    expect(needs).toMatch(/@ai-sdk\/acme; or: The model .* @ai-sdk\/other$/)
  })
})

describe('[N107] with a model', () => {
  const local = () => ({ BRIDLE_MODEL: 'openai-compatible/llama', BRIDLE_MODEL_URL: `${stub.url}/v1` })

  test('it answers, remembers, has no tools, and is the agent of a socket that names none', async () => {
    const url = await start(local())
    expect(await listed(url)).toMatchObject({ available: true })
    for (const id of ['one', 'two', 'three']) {
      stub.reply(spoken('Hello you.'), spoken('You said hi.'))
      expect((await post(`${url}/agents/assistant/${id}`, { prompt: 'Hi' })).body.result).toBe('Hello you.')
      expect((await post(`${url}/agents/assistant/${id}`, { prompt: 'What?' })).body.result).toBe('You said hi.')
      const { messages, tools } = JSON.parse(stub.requests.at(-1) ?? '') as {
        messages: { role: string; content: string }[]
        tools?: unknown
      }
      expect(messages.map(({ role, content }) => `${role}: ${content}`).slice(1)).toEqual([
        'user: Hi',
        'assistant: Hello you.',
        'user: What?',
      ])
      expect(messages[0]).toMatchObject({ role: 'system', content: expect.stringContaining('no tools') })
      expect(tools).toBeUndefined()
    }
    stub.reply(spoken('Over a socket.'))
    const line = await openTestSocket(`${url}/ws?userId=ann`)
    await line.until((all) => all.length > 0)
    line.say({ type: 'commands', commands: [{ type: 'submit', prompt: 'Hi', commandId: 'c-1' }] })
    await line.until((all) => JSON.stringify(all).includes('socket.'))
    line.ws.close()
    expect((await get(`${url}/sessions/user:ann`)).body.agent).toBe('assistant')
    expect(await assistantFinding(local(), { agentsRoot: root })).toMatchObject({ state: 'ok' })
  })

  test('[N110] of several, the next answers where one is missing; the log of the server names it', async () => {
    const env = { ...local(), BRIDLE_MODEL: 'acme/first , openai-compatible/llama' }
    const url = await start(env)
    expect(await listed(url)).toMatchObject({ available: true })
    expect(lines).toContainEqual(
      'agent assistant: The model "acme/first" needs the package of its provider. Run: npm install @ai-sdk/acme',
    )
    stub.reply(spoken('From the second.'))
    expect((await post(`${url}/agents/assistant/x`, { prompt: 'Hi' })).body.result).toBe('From the second.')
    expect(await assistantFinding(env, { agentsRoot: root })).toMatchObject({
      state: 'ok',
      detail: expect.stringContaining('npm install @ai-sdk/acme'),
    })
  })

  test('[N106] of the options of a server', async () => {
    const ids: string[] = []
    const acme = (modelId: string): LanguageModel => {
      ids.push(modelId)
      return { specificationVersion: 'v4', provider: 'acme', modelId, doStream: () => Promise.reject(new Error('no')) }
    }
    const url = await start({ BRIDLE_MODEL: 'acme/own' }, { models: { acme } })
    expect(await listed(url)).toMatchObject({ available: true })
    await post(`${url}/agents/assistant/x`, { prompt: 'Hi' }, { prefer: 'respond-async' })
    await expect.poll(() => ids).toEqual(['own'])
  })

  test('it is closed in production, as every agent without a trigger', async () => {
    const env = { ...local(), NODE_ENV: 'production' }
    const closed = await start(env)
    expect((await post(`${closed}/agents/assistant/x`, { prompt: 'Hi' })).status).toBe(403)
    const open = await start({ ...env, BRIDLE_EXPOSE: 'assistant' })
    stub.reply(spoken('Open.'))
    expect((await post(`${open}/agents/assistant/x`, { prompt: 'Hi' })).body.result).toBe('Open.')
  })
})

test('[N107] [N106] a Worker has it too, and says what to write', () => {
  const needsOf = (env: object, models = {}) =>
    createWorkerAgents({ models }, env as HarnessEnv, null).agents.get('assistant')?.needs
  expect(needsOf({})).toContain('harness({ models: { anthropic } })')
  expect(needsOf({}, { anthropic: () => null })).toBe(`Set ${CLAUDE}`)
  expect(needsOf({ BRIDLE_MODEL_URL: 'http://10.0.0.1/v1' })).toBe(`Set ${LOCAL}`)
  expect(needsOf({ BRIDLE_MODEL: 'anthropic/x' })).toContain('harness({ models: { anthropic } })')
  expect(needsOf({ BRIDLE_MODEL: 'anthropic/x' }, { anthropic: () => null })).toBeNull()
  expect(needsOf({ BRIDLE_MODEL: 'openai-compatible/x', BRIDLE_MODEL_URL: 'http://10.0.0.1/v1' })).toBeNull()
})
