import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { createRelay, type EnvVars } from './relay.ts'

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
    isOpen: () => isOpen,
    onStatus: () => {},
  })
  try {
    const port = await relay.listen()
    const url = relay.baseUrl('anthropic', port)
    const asked = secret === undefined ? url : url.replace(/\/[0-9a-f]{32}\//, `/${secret}/`)
    const headers = { 'x-api-key': 'dummy', authorization: 'Bearer dummy', cookie: 'a=b' }
    const response = await fetch(`${asked}${path}`, { method: 'POST', headers, body: '{}' })
    const openai = await fetch(`${relay.baseUrl('openai', port)}/responses`, { method: 'POST', headers, body: '{}' })
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
