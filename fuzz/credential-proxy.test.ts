// Code that an agent wrote sends requests to the credential proxy. For any request, the key goes to the provider only, and only
// with a live token, and a path and a model that the run may use.
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { providers } from '@bridle/runners/credentials/providers'
import { REFUSAL_STATUSES } from '@bridle/runners/credentials/providers/provider'
import { type CredentialProxy, startCredentialProxy } from '@bridle/runners/credentials/proxy'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { holdsForAll } from './budget.ts'
import { bodyText, HOSTILE_WORDS } from './hostile.ts'
import { expectErrorBody, expectNoInternals, expectPrototypesUnchanged, fetchWithRetry } from './promises.ts'

const KEY = 'sk-canary-of-the-provider'
const run = { key: { tenant: 't', agent: 'claude', id: 's1' }, runId: 'r-1', attempt: 1 }
let proxy: CredentialProxy
let provider: Server
let tokens: { readonly anthropic: string; readonly openai: string; readonly dead: string }
let passed: { readonly url: string; readonly headers: IncomingHttpHeaders; readonly body: string }[] = []

beforeAll(async () => {
  provider = createServer(async (request, response) => {
    passed.push({ url: request.url ?? '', headers: request.headers, body: await text(request) })
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end('{"usage":{"input_tokens":1,"output_tokens":1}}')
  }).listen(0, '127.0.0.1')
  await once(provider, 'listening')
  const url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`
  proxy = await startCredentialProxy({
    secret: 'a secret',
    keys: { anthropic: () => KEY, openai: () => KEY },
    upstreams: { anthropic: url, openai: `${url}/v1` },
  })
  const granted = (runId: string, name: 'anthropic' | 'openai') =>
    proxy.grant({ ...run, runId, provider: name, models: ['model-*'] }).token
  tokens = {
    anthropic: granted('r-1', 'anthropic'),
    openai: granted('r-1', 'openai'),
    dead: granted('r-2', 'anthropic'),
  }
  proxy.revoke({ ...run, runId: 'r-2', provider: 'anthropic' })
})
afterAll(async () => {
  await proxy.close()
  provider.close()
})

const words = ['model-1', 'model-2', 'gpt', 'user', ...HOSTILE_WORDS]
const body = bodyText(
  {
    type: 'object',
    properties: {
      model: { type: 'string' },
      stream: { type: 'boolean' },
      background: { type: 'boolean' },
      max_tokens: { type: 'integer' },
      messages: {},
      input: {},
    },
    required: ['model'],
  },
  words,
)
const path = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.constantFrom(
      '/anthropic/v1/messages',
      '/anthropic/v1/messages/count_tokens',
      '/anthropic/v1/models',
      '/openai/v1/responses',
      '/openai/v1/models/model-1',
    ),
  },
  fc.constantFrom(
    '/',
    '/anthropic',
    '/anthropic/',
    '/anthropic/v1/messages/',
    '/anthropic/v1/messages/../files',
    '/anthropic/v1/%2e%2e/messages',
    '/anthropic//v1/messages',
    '/openai/v1/../../anthropic/v1/messages',
    '/anthropic/v1/messages?beta=true&x=%00',
    '/anthropic/v1/files',
    '/openai/v1/chat/completions',
    '/openai/v1/models/..',
    '//evil.example/anthropic/v1/messages',
  ),
)

test('the key goes to the provider alone, and nothing goes there that the run may not ask', async () => {
  const { anthropic, openai, dead } = tokens
  const token = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(anthropic, openai) },
    fc.constantFrom(dead, KEY, '', 'x'),
  )
  const how = fc.constantFrom('bearer', 'x-api-key', 'both')
  const method = fc.oneof({ weight: 6, arbitrary: fc.constant('POST') }, fc.constantFrom('GET', 'PUT', 'DELETE'))
  await holdsForAll(fc.tuple(method, path, token, how, body), async ([verb, at, given, where, content]) => {
    passed = []
    const response = await fetchWithRetry(`${proxy.url}${at}`, {
      method: verb,
      headers: {
        ...(where !== 'x-api-key' && given !== '' && { authorization: `Bearer ${given}` }),
        ...(where !== 'bearer' && given !== '' && { 'x-api-key': given }),
      },
      ...(verb !== 'GET' && { body: Buffer.from(content) }),
    })
    const said = await response.text()
    expect(said + JSON.stringify([...response.headers])).not.toContain(KEY)
    expectNoInternals(said)
    expectPrototypesUnchanged()
    for (const { url, headers, body: sent } of passed) {
      expect([anthropic, openai]).toContain(given)
      expect(JSON.stringify(headers)).not.toContain(given)
      expect(url).toMatch(/^\/v1\/(messages|messages\/count_tokens|models(\/[\w.:@-]+)?|responses)(\?|$)/)
      if (sent !== '') expect(JSON.parse(sent)).toMatchObject({ model: expect.stringMatching(/^model-/) })
    }
    if (response.status < 400) return
    expect(passed).toEqual([])
    expectErrorBody(JSON.parse(said))
    expect(Object.values(REFUSAL_STATUSES)).toContain(response.status)
  })
  expect(Object.keys(providers)).toEqual(['anthropic', 'openai'])
})
