// The signing secret in the real runtime: no text that a caller knows makes a ticket or a token, and one secret is kept for good.

import { seal, toBase64Url } from '@bridle/surfaces/http/access/sealing'
import { digest, hex } from '@bridle/surfaces/http/access/secrets'
import { get, post, scriptBody } from '@bridle/surfaces/http/test-client.suite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { upgradeAnswer } from '../../tests/socket-client.suite.ts'
import { ticketOptions, ticketSockets } from '../../tests/ticket-sockets.suite.ts'
import { readSigningSecret, resetSecret, startTestWorker } from '../tests/test-worker.suite.ts'
import { noTools, type WorkerdProcess } from '../tests/workerd.suite.ts'

const scopes = ['observe', 'operate', 'approve']
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

/** Tickets with all scopes in a tenant, made with this secret: as this version seals them, and as earlier ones signed them. */
const forged = async (secret: string, tenant: string): Promise<string[]> => {
  const access = { tenant, scopes, sessionId: null, user: null, who: '' }
  const body = { access, origin: null, expiresAt: Date.now() + 30_000, nonce: crypto.randomUUID() }
  const text = toBase64Url(new TextEncoder().encode(JSON.stringify(body)))
  const signed: string[] = []
  // An empty key cannot be imported; a key of one zero byte signs alike.
  const bytes = new TextEncoder().encode(secret || '\0')
  const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  const signature = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(`ticket:${text}`))
  signed.push(`${toBase64Url(new Uint8Array(signature))}${text}`)
  return [...signed, text, await seal(secret || '\0', 'ticket', body)]
}

/** Every way in that takes a ticket. */
const waysIn = async ({ url }: WorkerdProcess, ticket: () => Promise<string>, headers: Record<string, string> = {}) => [
  (await get(`${url}/sessions?ticket=${await ticket()}`)).status,
  (await get(`${url}/agents/scripted/victim?ticket=${await ticket()}`)).status,
  (await post(`${url}/agents/scripted/victim?ticket=${await ticket()}`, scriptBody({ text: 'x' }), headers)).status,
  (await upgradeAnswer(`${url}/ws?sessionId=victim&ticket=${await ticket()}`)).status,
  (await upgradeAnswer(`${url}/ws?sessionId=victim`, { protocols: ['bridle.v1', `ticket.${await ticket()}`] })).status,
  (await upgradeAnswer(`${url}/sessions/victim/ws?ticket=${await ticket()}`)).status,
]
const NOBODY = [401, 401, 401, 401, 401, 401]

const servers: { readonly [name: string]: { options: object; env?: { [name: string]: string }; token: string } } = {
  'FABRIC_HARNESS_API_TOKEN alone': { options: {}, env: { FABRIC_HARNESS_API_TOKEN: 'the-token' }, token: 'the-token' },
  'one token that may only observe': {
    options: { tokens: [{ token: 'reader', scopes: ['observe'], tenants: ['default'] }] },
    token: 'reader',
  },
  'three tokens for three tenants': { options: ticketOptions, token: 'token-of-ta' },
  'a hook alone': { options: { hookHeader: 'Bearer my-login' }, token: 'my-login' },
}

describe.skipIf(noTools)('[CF21] tickets cannot be made from what callers know', () => {
  test.each(Object.entries(servers))(
    '%s',
    async (_name, { options, env = {}, token }) => {
      const world = await startTestWorker({ vars: { ...env, TEST_OPTIONS: JSON.stringify(options) } })
      try {
        const tokens = ['token-of-ta', 'token-of-tb', 'token-of-tc']
        const guesses = [
          'open',
          '',
          '\0',
          'undefined',
          'null',
          'secret',
          token,
          `Bearer ${token}`,
          ...tokens,
          tokens.join('\n'),
        ]
        guesses.push(hex(await digest(token)))
        for (const tenant of ['default', 'ta'])
          for (const guess of guesses)
            for (const index of [0, 1, 2])
              expect([
                guess,
                index,
                await waysIn(world, async () => (await forged(guess, tenant))[index] ?? ''),
              ]).toEqual([...[guess, index, NOBODY]])
        // A bought one opens the same doors, once each, as far as its buyer may.
        const buy = async () => String((await post(`${world.url}/tickets`, {}, bearer(token))).body.ticket)
        const may = token === 'reader' ? 403 : 200
        await post(`${world.url}/agents/scripted/victim`, scriptBody({ text: 'x' }), bearer(token))
        expect(await waysIn(world, buy)).toEqual([200, token === 'reader' ? 404 : 200, may, 101, 101, 101])
        expect((await get(`${world.url}/sessions`)).status).toBe(401)
        expect((await get(`${world.url}/sessions`, bearer('wrong'))).status).toBe(401)
      } finally {
        await world.dispose()
      }
    },
    60_000,
  )
})

describe.skipIf(noTools)('on Cloudflare', () => {
  let world: WorkerdProcess
  beforeAll(async () => {
    world = await startTestWorker({ vars: { TEST_OPTIONS: JSON.stringify(ticketOptions) } })
  })
  afterAll(() => world?.dispose())

  ticketSockets(() => world.url)
})

describe.skipIf(noTools)('[CF21] one secret', () => {
  const vars = { FABRIC_HARNESS_API_TOKEN: 'the-token' }
  const buy = async (url: string) => String((await post(`${url}/tickets`, {}, bearer('the-token'))).body.ticket)
  const redeem = async (url: string, ticket: string) => (await get(`${url}/sessions?ticket=${ticket}`)).status

  test('is the same in two isolates, and survives its object and the process', async () => {
    const first = await startTestWorker({ vars, second: vars })
    const tickets = await Promise.all(
      Array.from({ length: 6 }, (_, index) => buy(index % 2 ? first.url : first.secondUrl)),
    )
    const redeemed = []
    for (const [index, ticket] of tickets.entries())
      redeemed.push(await redeem(index % 2 ? first.secondUrl : first.url, ticket))
    expect(redeemed).toEqual([200, 200, 200, 200, 200, 200])
    expect(await redeem(first.url, tickets[0] ?? '')).toBe(401)

    const secret = await readSigningSecret(first)
    expect(secret).toMatch(/^[A-Za-z0-9_-]{43}$/)
    await resetSecret(first)
    expect(await readSigningSecret(first)).toBe(secret)
    const kept = await buy(first.url)
    await first.kill()

    const next = await startTestWorker({ vars, second: vars, folder: first.folder })
    try {
      expect([await redeem(next.secondUrl, kept), await redeem(next.url, kept)]).toEqual([200, 401])
      expect(await readSigningSecret(next)).toBe(secret)
    } finally {
      await next.dispose()
    }
  })

  test('is another one for another deployment', async () => {
    const worlds = [await startTestWorker({ vars }), await startTestWorker({ vars }), await startTestWorker({ vars })]
    try {
      const secrets = await Promise.all(worlds.map(readSigningSecret))
      expect(new Set(secrets).size).toBe(3)
      const ticket = await buy(worlds[0]?.url ?? '')
      for (const { url } of worlds.slice(1)) expect(await redeem(url, ticket)).toBe(401)
      expect(await redeem(worlds[0]?.url ?? '', ticket)).toBe(200)
    } finally {
      for (const world of worlds) await world.dispose()
    }
  })

  test('is BRIDLE_SECRET where that is set, with a key of its own for each purpose', async () => {
    const given = 'a secret of an operator, long enough'
    const world = await startTestWorker({ vars: { ...vars, BRIDLE_SECRET: given } })
    try {
      const access = { tenant: 'default', scopes, sessionId: null, user: null, who: '' }
      const body = { access, origin: null, expiresAt: Date.now() + 30_000, nonce: 'n-1' }
      expect(await redeem(world.url, await seal(given, 'ticket', body))).toBe(200)
      expect(await redeem(world.url, await seal(given, 'credential', { ...body, nonce: 'n-2' }))).toBe(401)
      expect(await redeem(world.url, await seal(given, 'ticket', { ...body, nonce: 'n-3', expiresAt: 1 }))).toBe(401)
    } finally {
      await world.dispose()
    }
  })

  test('that is short is refused in a sentence', async () => {
    const world = await startTestWorker({ vars: { ...vars, BRIDLE_SECRET: 'short' } })
    try {
      for (const path of ['/health', '/sessions', '/ready']) {
        const { status, body } = await get(`${world.url}${path}`, bearer('the-token'))
        expect([status, (body.error as { message: string }).message]).toEqual([
          ...[500, 'BRIDLE_SECRET has 5 characters and needs at least 32. Make one by: openssl rand -hex 32'],
        ])
      }
    } finally {
      await world.dispose()
    }
  })
})
