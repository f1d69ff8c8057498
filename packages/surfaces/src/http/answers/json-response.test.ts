import { expect, test } from 'vitest'
import { testApp } from '../test-app.suite.ts'

// Every other test of a route checks the same, in `expectDeclaredAnswer`; here are the ways in which JSON leaves the server.
test.each<[string, string, string, object?, Record<string, string>?]>([
  ['an answer', 'GET', '/health'],
  ['an answer with a tag', 'GET', '/sessions/kitchen'],
  ['an answer with a warning', 'GET', '/sessions?lmit=2'],
  ['a refusal', 'GET', '/sessions/garden'],
  ['a refusal with a warning', 'POST', '/sessions/garden/cancel', { resn: 'x' }],
  ['a path that is not there', 'GET', '/nothing'],
  ['the description', 'GET', '/openapi.json'],
  ['the end of a run', 'POST', '/agents/scripted/kitchen', { prompt: '@script [{"text":"Done."}]' }],
  [
    'the end of a run, after heartbeats',
    'POST',
    '/agents/scripted/kitchen',
    { prompt: '@script [{"text":"Done."}]' },
    { prefer: 'heartbeat' },
  ],
  ['an envelope', 'POST', '/v1/openharness', { nothing: true }],
])('[H172] %s ends with one newline', async (_what, method, path, body, headers = {}) => {
  const { app, post } = testApp()
  await post('/agents/scripted/kitchen', { prompt: '@script [{"text":"Hello."}]' })
  const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
  const text = await (await app.fetch(new Request(`http://127.0.0.1${path}`, init))).text()
  expect(text).toMatch(/[^\n]\n$/)
  expect(text.trim()).toBe(JSON.stringify(JSON.parse(text)))
})
