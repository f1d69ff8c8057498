// The caller as the server knows it, and the agents that it has.

import { promptSchema } from '@bridle/kernel/agent-info'
import { expect, test } from 'vitest'
import { testApp } from '../test-app.suite.ts'
import { bearer } from '../test-client.suite.ts'

const tokens = [
  { token: 'of-ann', user: 'ann', tenants: ['acme', 'lab'] },
  { token: 'of-a-screen', scopes: ['observe'] as const },
  { token: 'of-bob', user: 'bob', tenants: ['lab'], scopes: ['observe', 'approve'] as const },
]

test('[H74] each credential is told its user, tenants and scopes', async () => {
  const { get, post } = testApp({ authToken: 'of-everything', tokens })
  const me = async (token: string, headers = {}) => (await get('/me', { ...bearer(token), ...headers })).body
  const scopes = ['observe', 'operate', 'approve']
  expect(await me('of-everything')).toEqual({ user: null, tenant: 'default', tenants: [], scopes, isOpen: false })
  expect(await me('of-everything', { 'x-fabric-tenant': 'lab' })).toMatchObject({ tenant: 'lab', tenants: [] })
  expect(await me('of-ann')).toEqual({
    ...{ user: 'ann', tenant: 'acme', tenants: ['acme', 'lab'] },
    ...{ scopes, isOpen: false },
  })
  expect(await me('of-a-screen')).toMatchObject({ user: null, tenants: [], scopes: ['observe'] })
  expect(await me('of-bob')).toMatchObject({ user: 'bob', tenant: 'lab', scopes: ['observe', 'approve'] })
  expect((await get('/me')).status).toBe(401)
  const bought = await post('/tickets', { scopes: ['observe'] }, bearer('of-ann'))
  const ofTicket = await get(`/me?ticket=${bought.body.ticket}`)
  expect(ofTicket.body).toEqual({
    ...{ user: 'ann', tenant: 'acme', tenants: ['acme'] },
    ...{ scopes: ['observe'], isOpen: false },
  })
})

test('[H74] a server that asks for no credential says so', async () => {
  const { get } = testApp()
  expect((await get('/me')).body).toMatchObject({ user: null, tenant: 'default', tenants: [], isOpen: true })
})

test('[H75] [H152] agents with what they need, their engine, the schema of their input, and how they are spoken with', async () => {
  const accept = async () => ({ prompt: 'p' })
  const base = { description: 'Does it.', webhook: false, accept, engine: 'native', runnerKind: 'in_process' } as const
  const agents = [
    { ...base, name: 'form', needs: null, inputSchema: () => promptSchema({ city: { type: 'string' } }) },
    { ...base, name: 'loose', needs: 'Set SOME_KEY.', warnings: ['One rule matches nothing.'] },
    { ...base, name: 'unwritable', needs: null, inputSchema: () => null, models: ['anthropic/a', 'openai/b'] },
  ]
  // Three agents, three ways to be spoken with.
  const voice = {
    kindOf: (name: string) => (name === 'form' ? 'realtime' : name === 'loose' ? 'cascade' : null),
    open: async () => ({ code: 'voice_unavailable', message: 'No line here.' }),
  } as const
  const { get } = testApp({ agents: new Map(agents.map((each) => [each.name, each])), voice })
  const shown = { description: 'Does it.', triggers: { webhook: false }, engine: 'native', runner_kind: 'in_process' }
  expect((await get('/agents')).body).toEqual({
    agents: [
      {
        ...shown,
        name: 'form',
        available: true,
        input_schema: {
          type: 'object',
          properties: { prompt: { type: 'string' }, city: { type: 'string' } },
          required: ['prompt'],
        },
        voice: 'realtime',
      },
      {
        ...{ ...shown, name: 'loose', available: false, needs: 'Set SOME_KEY.' },
        ...{ warnings: ['One rule matches nothing.'], input_schema: null, voice: 'cascade' },
      },
      {
        ...{ ...shown, name: 'unwritable', available: true, input_schema: null, voice: null },
        models: ['anthropic/a', 'openai/b'],
      },
    ],
  })
})

test('[H14] /ready names the agents to a caller who may list them, and to no other', async () => {
  const runner = { token: 'of-a-runner', scopes: ['operate'] as const }
  const { get, post } = testApp({ authToken: 'of-everything', tokens: [...tokens, runner] })
  const named = async (path: string, headers = {}) => 'agents' in (await get(path, headers)).body
  const scopes = ['observe']
  const bought = await post('/tickets', { scopes, sessionId: 's-1' }, bearer('of-everything'))
  expect([
    await named('/ready', bearer('of-everything')),
    await named('/ready', bearer('of-a-screen')),
    await named('/ready', bearer('of-a-runner')),
    await named(`/ready?ticket=${bought.body.ticket}`),
    await named('/ready'),
  ]).toEqual([true, true, false, false, false])
})
