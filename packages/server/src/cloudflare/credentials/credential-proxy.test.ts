// The Worker as the credential proxy, from the sandbox's side: a real runner with its relay, the real gateway and object,
// and a stub of the provider.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AnthropicStub, startAnthropicStub } from '@bridle/runners/engines/claude/anthropic-stub.suite'
import { claudeInfo } from '@bridle/runners/engines/claude/description'
import type { Engine } from '@bridle/runners/engines/engine'
import { withoutIsolation } from '@bridle/runners/sandboxes/isolation/engine-start.suite'
import { SandboxRunner } from '@bridle/runners/server/sandbox-runner'
import { seal } from '@bridle/surfaces/http/access/sealing'
import { post } from '@bridle/surfaces/http/test-client.suite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startTestWorker } from '../tests/test-worker.suite.ts'
import { noTools, type WorkerdProcess } from '../tests/workerd.suite.ts'

/** Sends the requests in its prompt to the provider, a JSON array of `[method, path, body]`, and reports the answers. */
const askingEngine = (): Engine => ({
  name: 'claude',
  provider: 'anthropic',
  info: claudeInfo('1.0.0'),
  needs: async () => null,
  open: async ({ launcher }) => ({
    resume: null,
    sessionId: null,
    alive: true,
    play: async (prompt) => {
      const { baseUrl } = await launcher()
      const answers: unknown[] = []
      const one = async ([method, path, body]: [string, string, { fill?: number }?]) => {
        const answer = await fetch(`${baseUrl}${path}`, {
          method,
          headers: { 'content-type': 'application/json' },
          ...(body && { body: JSON.stringify({ ...body, ...(body.fill && { fill: 'x'.repeat(body.fill) }) }) }),
        })
        return [answer.status, (await answer.text()).slice(0, 3_000)]
      }
      for (const step of JSON.parse(prompt) as ([string, string, object?] | [string, string, object?][])[]) {
        // An array of requests is asked at once.
        if (Array.isArray(step[0])) answers.push(...(await Promise.all((step as [string, string][]).map(one))))
        else answers.push(await one(step as [string, string]))
      }
      return { kind: 'completed', result: JSON.stringify(answers) }
    },
    interrupt: async () => {},
    steer: async () => {},
    close: async () => {},
  }),
})

const SECRET = 'a secret of this test, long enough'

/** As the object would seal it, for a run that is over by now. */
const signed = async (provider: string): Promise<string> => {
  const key = { tenant: 'default', agent: 'claude', id: 'over' }
  const claim = { provider, key, home: 'default/claude/over', runId: 'r-2', attempt: 1, maxUsd: null }
  return `bridle-run-${await seal(SECRET, 'credential', claim)}`
}

const model = 'claude-sonnet-4-5'
const messages = [{ role: 'user', content: 'Hello' }]

describe.skipIf(noTools)('[CF11] keys stay with the Worker', () => {
  let folder: string
  let stub: AnthropicStub
  let runner: SandboxRunner
  let world: WorkerdProcess

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'bridle-cf-keys-'))
    stub = await startAnthropicStub(() => ({
      blocks: [{ text: 'from the provider' }],
      usage: { output_tokens: 1_000 },
    }))
    runner = await SandboxRunner.start({
      engines: [askingEngine()],
      workFolder: join(folder, 'work'),
      stateFolder: join(folder, 'state'),
      env: {},
      ...withoutIsolation(folder),
      token: 'runner',
    })
    world = await startTestWorker({
      vars: {
        BRIDLE_RUNNER_URL: runner.url,
        BRIDLE_RUNNER_TOKEN: 'runner',
        BRIDLE_SECRET: SECRET,
        ANTHROPIC_API_KEY: 'the-real-key',
        ANTHROPIC_BASE_URL: stub.url,
        TEST_OPTIONS: JSON.stringify({ engines: { claude: { max_budget_usd: 0.001, models: ['claude-*'] } } }),
      },
    })
  })
  afterEach(async () => {
    await world?.dispose()
    await runner.close()
    await stub.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const ask = (id: string, ...requests: unknown[]) => askWith({}, id, ...requests)
  const askWith = async (more: object, id: string, ...requests: unknown[]): Promise<[number, string][]> => {
    const prompt = JSON.stringify(requests)
    const { status, body } = await post(`${world.url}/agents/claude/${id}`, { prompt, ...more })
    if (status !== 200) throw new Error(JSON.stringify(body))
    return JSON.parse(String(body.result))
  }

  test('[CF23] many requests at once, in each of three runs: the limit is passed by one request at most', async () => {
    const request = ['POST', '/v1/messages', { model, max_tokens: 1_000, stream: true, messages }]
    const many = Array.from({ length: 40 }, () => request)
    for (let run = 1; run <= 3; run++) {
      const statuses = (await ask('many', many)).map(([status]) => status)
      expect(statuses.filter((status) => status === 200)).toHaveLength(1)
      expect(statuses.every((status) => [200, 402, 429].includes(status))).toBe(true)
    }
    expect(stub.requests.filter(({ method }) => method === 'POST')).toHaveLength(3)
  })

  test('[CF23] models that the operator does not name are refused, and a caller may spend less', async () => {
    const request = (name: string) => ['POST', '/v1/messages', { model: name, max_tokens: 5, messages }]
    const answers = await ask('models', request('gpt-5'), request(model))
    expect(answers.map(([status]) => status)).toEqual([403, 200])
    expect(answers[0]?.[1]).toContain('claude-*')
    expect((await askWith({ max_budget_usd: 0 }, 'models', request(model))).map(([status]) => status)).toEqual([402])
    expect((await askWith({ max_budget_usd: 9 }, 'models', request(model), request(model)))[1]?.[0]).toBe(402)
  })

  test('[CF23] a body above the limit is refused before it is held', async () => {
    const request = (fill: number) => ['POST', '/v1/messages', { model, max_tokens: 5, messages, fill }]
    // workerd answers and closes the connection; a relay that still sends may see the end before the answer, and says 502, or
    // its connection is gone and the run fails.
    let answers: [number, string][] = []
    for (let tries = 0; tries < 10 && (answers[0]?.[0] ?? 502) === 502; tries++)
      answers = await ask(`large-${tries}`, request(33 * 1024 * 1024), request(10)).catch(() => [])
    expect(answers.map(([status]) => status)).toEqual([413, 200])
    expect(answers[0]?.[1]).toContain('request_too_large')
  })

  test('a run reaches its provider by a token of its own, and no further than its limit', async () => {
    const request = ['POST', '/v1/messages', { model, max_tokens: 5, stream: true, messages }]
    const answers = await ask(
      'one',
      request,
      request,
      ['POST', '/v1/files', {}],
      ['POST', '/v1/messages', { messages }],
    )
    expect(answers.map(([status]) => status)).toEqual([200, 402, 404, 400])
    expect(answers[0]?.[1]).toContain('event: message_stop')
    expect(answers[1]?.[1]).toContain('billing_error')
    expect(stub.requests.filter(({ method }) => method === 'POST')).toHaveLength(1)
    expect(stub.requests.at(-1)?.headers['x-api-key']).toBe('the-real-key')
    // Another run starts from zero.
    expect((await ask('one', request)).map(([status]) => status)).toEqual([200])
  })

  test('[CF22] without BRIDLE_SECRET, too, each run has a token of its own, and nobody else can make one', async () => {
    await world.dispose()
    world = await startTestWorker({
      vars: {
        BRIDLE_RUNNER_URL: runner.url,
        BRIDLE_RUNNER_TOKEN: 'runner',
        FABRIC_HARNESS_API_TOKEN: 'the-token',
        ANTHROPIC_API_KEY: 'the-real-key',
        ANTHROPIC_BASE_URL: stub.url,
      },
    })
    const request = ['POST', '/v1/messages', { model, max_tokens: 5, messages }]
    const headers = { authorization: 'Bearer the-token', 'x-fabric-tenant': 'ta' }
    for (const _ of [1, 2, 3]) {
      const { body } = await post(`${world.url}/agents/claude/s`, { prompt: JSON.stringify([request]) }, headers)
      expect(JSON.parse(String(body.result))[0][0]).toBe(200)
    }
    const keys = stub.requests.filter(({ method }) => method === 'POST').map(({ headers }) => headers['x-api-key'])
    expect(keys).toEqual(['the-real-key', 'the-real-key', 'the-real-key'])
    // No text that a caller knows seals a token for a run.
    const claim = { provider: 'anthropic', key: { tenant: 'ta', agent: 'claude', id: 's' }, home: 'ta/claude/s' }
    for (const guess of ['the-token', 'open', 'runner', 'undefined', '\0']) {
      const token = await seal(guess, 'credential', { ...claim, runId: 'r-2', attempt: 1, maxUsd: null })
      const answer = await fetch(`${world.url}/credentials/anthropic/v1/messages`, {
        method: 'POST',
        body: JSON.stringify({ model, messages }),
        headers: { 'x-api-key': `bridle-run-${token}` },
      })
      expect([guess, answer.status]).toEqual([guess, 401])
    }
  })

  test('a token that is not ours, of another provider, or of a run that is over, is worth nothing', async () => {
    const at = (path: string) => `${world.url}/credentials${path}`
    const body = JSON.stringify({ model, messages })
    const forged = `bridle-run-${Buffer.from('{"provider":"anthropic"}').toString('base64url')}.x`
    await ask('over', ['GET', '/v1/models'])
    for (const token of ['', 'the-real-key', forged, await signed('anthropic'), await signed('openai')]) {
      const answer = await fetch(at('/anthropic/v1/messages'), {
        method: 'POST',
        body,
        headers: { 'x-api-key': token },
      })
      expect([answer.status, ((await answer.json()) as { type: string }).type]).toEqual([401, 'error'])
    }
    expect((await fetch(at('/elsewhere'), { method: 'POST', body })).status).toBe(404)
    expect((await fetch(at('/anthropic'), { method: 'HEAD' })).status).toBe(200)
    expect(stub.requests.filter(({ method }) => method === 'POST')).toEqual([])
  })
})
