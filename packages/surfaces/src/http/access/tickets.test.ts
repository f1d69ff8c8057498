// Tickets: nothing but a lasting credential buys one, no buyer touches another's, and each stays bound to what it was bought for.
import { describe, expect, test } from 'vitest'
import { testApp } from '../test-app.suite.ts'
import { bearer, errorTypeOf, scriptBody } from '../test-client.suite.ts'
import type { Access } from './authenticate.ts'
import { MemoryTicketStore } from './tickets.ts'

const tenants = ['ta', 'tb', 'tc'] as const
const tokens = tenants.map((tenant) => ({ token: `token-${tenant}`, tenants: [tenant] }))

describe('[H29] a ticket buys no ticket', () => {
  test.each<[string, object]>([
    ['that names no session', {}],
    ['for one session', { sessionId: 's1' }],
    ['with fewer scopes', { scopes: ['observe'] }],
  ])('%s', async (_name, request) => {
    const { post } = testApp({ tokens })
    for (const tenant of tenants) {
      const { body } = await post('/tickets', request, bearer(`token-${tenant}`))
      const refused = await post(`/tickets?ticket=${body.ticket}`, request)
      expect([tenant, refused.status, errorTypeOf(refused.body)]).toEqual([tenant, 403, 'forbidden'])
      // The attempt used the ticket up.
      expect((await post(`/tickets?ticket=${body.ticket}`, request)).status).toBe(401)
    }
  })
})

describe('[H30] a ticket stays bound to', () => {
  test('its tenant, whatever the request says', async () => {
    const { get, post } = testApp({ tokens })
    for (const tenant of tenants)
      await post(`/agents/scripted/of-${tenant}`, scriptBody({ text: 'x' }), bearer(`token-${tenant}`))
    for (const tenant of tenants) {
      const seen: number[] = []
      for (const other of tenants) {
        const { body } = await post('/tickets', {}, bearer(`token-${tenant}`))
        const headers = { 'x-fabric-tenant': other }
        seen.push((await get(`/sessions/of-${other}?tenant=${other}&ticket=${body.ticket}`, headers)).status)
      }
      expect([tenant, ...seen]).toEqual([tenant, ...tenants.map((other) => (other === tenant ? 200 : 404))])
    }
  })

  test('its user', async () => {
    const users = ['ann', 'bob', 'cid']
    const { get, post } = testApp({ tokens: users.map((user) => ({ token: user, user })) })
    for (const user of users) await post(`/agents/scripted/user:${user}`, scriptBody({ text: 'x' }), bearer(user))
    const { body } = await post('/tickets', {}, bearer('ann'))
    expect((await get(`/sessions/user:bob?ticket=${body.ticket}`)).status).toBe(404)
    const { body: own } = await post('/tickets', {}, bearer('ann'))
    expect((await get(`/sessions/user:ann?ticket=${own.ticket}`)).status).toBe(200)
  })

  test.each<[string | null, string | null, number]>([
    ['https://one.example', 'https://one.example', 200],
    ['https://one.example', 'https://two.example', 401],
    ['https://one.example', 'http://localhost:5173', 401],
    ['https://one.example', null, 200],
    [null, 'https://two.example', 200],
    [null, null, 200],
    [null, 'https://evil.example', 403],
  ])('its page: bought by %s, used by %s is %i', async (buyer, user, status) => {
    const { get, post } = testApp({ tokens, allowedOrigins: ['https://one.example', 'https://two.example'] })
    const { body } = await post('/tickets', {}, { ...bearer('token-ta'), ...(buyer && { origin: buyer }) })
    expect((await get(`/sessions?ticket=${body.ticket}`, user ? { origin: user } : {})).status).toBe(status)
  })

  test('its scopes: what is not asked for, or not the buyer’s, is not there', async () => {
    const { post } = testApp({ tokens: [{ token: 'two', scopes: ['observe', 'operate'] }] })
    const run = async (scopes?: string[]) => {
      const { body } = await post('/tickets', { scopes }, bearer('two'))
      return (await post(`/agents/scripted/x?ticket=${body.ticket}`, scriptBody({ text: 'x' }))).status
    }
    expect([await run(), await run(['operate']), await run(['observe']), await run(['approve'])]).toEqual([
      ...[200, 200, 403, 403],
    ])
  })
})

describe('[H31] the tickets of one buyer', () => {
  const access = (tenant: string, who: string): Access => ({
    ...{ tenant, who, scopes: ['observe'], sessionId: null, user: null },
  })
  const request = { origin: null }
  const limits = { buyerMax: 40, max: 400 }

  test('replace that buyer’s oldest and nobody else’s', async () => {
    const tickets = new MemoryTicketStore(() => 0, limits)
    const buy = async (tenant: string, who: string) => (await tickets.issue(access(tenant, who), request))?.ticket ?? ''
    const first = await buy('ta', 'flood')
    const others = [await buy('tb', 'flood'), await buy('ta', 'other'), await buy('tc', 'third')]
    for (let count = 0; count < 40; count++) await buy('ta', 'flood')
    expect(await tickets.redeem(first, null)).toBeNull()
    for (const [index, tenant] of ['tb', 'ta', 'tc'].entries())
      expect((await tickets.redeem(others[index] ?? '', null))?.tenant).toBe(tenant)
  })

  test('are refused, not put in place of another’s, when all places are taken', async () => {
    let now = 0
    const tickets = new MemoryTicketStore(() => now, limits)
    const victim = await tickets.issue(access('tb', 'victim'), request)
    for (let count = 0; count < 399; count++) await tickets.issue(access(`t${count % 20}`, 'flood'), request)
    expect(await tickets.issue(access('tc', 'late'), request)).toBeNull()
    expect((await tickets.redeem(victim?.ticket ?? '', null))?.tenant).toBe('tb')
    expect(await tickets.issue(access('tc', 'late'), request)).not.toBeNull()
    now = 30_000
    expect(await tickets.issue(access('tc', 'late'), request)).not.toBeNull()
  })

  test('are 429 by HTTP when there are too many', async () => {
    const full = { issue: async () => null, redeem: async () => null }
    const { post } = testApp({ tokens, tickets: full })
    const { status, body, headers } = await post('/tickets', {}, bearer('token-ta'))
    expect([status, errorTypeOf(body), headers.get('retry-after')]).toEqual([429, 'rate_limited', '30'])
  })
})
