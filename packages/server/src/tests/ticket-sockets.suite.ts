// Sockets that a ticket opens, the same on every target: three tenants with three tokens, three sessions each.

import { get, post, scriptBody } from '@bridle/surfaces/http/test-client.suite'
import { beforeAll, describe, expect, test } from 'vitest'
import { openTestSocket, upgradeAnswer } from './socket-client.suite.ts'

export const TENANTS = ['ta', 'tb', 'tc'] as const
export const PAGES = ['https://one.example', 'https://two.example'] as const
/** The options of the server under test. */
export const ticketOptions = {
  tokens: TENANTS.map((tenant) => ({ token: `token-of-${tenant}`, tenants: [tenant] })),
  allowedOrigins: [...PAGES],
}

const bearer = (tenant: string) => ({ authorization: `Bearer token-of-${tenant}` })
const sessions = ['s1', 's2', 'user:ann']

export const ticketSockets = (url: () => string): void => {
  const buy = async (tenant: string, wish: object, headers: Record<string, string> = {}): Promise<string> =>
    String((await post(`${url()}/tickets`, wish, { ...bearer(tenant), ...headers })).body.ticket)
  /** Which contents the state of a `/ws` has; or how the socket was closed. */
  const seen = async (query: string): Promise<unknown> => {
    const line = await openTestSocket(`${url()}/ws?${query}`)
    const messages = (await line.until((all) => all.length > 0)) as unknown as {
      type: string
      state?: TicketSocketState
    }[]
    const { state } = messages.find(({ type }) => type === 'state') ?? {}
    if (!state) return (await line.closed).code
    line.ws.close()
    await line.closed
    return state.messages.filter(({ role }) => role !== 'user').map(({ content }) => content)
  }

  beforeAll(async () => {
    for (const tenant of TENANTS)
      for (const id of sessions)
        await post(`${url()}/agents/scripted/${id}`, scriptBody({ text: `${id} of ${tenant}` }), bearer(tenant))
  })

  describe('[H30] a ticket on sockets', () => {
    test('for one session opens that one on /ws, and no other', async () => {
      for (const tenant of TENANTS)
        for (const own of sessions) {
          const answers = []
          for (const id of sessions)
            answers.push(await seen(`sessionId=${id}&ticket=${await buy(tenant, { sessionId: own })}`))
          expect(answers).toEqual(sessions.map((id) => (id === own ? [`${own} of ${tenant}`] : 4004)))
        }
      const ann = async (own: string) => seen(`userId=ann&ticket=${await buy('ta', { sessionId: own })}`)
      expect([await ann('s1'), await ann('user:ann')]).toEqual([4004, ['user:ann of ta']])
      expect(await seen(`sessionId=new&ticket=${await buy('ta', { sessionId: 's1' })}`)).toBe(4004)
    })

    test('for one session opens that one on /sessions/:id/ws, and no other', async () => {
      for (const tenant of TENANTS) {
        const answers = []
        for (const id of sessions) {
          const ticket = await buy(tenant, { sessionId: 's1' })
          answers.push((await upgradeAnswer(`${url()}/sessions/${id}/ws?ticket=${ticket}`)).status)
        }
        expect(answers).toEqual([101, 404, 404])
      }
    })

    test('stays with its tenant, whatever the request says', async () => {
      for (const tenant of TENANTS)
        for (const other of TENANTS) {
          const ticket = await buy(tenant, {})
          expect(await seen(`sessionId=s1&tenant=${other}&ticket=${ticket}`)).toEqual([`s1 of ${tenant}`])
        }
    })

    test('has no more scopes than it was bought with', async () => {
      const ticket = await buy('ta', { sessionId: 's1', scopes: ['observe', 'approve'] })
      const line = await openTestSocket(`${url()}/ws?sessionId=s1&ticket=${ticket}`)
      line.say({ type: 'commands', commands: [{ type: 'submit', prompt: 'x', commandId: 'c-1' }] })
      const said = await line.until((all) => all.some((message) => JSON.stringify(message).includes('operate')))
      expect(JSON.stringify(said)).toContain('This needs the scope \\"operate\\".')
      line.ws.close()
    })

    test('is for pages of the origin that bought it', async () => {
      const [one, two] = PAGES
      for (const path of ['/ws?sessionId=s1&', '/sessions/s1/ws?']) {
        const by = async (origin?: string) => {
          const ticket = await buy('tb', {}, { origin: one })
          return (await upgradeAnswer(`${url()}${path}ticket=${ticket}`, { headers: { ...(origin && { origin }) } }))
            .status
        }
        expect([await by(one), await by(two), await by()]).toEqual([101, 401, 101])
      }
    })

    test('is used up by the first socket', async () => {
      for (const path of ['/ws?sessionId=s1&', '/sessions/s1/ws?']) {
        const ticket = await buy('tc', {})
        const open = async () => (await upgradeAnswer(`${url()}${path}ticket=${ticket}`)).status
        expect([await open(), await open()]).toEqual([101, 401])
      }
    })
  })

  test('[H29] a ticket buys no ticket', async () => {
    for (const wish of [{}, { sessionId: 's1' }])
      for (const tenant of TENANTS) {
        const refused = await post(`${url()}/tickets?ticket=${await buy(tenant, wish)}`, wish)
        expect([refused.status, refused.body.error]).toMatchObject([403, { type: 'forbidden' }])
      }
  })

  test('[H29] a ticket says nothing about its buyer to whoever holds it', async () => {
    const ticket = await buy('ta', { sessionId: 's1', scopes: ['observe'] })
    for (const text of [ticket, Buffer.from(ticket, 'base64url').toString('latin1')])
      expect(text).not.toMatch(/tenant|observe|"s1"|"ta"|"who"|[0-9a-f]{64}/)
    expect((await get(`${url()}/sessions/s1?ticket=${ticket}`)).status).toBe(200)
  })
}

interface TicketSocketState {
  readonly messages: readonly { readonly role: string; readonly content: string }[]
}
