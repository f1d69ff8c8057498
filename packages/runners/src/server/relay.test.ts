import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { createRelay, type EnvVars } from './relay.ts'
import { runTerms, type SpendRules } from './run-terms.ts'
import { runnerSettings } from './runner-settings.ts'

const activeRun = {}
const BODY = '{"model":"claude-haiku-4-5","max_tokens":100}'

const through = async (vars: EnvVars, isOpen = true, path = '/v1/messages?x=1', secret?: string) => {
  const seen: { url?: string | undefined; headers: object }[] = []
  const provider = createServer((request, response) => {
    seen.push({ url: request.url, headers: request.headers })
    response.end('answer')
  })
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve))
  const base = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`
  const relay = createRelay({
    vars: () => ({ ANTHROPIC_BASE_URL: base, OPENAI_BASE_URL: `${base}/v1`, ...vars }),
    activeRun: () => (isOpen ? activeRun : null),
    onStatus: () => {},
  })
  try {
    const port = await relay.listen()
    const url = relay.baseUrl('anthropic', port)
    const asked = secret === undefined ? url : url.replace(/\/[0-9a-f]{32}\//, `/${secret}/`)
    const headers = { 'x-api-key': 'dummy', authorization: 'Bearer dummy', cookie: 'a=b' }
    const response = await fetch(`${asked}${path}`, { method: 'POST', headers, body: BODY })
    const openai = await fetch(`${relay.baseUrl('openai', port)}/responses`, { method: 'POST', headers, body: BODY })
    return { status: response.status, seen, openai: openai.status }
  } finally {
    await relay.close()
    provider.closeAllConnections()
    provider.close()
  }
}

test('[R7] the key is added, and nothing of the engine’s own passes for one', async () => {
  const { status, seen, openai } = await through({ ANTHROPIC_API_KEY: 'k', OPENAI_API_KEY: 'o' })
  expect([status, openai]).toEqual([200, 200])
  expect(seen[0]).toMatchObject({ url: '/v1/messages?x=1', headers: { 'x-api-key': 'k' } })
  expect(seen[0]?.headers).not.toHaveProperty('authorization')
  expect(seen[0]?.headers).not.toHaveProperty('cookie')
  expect(seen[1]).toMatchObject({ url: '/v1/responses', headers: { authorization: 'Bearer o' } })
})

test.each<[string, EnvVars, boolean, string | undefined, number]>([
  ['without a key', {}, true, undefined, 401],
  ['while no run is under way', { ANTHROPIC_API_KEY: 'k' }, false, undefined, 403],
  ['by a guess', { ANTHROPIC_API_KEY: 'k' }, true, '0'.repeat(32), 404],
  ['to an address that is none', { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: 'not a url' }, true, undefined, 400],
  ['to a host without a scheme', { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: 'localhost:1' }, true, undefined, 400],
  ['to nobody', { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: 'http://127.0.0.1:1' }, true, undefined, 502],
])('[R7] nothing goes through %s', async (_name, vars, isOpen, secret, status) => {
  expect((await through(vars, isOpen, '/v1/messages', secret)).status).toBe(status)
})

/** A provider whose answers cost about a cent, and a relay before it. */
const withProvider = async (
  rules: SpendRules,
  budgetUsd: number | null,
  named: { [name: string]: string | null } = {},
) => {
  const asked: string[] = []
  let open = 0
  let openMax = 0
  const provider = createServer((request, response) => {
    openMax = Math.max(openMax, ++open)
    response.once('close', () => open--)
    let text = ''
    request
      .on('data', (part) => (text += part))
      .on('end', () => {
        asked.push(`${request.method} ${request.url} ${text}`)
        response.setHeader('content-type', 'application/json')
        // 2,000 tokens of an answer of claude-haiku-4-5.
        setTimeout(() => response.end('{"usage":{"input_tokens":0,"output_tokens":2000}}'), 20)
      })
  })
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve))
  const base = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`
  const relay = createRelay({
    vars: () => ({ ANTHROPIC_BASE_URL: base, ANTHROPIC_API_KEY: 'k' }),
    activeRun: () => activeRun,
    onStatus: () => {},
    terms: runTerms(rules, budgetUsd, () => named),
  })
  const url = relay.baseUrl('anthropic', await relay.listen())
  const ask = async (path: string, body: string | null = BODY, method = body === null ? 'GET' : 'POST') => {
    const response = await fetch(`${url}${path}`, { method, ...(body !== null && { body }) })
    const text = await response.text()
    return [response.status, response.ok ? '' : (JSON.parse(text) as { error: { type: string } }).error.type]
  }
  const close = async () => {
    await relay.close()
    provider.closeAllConnections()
    provider.close()
  }
  return { ask, asked, close, openMax: () => openMax }
}

test.each<[string, string | null, string | undefined, number, string]>([
  ['/v1/organizations/keys', null, undefined, 404, 'not_found_error'],
  ['/v1/files', BODY, undefined, 404, 'not_found_error'],
  ['/v1/messages/batches', BODY, undefined, 404, 'not_found_error'],
  ['/v1/messages', null, 'DELETE', 404, 'not_found_error'],
  ['/v1/models/../files', null, undefined, 404, 'not_found_error'],
  ['/v1/messages', '{"model":"claude-opus-4-5"}', undefined, 403, 'permission_error'],
  ['/v1/messages/count_tokens', '{"model":"claude-opus-4-5"}', undefined, 403, 'permission_error'],
  ['/v1/messages', '{"max_tokens":1}', undefined, 400, 'invalid_request_error'],
  ['/v1/messages', '{"model":', undefined, 400, 'invalid_request_error'],
])('[R26] %s with %j (%s) is refused with %i', async (path, body, method, status, type) => {
  const { ask, asked, close } = await withProvider({ models: ['claude-haiku-*'] }, null)
  try {
    expect(await ask(path, body, method)).toEqual([status, type])
    expect(asked).toEqual([])
  } finally {
    await close()
  }
})

test('[R26] what engines need is passed on, with the body as it was checked', async () => {
  const { ask, asked, close } = await withProvider({ models: ['claude-haiku-*'] }, null)
  try {
    const twice = '{"model":"claude-opus-4-5","model":"claude-haiku-4-5"}'
    expect([await ask('/v1/models', null), await ask('/v1/messages?beta=true', twice)]).toEqual([
      [200, ''],
      [200, ''],
    ])
    expect(asked).toEqual(['GET /v1/models ', 'POST /v1/messages?beta=true {"model":"claude-haiku-4-5"}'])
  } finally {
    await close()
  }
})

test.each<[string, SpendRules, number | null]>([
  ["the runner's", { maxSpendUsd: 0.025 }, null],
  ["the query's", {}, 0.025],
  ['the smaller of both', { maxSpendUsd: 0.025 }, 100],
])(
  '[R26] a run spends no more than its limit, %s, also with many requests at once',
  async (_name, rules, budgetUsd) => {
    const { ask, asked, close, openMax } = await withProvider(rules, budgetUsd)
    try {
      const large = '{"model":"claude-haiku-4-5","max_tokens":4000}'
      const answers = await Promise.all(Array.from({ length: 12 }, () => ask('/v1/messages', large)))
      expect(answers.filter(([status]) => status === 200)).toHaveLength(3)
      expect(answers.filter(([status]) => status !== 200)).toEqual(Array(9).fill([402, 'billing_error']))
      expect([asked.length, openMax()]).toEqual([3, 1])
      expect(await ask('/v1/models', null)).toEqual([200, ''])
    } finally {
      await close()
    }
  },
)

test('[R26] keys that come with a run have the limits of the server that lends them', async () => {
  const lent = { ANTHROPIC_API_KEY: 'token' }
  const { ask, close } = await withProvider({ models: ['claude-haiku-*'], maxSpendUsd: 0 }, 0, lent)
  try {
    expect(await ask('/v1/messages', '{"model":"claude-opus-4-5"}')).toEqual([200, ''])
    expect(await ask('/v1/files')).toEqual([404, 'not_found_error'])
  } finally {
    await close()
  }
})

test.each(['-1', 'much', 'Infinity', ' '])('[R26] a limit of "%s" is refused at the start', (text) => {
  expect(() => runnerSettings({ BRIDLE_RUNNER_MAX_SPEND_USD: text })).toThrow(/number of US dollars/)
})

test('[R26] the limits of a runner come from its environment', () => {
  const env = { BRIDLE_RUNNER_MODELS: 'claude-haiku-*, gpt-5', BRIDLE_RUNNER_MAX_SPEND_USD: '2.50' }
  expect(runnerSettings(env)).toMatchObject({ models: ['claude-haiku-*', 'gpt-5'], maxSpendUsd: 2.5 })
})
