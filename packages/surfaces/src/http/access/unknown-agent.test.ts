// Agents and paths that are not there: the answer helps a caller who may know more, and nobody else.
import { describe, expect, test } from 'vitest'
import { testApp } from '../test-app.suite.ts'
import type { Scope } from './authenticate.ts'
import { unknownAgent } from './unknown-agent.ts'

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

describe('[H155] an agent that is not there', () => {
  const tokens = [
    { token: 'all', tenants: ['acme'], scopes: ['observe', 'operate'] },
    { token: 'ann', tenants: ['acme'], scopes: ['observe', 'operate'], user: 'ann' },
    { token: 'sender', tenants: ['acme'], scopes: ['operate'] },
  ] as const

  test('is named beside those that a caller may list and that can run, in three sessions', async () => {
    const { ask } = testApp({ tokens })
    const { agents } = (await ask('GET', '/agents', undefined, bearer('all'))).body
    // The agent keyless cannot run.
    const names = (agents as { name: string }[]).map(({ name }) => name).filter((name) => name !== 'keyless')
    expect(names.length).toBeGreaterThan(1)
    const message = `There is no agent nobody; there are ${names.join(', ')}.`
    for (const [method, path] of [
      ['POST', '/agents/nobody/a'],
      ['GET', '/agents/nobody/b'],
      ['DELETE', '/agents/nobody/c'],
      ['GET', '/agents/nobody/a/stream'],
    ] as const)
      for (const who of ['all', 'ann'])
        expect(await ask(method, path, method === 'POST' ? { prompt: 'x' } : undefined, bearer(who))).toMatchObject({
          status: 404,
          body: { error: 'Not found', message },
        })
    const chat = await ask('POST', '/chat/sessions', { agent: 'nobody', prompt: 'x' }, bearer('all'))
    expect([chat.status, chat.body.error]).toEqual([400, `body: agent: ${message}`])
  })

  test('tells no names to a caller who may not list them', async () => {
    const { ask } = testApp({ tokens })
    const sender = await ask('POST', '/agents/nobody/a', { prompt: 'x' }, bearer('sender'))
    expect([sender.status, sender.body.message]).toEqual([404, 'There is no agent nobody.'])
    const bought = await ask('POST', '/tickets', { sessionId: 'a' }, bearer('all'))
    const ticket = await ask('GET', `/agents/nobody/a?ticket=${bought.body.ticket}`)
    expect([ticket.status, ticket.body.message]).toEqual([404, 'There is no agent nobody.'])
    expect((await ask('POST', '/agents/nobody/a', { prompt: 'x' })).status).toBe(401)
    const other = await ask('POST', '/agents/nobody/user:bob', { prompt: 'x' }, bearer('ann'))
    expect([other.status, other.body.message]).toEqual([404, 'There is no session user:bob of the agent nobody.'])
  })

  test('names no agent that is private in production', async () => {
    const { ask } = testApp({ exposeAll: false })
    const { body } = await ask('POST', '/agents/nobody/a', { prompt: 'x' })
    // The agent scripted can run, and is private.
    expect(body.message).toBe('There is no agent nobody; there is hooked.')
  })

  const long = 'x'.repeat(5_000)
  const scopes: readonly Scope[] = ['observe']
  test.each([
    ['no agent at all', 'a', [], 'There is no agent a.'],
    ['a single agent', 'a', ['clerk'], 'There is no agent a; there is clerk.'],
    [
      'a name that is nearly right',
      'helpr',
      ['scripted', 'helper'],
      'There is no agent helpr; there are scripted, helper. Did you mean helper?',
    ],
    ['a long name', long, ['b', 'c'], `There is no agent ${'x'.repeat(100)}…; there are b, c.`],
  ])('%s', (_name, name, names, expected) => {
    const agents = new Map(names.map((each) => [each, {} as never]))
    expect(unknownAgent(name, { access: { scopes, sessionId: null }, ports: { agents, exposeAll: true } })).toBe(
      expected,
    )
  })

  test('agents that cannot run here are neither named nor suggested', () => {
    const agents = new Map([
      ['scripted', { needs: null } as never],
      ['claude', { needs: 'Claude Code is not installed.' } as never],
    ])
    expect(unknownAgent('scriptd', { access: { scopes, sessionId: null }, ports: { agents, exposeAll: true } })).toBe(
      'There is no agent scriptd; there is scripted. Did you mean scripted?',
    )
  })

  test('a server with hundreds of agents stays short', () => {
    const agents = new Map(Array.from({ length: 400 }, (_, n) => [`agent-${n}`, {} as never]))
    const text = unknownAgent('a', { access: { scopes, sessionId: null }, ports: { agents, exposeAll: true } })
    expect([text.length, text.at(-1)]).toEqual([501, '…'])
    const near = unknownAgent('agent-39x', { access: { scopes, sessionId: null }, ports: { agents, exposeAll: true } })
    expect(near).toMatch(/… Did you mean agent-39\d?\?$/)
  })
})

test.each([
  ['a wrong path', '/nowhere', {}, '/docs'],
  ['a path that only begins like a route', '/sessions/a/nope', {}, '/docs'],
  ['a path behind a proxy', '/nowhere', { 'x-forwarded-prefix': '/bridle' }, '/bridle/docs'],
])('[H155] %s is sent to the page of routes', async (_name, path, headers, docs) => {
  const { ask } = testApp({ authToken: 'secret' })
  expect(await ask('POST', path, {}, { authorization: 'Bearer secret', ...headers })).toMatchObject({
    status: 404,
    body: { error: 'Not found', message: `There is no such path. GET ${docs} shows all of them.` },
  })
})
