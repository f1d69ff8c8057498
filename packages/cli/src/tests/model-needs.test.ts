// Agents of the user whose models cannot be asked: as a server lists them, and as their runs end.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { agent } from '@bridle/agents/agent'
import type { ModelChoice } from '@bridle/agents/model-agent'
import { scriptedModel } from '@bridle/agents/testing/index'
import { createWorkerAgents } from '@bridle/server/cloudflare/agents/worker-agents'
import type { HarnessEnv } from '@bridle/server/cloudflare/platform/options'
import { HarnessServer, type ServerOptions } from '@bridle/server/node/index'
import { get, post } from '@bridle/surfaces/http/test-client.suite'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { agentFileFindings } from '../config/agent-file-findings.ts'

const root = mkdtempSync(join(tmpdir(), 'bridle-model-needs-'))
let folder: string
const servers: HarnessServer[] = []
beforeEach(() => {
  folder = mkdtempSync(join(root, 'project-'))
})
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** A package that fails when it is imported: whoever lists agents only looks whether it is there. */
const install = (name: string) => {
  const at = join(folder, 'node_modules', name)
  mkdirSync(at, { recursive: true })
  writeFileSync(join(at, 'package.json'), JSON.stringify({ name, main: 'index.js' }))
  writeFileSync(join(at, 'index.js'), 'throw new Error("imported")')
}
const start = async (options: ServerOptions): Promise<string> => {
  const server = await HarnessServer.start({
    ...{ port: 0, store: 'memory', data: mkdtempSync(join(root, 'data-')), agentsRoot: folder, tokenPaceMs: 0 },
    ...{ env: {}, log: () => {} },
    ...options,
  })
  servers.push(server)
  return server.url
}
const solo = (model: ModelChoice | readonly [ModelChoice, ...ModelChoice[]]) => agent({ name: 'solo', model })
const listed = async (url: string) => {
  const { agents } = (await get(`${url}/agents`)).body as {
    agents: { name: string; available: boolean; needs?: string }[]
  }
  const { available, needs } = agents.find(({ name }) => name === 'solo')!
  return needs ?? available
}

const PACKAGE = 'The model "openai/gpt-5" needs the package of its provider. Run: npm install @ai-sdk/openai'
const KEY = 'The model "openai/gpt-5" needs a key. Set OPENAI_API_KEY.'
const ADDRESS = expect.stringMatching(/^The model "openai\/gpt-5" .* @ai-sdk\/openai; or: Set BRIDLE_MODEL_URL to /)

describe('[N234] an agent whose models cannot be asked is listed with what it needs', () => {
  const script = scriptedModel(['Hi.'])
  const ready: ServerOptions = { models: { openai: () => script } }
  const url = { BRIDLE_MODEL_URL: 'http://127.0.0.1:1/v1' }
  test.each<[string, Parameters<typeof solo>[0], string[], ServerOptions, unknown]>([
    ['no package', 'openai/gpt-5', [], { env: { OPENAI_API_KEY: 'k' } }, PACKAGE],
    ['no key', 'openai/gpt-5', ['@ai-sdk/openai'], {}, KEY],
    ['both', 'openai/gpt-5', ['@ai-sdk/openai'], { env: { OPENAI_API_KEY: 'k' } }, true],
    ['a provider that nobody knows a key of', 'acme/x', ['@ai-sdk/acme'], {}, true],
    ['a provider of the options', 'openai/gpt-5', [], ready, true],
    ['none of two', ['openai/gpt-5', 'openai-compatible/x'], [], {}, ADDRESS],
    ['one of two', ['openai/gpt-5', 'openai-compatible/x'], [], { env: url }, true],
    ['an object beside a name', ['openai/gpt-5', script], [], {}, true],
  ])('%s', async (_name, model, packages, options, expected) => {
    packages.forEach(install)
    expect(await listed(await start({ ...options, agents: [solo(model)] }))).toEqual(expected)
  })
})

test('[N234] a package that is installed later is found without a restart', async () => {
  const url = await start({ agents: [solo('acme/x')] })
  expect(await listed(url)).toMatch(/npm install @ai-sdk\/acme$/)
  install('@ai-sdk/acme')
  expect(await listed(url)).toBe(true)
})

test('[N234] a prompt is refused with that sentence before a run begins, and takes no key; a session with another model is answered', async () => {
  const acme = (modelId: string) => scriptedModel(() => `by ${modelId}`, { provider: 'acme', modelId })
  const data = mkdtempSync(join(root, 'kept-'))
  const before = await HarnessServer.start({
    ...{ port: 0, data, agentsRoot: folder, tokenPaceMs: 0, env: {}, log: () => {} },
    ...{ agents: [solo('openai/gpt-5')], models: { openai: () => scriptedModel(['first']) } },
  })
  expect((await post(`${before.url}/agents/solo/one`, { prompt: 'Hi' })).body.result).toBe('first')
  expect((await post(`${before.url}/chat/sessions`, { agent: 'solo', session_id: 'talk' })).status).toBe(201)
  await before.close()

  const url = await start({ store: 'sqlite', data, agents: [solo('openai/gpt-5')], models: { acme } })
  const refused = [503, { error: { type: 'unavailable', message: `The agent "solo" is not available: ${PACKAGE}` } }]
  const asked = async (path: string, body: object) => {
    const answer = await post(url + path, body, { 'idempotency-key': 'k' })
    return [answer.status, answer.body]
  }
  const last = (await get(`${url}/sessions/one`)).body.lastEventId
  for (const id of ['one', 'new']) expect(await asked(`/agents/solo/${id}`, { prompt: 'Hi' })).toEqual(refused)
  expect(await asked('/sessions', { agent: 'solo', session_id: 'work', prompt: 'Hi' })).toEqual(refused)
  expect(await asked('/chat/sessions/talk/turns', { prompt: 'Hi' })).toEqual(refused)
  expect((await get(`${url}/sessions/one`)).body.lastEventId).toBe(last)
  for (const id of ['new', 'work']) expect((await get(`${url}/sessions/${id}`)).status).toBe(404)

  const made = await post(`${url}/sessions/one/replay`, { model: 'acme/large' })
  expect(made.status).toBe(201)
  const turn = await post(`${url}/agents/solo/${String(made.body.sessionId)}`, { prompt: 'And now?' })
  expect(turn.body.result).toBe('by large')
})

test('[N105] what only the run finds fails the run: 500 with the reason', async () => {
  install('@ai-sdk/acme')
  const url = await start({ agents: [solo('acme/x')] })
  const { status, body } = await post(`${url}/agents/solo/one`, { prompt: 'Hi' })
  expect([status, body.error]).toMatchObject([500, { type: 'internal_error', reason: 'model_unavailable' }])
})

test('[N234] [C14] without a server doctor says the same about the files, as a remark', async () => {
  mkdirSync(join(folder, 'agents'))
  const source = (name: string, model: string) =>
    `import { agent } from ${JSON.stringify(new URL('../../../agents/src/agent.ts', import.meta.url).href)}
     export default agent({ name: '${name}', model: '${model}' })`
  writeFileSync(join(folder, 'agents', 'solo.mjs'), source('solo', 'openai/gpt-5'))
  writeFileSync(join(folder, 'agents', 'local.mjs'), source('local', 'openai-compatible/x'))
  const settings = { agentsRoot: folder }
  expect(await agentFileFindings(settings, { BRIDLE_MODEL_URL: 'http://127.0.0.1:1/v1' })).toEqual([
    { check: 'agent local', state: 'ok', detail: expect.stringContaining('local.mjs') },
    { check: 'agent solo', state: 'note', detail: `not available: ${PACKAGE}` },
  ])
})

test('[N234] a Worker knows its providers and its address, and no keys', () => {
  const needsOf = (env: object, models = {}) =>
    createWorkerAgents(
      { models, agents: [solo(['openai/gpt-5', 'openai-compatible/x'])] },
      env as HarnessEnv,
      null,
    ).agents.get('solo')?.needs
  expect(needsOf({})).toMatch(/harness\(\{ models: \{ openai \} \}\).*; or: Set BRIDLE_MODEL_URL to /)
  expect(needsOf({}, { openai: () => null })).toBeNull()
  expect(needsOf({ BRIDLE_MODEL_URL: 'http://10.0.0.1/v1' })).toBeNull()
})
