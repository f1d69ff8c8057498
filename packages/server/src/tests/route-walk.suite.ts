// A walk over the whole table: every route and every socket, without, with wrong, with lesser and with foreign credentials. The
// expectations follow from the declarations of the row, so that a new row is covered without a new test.

import { httpWires, socketWires } from '@bridle/surfaces/all'
import { routeTable } from '@bridle/surfaces/app'
import { SCOPES } from '@bridle/surfaces/http/access/authenticate'
import type { Route } from '@bridle/surfaces/http/router/route'
import { get, post, scriptBody } from '@bridle/surfaces/http/test-client.suite'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openTestSocket, upgradeAnswer } from './socket-client.suite.ts'

const CANARY = 'canary-of-ada'

/** The settings of the server under test. */
const walkTokens = [
  { token: 'op' },
  ...SCOPES.map((scope) => ({ token: scope, scopes: [scope] })),
  { token: 'stranger', tenants: ['other'] },
  { token: 'ada', tenants: ['default'], user: 'ada' },
  { token: 'bob', tenants: ['default'], user: 'bob' },
]
/** Here wrong tokens are brought on purpose, and from one address. */
export const walkOptions = { tokens: walkTokens, authBackOff: { windowMs: 60_000, maxFailures: 100_000 } }

const as = (token: string) => ({ authorization: `Bearer ${token}` })
const nameOf = ({ method, path }: Pick<Route, 'method' | 'path'>) => `${method.toUpperCase()} ${path}`

export const routeAccessContract = (start: () => Promise<{ readonly url: string; stop(): Promise<void> }>): void => {
  const rows = routeTable(httpWires)
  const guarded = rows.filter(({ scope }) => scope !== 'open')
  const named = guarded.filter(({ path }) => path.includes(':id'))

  describe('[H33] the walk over the table', () => {
    let server: Awaited<ReturnType<typeof start>>
    let approvalId = ''
    let head: unknown

    /** The row's path, for this session. */
    const filled = ({ path }: { readonly path: string }, id: string): string =>
      `${server.url}${path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent({ ...places, id }[name] ?? 'none'))}`
    const places: Record<string, string> = { name: 'scripted', artifactId: 'a.txt', runId: 'r-2', verdict: 'maybe' }

    /** The status, and the text: of a stream what comes first. */
    const ask = async (row: Route, url: string, headers: Record<string, string> = {}, body = '{}') => {
      const leave = new AbortController()
      const init = { method: row.method.toUpperCase(), headers, signal: leave.signal, redirect: 'manual' as const }
      const response = await fetch(url, row.method === 'post' ? { ...init, body } : init)
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
      const text = isStream
        ? new TextDecoder().decode((await response.body?.getReader().read())?.value)
        : await response.text()
      leave.abort()
      return { status: response.status, text }
    }

    beforeAll(async () => {
      server = await start()
      const steps = scriptBody({ artifact: { name: 'a.txt', content: CANARY } }, { text: CANARY }, { approve: 'write' })
      const asked = await post(`${server.url}/agents/scripted/mine`, steps, { ...as('ada'), prefer: 'respond-async' })
      expect(asked.status).toBe(202)
      await vi.waitFor(async () => {
        const { body } = await get(`${server.url}/approvals`, as('ada'))
        expect(body.approvals).toHaveLength(1)
      })
      const { body } = await get(`${server.url}/sessions/mine`, as('ada'))
      head = body.lastEventId
      approvalId = String((body.approvals as { id: string }[])[0]?.id)
      places.approvalId = approvalId
    })
    afterAll(async () => {
      // Nothing that was tried here has left anything behind.
      const { body } = await get(`${server.url}/sessions/mine`, as('ada'))
      expect([body.lastEventId, body.status]).toEqual([head, 'awaiting_approval'])
      await server.stop()
    })

    test.each(rows.map((row) => [nameOf(row), row] as const))(
      '%s without and with wrong credentials',
      async (_, row) => {
        const wrong = [
          {},
          as('wrong'),
          as('op '.repeat(2).trim()),
          { authorization: 'Basic op' },
          { cookie: 'token=op' },
        ]
        for (const headers of wrong as Record<string, string>[]) {
          const { status, text } = await ask(row, filled(row, 'mine'), headers)
          if (row.scope === 'open') expect(status).toBe(200)
          else expect(status).toBe(401)
          expect(text).not.toContain(CANARY)
        }
        for (const query of ['?token=wrong', '?ticket=wrong', '?token=']) {
          if (row.scope !== 'open') expect((await ask(row, `${filled(row, 'mine')}${query}`)).status).toBe(401)
        }
      },
    )

    test.each(guarded.map((row) => [nameOf(row), row] as const))('%s with each scope alone', async (_, row) => {
      for (const scope of SCOPES) {
        // Where the scope suffices nobody gets hurt: there is no such session.
        const { status } = await ask(row, filled(row, scope === row.scope ? 'never-was' : 'mine'), as(scope))
        if (scope === row.scope && !row.furtherScopes)
          expect([scope, status]).not.toEqual([scope, expect.toBeOneOf([401, 403])])
        else expect([scope, status]).toEqual([scope, 403])
      }
    })

    test.each(guarded.map((row) => [nameOf(row), row] as const))('%s of another tenant', async (_, row) => {
      const theirs = await ask(row, filled(row, 'mine'), as('stranger'))
      if (row.concerns === 'server') expect(theirs.status).toBe(403)
      expect(theirs.text).not.toContain(CANARY)
      expect(theirs.text.replace(/There is no session mine\b/, '')).not.toContain('mine')
      if (row.path.includes(':id')) {
        // Word for word the same, apart from the id that the caller has named.
        const never = await ask(row, filled(row, 'never-was'), as('stranger'))
        expect(theirs).toEqual({ ...never, text: never.text.replaceAll('never-was', 'mine') })
      }
      for (const how of ['?tenant=default', '']) {
        const headers = { ...as('stranger'), ...(how === '' && { 'x-fabric-tenant': 'default' }) }
        expect((await ask(row, `${filled(row, 'mine')}${how}`, headers)).status).toBe(403)
      }
    })

    test.each(guarded.map((row) => [nameOf(row), row] as const))('%s of another user', async (_, row) => {
      const theirs = await ask(row, filled(row, 'mine'), as('bob'))
      if (row.concerns === 'server') expect(theirs.status).toBe(403)
      expect(theirs.text).not.toContain(CANARY)
      expect(theirs.text).not.toContain('"mine"')
      if (!row.path.includes(':id')) return
      const never = await ask(row, filled(row, 'never-was'), as('bob'))
      expect([404, never.status]).toContain(theirs.status)
      const ofAgent = row.path.includes(':name') ? ' of the agent scripted' : ''
      if (row.session)
        expect(theirs).toEqual({
          status: 404,
          text: `{"error":"Not found","message":"There is no session mine${ofAgent}."}\n`,
        })
      if (row.session && never.status === 404)
        expect(never).toEqual({
          status: 404,
          text: `{"error":"Not found","message":"There is no session never-was${ofAgent}."}\n`,
        })
    })

    test.each(named.map((row) => [nameOf(row), row] as const))(
      '%s with a ticket for another session',
      async (_, row) => {
        const bought = await post(`${server.url}/tickets`, { sessionId: 'other' }, as('op'))
        const { status, text } = await ask(row, `${filled(row, 'mine')}?ticket=${bought.body.ticket}`)
        const ofAgent = row.path.includes(':name') ? ' of the agent scripted' : ''
        expect({ status, text }).toEqual({
          status: 404,
          text: `{"error":"Not found","message":"There is no session mine${ofAgent}."}\n`,
        })
      },
    )

    describe.each(socketWires.map((row) => [row.path, row] as const))('the socket %s', (_, row) => {
      const at = (id: string) => {
        const url = filled(row, id)
        return row.path.includes(':id') ? `${url}?replay=all` : `${url}?sessionId=${id}`
      }

      test('without, with wrong and with lesser credentials', async () => {
        const credentials: [Record<string, string>, number][] = [
          [{}, 401],
          [as('wrong'), 401],
          ...SCOPES.filter((scope) => scope !== row.scope).map((scope): [Record<string, string>, number] => [
            as(scope),
            403,
          ]),
        ]
        for (const [headers, status] of credentials)
          expect([headers, (await upgradeAnswer(at('mine'), { headers })).status]).toEqual([headers, status])
        expect((await upgradeAnswer(`${at('mine')}&ticket=wrong`)).status).toBe(401)
        expect((await upgradeAnswer(at('mine'), { headers: as(row.scope) })).status).toBe(101)
      })

      test('of another tenant, of another user and with another session’s ticket', async () => {
        const bought = await post(`${server.url}/tickets`, { sessionId: 'other' }, as('op'))
        const sockets = [
          await openTestSocket(at('mine'), { headers: as('stranger') }).catch(() => null),
          await openTestSocket(at('mine'), { headers: as('bob') }),
          await openTestSocket(`${at('mine')}&ticket=${bought.body.ticket}`).catch(() => null),
        ]
        // A socket that concerns the tenant opens for each of its users, and sends what each may see.
        if (!row.session) expect(sockets[2]).toBeNull()
        for (const [index, socket] of sockets.entries()) {
          if (!socket) continue
          await socket.until((all) => all.length > 0)
          expect(JSON.stringify(socket.messages)).not.toContain(CANARY)
          expect(JSON.stringify(socket.messages)).not.toContain('"mine"')
          if (index > 0 && row.session) expect((await socket.closed).code).toBe(4004)
          socket.ws.terminate()
        }
      })

      test('answers no approval and starts nothing without the scope for it', async () => {
        // A socket on which every message is a command is not opened at all.
        if (row.scope === 'operate')
          return expect(openTestSocket(at('mine'), { headers: as('observe') })).rejects.toThrow('403')
        const socket = await openTestSocket(at('mine'), { headers: as('observe') })
        await socket.until((all) => all.length > 0)
        const approve = { type: 'approve', approvalId, decision: 'approved', commandId: 'a' }
        const cancel = { type: 'cancel', taskId: 'mine', commandId: 'c' }
        const signal = { type: 'signal', name: 'go', commandId: 's' }
        if (row.path.includes(':id') || !row.session) for (const each of [approve, cancel, signal]) socket.say(each)
        else socket.say({ type: 'commands', commands: [approve, { type: 'cancel', commandId: 'c' }, signal] })
        // A socket that takes no commands answers each with an error.
        const answer = row.session ? 'ack' : 'error'
        const answers = (await socket.until((all) => all.filter(({ type }) => type === answer).length === 3)).filter(
          ({ type }) => type === answer,
        )
        expect(answers).toHaveLength(3)
        if (row.session) expect(answers).toMatchObject([{ ok: false }, { ok: false }, { ok: false }])
        socket.ws.terminate()
      })
    })
  })
}
